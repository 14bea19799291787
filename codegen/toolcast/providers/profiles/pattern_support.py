"""Tells the regular expressions to which a provider's engine gives the meaning of JSON Schema."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from .dialect import Dialect

_MAX_PATTERN = 4_000
_LOOKAROUND = ("(?=", "(?!", "(?<=", "(?<!")


class _Features(Struct, frozen=True, kw_only=True):
    """The features that a pattern uses. `whole`: it is `^…$`, so that searching and matching the whole text
    agree.
    """

    whole: bool
    inner_anchors: bool  # ^ or $ anywhere but at the two ends
    lookaround: bool
    word_boundary: bool
    backreferences: bool
    unicode_classes: bool


def features(pattern: str) -> _Features:
    r"""Return what `pattern` uses. Escapes and character classes are read as such, so `\\b` is no word
    boundary.
    """
    return _known_features(pattern) if len(pattern) <= _MAX_PATTERN else _features(pattern)


def _features(pattern: str) -> _Features:
    at, depth, end = 0, 0, len(pattern)
    escapes: set[str] = set()
    classes: set[str] = set()
    anchors: list[int] = []
    alternatives = lookarounds = False
    in_class = False
    while at < end:
        char = pattern[at]
        if char == "\\":
            (classes if in_class else escapes).add(pattern[at + 1 : at + 2])
            at += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
            lookarounds = lookarounds or pattern.startswith(_LOOKAROUND, at)
        elif char == ")":
            depth -= 1
        elif char == "|":
            alternatives = alternatives or depth == 0
        elif char in "^$":
            anchors.append(at)
        at += 1
    ends = {0, end - 1}
    ended = bool(anchors) and anchors[-1] == end - 1 and pattern[-1] == "$"
    whole = end > 1 and pattern[0] == "^" and ended and not alternatives
    return _Features(
        whole=whole,
        inner_anchors=any(at not in ends for at in anchors),
        lookaround=lookarounds,
        word_boundary=not escapes.isdisjoint("bB"),
        backreferences=not escapes.isdisjoint("123456789k"),
        unicode_classes=not (escapes | classes).isdisjoint("pP"),
    )


_known_features = lru_cache(maxsize=1024)(_features)


def compiles(pattern: str) -> bool:
    """Return whether Python's `re` compiles a pattern."""
    return len(pattern) <= _MAX_PATTERN and _compiles(pattern)


@lru_cache(maxsize=1024)
def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def supported_pattern(dialect: Dialect, pattern: str) -> bool:
    """Return whether the dialect's engine gives a pattern the same meaning."""
    if not _limited(dialect):
        return True
    if dialect.patterns == "python" and not compiles(pattern):
        return False
    used = features(pattern)
    if (
        (used.lookaround and not dialect.lookaround)
        or (used.word_boundary and not dialect.word_boundary)
        or (used.backreferences and not dialect.backreferences)
        or (used.unicode_classes and not dialect.unicode_classes)
    ):
        return False
    return dialect.patterns != "anchored" or used.whole


def _limited(dialect: Dialect) -> bool:
    """Return whether some pattern is out of the dialect's reach."""
    knows_all = (
        dialect.lookaround and dialect.word_boundary and dialect.backreferences and dialect.unicode_classes
    )
    return dialect.patterns != "any" or not knows_all
