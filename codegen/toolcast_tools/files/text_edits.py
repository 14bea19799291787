"""Exact replacements in a text: one occurrence, or all of them, with their unified diff.

The diff takes linear time: what was replaced is known, not searched for. An error shows what the file has in
place of a text that is not in it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from typing import Final

from msgspec import Struct
from toolcast.runtime import RefusalError

_COMPARED = 2_000_000
"""Characters of a file that are compared."""
_LINE = 300
"""Characters of a line that are compared."""
_BLOCK = 40
"""Lines of the old text that are compared and shown."""
_SHOWN = 2_000
"""Characters of the nearest text that are shown."""
_GRAM = 3
_GRAMS = 32
"""Parts of a line, of 3 characters each, that are looked for in others."""
_CANDIDATES = 16
_SIMILAR = 0.6
_NUMBERED = re.compile(r"^ *\d+[\t→|:]", re.MULTILINE)
_SPACES = re.compile(r"[^\S\n]+")
_EDGES = re.compile(r"^ | $", re.MULTILINE)

Change = Callable[[str], str]


def _same(text: str) -> str:
    return text


def _without_numbers(text: str) -> str:
    return _NUMBERED.sub("", text)


def _without_returns(text: str) -> str:
    return text.replace("\r", "")


def _single_spaced(text: str) -> str:
    return _EDGES.sub("", _SPACES.sub(" ", text))


def _without_escapes(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")


_DIFFERENCES: tuple[tuple[str, Change, Change], ...] = (
    (
        "It has line numbers, which are no part of the file. Leave them out.",
        _without_numbers,
        _same,
    ),
    (
        "It has backslashes. Write line breaks, tabs and quotes as themselves.",
        _without_escapes,
        _same,
    ),
    (
        "Only carriage returns at the ends of lines differ.",
        _without_returns,
        _without_returns,
    ),
    ("Only white space differs. Copy it exactly.", _single_spaced, _single_spaced),
    ("Only capital and small letters differ. Copy them exactly.", str.lower, str.lower),
)
"""Ways in which a text is missed often, and what of the old text, and of the file, makes both equal."""


def describe_nearest(text: str, old: str) -> str:
    """Say what of a file is nearest to a text, and how they differ.

    Returns one or two sentences, and the nearest lines with their numbers, at most 2,000 characters of them.

    Args:
        text: of the file; its first 2,000,000 characters are compared.
        old: text that is not in it.
    """
    text = text[:_COMPARED]
    if not text.strip():
        return "The file is empty. Use file_write to write it."
    lines = text.split("\n")
    size = old.count("\n") + 1
    for reason, change_old, change_text in _DIFFERENCES:
        wanted, changed = change_old(old), change_text(text)
        if wanted.strip() and (wanted, changed) != (old, text):
            offset = changed.find(wanted)
            if offset >= 0:
                first = changed.count("\n", 0, offset)
                return f"{reason} {_show(lines, first, wanted.count(chr(10)) + 1)}"
    nearest = _most_similar(lines, old.split("\n"))
    if nearest is None:
        return "Nothing in the file is similar. Read it, and copy old_string from it."
    return f"Copy it from the file. {_show(lines, nearest, size)}"


def _most_similar(lines: list[str], wanted: list[str]) -> int | None:
    """Return the index of the first line of the block that is most like `wanted`; None where none is like
    it.
    """
    block = wanted[:_BLOCK]
    anchor = max(range(len(block)), key=lambda index: len(block[index].strip()))
    grams = _sampled(block[anchor].strip()[:_LINE])
    scored = ((sum(gram in line[:_LINE] for gram in grams), -index) for index, line in enumerate(lines))
    best: tuple[float, int] = (0.0, 0)
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(_joined(block))
    for score, negated in nlargest(_CANDIDATES, scored):
        first = max(0, -negated - anchor)
        matcher.set_seq1(_joined(lines[first : first + len(block)]))
        # Compares how often characters occur: linear, where the exact ratio could take hours.
        likeness = matcher.quick_ratio() * (0.5 + 0.5 * score / len(grams))
        best = max(best, (likeness, -first))
    return -best[1] if best[0] >= _SIMILAR else None


def _sampled(line: str) -> list[str]:
    """Parts of a line, evenly spread over it."""
    grams = [line[index : index + _GRAM] for index in range(max(1, len(line) - _GRAM + 1))]
    return grams[:: -(-len(grams) // _GRAMS)]


def _joined(lines: list[str]) -> str:
    return "\n".join(line.strip()[:_LINE] for line in lines)


def _show(lines: list[str], first: int, size: int) -> str:
    block = lines[first : first + min(size, _BLOCK)]
    last = first + len(block)
    place = f"Line {last}" if last == first + 1 else f"Lines {first + 1} to {last}"
    shown = "\n".join(block)
    return f"{place} of the file:\n{shown[:_SHOWN]}{'…' if len(shown) > _SHOWN else ''}"


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


class _Edited(Struct, frozen=True):
    """A text after a replacement.

    Attributes:
        text: all of it.
        offsets: where the occurrences began in the text before; ascending, they do not overlap.
    """

    text: str
    offsets: tuple[int, ...]


def replace(text: str, replacement: Replacement, largest: int) -> _Edited:
    """Replace exact text.

    Raises RefusalError: the old text is the new one, is missing, or occurs more than once and is to be
    unique. The error shows what is nearest, or says in which lines it occurs. Or the text would be too large.

    Args:
        text: of the file, lines ending in line feeds.
        replacement: what to replace.
        largest: characters that the text may have after it.
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
    return _Edited(text.replace(old, new, count), offsets)


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


_CONTEXT = 3
_REFINED = 500
"""Lines of a changed block up to which lines that both sides share are looked for."""


class _LineChange(Struct, frozen=True):
    """Lines that another text has in place of some: indexes from 0, ends excluded, in both texts."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


_Lines = tuple[int | None, ...]
"""For each line of a text, its index in the text before all edits; None where an edit made it."""


def untouched(text: str) -> _Lines:
    """Return the lines of a text before any edit; what follows its last line feed is one, too."""
    return tuple(range(text.count("\n") + 1))


def touch(lines: _Lines, text: str, offsets: Sequence[int], old: str, new: str) -> _Lines:
    """Return the lines after an edit.

    Args:
        lines: before the edit.
        text: before the edit.
        offsets: of the occurrences of `old` that it replaces, ascending.
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


def unified_diff(before: str, after: str, lines: _Lines, *, path: str, longest: int) -> str:
    """Return the unified diff of two texts, with three lines of context; empty where the texts are
    equal.

    Args:
        lines: of `after`, as `touch` returns them.
        path: for its header.
        longest: characters of it at most; a line says how many lines are left out.
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
    """Return the lines of a text, with the line feeds that end them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _changes(lines: _Lines, old_size: int, new_size: int) -> Iterator[_LineChange]:
    old = new = 0
    for index, origin in enumerate((*lines[:new_size], old_size)):
        if origin is None:
            continue
        if origin > old or index > new:
            yield _LineChange(old, origin, new, index)
        old, new = origin + 1, index + 1


def _refined(change: _LineChange, old: list[str], new: list[str]) -> Iterator[_LineChange]:
    """Yield the change without the lines that both sides share."""
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
        yield _LineChange(old_start, old_start + len(before), new_start, new_start + len(after))
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            yield _LineChange(old_start + i1, old_start + i2, new_start + j1, new_start + j2)


def _hunks(changes: list[_LineChange]) -> Iterator[list[_LineChange]]:
    """Changes whose contexts touch, together."""
    hunk = changes[:1]
    for change in changes[1:]:
        if change.old_start - hunk[-1].old_end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    yield hunk


def _hunk_lines(hunk: list[_LineChange], old: list[str], new: list[str]) -> Iterator[str]:
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
