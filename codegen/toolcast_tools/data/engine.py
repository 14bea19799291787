"""SQL in pieces that bind their values, and the database of one analysis, within limits."""

import errno
import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct
from toolcast.runtime.errors import RefusalError

if TYPE_CHECKING:
    import duckdb


class Sql(Struct, frozen=True):
    """A piece of a statement.

    Attributes:
        text: its text, with a `?` for each value.
        values: the values, in the order of their marks.
    """

    text: str
    values: tuple[Any, ...] = ()


def sql(template: str, *parts: Sql) -> Sql:
    """Put pieces together.

    Returns the whole, with all values.

    Args:
        template: text with `{}` for each piece.
        *parts: the pieces, in the order of their places.
    """
    values = tuple(value for part in parts for value in part.values)
    return Sql(template.format(*(part.text for part in parts)), values)


def joined(separator: str, parts: Iterable[Sql]) -> Sql:
    """Join pieces, as `str.join` does."""
    listed = tuple(parts)
    values = tuple(value for part in listed for value in part.values)
    return Sql(separator.join(part.text for part in listed), values)


def bound(value: object, type: str = "") -> Sql:
    """Return a value, never part of the text; with `type` cast to that."""
    return Sql(f"CAST(? AS {type})" if type else "?", (value,))


def quoted(name: str) -> str:
    """Return a name as an identifier."""
    return '"' + name.replace('"', '""') + '"'


Connection: TypeAlias = "duckdb.DuckDBPyConnection"

_WORDS = 500
"""Characters of the database's own words that an error repeats."""


def connect(paths: Sequence[str], memory: int, threads: int) -> Connection:
    """Make an empty database in memory, whose settings no statement changes any more.

    Args:
        paths: the only files that it may open.
        memory: bytes that it may use.
        threads: threads that it may use.
    """
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": str(threads),
            "memory_limit": f"{memory}B",
            "temp_directory": "",  # nothing is spilled to disk
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "allow_persistent_secrets": "false",
        },
    )
    allowed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    for setting in (
        "TimeZone = 'UTC'",
        "error_on_division_by_zero = false",
        "python_enable_replacements = false",
        "enable_progress_bar = false",
        f"allowed_paths = [{allowed}]",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")
    return connection


def run(connection: Connection, query: Sql) -> list[tuple[Any, ...]]:
    """Run a statement. Returns all of its rows."""
    return connection.execute(query.text, list(query.values)).fetchall()


def describe(connection: Connection, query: Sql) -> list[tuple[str, str]]:
    """Bind a query without running it.

    Args:
        connection: the database.
        query: the query.

    Returns:
        Names and types of its columns.
    """
    return [(row[0], row[1]) for row in run(connection, Sql(f"DESCRIBE {query.text}", query.values))]


def refusal_of(problem: Exception, file: str) -> RefusalError:
    """Return the refusal for an error of the database.

    Args:
        file: the source as the model named it, in place of what the database knows it by.
    """
    kind = type(problem).__name__
    if kind == "OutOfMemoryException":
        return RefusalError(
            "The analysis needs more memory than it may use. Filter and select earlier, or group before "
            "sorting."
        )
    if kind == "IOException" and os.strerror(errno.EFBIG) in str(problem):
        return RefusalError("The result is too large to be kept. Filter, select or group more.")
    text = re.split(r"\n\s*\n|\nLINE \d+:|Possible solutions|Possible fixes", str(problem).strip())[0]
    text = re.sub(r"(/proc/self|/dev)/fd/\d+", lambda _: file, text)
    text = " ".join(text.split())
    short = text if len(text) <= _WORDS else text[:_WORDS] + "…"
    return RefusalError(f"The analysis failed. {short}")
