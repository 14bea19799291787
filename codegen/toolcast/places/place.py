"""Places in specs and in generated files, and which belong together."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..spec.parsed_document import Document, Path


class Place(Struct, frozen=True, order=True):
    """A place in a file; `file` is as a person types it, `line` and `column` count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Link(Struct, frozen=True, kw_only=True):
    """That a place of an output was made from a place of a spec.

    `name` says what `output` is: `EditParams.file_path`, or a JSON pointer. Of a module, `last` is the last
    line of it; of a JSON file, `element` is its path. `document` and `path` are those of `spec`.
    """

    output: Place
    name: str
    last: int = 0
    element: Path | None = None
    spec: Place
    document: Document
    path: Path


class Outline:
    """The elements of a document (YAML or JSON) with their places, in the order of the text."""

    def __init__(self, document: Document) -> None:
        self.document = document
        places = ((document.locate(path, key=True), path) for path in _paths(document.data))
        self._elements = sorted(places, key=lambda element: (element[0], len(element[1])))

    def at(self, line: int, column: int = 0) -> list[Path]:
        """The elements that start in a line; where none does, or with a column, the innermost one that has
        begun there."""
        if not column:
            starting = [path for place, path in self._elements if place[0] == line]
            if starting:
                return starting
        begun = [path for place, path in self._elements if place <= (line, column or 0)]
        return begun[-1:]


def find_path(data: object, segments: Sequence[str | int]) -> Path | None:
    """The path that the segments of a pointer mean in `data`; None where they lead to nothing."""
    path: list[str | int] = []
    for segment in segments:
        if isinstance(data, Mapping) and segment in data:
            data = data[segment]
            path.append(segment)
        elif isinstance(data, list) and str(segment).isdecimal() and int(segment) < len(data):
            data = data[int(segment)]
            path.append(int(segment))
        else:
            return None
    return tuple(path)


def _paths(data: object) -> Iterator[Path]:
    """The path of every element, outer ones first."""
    pending: list[tuple[Path, object]] = [((), data)]
    while pending:
        path, value = pending.pop()
        yield path
        if isinstance(value, Mapping):
            pending += [((*path, str(key)), item) for key, item in value.items()]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            pending += [((*path, index), item) for index, item in enumerate(value)]
