"""Field checks for `__post_init__`: what msgspec's own constraints cannot say, in JSON's sense.

Each raises ValueError, which msgspec turns into an error with a path. As in JSON Schema, a check says
nothing about values of other types; so None and UNSET, which stand for absence, pass.

The schema compiler lives beside `schema.values`, so that is imported at first use only.
"""

from collections.abc import Sequence
from typing import Any

import msgspec


def check_multiple_of(name: str, value: Any, divisor: float) -> None:
    """`multipleOf`, over exact decimals: 0.3 is a multiple of 0.1."""
    from .schema.values import as_decimal, is_multiple, is_number

    if is_number(value) and not is_multiple(value, as_decimal(divisor)):
        raise ValueError(f"{name} must be a multiple of {divisor}, got {value}")


def check_unique(name: str, items: Any) -> None:
    """`uniqueItems`: 1 equals 1.0, and true does not equal 1."""
    if not isinstance(items, (list, tuple)):
        return
    from .schema.values import key

    seen: dict[Any, int] = {}
    for index, item in enumerate(items):
        first = seen.setdefault(key(item), index)
        if first != index:
            raise ValueError(f"{name} must not repeat an item, but items {first} and {index} are equal")


def check_member(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """`enum` and `const` over any JSON values. None is checked like any value: it may be a member or not."""
    from .schema.values import equal

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
    """Bounds past 64 bits. Python compares int with float exactly."""
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
