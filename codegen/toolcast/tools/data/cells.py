"""Cells of a result in JSON, and statistics of its columns."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from .columns import Column
from .engine import Connection, run
from .sql import bound, sql

_LONGEST = 2000
"""Characters of one cell; longer text is cut."""
_TEXT = 1_000_000
"""Characters of all cells of a result."""

JsonCell = str | int | float | bool | None


def read_rows(
    connection: Connection, path: str, columns: Sequence[Column], most: int, decimals: int
) -> tuple[list[list[JsonCell]], bool]:
    """Read the first rows of a stored result.

    Args:
        connection: the database.
        path: path of the stored result.
        columns: its columns.
        most: rows at most.
        decimals: digits after the decimal point.

    Returns:
        The rows, and whether rows were left out because their text is too long.
    """
    shown = ", ".join(_shown(f"c{n}", column) for n, column in enumerate(columns))
    query = sql(f"SELECT {shown} FROM read_parquet({{}}) LIMIT {most}", bound(path))
    rows: list[list[JsonCell]] = []
    size = 0
    for row in run(connection, query):
        cells = [to_json(cell, decimals) for cell in row]
        size += sum(len(cell) if isinstance(cell, str) else 8 for cell in cells)
        if size > _TEXT:
            return rows, True
        rows.append(cells)
    return rows, False


def read_summary(
    connection: Connection, path: str, columns: Sequence[Column], decimals: int
) -> dict[str, dict[str, int | float | None]]:
    """Compute statistics of each column of a stored result.

    Args:
        connection: the database.
        path: path of the stored result.
        columns: its columns.
        decimals: digits after the decimal point.

    Returns:
        By column the numbers of its cells, missing ones and different values; of numbers also mean, standard
        deviation, minimum, quartiles and maximum, and of booleans how many are true.
    """
    found: dict[str, dict[str, int | float | None]] = {}
    for index, column in enumerate(columns):
        wanted = _statistics(f"c{index}", column)
        listed = ", ".join(wanted.values())
        values = run(connection, sql(f"SELECT {listed} FROM read_parquet({{}})", bound(path)))[0]
        found[column.name] = {
            name: _number(value, decimals) for name, value in zip(wanted, values, strict=True)
        }
    return found


def to_json(cell: Any, decimals: int) -> JsonCell:
    """A cell as JSON has it.

    Args:
        cell: what the database gives.
        decimals: digits after the decimal point.

    Returns:
        The cell: infinities as "Infinity" and "-Infinity", and integers past 64 bits as numbers of double
        precision.
    """
    if isinstance(cell, Decimal):
        cell = float(cell)
    if isinstance(cell, float):
        if math.isnan(cell):
            return None
        if math.isinf(cell):
            return "Infinity" if cell > 0 else "-Infinity"
        return round(cell, decimals) + 0.0  # no negative zero
    if isinstance(cell, int) and not isinstance(cell, bool) and not -(2**63) <= cell < 2**64:
        return float(cell)
    if isinstance(cell, str):
        return cell if len(cell) <= _LONGEST else cell[:_LONGEST] + "…"
    return cell if cell is None or isinstance(cell, (bool, int)) else str(cell)[:_LONGEST]


def _shown(name: str, column: Column) -> str:
    """A column, in a type that JSON has. Long cells are cut before they are read."""
    match column.kind:
        case "boolean" | "number":
            return name
        case "integer":
            return f"CAST({name} AS HUGEINT)"
        case "string":
            return f"left({name}, {_LONGEST + 1})"
        case "bytes":
            return f"left(to_base64({name}), {_LONGEST + 1})"
        case "datetime":
            return f"replace(CAST({name} AS VARCHAR), ' ', 'T')"
        case "date" | "time":
            return f"CAST({name} AS VARCHAR)"
        case _ if column.type in ("JSON", "UUID"):
            return f"left(CAST({name} AS VARCHAR), {_LONGEST + 1})"
        case _:
            return f"left(CAST(to_json({name}) AS VARCHAR), {_LONGEST + 1})"


def _statistics(name: str, column: Column) -> dict[str, str]:
    counted = {
        "count": f"count({name})",
        "missing": f"count(*) - count({name})",
        "distinct": f"count(DISTINCT {name})",
    }
    if column.kind == "boolean":
        return {**counted, "true": f"count_if({name})"}
    if not column.numeric:
        return counted
    # An infinity among them has no mean.
    number = f"CAST({name} AS DOUBLE)"
    finite = f"CASE WHEN isfinite({number}) THEN {number} END"
    return {
        **counted,
        "mean": f"avg({finite})",
        "std": f"stddev_samp({finite})",
        "min": f"min({number})",
        "q1": f"quantile_cont({finite}, 0.25)",
        "median": f"median({finite})",
        "q3": f"quantile_cont({finite}, 0.75)",
        "max": f"max({number})",
    }


def _number(value: Any, decimals: int) -> int | float | None:
    cell = to_json(value, decimals)
    return None if isinstance(cell, str) else cell
