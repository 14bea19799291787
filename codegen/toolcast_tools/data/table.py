"""A table as a chain of queries, each over the one before."""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Literal, TypeAlias

from msgspec import Struct
from toolcast.runtime.errors import RefusalError

from .engine import Sql, joined, sql

Kind: TypeAlias = Literal[
    "integer", "number", "boolean", "string", "date", "datetime", "time", "bytes", "other"
]

_KINDS: dict[str, Kind] = {
    "BOOLEAN": "boolean",
    "FLOAT": "number",
    "DOUBLE": "number",
    "VARCHAR": "string",
    "DATE": "date",
    "TIME": "time",
    "TIMESTAMP": "datetime",
    "TIMESTAMP WITH TIME ZONE": "datetime",
    "BLOB": "bytes",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
}
# What has no form in Parquet, or one that loses something.
_STORED_AS = {
    "FLOAT": "DOUBLE",
    "HUGEINT": "DECIMAL(38,0)",
    "UHUGEINT": "DECIMAL(38,0)",
    "TIMESTAMP_S": "TIMESTAMP",
    "TIMESTAMP_MS": "TIMESTAMP",
    "TIMESTAMP_NS": "TIMESTAMP",
    '"NULL"': "VARCHAR",
    **dict.fromkeys(("BIT", "BIGNUM", "INTERVAL", "TIME_NS", "TIME WITH TIME ZONE", "VARIANT"), "VARCHAR"),
}
_SHOWN = 200
"""Characters of column names that an error lists at most."""


class Column(Struct, frozen=True):
    """A column.

    Attributes:
        name: as the model knows it; statements call the first column c0.
        type: type in the words of DuckDB.
    """

    name: str
    type: str

    @property
    def kind(self) -> Kind:
        """Return the kind of the cells, which decides on the operations."""
        decimal = re.fullmatch(r"DECIMAL\(\d+,(\d+)\)", self.type)
        if decimal:
            return "integer" if decimal[1] == "0" else "number"
        return _KINDS.get(self.type, "other")

    @property
    def numeric(self) -> bool:
        """Return whether the cells are numbers."""
        return self.kind in ("integer", "number")


def _normal(name: str, type: str) -> str:
    """Return the expression that brings a column into a type that every later step and the stored result can
    hold.

    NaN is a missing cell.
    """
    if type in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isnan({name}) THEN NULL ELSE CAST({name} AS DOUBLE) END"
    if type.startswith(("ENUM(", "UNION(", "GEOMETRY")):
        return f"CAST({name} AS VARCHAR)"
    return f"CAST({name} AS {_STORED_AS[type]})" if type in _STORED_AS else name


def position(columns: Sequence[Column], name: str) -> int:
    """Find a column.

    Raises RefusalError: there is none of that name.

    Args:
        name: the name that the model wrote; case matters.
    """
    for index, column in enumerate(columns):
        if column.name == name:
            return index
    raise RefusalError(f"There is no column {name!r:.220}. {suggestion(columns, name)}")


def suggestion(columns: Sequence[Column], name: str) -> str:
    """Return a sentence that names the column that may be meant, or all columns."""
    names = [column.name for column in columns]
    folded = [each for each in names if each.casefold() == name.casefold()]
    near = folded or get_close_matches(name[:200], [each for each in names if len(each) <= 200], n=1)
    if near:
        return f"Did you mean {near[0]!r:.220}?"
    listed = ", ".join(repr(each) for each in names)
    return f"The columns are: {listed if len(listed) <= _SHOWN else listed[:_SHOWN] + '…'}."


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names that differ: of equal ones, later ones get a number; an empty one is named by its
    place.
    """
    taken: set[str] = set(names)
    found: list[str] = []
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        chosen = name or f"column_{number}"
        base, count = chosen, 1
        while chosen in seen or (chosen != name and chosen in taken):
            chosen, count = f"{base}_{count}", count + 1
        seen.add(chosen)
        found.append(chosen)
    return found


def column_at(columns: Sequence[Column], name: str) -> tuple[str, Column]:
    """Find a column. Returns what queries call it, and the column. Raises RefusalError: there is none of that
    name.
    """
    index = position(columns, name)
    return f"c{index}", columns[index]


Describe: TypeAlias = Callable[[Sql], Sequence[tuple[str, str]]]
"""Binds a query without running it; gives names and types of its columns."""


class Table(Struct, frozen=True):
    """A table that is not computed yet.

    Attributes:
        columns: its columns; the queries call them c0, c1 and so on, so that no name of a file or a model is
            part of a statement.
        queries: the queries, named s0, s1 and so on; the last one is the table.
    """

    columns: tuple[Column, ...]
    queries: tuple[Sql, ...]

    @property
    def name(self) -> str:
        """Name of the last query."""
        return f"s{len(self.queries) - 1}"

    def statement(self) -> Sql:
        """Return the statement that computes the table."""
        named = (sql(f"s{index} AS ({{}})", query) for index, query in enumerate(self.queries))
        return sql(f"WITH {{}} SELECT * FROM {self.name}", joined(", ", named))

    def shape(self) -> str:
        """Return a query of the same columns without rows: to bind a step, nothing is read."""
        cells = ", ".join(f"CAST(NULL AS {column.type}) AS c{n}" for n, column in enumerate(self.columns))
        return f"WITH {self.name} AS (SELECT {cells})"


def source_table(read: Sql, described: Sequence[tuple[str, str]], names: Sequence[str]) -> Table:
    """Make a table of a query that reads a source.

    Args:
        described: names and types of its columns.
        names: names that the model is shown.
    """
    outer = ", ".join(f"c{n}" for n in range(len(described)))
    cells = ", ".join(f"{_normal(f'c{n}', type)} AS c{n}" for n, (_, type) in enumerate(described))
    query = sql(f"SELECT {cells} FROM ({{}}) AS source({outer})", read)
    types = [_normal_type(type) for _, type in described]
    return Table(tuple(map(Column, names, types)), (query,))


def followed_by(table: Table, step: Sql, names: Sequence[str], describe: Describe) -> Table:
    """Add a step.

    Returns the table after it, with types that later steps can hold.

    Args:
        step: a query over `table.name`, with one column for each name.
        names: names of the new columns.
        describe: binds a query.
    """
    described = describe(sql(f"{table.shape()} {{}}", step))
    types = [type for _, type in described]
    changed = [_normal(f"c{n}", type) for n, type in enumerate(types)]
    if any(expression != f"c{n}" for n, expression in enumerate(changed)):
        outer = ", ".join(f"c{n}" for n in range(len(types)))
        cells = ", ".join(f"{expression} AS c{n}" for n, expression in enumerate(changed))
        step = sql(f"SELECT {cells} FROM ({{}}) AS step({outer})", step)
    columns = tuple(map(Column, names, (_normal_type(type) for type in types)))
    return Table(columns, (*table.queries, step))


def same_columns(table: Table, step: Sql) -> Table:
    """Add a step that changes rows only."""
    return Table(table.columns, (*table.queries, step))


def _normal_type(type: str) -> str:
    expression = _normal("c", type)
    if expression == "c":
        return type
    return "DOUBLE" if expression.startswith("CASE") else expression[len("CAST(c AS ") : -1]
