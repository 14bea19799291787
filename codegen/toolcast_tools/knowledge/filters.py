"""Filters over the fields of documents, as a pure function."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from toolcast.runtime.errors import RefusalError

from ..generated._types.condition import Condition
from ..generated._types.filter import Filter

MAX_DEPTH: Final = 16
"""Levels of filters within filters."""
MAX_CONDITIONS: Final = 500
"""Conditions of one filter in all."""
_TIME: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?"
)
_Scalar = str | int | float | bool


def check_filter(root: Filter) -> None:
    """Refuse a filter that is too large, or whose conditions lack the value that their operator needs. Raises
    RefusalError: it is such a filter.
    """
    count, todo = 0, [(root, 1)]
    while todo:
        each, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise RefusalError(f"filter is nested too deeply: {MAX_DEPTH} levels at most. Flatten it.")
        for condition in each.where or ():
            count += 1
            _check_condition(condition)
        children = [*(each.all or ()), *(each.any or ()), *([each.not_] if each.not_ is not None else [])]
        count += len(children)
        if count > MAX_CONDITIONS:
            raise RefusalError(f"filter has too many conditions: {MAX_CONDITIONS} at most. Leave some out.")
        todo += [(child, depth + 1) for child in children]


def matches(each: Filter, record: Mapping[str, object]) -> bool:
    """Tell whether a record passes a filter that was checked.

    A field that is missing is null: it equals nothing and compares with nothing. Times are compared as
    instants, and with a value that is a date by their day in UTC. Values of different kinds are not equal,
    and compare with nothing.

    Returns whether every part of the filter that is present holds.

    Args:
        record: fields of JSON data.
    """
    return (
        all(_holds(condition, record) for condition in each.where or ())
        and all(matches(child, record) for child in each.all or ())
        and (each.any is None or any(matches(child, record) for child in each.any))
        and (each.not_ is None or not matches(each.not_, record))
    )


def field_value(record: Mapping[str, object], name: str) -> Any:
    """The value of a field; dots lead into objects.

    Args:
        record: fields of JSON data.
        name: the field's name; one that has dots itself comes first.
    """
    if name in record:
        return record[name]
    value: object = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def instant(text: str) -> datetime | date | None:
    """Read a date or a time.

    Returns a date for a text like 2025-01-31; a time in UTC for one that goes on with a time of the day,
    which is in UTC where it names no offset; None for any other text.

    Args:
        text: any text.
    """
    if not _TIME.fullmatch(text):
        return None
    try:
        if len(text) == 10:
            return date.fromisoformat(text)
        time = datetime.fromisoformat(text.upper())
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _check_condition(condition: Condition) -> None:
    op, value = condition.op, condition.value
    kinds: dict[str, type | tuple[type, ...]] = {"in": list, "contains": str, "starts_with": str}
    expected = kinds.get(op, (str, int, float, bool))
    if op == "is_null":
        if value is not None:
            raise RefusalError(
                f"Condition is_null of {condition.field!r} takes no value. Leave it out, or use not."
            )
    elif not isinstance(value, expected):
        needed = "a list" if op == "in" else "a text" if op in kinds else "a text, a number or a boolean"
        raise RefusalError(f"Condition {op} of {condition.field!r} needs {needed} as its value.")


def _holds(condition: Condition, record: Mapping[str, Any]) -> bool:
    found, op, value = field_value(record, condition.field), condition.op, condition.value
    if op == "is_null":
        return found is None
    if op == "ne":
        return not _equal(found, value)
    if op == "eq":
        return _equal(found, value)
    if op == "in":
        return isinstance(value, list) and any(_equal(found, each) for each in value)
    if op == "contains":
        return value in found if isinstance(found, str | list) and isinstance(value, str) else False
    if op == "starts_with":
        return isinstance(found, str) and isinstance(value, str) and found.startswith(value)
    pair = _comparable(found, value)
    if pair is None:
        return False
    one, other = pair
    return bool({"lt": one < other, "le": one <= other, "gt": one > other, "ge": one >= other}[op])


def _equal(found: object, value: object) -> bool:
    pair = _comparable(found, value)
    if pair is not None:
        return bool(pair[0] == pair[1])
    return isinstance(found, bool) and isinstance(value, bool) and found == value


def _comparable(found: object, value: object) -> tuple[Any, Any] | None:
    """Both as values of one order; None where there is none."""
    if isinstance(found, bool) or isinstance(value, bool):
        return None
    if isinstance(found, int | float) and isinstance(value, int | float):
        return found, value
    if not (isinstance(found, str) and isinstance(value, str)):
        return None
    one, other = instant(found), instant(value)
    if one is None or other is None:
        return found, value
    if isinstance(one, datetime) and isinstance(other, datetime):
        return one, other
    if not isinstance(other, datetime):
        return (one.date() if isinstance(one, datetime) else one), other
    return datetime(one.year, one.month, one.day, tzinfo=UTC), other
