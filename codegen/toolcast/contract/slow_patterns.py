"""Patterns for which a search may take very long in some texts."""

from typing import Any, Final

from ..jsonschema import UnsupportedPattern
from ..jsonschema.ecma import analyse, is_fast

_LONG: Final = 10_000
"""Characters of the longest text that is considered, where no `maxLength` bounds it."""


def slow_pattern_reason(pattern: Any, longest: Any = None) -> str | None:
    """Why a search for `pattern` is slow; None where it is not, or where it is no valid pattern.

    `longest` is the `maxLength` of the same schema, if there is one: it bounds the cost.
    """
    if not isinstance(pattern, str):
        return None
    bounded = isinstance(longest, int | float) and 0 <= longest < _LONG
    length = int(longest) if bounded else _LONG
    try:
        if is_fast(pattern, length):
            return None
        exact = analyse(pattern).automaton is not None
    except UnsupportedPattern:
        return None
    what = "decoding takes a slower way there" if exact else "texts in which it would are refused"
    return (
        f"a search for the pattern {pattern!r} can take millions of steps in a text of {length} characters: "
        f"its parts can share one text in many ways; {what}"
    )


def is_always_fast(pattern: str, longest: int | None = None) -> bool:
    """Whether `re` takes few steps for each character of any text that has at most `longest`."""
    fast_length = analyse(pattern).cost.fast_length()
    return fast_length >= (float("inf") if longest is None else longest)
