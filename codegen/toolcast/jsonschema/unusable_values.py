"""Values of keywords that have the right form and cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
_MEANT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("str", "text", "char", "varchar", "unicode", "strings"), "string"),
    **dict.fromkeys(("int", "long", "short", "int32", "int64", "uint", "whole", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "real", "num", "numeric"), "number"),
    **dict.fromkeys(("bool", "flag"), "boolean"),
    **dict.fromkeys(("list", "tuple", "set", "sequence", "vector", "frozenset"), "array"),
    **dict.fromkeys(("dict", "dictionary", "map", "mapping", "hash", "struct", "record"), "object"),
    **dict.fromkeys(("none", "nil", "nonetype", "undefined", "void"), "null"),
}
"""The types of other languages, in lower case → the type of JSON Schema."""


def type_meant(name: str) -> str | None:
    """Find the type of JSON Schema that a word most likely means.

    Args:
        name: a type of another language, such as `dict`.

    Returns:
        The type; None where that is not clear.
    """
    word = name.strip().lower()
    return word if word in _TYPES else _MEANT.get(word)


def types_meant(value: Any) -> Any:
    """Find what a `type` most likely means that names types of other languages.

    Args:
        value: the value of `type`.

    Returns:
        A value that `type` can have; None where one of its names is not clear.
    """
    if isinstance(value, str):
        return type_meant(value)
    if not isinstance(value, list) or not all(isinstance(name, str | None) for name in value):
        return None
    meant = list(dict.fromkeys(type_meant(name or "null") for name in value))
    return meant if meant and None not in meant else None


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
