"""A table as a chain of queries, each over the one before."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from .columns import Column, normal
from .sql import Sql, joined, sql

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
        """The statement that computes the table."""
        named = (sql(f"s{index} AS ({{}})", query) for index, query in enumerate(self.queries))
        return sql(f"WITH {{}} SELECT * FROM {self.name}", joined(", ", named))

    def shape(self) -> str:
        """A query of the same columns without rows: to bind a step, nothing is read."""
        cells = ", ".join(f"CAST(NULL AS {column.type}) AS c{n}" for n, column in enumerate(self.columns))
        return f"WITH {self.name} AS (SELECT {cells})"


def source_table(read: Sql, described: Sequence[tuple[str, str]], names: Sequence[str]) -> Table:
    """Make a table of a query that reads a source.

    Args:
        read: the query.
        described: names and types of its columns.
        names: names that the model is shown.

    Returns:
        The table.
    """
    outer = ", ".join(f"c{n}" for n in range(len(described)))
    cells = ", ".join(f"{normal(f'c{n}', type)} AS c{n}" for n, (_, type) in enumerate(described))
    query = sql(f"SELECT {cells} FROM ({{}}) AS source({outer})", read)
    types = [_normal_type(type) for _, type in described]
    return Table(tuple(map(Column, names, types)), (query,))


def followed_by(table: Table, step: Sql, names: Sequence[str], describe: Describe) -> Table:
    """Add a step.

    Args:
        table: the table before.
        step: a query over `table.name`, with one column for each name.
        names: names of the new columns.
        describe: binds a query.

    Returns:
        The table after it, with types that later steps can hold.
    """
    described = describe(sql(f"{table.shape()} {{}}", step))
    types = [type for _, type in described]
    changed = [normal(f"c{n}", type) for n, type in enumerate(types)]
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
    expression = normal("c", type)
    if expression == "c":
        return type
    return "DOUBLE" if expression.startswith("CASE") else expression[len("CAST(c AS ") : -1]
