"""The way from a line of an output to the spec, and back."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..spec.parsed_document import Path
from .place import Link, Outline, Place, find_path


def to_spec(links: Iterable[Link], outline: Outline | None, line: int, column: int = 0) -> Link | None:
    """The link of what stands at a place of an output, with the place in the spec that is nearest to it.

    Args:
        links: the links of this output.
        outline: the elements of a JSON file; None for a module.
        line: the line, from 1.
        column: the column, from 1; 0 for the line as a whole.

    Returns:
        The innermost link; None for a line that is not there.
    """
    if outline is None:
        around = [link for link in links if link.output.line <= line <= link.last]
        return max(around, key=lambda link: (link.output, -link.last), default=None)
    elements = outline.at(line, column)
    by_element = {link.element: link for link in links}
    element = elements[0] if elements else ()
    for length in range(len(element), -1, -1):
        if (link := by_element.get(element[:length])) is not None:
            return _deepened(link, element[length:])
    return None


def _deepened(link: Link, rest: Path) -> Link:
    """A link of what is below it, as far as the spec has keys of the same name."""
    path = link.path
    for step in rest:
        if find_path(link.document.data, (*path, step)) is None:
            break
        path = (*path, step)
    line, column = link.document.locate(path, key=True)
    return replace(link, path=path, spec=Place(link.spec.file, line, column))


def to_outputs(links: Sequence[Link], outline: Outline, line: int, column: int = 0) -> list[Link]:
    """The links of what stands at a place of a spec.

    Args:
        links: the links of the spec and of what uses it.
        outline: the elements of the spec.
        line: the line, from 1.
        column: the column, from 1; 0 for the line as a whole.

    Returns:
        The links of the elements that start there; of the next outer element, where those have none.
    """
    own = [link for link in links if link.document.file == outline.document.file]
    elements = [element for element in outline.at(line, column) if element] or [()]
    if found := [link for link in own if link.path in elements]:
        return found
    innermost = elements[-1]
    for length in range(len(innermost), -1, -1):
        if found := [link for link in own if link.path == innermost[:length]]:
            return found
    return []
