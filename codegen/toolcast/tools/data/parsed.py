"""SQL as a tree: DuckDB parses it, and nothing runs."""

from typing import Any, Final

import msgspec

from ...runtime.errors import RefusalError
from .engine import Connection

_DEEP: Final = 150
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
    """Raises RefusalError where the tree is too deep for functions that call themselves."""
    level = [tree]
    for _ in range(_DEEP):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return
    raise RefusalError(f"The {what} is nested too deep. Write it flatter.")
