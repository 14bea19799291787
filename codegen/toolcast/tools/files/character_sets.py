"""Sets of characters for patterns: one table of letters and their cases, whichever engine searches.

The engines carry tables of different Unicode versions. Sets are made from Python's, and given as ranges.
"""

import sys
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import groupby
from unicodedata import category

Ranges = tuple[tuple[int, int], ...]
"""A set of characters: first and last code point of each run; sorted, none touches the next."""

_LAST = sys.maxunicode
_LAST_CASED = 0x1FFFF
"""The planes after it hold ideographs, tags and private characters: none has cases."""
_SURROGATES = (0xD800, 0xDFFF)
"""Halves of UTF-16; no file in UTF-8 has them, and both engines refuse them."""

DIGITS: Ranges = ((0x30, 0x39),)
SPACES: Ranges = ((0x09, 0x0D), (0x20, 0x20))
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
LINE_FEED: Ranges = ((0x0A, 0x0A),)
POSIX: dict[str, Ranges] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": SPACES,
    "upper": ((0x41, 0x5A),),
    "word": WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
"""The classes of POSIX, over ASCII."""

_GROUPS = {"L": "ultmo", "M": "nce", "N": "dlo", "P": "cdseifo", "S": "mcko", "Z": "slp", "C": "cfo"}
CATEGORIES = frozenset(group + kind for group, kinds in _GROUPS.items() for kind in ("", *kinds))
"""General categories of Unicode that `general_category` knows."""


def union(*sets: Iterable[tuple[int, int]]) -> Ranges:
    """The characters that are in any of `sets`."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(span for ranges in sets for span in ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """The characters that are not in `ranges`."""
    edges = [-1, *(edge for first, last in ranges for edge in (first, last)), _LAST + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((before + 1, after - 1) for before, after in gaps if before + 1 <= after - 1)


def difference(ranges: Ranges, without: Ranges) -> Ranges:
    """The characters in `ranges` that are not in `without`."""
    return complement(union(complement(ranges), without))


def contains(ranges: Ranges, code: int) -> bool:
    """Whether the character `code` is in `ranges`."""
    index = bisect_right(ranges, (code, _LAST))
    return index > 0 and ranges[index - 1][1] >= code


@cache
def general_category(name: str) -> Ranges:
    """The characters of a general category of Unicode, such as `Lu`, or of a group of them, such as `L`."""
    spans: list[tuple[int, int]] = []
    for kind, codes in groupby(range(_LAST + 1), key=lambda code: category(chr(code))):
        run = list(codes)
        if kind.startswith(name):
            spans.append((run[0], run[-1]))
    return union(spans)


@lru_cache(256)
def fold(ranges: Ranges) -> Ranges:
    """`ranges`, and the other cases of their letters: simple case folding of Unicode, one letter for one."""
    others = [
        (other, other) for code, orbit in _orbits().items() if contains(ranges, code) for other in orbit
    ]
    return union(ranges, others)


def bracketed(ranges: Ranges) -> str:
    """`ranges` as a character class that both engines read alike; of an empty set, what never matches."""
    spans = "".join(
        f"{_escaped(first)}-{_escaped(last)}" if first < last else _escaped(first)
        for first, last in difference(ranges, (_SURROGATES,))
    )
    return f"[{spans}]" if spans else r"[^\x{0}-\x{10FFFF}]"


def _escaped(code: int) -> str:
    return chr(code) if code < 0x80 and chr(code).isalnum() else f"\\x{{{code:X}}}"


@cache
def _orbits() -> dict[int, tuple[int, ...]]:
    """The letters that have other cases, each with all letters that fold to the same."""
    folded = {code: _simple_fold(chr(code)) for code in range(_LAST_CASED + 1)}
    orbits: dict[str, list[int]] = {}
    for code, target in folded.items():
        if target != chr(code):
            orbits.setdefault(target, [ord(target)]).append(code)
    return {code: tuple(orbit) for orbit in orbits.values() for code in orbit}


def _simple_fold(letter: str) -> str:
    """A letter's simple case folding: the full one where that is one letter, the small letter otherwise."""
    return next((other for other in (letter.casefold(), letter.lower()) if len(other) == 1), letter)
