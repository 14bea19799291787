"""JSON values: numbers, exact division, depth, size. Values are dict, list, tuple, str, int, float, bool,
None."""

from collections.abc import Iterator, Sequence
from typing import Any

MAX_DEPTH = 200
"""Levels of nesting a value may have; deeper ones are refused first."""


def is_number(value: Any) -> bool:
    """Whether a value is a JSON number.

    Args:
        value: any value.

    Returns:
        True for int and float, False for bool.
    """
    return isinstance(value, (int, float)) and value is not True and value is not False


def is_whole(value: Any) -> bool:
    """An integer in JSON Schema's sense: int, or float without a fraction."""
    if isinstance(value, int):
        return value is not True and value is not False
    return isinstance(value, float) and value.is_integer()


def as_decimal(number: float) -> tuple[int, int]:
    """A number in decimal: the shortest decimal that reads back as the number.

    Args:
        number: an int or a finite float.

    Returns:
        `(m, e)` with `number == m * 10**e`.

    Raises:
        ValueError: the number is infinite or NaN.
    """
    if isinstance(number, int):
        return number, 0
    digits, _, exponent = repr(number).partition("e")
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


def is_multiple(number: float, divisor: tuple[int, int]) -> bool:
    """Whether a number is a whole multiple of another, in exact arithmetic.

    Args:
        number: an int or a float.
        divisor: the other number, from `as_decimal`.

    Returns:
        True for a multiple; False for infinity and NaN.
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
    """Whether a JSON text is long enough, and has enough brackets, for a value that is nested too deeply.

    Args:
        text: the text of any JSON value.
        limit: levels of containers that are allowed.

    Returns:
        False where its value cannot have more levels.
    """
    if len(text) <= 2 * limit:  # a level takes two characters
        return False
    if isinstance(text, str):
        return text.count("[") + text.count("{") > limit
    return text.count(b"[") + text.count(b"{") > limit


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether a value is nested too deeply. Does not recurse.

    Args:
        value: a JSON value.
        limit: levels of containers that are allowed.

    Returns:
        True where it has more levels.
    """
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


def count_parts(value: Any) -> int:
    """How many values there are in `value`, itself included. Does not recurse."""
    count, stack = 1, [value]
    while stack:
        item = stack.pop()
        if isinstance(item, (dict, list, tuple)):
            count += len(item)
            stack += item.values() if isinstance(item, dict) else item
    return count


def find_foreign(value: Any) -> str | None:
    """Names a part of `value` that is not JSON; None when all of it is. Does not recurse."""
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


def nested_objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value, itself included, schema or not. Does not recurse.

    Args:
        value: the JSON value, which may be changed once the iterator is exhausted.

    Returns:
        An iterator over the objects, outer ones first.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            yield item
            pending += item.values()
        elif isinstance(item, list):
            pending += item


def type_of(value: Any) -> str:
    """The JSON Schema type of a value; a whole float is an integer.

    Args:
        value: a JSON value.

    Returns:
        The name of the type.
    """
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


def has_type(value: Any, types: Sequence[str]) -> bool:
    """Whether a value is of one of several types.

    Args:
        value: a JSON value.
        types: names of types; `number` takes integers, too.

    Returns:
        True where it is.
    """
    kind = type_of(value)
    return kind in types or (kind == "integer" and "number" in types)
