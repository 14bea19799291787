"""Expressions and filters of steps as SQL, read by DuckDB's own parser."""

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from toolcast.runtime.errors import RefusalError

from ..generated._types.condition import Condition
from ..generated._types.filter import Filter
from .engine import Connection, Sql, bound, joined, quoted, sql
from .table import Column, Kind, suggestion

_FILTER_OPERATORS = {"eq": "=", "ne": "=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_FILTER_DEPTH = 30
_BIGINT = 2**63


def condition_of(filter: Filter, columns: Sequence[Column], deep: int = 0) -> Sql:
    """Translate a filter.

    Every condition is true or false, also for missing cells: a comparison with one does not hold, so `ne`
    does.

    Raises RefusalError: a column is not there, or a value does not fit its type; or the tree is too deep.

    Args:
        deep: how deep in the tree it is.
    """
    if deep > _FILTER_DEPTH:
        raise RefusalError(f"A filter may be nested {_FILTER_DEPTH} deep. Write it flatter.")
    parts = [_compared(each, columns) for each in filter.where or ()]
    parts += [condition_of(each, columns, deep + 1) for each in filter.all or ()]
    if filter.any:
        parts.append(sql("({})", joined(" OR ", (condition_of(x, columns, deep + 1) for x in filter.any))))
    if filter.not_ is not None:
        parts.append(sql("(NOT {})", condition_of(filter.not_, columns, deep + 1)))
    return sql("({})", joined(" AND ", parts))


def _field_of(columns: Sequence[Column], name: str) -> tuple[str, Kind]:
    """Find what a dotted name means: a column, or a part of one that holds records.

    Returns the expression, and the kind of its value; parts of records are compared as text. Raises
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
    expression, kind = _field_of(columns, condition.field)
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
    test = sql(f"coalesce({expression} {_FILTER_OPERATORS[operator]} {{}}, false)", _cell(value, kind, where))
    return sql("(NOT {})", test) if operator == "ne" else test


def _cell(value: object, kind: Kind, where: str) -> Sql:
    """Return a value to compare a column with. Raises RefusalError where it does not fit."""
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
    """Return a date or time of a text."""
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


_TREE_DEPTH: Final = 150
_PARSE: Final = "SELECT json_serialize_sql(?, skip_null := true, skip_empty := true, skip_default := true)"


def parse(connection: Connection, text: str, what: str) -> Any:
    """Parse one SELECT.

    Args:
        connection: any connection; the text is data to it.
        text: the statement.
        what: what the model calls it, for errors.

    Returns:
        The statement's node of the tree, of JSON values.

    Raises:
        RefusalError: the text is not exactly one SELECT, or is nested too deep.
    """
    if "\0" in text:
        raise RefusalError(f"The {what} has a zero byte. Leave it out.")
    answer = connection.execute(_PARSE, [text]).fetchall()[0][0]
    try:
        tree = msgspec.json.decode(answer)
    except RecursionError:
        raise RefusalError(f"The {what} is nested too deep. Write it flatter.") from None
    if tree.get("error"):
        detail = str(tree.get("error_message", "")).strip().split("\n")[0]
        if "Only SELECT" in detail:
            raise RefusalError(f"The {what} must be a SELECT: it can read the table, and change nothing.")
        raise RefusalError(
            f"The {what} cannot be read: {detail[:300]}. Put names that are no plain words in double quotes."
        )
    statements = tree.get("statements", [])
    if len(statements) != 1:
        raise RefusalError(f"The {what} must be one statement, not {len(statements)}.")
    _check_depth(statements[0], what)
    return statements[0]["node"]


def _check_depth(tree: Any, what: str) -> None:
    """Raise RefusalError where the tree is too deep for functions that call themselves."""
    level = [tree]
    for _ in range(_TREE_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return
    raise RefusalError(f"The {what} is nested too deep. Write it flatter.")


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

    Returns the expression over c0, c1 and so on. Raises RefusalError: it is no expression, names a column
    that is not there, or does more than arithmetic.

    Args:
        text: the expression that the model wrote.
    """
    node = parse(connection, f"SELECT (\n{text}\n)", "expression")
    selected = node.get("select_list", [])
    plain = {"type", "select_list", "from_table", "aggregate_handling", "cte_map"}
    one = len(selected) == 1 and not set(node) - plain and not node.get("cte_map")
    if not one or node.get("type") != "SELECT_NODE" or node.get("from_table", {}).get("type") != "EMPTY":
        raise _refused("more than one expression")
    return _written(selected[0], columns)


def _written(node: Mapping[str, Any], columns: Sequence[Column]) -> Sql:
    """Return one node, as SQL. Raises RefusalError for what is not listed."""
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
    expression, _ = _field_of(columns, ".".join(node["column_names"]))
    index = re.fullmatch(r"c(\d+)", expression)
    wide = index and columns[int(index[1])].type.startswith("DECIMAL(")
    # Products of wide decimals have no type.
    return Sql(f"CAST({expression} AS DOUBLE)" if wide else expression)


def _constant(literal: Mapping[str, object]) -> Sql:
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
