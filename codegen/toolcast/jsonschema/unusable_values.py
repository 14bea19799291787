"""Values of keywords that have the right form and cannot be used."""

from __future__ import annotations

from typing import Any

from .ecma import translate
from .keywords import TYPES
from .regex_cache import cache_short_texts
from .upgrade import NEWEST, outdated
from .validator_errors import UnsupportedPattern


def is_dialect(value: Any) -> bool:
    """Whether a `$schema` names a draft of JSON Schema.

    Args:
        value: its value.

    Returns:
        True for every draft, 2020-12 included.
    """
    return outdated(value) or (isinstance(value, str) and value.rstrip("#") == NEWEST)


def is_type(value: Any) -> bool:
    """Whether a value names types.

    Args:
        value: the value of `type`.

    Returns:
        True for the name of a type, and for a list of different ones.
    """
    if isinstance(value, str):
        return value in _TYPES
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(name, str) and name in _TYPES for name in value) and len({*value}) == len(value)


_TYPES = frozenset(TYPES)


@cache_short_texts
def unusable_pattern(pattern: str) -> str:
    """Why a pattern cannot be used.

    Args:
        pattern: a regular expression.

    Returns:
        The reason; empty for a pattern of ECMA-262 that Python's `re` runs exactly.
    """
    try:
        translate(pattern)
    except UnsupportedPattern as problem:
        return f"the pattern {pattern!r:.60} cannot be used: {problem.reason}"
    except RecursionError:
        return f"the pattern {pattern!r:.60} is nested too deeply"
    return ""
