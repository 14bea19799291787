"""What a file has in place of a text that is not in it: for the error of an edit, in linear time."""

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from heapq import nlargest

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

    Args:
        text: of the file; its first 2,000,000 characters are compared.
        old: text that is not in it.

    Returns:
        One or two sentences, and the nearest lines with their numbers, at most 2,000 characters of them.
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
    """The index of the first line of the block that is most like `wanted`; None where none is like it."""
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
