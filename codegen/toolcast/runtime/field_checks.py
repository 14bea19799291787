"""Field checks for `__post_init__`: constraints that msgspec cannot express, with JSON's semantics.

Each raises ValueError, which msgspec turns into an error with a path. As in JSON Schema, a check accepts
values of other types; so None and UNSET, which mean absence, pass.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from ..jsonschema.equality import equal, key
from ..jsonschema.json_values import as_decimal, is_multiple, is_number


def check_multiple_of(name: str, value: Any, divisor: float) -> None:
    """`multipleOf`, over exact decimals: 0.3 is a multiple of 0.1.

    Args:
        name: the property, for the message.
        value: its value.
        divisor: more than 0.

    Raises:
        ValueError: `value` is a number and no multiple.
    """
    kind = type(value)
    if kind is int and type(divisor) is int:
        if value % divisor == 0:
            return
    elif kind is float or kind is int:
        digits = _divisor(divisor)[1]
        # Below this bound, doubles lie closer together than the steps do, and `round` is correct to the last
        # bit: a value that it leaves alone is written with no more than so many digits.
        if digits is not None and -100_000 < value < 100_000 and round(value, digits) == value:
            return
    if is_number(value) and not is_multiple(value, _divisor(divisor)[0]):
        raise ValueError(f"{name} must be a multiple of {divisor}, got {value}")


@lru_cache(maxsize=256)
def _divisor(divisor: float) -> tuple[tuple[int, int], int | None]:
    """A divisor as a decimal, and the digits after its point where it is 0.1, 0.01 and so on."""
    base, scale = as_decimal(divisor)
    return (base, scale), -scale if base == 1 and -9 <= scale < 0 else None


def check_unique(name: str, items: Any) -> None:
    """`uniqueItems`: 1 equals 1.0, and true does not equal 1.

    Args:
        name: the property, for the message.
        items: its value.

    Raises:
        ValueError: two items are equal; the message has the indices of the first such pair, from 0.
    """
    if type(items) is not list and not isinstance(items, (list, tuple)):
        return
    if len(items) < 2:
        return
    if len(items) == 2:
        first_item, second_item = items
        if type(first_item) is str and first_item != second_item:
            return
    if len(items) <= 100:  # more numbers could be chosen so that Python's own hashes collide
        try:
            if len(set(items)) == len(items):  # values that differ in Python differ in JSON
                return
        except TypeError:
            pass  # arrays and objects
    first_index: dict[Any, int] = {}
    for index, item in enumerate(items):
        first = first_index.setdefault(key(item), index)
        if first != index:
            raise ValueError(f"{name} must not repeat an item, but items {first} and {index} are equal")


def check_properties(value: msgspec.Struct, minimum: int = 0, maximum: int | None = None) -> None:
    """`minProperties` and `maxProperties` of a Struct whose optional fields all have None or UNSET for
    absence (a default cannot be distinguished from absence).

    Args:
        value: the Struct.
        minimum: fewest properties.
        maximum: most properties; None for any number.

    Raises:
        ValueError: it has fewer or more.
    """
    count = 0
    for field in value.__struct_fields__:
        item = getattr(value, field)
        if item is not None and item is not msgspec.UNSET:
            count += 1
            if maximum is None and count >= minimum:
                return
    if count < minimum:
        noun = "property" if minimum == 1 else "properties"
        raise ValueError(f"the object must have at least {minimum} {noun}, got {count}")
    if maximum is not None and count > maximum:
        noun = "property" if maximum == 1 else "properties"
        raise ValueError(f"the object must have at most {maximum} {noun}, got {count}")


def check_format(label: str, value: Any, name: str) -> None:
    """`format`, for the names in `jsonschema.formats.FORMATS`; any other name accepts every text.

    Args:
        label: the property, for the message.
        value: its value.
        name: name of the format.

    Raises:
        ValueError: `value` is a text of another form.
    """
    if not isinstance(value, str) or _glance(name)(value):
        return
    from ..jsonschema.formats import FORMATS  # its expressions are made at first use

    if name in FORMATS and not FORMATS[name](value):
        from ..jsonschema.messages import literal

        raise ValueError(f"{label} must be a valid {name}, got {literal(value)}")


@lru_cache(maxsize=64)
def _glance(name: str) -> Callable[[str], object]:
    """A quick test of a format; it may be true of less than what is valid."""
    from ..jsonschema.formats import FORMATS, GLANCES

    return GLANCES[name].compiled() if name in GLANCES else FORMATS.get(name, _anything)


def _anything(text: str) -> bool:  # noqa: ARG001
    return True


def check_pattern(label: str, value: Any, pattern: str) -> None:
    """`pattern`, an ECMA-262 expression that was translated to Python's.

    Args:
        label: the property, for the message.
        value: its value.
        pattern: the expression for `re`, compiled at first use.

    Raises:
        ValueError: `value` is a text in which it is not found.
    """
    if isinstance(value, str) and not _compiled(pattern).search(value):
        from ..jsonschema.messages import literal

        raise ValueError(f"{label} must match {pattern}, got {literal(value)}")


@lru_cache(maxsize=2048)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def check_member(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """`enum` and `const` over any JSON values. None is checked like any value: it may be a member or not.

    Args:
        name: the property, for the message.
        value: its value.
        allowed: the members.

    Raises:
        ValueError: `value` equals none of them, by JSON's equality.
    """
    if value is msgspec.UNSET or any(equal(value, member) for member in allowed):
        return
    raise ValueError(f"{name} must be one of {', '.join(_show(member) for member in allowed)}")


def check_bounds(
    name: str,
    value: Any,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    exclusive_minimum: float | None = None,
    exclusive_maximum: float | None = None,
) -> None:
    """Bounds past 64 bits. Python compares int with float exactly.

    Args:
        name: the property, for the message.
        value: its value.
        minimum: least allowed number.
        maximum: greatest allowed number.
        exclusive_minimum: a number that is less than all allowed ones.
        exclusive_maximum: a number that is greater than all allowed ones.

    Raises:
        ValueError: `value` is a number beyond a bound.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    if minimum is not None and not value >= minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")
    if maximum is not None and not value <= maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {value}")
    if exclusive_minimum is not None and not value > exclusive_minimum:
        raise ValueError(f"{name} must be greater than {exclusive_minimum}, got {value}")
    if exclusive_maximum is not None and not value < exclusive_maximum:
        raise ValueError(f"{name} must be less than {exclusive_maximum}, got {value}")


def _show(member: Any) -> str:
    return msgspec.json.encode(member).decode()
