"""The expression of a derived column: arithmetic over cells of one row, and nothing else.

DuckDB parses it; each node is checked and written anew, so what is not listed here never reaches a statement.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...runtime.errors import RefusalError
from .columns import Column
from .engine import Connection
from .filters import field_of
from .parsed import parse
from .sql import Sql, bound, joined, sql

_OPERATORS: Final = frozenset(("+", "-", "*", "/", "//", "%", "**", "^", "||"))
_FUNCTIONS: Final = {
    "abs": (1, 1), "ceil": (1, 1), "ceiling": (1, 1), "floor": (1, 1), "round": (1, 2), "sign": (1, 1),
    "sqrt": (1, 1), "exp": (1, 1), "ln": (1, 1), "log": (1, 2), "log10": (1, 1), "log2": (1, 1),
    "pow": (2, 2), "power": (2, 2), "mod": (2, 2), "greatest": (1, 20), "least": (1, 20), "nullif": (2, 2),
    "lower": (1, 1), "upper": (1, 1), "trim": (1, 1), "length": (1, 1), "year": (1, 1), "quarter": (1, 1),
    "month": (1, 1), "day": (1, 1), "hour": (1, 1), "minute": (1, 1), "dayofweek": (1, 1),
}  # fmt: skip
"""Functions of cells, by name, and how many arguments they take."""
_COMPARISONS: Final = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
}
_TYPES: Final = {
    "INT": "BIGINT", "INTEGER": "BIGINT", "BIGINT": "BIGINT", "DOUBLE": "DOUBLE", "FLOAT": "DOUBLE",
    "REAL": "DOUBLE", "NUMERIC": "DOUBLE", "DECIMAL": "DOUBLE", "VARCHAR": "VARCHAR", "TEXT": "VARCHAR",
    "STRING": "VARCHAR", "BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN", "DATE": "DATE", "TIMESTAMP": "TIMESTAMP",
    "DATETIME": "TIMESTAMP",
}  # fmt: skip
_ALLOWED: Final = (
    "Write arithmetic over columns: + - * / // % **, comparisons, AND, OR, NOT, CASE, CAST, and functions: "
    + ", ".join(("coalesce", *_FUNCTIONS))
    + "."
)


def expression_of(text: str, columns: Sequence[Column], connection: Connection) -> Sql:
    """Translate an expression.

    Args:
        text: the expression that the model wrote.
        columns: the columns of the table.
        connection: a connection to parse with.

    Returns:
        The expression over c0, c1 and so on.

    Raises:
        RefusalError: it is no expression, names a column that is not there, or does more than arithmetic.
    """
    node = parse(connection, f"SELECT (\n{text}\n)", "expression")
    selected = node.get("select_list", [])
    plain = {"type", "select_list", "from_table", "aggregate_handling", "cte_map"}
    one = len(selected) == 1 and not set(node) - plain and not node.get("cte_map")
    if not one or node.get("type") != "SELECT_NODE" or node.get("from_table", {}).get("type") != "EMPTY":
        raise _refused("more than one expression")
    return _written(selected[0], columns)


def _written(node: Mapping[str, Any], columns: Sequence[Column]) -> Sql:
    """One node, as SQL. Raises RefusalError for what is not listed."""
    kind = node.get("class")
    if kind == "COLUMN_REF":
        return _column(node, columns)
    if kind == "CONSTANT":
        return _constant(node.get("literal", {}))
    if kind == "FUNCTION":
        return _function(node, columns)
    if kind == "COMPARISON" and node["type"] in _COMPARISONS:
        sides = (_written(node[side], columns) for side in ("left", "right"))
        return sql(f"({{}} {_COMPARISONS[node['type']]} {{}})", *sides)
    if kind == "CONJUNCTION":
        word = " AND " if node["type"] == "CONJUNCTION_AND" else " OR "
        return sql("({})", joined(word, (_written(each, columns) for each in node["children"])))
    if kind == "BETWEEN":
        parts = (_written(node[part], columns) for part in ("input", "lower", "upper"))
        return sql("({} BETWEEN {} AND {})", *parts)
    if kind == "OPERATOR":
        return _operator(node, columns)
    if kind == "CASE":
        return _case(node, columns)
    if kind == "CAST":
        return _cast(node, columns)
    raise _refused(str(kind or "this").lower())


def _column(node: Mapping[str, Any], columns: Sequence[Column]) -> Sql:
    expression, _ = field_of(columns, ".".join(node["column_names"]))
    index = re.fullmatch(r"c(\d+)", expression)
    wide = index and columns[int(index[1])].type.startswith("DECIMAL(")
    # Products of wide decimals have no type.
    return Sql(f"CAST({expression} AS DOUBLE)" if wide else expression)


def _constant(literal: Mapping[str, Any]) -> Sql:
    kind, text = literal.get("kind"), str(literal.get("text", ""))
    if kind == "INTEGER" and re.fullmatch(r"[+-]?\d{1,18}", text):
        return Sql(f"CAST({text} AS BIGINT)")
    if kind in ("INTEGER", "NUMERIC"):
        try:
            return bound(float(text.replace("_", "")), "DOUBLE")
        except ValueError:
            raise _refused(f"the number {text!r:.40}") from None
    if kind == "STRING":
        return bound(text)
    if kind == "BOOLEAN":
        return Sql("true" if text.lower() == "true" else "false")
    if kind == "NULL_LITERAL":
        return Sql("NULL")
    raise _refused("a constant of another type")


def _function(node: Mapping[str, Any], columns: Sequence[Column]) -> Sql:
    name = str(node.get("function_name", "")).lower()
    extra = set(node) - {
        "alias", "arguments", "class", "type", "function_name", "is_operator", "qualified_name",
        "query_location", "query_location_length", "order_bys",
    }  # fmt: skip
    arguments = node.get("arguments", [])
    if extra or len(node.get("order_bys", {})) > 1 or any(each.get("name") for each in arguments):
        raise _refused(f"the function {name!r:.60} with more than arguments")
    written = [_written(each["expression"], columns) for each in arguments]
    if node.get("is_operator"):
        if name not in _OPERATORS or not 1 <= len(written) <= 2 or (len(written) == 1 and name not in "+-"):
            raise _refused(f"the operator {name!r:.20}")
        return sql(f"({{}} {name} {{}})", *written) if len(written) == 2 else sql(f"({name} {{}})", *written)
    if name not in _FUNCTIONS:
        raise _refused(f"the function {name!r:.60}")
    least, most = _FUNCTIONS[name]
    if not least <= len(written) <= most:
        raise RefusalError(f"{name} takes {least}{f' to {most}' if most > least else ''} arguments.")
    return sql(f"{name}({{}})", joined(", ", written))


def _operator(node: Mapping[str, Any], columns: Sequence[Column]) -> Sql:
    written = [_written(each, columns) for each in node["children"]]
    match node["type"]:
        case "OPERATOR_IS_NULL":
            return sql("({} IS NULL)", *written)
        case "OPERATOR_IS_NOT_NULL":
            return sql("({} IS NOT NULL)", *written)
        case "OPERATOR_NOT":
            return sql("(NOT {})", *written)
        case "OPERATOR_COALESCE":
            return sql("coalesce({})", joined(", ", written))
        case "OPERATOR_NULLIF":
            return sql("nullif({})", joined(", ", written))
        case "COMPARE_IN":
            return sql("({} IN ({}))", written[0], joined(", ", written[1:]))
        case other:
            raise _refused(str(other).lower().replace("_", " "))


def _case(node: Mapping[str, Any], columns: Sequence[Column]) -> Sql:
    checks = joined(
        " ",
        (
            sql("WHEN {} THEN {}", _written(each["when_expr"], columns), _written(each["then_expr"], columns))
            for each in node["case_checks"]
        ),
    )
    otherwise = _written(node["else_expr"], columns) if node.get("else_expr") else Sql("NULL")
    return sql("(CASE {} ELSE {} END)", checks, otherwise)


def _cast(node: Mapping[str, Any], columns: Sequence[Column]) -> Sql:
    named = node.get("type_expr", {})
    name = str(named.get("type_name", "")).upper()
    if name not in _TYPES:
        raise _refused(f"a cast to {name!r:.40}")
    function = "TRY_CAST" if node.get("try_cast") else "CAST"
    return sql(f"{function}({{}} AS {_TYPES[name]})", _written(node["child"], columns))


def _refused(what: str) -> RefusalError:
    return RefusalError(f"An expression cannot have {what}. {_ALLOWED}")
