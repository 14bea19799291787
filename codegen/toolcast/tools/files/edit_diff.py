"""The unified diff of exact replacements, in linear time: what was replaced is known, not searched for."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

_CONTEXT = 3
_REFINED = 500
"""Lines of a changed block up to which lines that both sides share are looked for."""


class LineChange(Struct, frozen=True):
    """Lines that another text has in place of some: indexes from 0, ends excluded, in both texts."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


Lines = tuple[int | None, ...]
"""For each line of a text, its index in the text before all edits; None where an edit made it."""


def untouched(text: str) -> Lines:
    """The lines of a text before any edit; what follows its last line feed is one, too."""
    return tuple(range(text.count("\n") + 1))


def touch(lines: Lines, text: str, offsets: Sequence[int], old: str, new: str) -> Lines:
    """Which lines an edit leaves.

    Args:
        lines: before the edit.
        text: before the edit.
        offsets: of the occurrences of `old` that it replaces, ascending.
        old: the text that it replaces.
        new: the text in its place.

    Returns:
        The lines after it.
    """
    removed, added = old.count("\n"), new.count("\n")
    result: list[int | None] = []
    kept = 0  # the first line that is not in the result yet
    line, before = 0, 0
    for offset in offsets:
        line += text.count("\n", before, offset)
        before = offset
        if line >= kept:
            result += lines[kept:line]
            result.append(None)
        # Where a line holds several occurrences, it is there already.
        result += [None] * added
        kept = max(kept, line + removed + 1)
    result += lines[kept:]
    return tuple(result)


def unified_diff(before: str, after: str, lines: Lines, *, path: str, longest: int) -> str:
    """The unified diff of two texts.

    Args:
        before: the text before all edits.
        after: the text after them.
        lines: of `after`, as `touch` returns them.
        path: for its header.
        longest: characters of it at most; a line says how many lines are left out.

    Returns:
        The diff, with three lines of context; empty where the texts are equal.
    """
    old, new = _with_ends(before), _with_ends(after)
    changes = [part for change in _changes(lines, len(old), len(new)) for part in _refined(change, old, new)]
    if not changes:
        return ""
    shown = [f"--- {path}", f"+++ {path}"]
    size = sum(map(len, shown))
    left_out = 0
    for hunk in _hunks(changes):
        for line in _hunk_lines(hunk, old, new):
            size += len(line) + 1
            if size > longest:
                left_out += 1
            else:
                shown.append(line)
    if left_out:
        shown.append(f"… {left_out} more lines")
    return "\n".join(shown)


def _with_ends(text: str) -> list[str]:
    """The lines of a text, with the line feeds that end them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _changes(lines: Lines, old_size: int, new_size: int) -> Iterator[LineChange]:
    old = new = 0
    for index, origin in enumerate((*lines[:new_size], old_size)):
        if origin is None:
            continue
        if origin > old or index > new:
            yield LineChange(old, origin, new, index)
        old, new = origin + 1, index + 1


def _refined(change: LineChange, old: list[str], new: list[str]) -> Iterator[LineChange]:
    """The change without the lines that both sides share."""
    before, after = old[change.old_start : change.old_end], new[change.new_start : change.new_end]
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    old_start, new_start = change.old_start + head, change.new_start + head
    if max(len(before), len(after)) > _REFINED:
        yield LineChange(old_start, old_start + len(before), new_start, new_start + len(after))
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            yield LineChange(old_start + i1, old_start + i2, new_start + j1, new_start + j2)


def _hunks(changes: list[LineChange]) -> Iterator[list[LineChange]]:
    """Changes whose contexts touch, together."""
    hunk = changes[:1]
    for change in changes[1:]:
        if change.old_start - hunk[-1].old_end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    yield hunk


def _hunk_lines(hunk: list[LineChange], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = hunk[0], hunk[-1]
    lead = min(_CONTEXT, first.old_start)
    trail = min(_CONTEXT, len(old) - last.old_end)
    yield (
        f"@@ -{_span(first.old_start - lead, last.old_end + trail)} "
        f"+{_span(first.new_start - lead, last.new_end + trail)} @@"
    )
    at = first.old_start - lead
    for change in hunk:
        yield from _marked(" ", old[at : change.old_start])
        yield from _marked("-", old[change.old_start : change.old_end])
        yield from _marked("+", new[change.new_start : change.new_end])
        at = change.old_end
    yield from _marked(" ", old[at : at + trail])


def _span(start: int, end: int) -> str:
    size = end - start
    return str(start + 1) if size == 1 else f"{start + 1 if size else start},{size}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"
