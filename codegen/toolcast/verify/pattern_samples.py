"""Strings that a pattern is likely to find. Python's parser reads it; the oracle has the last word."""

import random
import re
from typing import Any

from ..jsonschema import UnsupportedPattern, translate
from ..jsonschema.regex_cache import cache_short_texts

_PARSER: Any = getattr(re, "_parser", None)
_MAX_REPEAT = 4
_WIDE = "aZ09_ -./é中\n"
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_NOT_DIGIT": "ab_ -",
    "CATEGORY_WORD": "abcXYZ019_",
    "CATEGORY_NOT_WORD": " -.!/é",
    "CATEGORY_SPACE": " \t\n",
    "CATEGORY_NOT_SPACE": "abZ09-",
}


@cache_short_texts
def _parsed(pattern: str) -> Any:
    try:
        return _PARSER.parse(translate(pattern))
    except (UnsupportedPattern, re.error, RecursionError, OverflowError, AttributeError):
        return None


def sample(rng: random.Random, pattern: str) -> str | None:
    """A string for `pattern`, or None where there is no telling."""
    tree = _parsed(pattern)
    if tree is None:
        return None
    groups: dict[int, str] = {}
    try:
        return "".join(_piece(rng, op, argument, groups) for op, argument in tree)
    except (RecursionError, LookupError):
        return None


def sample_first(pattern: str) -> str:
    """Always the same string for `pattern`; empty where there is no telling."""
    return sample(random.Random(0), pattern) or ""


def _sequence(rng: random.Random, tree: Any, groups: dict[int, str]) -> str:
    return "".join(_piece(rng, op, argument, groups) for op, argument in tree)


def _piece(rng: random.Random, op: Any, argument: Any, groups: dict[int, str]) -> str:
    name = str(op)
    if name == "LITERAL":
        return chr(argument)
    if name == "NOT_LITERAL":
        return rng.choice([c for c in _WIDE if ord(c) != argument])
    if name == "ANY":
        return rng.choice(_WIDE.replace("\n", ""))
    if name == "IN":
        return _member(rng, argument)
    if name == "BRANCH":
        return _sequence(rng, rng.choice(argument[1]), groups)
    if name == "SUBPATTERN":
        text = _sequence(rng, argument[3], groups)
        if argument[0] is not None:
            groups[argument[0]] = text
        return text
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, inner = argument
        high = min(int(high), int(low) + _MAX_REPEAT)
        count = rng.choice((int(low), high, rng.randint(int(low), high)))
        return "".join(_sequence(rng, inner, groups) for _ in range(min(count, 300)))
    if name == "GROUPREF":
        return groups.get(argument, "")
    if name == "GROUPREF_EXISTS":
        chosen = argument[1] if argument[0] in groups else argument[2]
        return _sequence(rng, chosen or (), groups)
    if name == "ATOMIC_GROUP":
        return _sequence(rng, argument, groups)
    return ""  # anchors and look-arounds take no room


def _member(rng: random.Random, items: Any) -> str:
    negated = str(items[0][0]) == "NEGATE"
    if negated:
        allowed = [c for c in _WIDE + "bcdefgh!#%&" if not any(_holds(item, c) for item in items[1:])]
        return rng.choice(allowed or ["\u2603"])
    op, argument = rng.choice(items)
    name = str(op)
    if name == "LITERAL":
        return chr(argument)
    if name == "RANGE":
        low, high = argument
        return chr(rng.choice((low, high, rng.randint(low, min(high, low + 200)))))
    if name == "CATEGORY":
        return rng.choice(_CATEGORIES.get(str(argument), "a"))
    return "a"


def _holds(item: Any, char: str) -> bool:
    op, argument = item
    name = str(op)
    if name == "LITERAL":
        return bool(ord(char) == argument)
    if name == "RANGE":
        return bool(argument[0] <= ord(char) <= argument[1])
    return char in _CATEGORIES.get(str(argument), "")
