"""A filter tree as a condition in SQL."""

import datetime
from collections.abc import Sequence
from typing import Any

from ...runtime.errors import RefusalError
from ..generated._types.condition import Condition
from ..generated._types.filter import Filter
from .columns import Column, Kind, suggestion
from .sql import Sql, bound, joined, quoted, sql

_OPERATORS = {"eq": "=", "ne": "=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_DEEP = 30
_BIGINT = 2**63


def condition_of(filter: Filter, columns: Sequence[Column], deep: int = 0) -> Sql:
    """Translate a filter.

    Every condition is true or false, also for missing cells: a comparison with one does not hold, so `ne`
    does.

    Args:
        filter: the tree.
        columns: the columns of the table.
        deep: how deep in the tree it is.

    Returns:
        The condition.

    Raises:
        RefusalError: a column is not there, or a value does not fit its type; or the tree is too deep.
    """
    if deep > _DEEP:
        raise RefusalError(f"A filter may be nested {_DEEP} deep. Write it flatter.")
    parts = [_compared(each, columns) for each in filter.where or ()]
    parts += [condition_of(each, columns, deep + 1) for each in filter.all or ()]
    if filter.any:
        parts.append(sql("({})", joined(" OR ", (condition_of(x, columns, deep + 1) for x in filter.any))))
    if filter.not_ is not None:
        parts.append(sql("(NOT {})", condition_of(filter.not_, columns, deep + 1)))
    return sql("({})", joined(" AND ", parts))


def field_of(columns: Sequence[Column], name: str) -> tuple[str, Kind]:
    """Find what a dotted name means: a column, or a part of one that holds records.

    Args:
        columns: the columns of the table.
        name: the name that the model wrote.

    Returns:
        The expression, and the kind of its value; parts of records are compared as text.

    Raises:
        RefusalError: there is no such column.
    """
    names = {column.name: index for index, column in enumerate(columns)}
    if name in names:
        return f"c{names[name]}", columns[names[name]].kind
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:length])
        if head in names and columns[names[head]].type.startswith("STRUCT("):
            below = ".".join(quoted(part) for part in parts[length:])
            return f"CAST(c{names[head]}.{below} AS VARCHAR)", "string"
    raise RefusalError(f"There is no column {name!r:.220}. {suggestion(columns, name)}")


def _compared(condition: Condition, columns: Sequence[Column]) -> Sql:
    expression, kind = field_of(columns, condition.field)
    operator, value = condition.op, condition.value
    if operator == "is_null":
        if value is not None:
            raise RefusalError('is_null takes no value. For cells that are there, put it below "not".')
        return Sql(f"({expression} IS NULL)")
    if kind in ("other", "bytes"):
        expression, kind = f"CAST({expression} AS VARCHAR)", "string"
    where = f"{condition.op} for column {condition.field!r:.120}"
    if operator == "in":
        if not isinstance(value, list):
            raise RefusalError(f"{where} takes a list of values.")
        listed = joined(", ", (_cell(each, kind, where) for each in value))
        return sql(f"coalesce({expression} IN ({{}}), false)", listed)
    if operator in ("contains", "starts_with"):
        if kind != "string" or not isinstance(value, str):
            raise RefusalError(f"{where} compares texts: column and value must be text.")
        return sql(f"coalesce({operator}({expression}, {{}}), false)", bound(value))
    test = sql(f"coalesce({expression} {_OPERATORS[operator]} {{}}, false)", _cell(value, kind, where))
    return sql("(NOT {})", test) if operator == "ne" else test


def _cell(value: Any, kind: Kind, where: str) -> Sql:
    """A value to compare a column with. Raises RefusalError where it does not fit."""
    if kind in ("integer", "number"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise RefusalError(f"{where}: the column holds numbers, so the value must be a number.")
        if isinstance(value, float) and value.is_integer() and abs(value) < _BIGINT:
            value = int(value)
        # Numbers past 64 bits have no exact counterpart in a column.
        return (
            bound(value, "BIGINT")
            if isinstance(value, int) and -_BIGINT <= value < _BIGINT
            else bound(_float(value), "DOUBLE")
        )
    if kind == "boolean":
        if not isinstance(value, bool):
            raise RefusalError(f"{where}: the column holds true and false, so the value must be one of them.")
        return bound(value)
    if not isinstance(value, str):
        raise RefusalError(f"{where}: the column holds values of type {kind}, so the value must be a string.")
    return bound(value) if kind == "string" else _moment(value, kind, where)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise RefusalError("A number to compare with has too many digits.") from None


def _moment(value: str, kind: Kind, where: str) -> Sql:
    """A date or time of a text."""
    try:
        if kind == "time":
            return bound(datetime.time.fromisoformat(value))
        if len(value) <= 10:
            return bound(datetime.date.fromisoformat(value))
        return bound(datetime.datetime.fromisoformat(value))
    except ValueError:
        raise RefusalError(
            f"{where}: {value!r:.80} is no {kind} of ISO 8601, such as "
            f"{'12:30:00' if kind == 'time' else '2026-01-31'}."
        ) from None
