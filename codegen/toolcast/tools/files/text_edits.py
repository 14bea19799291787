"""Exact replacements in a text: one occurrence, or all of them."""

from typing import Final

from msgspec import Struct

from ...runtime import RefusalError
from .nearest_text import describe_nearest

_LISTED = 10
"""Lines that an error lists."""
MOST_LINES: Final = 1_000_000
"""Lines of a text before and after an edit."""
_MOST = 100_000
"""Occurrences that one edit replaces."""


class Replacement(Struct, frozen=True):
    """One exact replacement.

    Attributes:
        old: text to replace.
        new: text in its place.
        everywhere: whether every occurrence is replaced, or exactly one is required.
    """

    old: str
    new: str
    everywhere: bool = False


class Edited(Struct, frozen=True):
    """A text after a replacement.

    Attributes:
        text: all of it.
        offsets: where the occurrences began in the text before; ascending, they do not overlap.
    """

    text: str
    offsets: tuple[int, ...]


def replace(text: str, replacement: Replacement, largest: int) -> Edited:
    """Replace exact text.

    Args:
        text: of the file, lines ending in line feeds.
        replacement: what to replace.
        largest: characters that the text may have after it.

    Returns:
        The text after it.

    Raises:
        RefusalError: the old text is the new one, is missing, or occurs more than once and is to be unique.
            The error shows what is nearest, or says in which lines it occurs. Or the text would be too large.
    """
    old, new = replacement.old, replacement.new
    if old == new:
        raise RefusalError("old_string and new_string are the same, so nothing would change. Correct one.")
    first = text.find(old)
    if first < 0:
        raise RefusalError(f"old_string is not in the file. {describe_nearest(text, old)}")
    # From the next character on: occurrences that overlap are not unique either.
    if not replacement.everywhere and text.find(old, first + 1) >= 0:
        raise RefusalError(_ambiguous(text, old))
    count = text.count(old) if replacement.everywhere else 1
    if count > _MOST:
        raise RefusalError(
            f"old_string occurs {count:,} times; at most {_MOST:,} are replaced at once. Use a longer one."
        )
    size = len(text) + count * (len(new) - len(old))
    if size > largest:
        raise RefusalError(
            f"The file would have {size:,} characters; at most {largest:,} are written. Write less."
        )
    lines = text.count("\n") + count * (new.count("\n") - old.count("\n"))
    if lines > MOST_LINES:
        raise RefusalError(
            f"The file would have {lines:,} lines; at most {MOST_LINES:,} are written. Write less."
        )
    offsets = tuple(_occurrences(text, old)) if replacement.everywhere else (first,)
    return Edited(text.replace(old, new, count), offsets)


def line_of(text: str, offset: int) -> int:
    """The number of the line, from 1, that the character at `offset` is in."""
    return text.count("\n", 0, offset) + 1


def _occurrences(text: str, old: str) -> list[int]:
    offsets: list[int] = []
    offset = text.find(old)
    while offset >= 0:
        offsets.append(offset)
        offset = text.find(old, offset + len(old))
    return offsets


def _ambiguous(text: str, old: str) -> str:
    lines: list[str] = []
    line, before = 1, 0
    offset = text.find(old)
    while offset >= 0 and len(lines) <= _LISTED:
        line += text.count("\n", before, offset)
        lines.append(str(line))
        before, offset = offset, text.find(old, offset + 1)
    more = len(lines) > _LISTED
    listed = ", ".join(lines[:_LISTED]) + (" and more" if more else "")
    times = f"more than {_LISTED}" if more else str(len(lines))
    return (
        f"old_string occurs {times} times, in lines {listed}. Include more of the text around "
        "the one to replace, or set replace_all."
    )
