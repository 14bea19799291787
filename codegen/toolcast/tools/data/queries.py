"""The query of a step `sql`: one SELECT over the table `data`, and nothing else."""

from collections.abc import Iterator
from typing import Any, Final

from ...runtime.errors import RefusalError
from .engine import Connection
from .parsed import parse

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
    """Check the query of a model before it becomes part of a statement.

    Args:
        connection: a connection to parse with.
        text: the query.

    Raises:
        RefusalError: the text is not exactly one SELECT, or reads anything but `data` and what it defines.
    """
    statement = parse(connection, text, "query")
    if statement.get("type") not in _NODES:
        raise RefusalError("The query must be a SELECT: it can read the table, and change nothing.")
    _check(statement, frozenset({"data"}))


def _check(node: Any, tables: frozenset[str]) -> None:
    """Raises RefusalError for a node that is not allowed; it may read `tables`, in small letters."""
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
    """Names of the common table expressions that a node defines for what is below it."""
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
