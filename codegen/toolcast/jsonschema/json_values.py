"""JSON values: numbers, exact division, depth, size, equality. Values are dict, list, tuple, str, int, float,
bool, None.
"""

from __future__ import annotations

# ruff: noqa: SIM110  # loops run in half the time of generators
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object as a dict: a schema, a definition, a message."""

JsonMapping: TypeAlias = Mapping[str, Any]
"""A JSON object that is only read."""

MAX_DEPTH = 200
"""Levels of nesting a value may have; deeper ones are refused first."""


def is_number(value: Any) -> bool:
    """Return whether a value is a JSON number: int or float, not bool."""
    return isinstance(value, (int, float)) and value is not True and value is not False


def is_whole(value: object) -> bool:
    """Return whether a value is an integer in JSON Schema's sense: int, or float without a fraction."""
    if isinstance(value, int):
        return value is not True and value is not False
    return isinstance(value, float) and value.is_integer()


def as_decimal(number: float) -> tuple[int, int]:
    """Return `(m, e)` with `number == m * 10**e`, for the shortest decimal that reads back as the number.
    Raises ValueError for infinity and NaN.
    """
    if isinstance(number, int):
        return number, 0
    digits, _, exponent = repr(number).partition("e")
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


def is_multiple(number: float, divisor: tuple[int, int]) -> bool:
    """Return whether a number is a whole multiple of another (from `as_decimal`), exactly; infinity and NaN
    never are.
    """
    try:
        mantissa, exponent = as_decimal(number)
    except ValueError:  # infinity and NaN are multiples of nothing
        return False
    base, scale = divisor
    low = min(exponent, scale)
    rest: int = mantissa * 10 ** (exponent - low) % (base * 10 ** (scale - low))
    return rest == 0


def may_be_too_deep(text: bytes | str, limit: int = MAX_DEPTH) -> bool:
    """Return whether a JSON text has room for more than `limit` levels of containers."""
    if len(text) <= 2 * limit:  # a level takes two characters
        return False
    if isinstance(text, str):
        return text.count("[") + text.count("{") > limit
    return text.count(b"[") + text.count(b"{") > limit


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Return whether a JSON value has more than `limit` levels of containers. Does not recurse."""
    level = [value] if isinstance(value, (dict, list, tuple)) else []
    for _ in range(limit):
        if not level:
            return False
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, (dict, list, tuple))
        ]
    return bool(level)


def count_parts(value: object) -> int:
    """Count the values in `value`, itself included. Does not recurse."""
    count, stack = 1, [value]
    while stack:
        item = stack.pop()
        if isinstance(item, (dict, list, tuple)):
            count += len(item)
            stack += item.values() if isinstance(item, dict) else item
    return count


def find_foreign(value: object) -> str | None:
    """Name a part of `value` that is not JSON; None where all of it is. Does not recurse."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for name in item:
                if not isinstance(name, str):
                    return f"a property name of type {type(name).__name__}"
            stack += item.values()
        elif isinstance(item, (list, tuple)):
            stack += item
        elif item is not None and not isinstance(item, (str, int, float)):
            return f"a value of type {type(item).__name__}"
    return None


def nested_objects(value: object) -> Iterator[JsonObject]:
    """Yield every object in a JSON value, outer ones first. Does not recurse; the value may be changed
    afterwards.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            yield item
            pending += item.values()
        elif isinstance(item, list):
            pending += item


def type_of(value: object) -> str:
    """Return the name of the JSON Schema type of a JSON value; a whole float is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return "array" if isinstance(value, (list, tuple)) else "object"


def has_type(value: object, types: Sequence[str]) -> bool:
    """Return whether a JSON value is of one of several types; `number` includes integers."""
    kind = type_of(value)
    return kind in types or (kind == "integer" and "number" in types)


def equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, and true does not equal 1. Recurses as deep as
    the shallower one.
    """
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict):
        if not isinstance(right, dict) or len(left) != len(right):
            return False
        for name, item in left.items():
            if name not in right or not equal(item, right[name]):
                return False
        return True
    if isinstance(left, (list, tuple)):
        if not isinstance(right, (list, tuple)) or len(left) != len(right):
            return False
        for ours, theirs in zip(left, right, strict=True):
            if not equal(ours, theirs):
                return False
        return True
    if isinstance(right, (dict, list, tuple)):
        return False
    return bool(left == right)


_TRUE, _FALSE = object(), object()  # True == 1 in Python, never in JSON


def key(value: Any) -> Hashable:
    """Return a hashable key that two JSON values share exactly when they are `equal`. Python compares int
    with float exactly: 1 equals 1.0, and 2**53 + 1 does not equal 2.0**53.
    """
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if value is True:
        return _TRUE
    if value is False:
        return _FALSE
    if isinstance(value, dict):
        return ("{", frozenset([(name, _inner(item)) for name, item in value.items()]))
    if isinstance(value, (list, tuple)):
        return ("[", *[_inner(item) for item in value])
    if isinstance(value, (int, float)) and not _LOW < value < _HIGH:
        return _inner(value)
    return value  # type: ignore[no-any-return]


_LOW, _HIGH = -(2**63), 2**63


def _inner(value: object) -> Hashable:
    """The key of a part, or of a large number. Python's hashes of numbers, and of tuples of numbers, follow
    a known rule: a hostile array could hold any number of items that share one. Those of strings do not."""
    if isinstance(value, (int, float)) and value is not True and value is not False:
        if isinstance(value, int):
            return ("#", hex(value))
        return ("#", hex(int(value)) if value.is_integer() else value.hex())
    return key(value)
