"""Lines of a file with their numbers, as `file_read` and the snippets of edits show them."""

from collections.abc import Sequence
from typing import Final

from ...runtime import RefusalError
from ...runtime.workspace.path_errors import shown
from ..generated.files.file_read import FileReadResult
from .text_files import count_lines, number_lines, split_lines

MOST_LINES: Final = 2000
"""Lines that one call returns."""
_CONTEXT: Final = 3
_PLACES: Final = 5
_SNIPPET: Final = 60
LONGEST_LINE: Final = 2000
"""Characters of a line that are shown."""


def read_lines(text: str, path: str, line_range: Sequence[int] | None) -> FileReadResult:
    """Number the lines of a text, or some of them.

    Args:
        text: of the file.
        path: as the model wrote it, for errors.
        line_range: first and last line, from 1; None for the first 2000.

    Returns:
        At most 2000 lines, each of at most 2000 characters.

    Raises:
        RefusalError: the range is empty or begins after the last line.
    """
    total = count_lines(text)
    if line_range is None:
        first, last = min(1, total), min(total, MOST_LINES)
        wanted = total
    else:
        first, wanted = line_range
        if wanted < first:
            raise RefusalError(
                f"The line range ends before it begins: [{first}, {wanted}]. Give the first line first."
            )
        if first > total:
            raise RefusalError(
                f"{shown(path)} has {_counted(total)}; line {first} is beyond its end. Give another range."
            )
        wanted = min(wanted, total)
        last = min(wanted, first + MOST_LINES - 1)
    block = split_lines(text, last)[max(first - 1, 0) : last]
    return FileReadResult(
        content=number_lines(block, first, LONGEST_LINE),
        first_line=first,
        last_line=last,
        total_lines=total,
        truncated=last < wanted or any(len(line) > LONGEST_LINE for line in block),
    )


def snippet(text: str, offsets: Sequence[int], removed: int, new: str) -> str:
    """The lines that an edit changed, with three lines around them.

    Args:
        text: after the edit.
        offsets: where the occurrences began in the text before; the first five are shown.
        removed: characters of the text that was replaced.
        new: the text in its place.

    Returns:
        At most 60 lines, numbered; "…" stands between blocks and for what is left out.
    """
    blocks: list[list[int]] = []
    for index, offset in enumerate(offsets[:_PLACES]):
        first = text.count("\n", 0, offset + index * (len(new) - removed)) + 1
        start, end = max(1, first - _CONTEXT), first + max(1, count_lines(new)) - 1 + _CONTEXT
        if blocks and start <= blocks[-1][1] + 1:
            blocks[-1][1] = end
        else:
            blocks.append([start, end])
    shown_lines: list[str] = []
    room = _SNIPPET
    lines = split_lines(text, blocks[-1][1])
    for start, end in blocks:
        block = lines[start - 1 : min(end, start - 1 + room)]
        room -= len(block)
        shown_lines += [number_lines(block, start, LONGEST_LINE), "…"]
    if len(offsets) <= _PLACES and room > 0:
        shown_lines.pop()
    return "\n".join(filter(None, shown_lines))


def _counted(lines: int) -> str:
    return f"{lines} line{'' if lines == 1 else 's'}" if lines else "no lines"
