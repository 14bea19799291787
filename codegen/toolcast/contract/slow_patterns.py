"""Patterns that text made by a model could keep busy."""

from typing import Any, Final

from ..jsonschema import UnsupportedPattern
from ..jsonschema.ecma import analyse, is_quick

_LONG: Final = 10_000
"""Characters of a text in which a search should be quick, where no `maxLength` says fewer."""


def slow_pattern(pattern: Any, longest: Any = None) -> str | None:
    """What is slow about a pattern; None where nothing is, or where it is no pattern at all.

    `longest` is the `maxLength` beside it, if there is one: it may keep the cost small.
    """
    if not isinstance(pattern, str):
        return None
    bounded = isinstance(longest, int | float) and 0 <= longest < _LONG
    length = int(longest) if bounded else _LONG
    try:
        if is_quick(pattern, length):
            return None
        exact = analyse(pattern).automaton is not None
    except UnsupportedPattern:
        return None
    what = "decoding takes a slower way there" if exact else "texts in which it would are refused"
    return (
        f"a search for the pattern {pattern!r} can take millions of steps in a text of {length} characters: "
        f"its parts can share one text in many ways; {what}"
    )


def always_quick(pattern: str, longest: int | None = None) -> bool:
    """Whether `re` takes few steps for each character of any text that has at most `longest`."""
    free = analyse(pattern).cost.free()
    return free >= (float("inf") if longest is None else longest)
