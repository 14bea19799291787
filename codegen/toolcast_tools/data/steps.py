"""Steps of an analysis, each as one query over the table before."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct
from toolcast.runtime.errors import RefusalError

from ..generated.data.data_analysis import (
    DataAnalysisStepsItemDerive,
    DataAnalysisStepsItemFill,
    DataAnalysisStepsItemFilter,
    DataAnalysisStepsItemGroup,
    DataAnalysisStepsItemGroupAggregatesItem,
    DataAnalysisStepsItemLimit,
    DataAnalysisStepsItemSelect,
    DataAnalysisStepsItemSort,
    DataAnalysisStepsItemSql,
)
from .engine import Connection, Sql, bound, joined, quoted, sql
from .expressions import condition_of, expression_of, parse
from .table import Column, Describe, Table, column_at, followed_by, position, same_columns, unique_names

_TABLE_FUNCTIONS: Final = frozenset(("range", "generate_series", "unnest"))
"""Functions that may stand in the place of a table; others read files, settings or memory."""
_TABLES: Final = frozenset(
    ("BASE_TABLE", "SUBQUERY", "JOIN", "EMPTY", "EXPRESSION_LIST", "TABLE_FUNCTION", "PIVOT", "CTE")
)
_FORBIDDEN: Final = frozenset(
    (
        # What tells of the process, changes a state, waits, or runs other SQL.
        "current_setting", "getvariable", "getenv", "nextval", "currval", "setval", "setseed", "sleep_ms",
        "pg_sleep", "write_log", "stats", "current_query", "current_query_id", "current_transaction_id",
        "current_connection_id", "txid_current", "in_search_path", "parse_duckdb_log_message",
        "json_execute_serialized_sql", "query", "query_table", "version", "current_schemas",
    )
)  # fmt: skip
_NODES: Final = frozenset(("SELECT_NODE", "SET_OPERATION_NODE", "CTE_NODE", "RECURSIVE_CTE_NODE"))


def check_query(connection: Connection, text: str) -> None:
    """Check the query of a model before it becomes part of a statement. Raises RefusalError: the text is not
    exactly one SELECT, or reads anything but `data` and what it defines.
    """
    statement = parse(connection, text, "query")
    if statement.get("type") not in _NODES:
        raise RefusalError("The query must be a SELECT: it can read the table, and change nothing.")
    _check(statement, frozenset({"data"}))


def _check(node: object, tables: frozenset[str]) -> None:
    """Raise RefusalError for a node that is not allowed; it may read `tables`, in small letters."""
    if isinstance(node, list):
        for each in node:
            _check(each, tables)
        return
    if not isinstance(node, dict):
        return
    kind = str(node.get("type", ""))
    if kind.endswith("_NODE") and kind not in _NODES:
        raise RefusalError("The query must be a SELECT: it can read the table, and change nothing.")
    defined = frozenset(name.lower() for name in _defined(node))
    _check_table(node, tables | defined)
    _check_function(node)
    if node.get("class") == "PARAMETER" or node.get("type") == "VALUE_PARAMETER":
        raise RefusalError("The query has a parameter ($1 or ?). Write the value itself.")
    for value in node.values():
        if isinstance(value, (dict, list)):
            _check(value, tables | defined)


def _defined(node: dict[str, Any]) -> Iterator[str]:
    """Yield names of the common table expressions that a node defines for what is below it."""
    for entry in node.get("cte_map", {}).get("map", []) if isinstance(node.get("cte_map"), dict) else []:
        yield str(entry.get("key", ""))
    if node.get("type") in ("CTE_NODE", "RECURSIVE_CTE_NODE"):
        yield str(node.get("cte_name", node.get("ctename", "")))


def _check_table(node: dict[str, Any], tables: frozenset[str]) -> None:
    where = node.get("from_table"), node.get("left"), node.get("right"), node.get("source")
    for table in where:
        if isinstance(table, dict) and "class" not in table and table.get("type") not in _TABLES | _NODES:
            kind = str(table.get("type", "this")).lower().replace("_", " ")
            raise RefusalError(f"The query cannot read from {kind}. It may read the table data only.")
    if node.get("type") == "BASE_TABLE":
        path = node.get("qualified_name", {}).get("path", [node.get("table_name", "")])
        if len(path) != 1 or str(path[0]).lower() not in tables or node.get("at_clause"):
            name = ".".join(map(str, path))
            raise RefusalError(f"There is no table {name!r:.120}. The query may read the table data only.")
    if node.get("type") == "TABLE_FUNCTION":
        name = str(node.get("function", {}).get("function_name", "")).lower()
        if name not in _TABLE_FUNCTIONS:
            raise RefusalError(f"The query cannot read from {name!r:.80}. It may read the table data only.")
    if node.get("type") in ("SHOW_REF", "COLUMN_DATA", "DELIM_GET", "BOUND_TABLE_REF"):
        raise RefusalError('The query must be a SELECT. For the columns of the table use output "schema".')


def _check_function(node: dict[str, Any]) -> None:
    if node.get("class") not in ("FUNCTION", "WINDOW"):
        return
    path = [str(part).lower() for part in node.get("qualified_name", {}).get("path", [])]
    name = str(node.get("function_name", "")).lower()
    if name in _FORBIDDEN or name.startswith(("pg_", "duckdb_", "__internal")) or set(path) & _FORBIDDEN:
        raise RefusalError(f"The query cannot use the function {name!r:.80}.")


Step: TypeAlias = (
    DataAnalysisStepsItemFilter
    | DataAnalysisStepsItemSelect
    | DataAnalysisStepsItemDerive
    | DataAnalysisStepsItemFill
    | DataAnalysisStepsItemGroup
    | DataAnalysisStepsItemSort
    | DataAnalysisStepsItemLimit
    | DataAnalysisStepsItemSql
)

_MOST_ROWS = 2**62
_MAX_COLUMNS = 1000
"""Columns of a table at most."""
_AGGREGATES = {
    "count": "count({})",
    "sum": "sum({})",
    "mean": "avg({})",
    "median": "median({})",
    "min": "min({})",
    "max": "max({})",
    "std": "stddev_samp({})",
    "distinct": "count(DISTINCT {})",
}


class Binder(Struct, frozen=True):
    """The part of a database that steps need: it parses a text, and binds a query without running it."""

    connection: Connection
    describe: Describe


def apply_step(table: Table, step: Step, binder: Binder) -> Table:
    """Add a step to a table.

    Raises RefusalError: the step does not fit the table.

    Args:
        binder: parses and binds; nothing runs.
    """
    match step:
        case DataAnalysisStepsItemFilter():
            condition = condition_of(step.filter, table.columns)
            return same_columns(table, sql(f"SELECT * FROM {table.name} WHERE {{}}", condition))
        case DataAnalysisStepsItemLimit():
            count, offset = min(step.count, _MOST_ROWS), min(step.offset, _MOST_ROWS)
            return same_columns(table, Sql(f"SELECT * FROM {table.name} LIMIT {count} OFFSET {offset}"))
        case DataAnalysisStepsItemSort():
            return _sorted(table, step)
        case DataAnalysisStepsItemSelect():
            return _selected(table, step, binder)
        case DataAnalysisStepsItemDerive():
            return _derived(table, step, binder)
        case DataAnalysisStepsItemFill():
            return _filled(table, step, binder)
        case DataAnalysisStepsItemGroup():
            return _grouped(table, step, binder)
        case DataAnalysisStepsItemSql():
            return _queried(table, step, binder)


def _select(table: Table, names: Sequence[str], cells: Sequence[Sql], describe: Describe) -> Table:
    """Return a step that computes each column from a row."""
    if len(cells) > _MAX_COLUMNS:
        raise RefusalError(f"A table may have {_MAX_COLUMNS} columns.")
    listed = joined(", ", (sql(f"{{}} AS c{n}", cell) for n, cell in enumerate(cells)))
    return followed_by(table, sql(f"SELECT {{}} FROM {table.name}", listed), names, describe)


def _sorted(table: Table, step: DataAnalysisStepsItemSort) -> Table:
    keys = [
        f"{column_at(table.columns, key.column)[0]} {'DESC' if key.descending else 'ASC'} NULLS LAST"
        for key in step.keys
    ]
    cells = ", ".join(f"c{n}" for n in range(len(table.columns)))
    # Equal rows keep their order: DuckDB's own sort does not promise it.
    numbered = f"SELECT *, row_number() OVER () AS place FROM {table.name}"
    return same_columns(table, Sql(f"SELECT {cells} FROM ({numbered}) ORDER BY {', '.join(keys)}, place"))


def _selected(table: Table, step: DataAnalysisStepsItemSelect, binder: Binder) -> Table:
    rename = step.rename or {}
    for name in rename:
        position(table.columns, name)
        if name not in step.columns:
            raise RefusalError(f"{name!r:.120} is renamed but not kept. Add it to columns.")
    names = [rename.get(name, name) for name in step.columns]
    _check_different(names)
    cells = [Sql(column_at(table.columns, name)[0]) for name in step.columns]
    return _select(table, names, cells, binder.describe)


def _derived(table: Table, step: DataAnalysisStepsItemDerive, binder: Binder) -> Table:
    cell = expression_of(step.expression, table.columns, binder.connection)
    names = [column.name for column in table.columns]
    cells = [Sql(f"c{n}") for n in range(len(names))]
    if step.column in names:
        cells[names.index(step.column)] = cell
    else:
        names.append(step.column)
        cells.append(cell)
    return _select(table, names, cells, binder.describe)


def _filled(table: Table, step: DataAnalysisStepsItemFill, binder: Binder) -> Table:
    place = position(table.columns, step.column)
    cells = [Sql(f"c{n}") for n in range(len(table.columns))]
    cells[place] = _fill(f"c{place}", table.columns[place], step.value)
    return _select(table, [column.name for column in table.columns], cells, binder.describe)


def _fill(cell: str, column: Column, value: object) -> Sql:
    """Return a cell, or what takes its place where it is missing."""
    if value is None:
        # A window without an order goes over the rows as they stand.
        return Sql(f"last_value({cell} IGNORE NULLS) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)")
    if column.numeric and isinstance(value, (int, float)) and not isinstance(value, bool):
        if column.kind == "integer" and isinstance(value, int) and abs(value) < 2**63:
            return sql(f"coalesce({cell}, {{}})", bound(value, "BIGINT"))
        return sql(f"coalesce(CAST({cell} AS DOUBLE), {{}})", bound(_double(value), "DOUBLE"))
    fits = isinstance(value, bool) if column.kind == "boolean" else isinstance(value, str)
    if column.numeric or not fits:
        raise RefusalError(
            f"Column {column.name!r:.120} holds values of type {column.kind}, and {value!r:.60} is none. "
            "Give a value of that type."
        )
    if column.kind in ("boolean", "string"):
        return sql(f"coalesce({cell}, {{}})", bound(value))
    return sql(f"coalesce({cell}, {{}})", bound(value, column.type))


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise RefusalError("The value has too many digits.") from None


def _grouped(table: Table, step: DataAnalysisStepsItemGroup, binder: Binder) -> Table:
    by = [column_at(table.columns, name)[0] for name in step.by]
    names = [*step.by, *(each.as_ or f"{each.function}_{each.column}" for each in step.aggregates)]
    _check_different(names)
    cells = [*by, *(_aggregate(table, each) for each in step.aggregates)]
    listed = ", ".join(f"{cell} AS c{n}" for n, cell in enumerate(cells))
    grouped = f" GROUP BY {', '.join(by)}" if by else ""
    query = f"SELECT {listed} FROM {table.name}{grouped}"
    if by:
        places = ", ".join(f"c{n} NULLS LAST" for n in range(len(by)))
        query = f"SELECT * FROM ({query}) ORDER BY {places}"
    return followed_by(table, Sql(query), names, binder.describe)


def _aggregate(table: Table, wanted: DataAnalysisStepsItemGroupAggregatesItem) -> str:
    cell, column = column_at(table.columns, wanted.column)
    if wanted.function in ("sum", "mean", "median", "std"):
        if column.kind == "boolean":
            cell = f"CAST({cell} AS BIGINT)"
        elif not column.numeric:
            raise RefusalError(
                f"{wanted.function} needs numbers, and column {column.name!r:.120} holds values of type "
                f"{column.kind}. Use count, distinct, min or max, or derive a number first."
            )
        if wanted.function == "std":
            cell = f"CAST({cell} AS DOUBLE)"
    return _AGGREGATES[wanted.function].format(cell)


def _queried(table: Table, step: DataAnalysisStepsItemSql, binder: Binder) -> Table:
    check_query(binder.connection, step.query)
    folded: dict[str, str] = {}
    for column in table.columns:
        other = folded.setdefault(column.name.casefold(), column.name)
        if other != column.name:
            raise RefusalError(
                f"SQL does not tell column {column.name!r:.120} from {other!r:.120}. Rename one in a step "
                '"select" before.'
            )
    cells = ", ".join(f"c{n} AS {quoted(column.name)}" for n, column in enumerate(table.columns))
    # The query was parsed as one statement by itself; the line ends what may be a comment.
    query = Sql(
        f"WITH data AS (SELECT {cells} FROM {table.name}) SELECT * FROM (\n{step.query.rstrip('; ')}\n)"
    )
    found = binder.describe(sql(f"{table.shape()}, whole AS ({{}}) SELECT * FROM whole", query))
    names = unique_names([name for name, _ in found])
    if len(names) > _MAX_COLUMNS:
        raise RefusalError(f"A table may have {_MAX_COLUMNS} columns.")
    places = ", ".join(f"c{n}" for n in range(len(names)))
    return followed_by(
        table, sql(f"SELECT * FROM ({{}}) AS queried({places})", query), names, binder.describe
    )


def _check_different(names: Sequence[str]) -> None:
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise RefusalError(f"Two columns would be named {twice!r:.120}. Give one of them another name.")
