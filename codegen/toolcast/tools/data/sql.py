"""Pieces of SQL with the values that they bind, and names in quotes."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct


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

    Args:
        template: text with `{}` for each piece.
        *parts: the pieces, in the order of their places.

    Returns:
        The whole, with all values.
    """
    values = tuple(value for part in parts for value in part.values)
    return Sql(template.format(*(part.text for part in parts)), values)


def joined(separator: str, parts: Iterable[Sql]) -> Sql:
    """Join pieces, as `str.join` does."""
    listed = tuple(parts)
    values = tuple(value for part in listed for value in part.values)
    return Sql(separator.join(part.text for part in listed), values)


def bound(value: Any, type: str = "") -> Sql:
    """A value, never part of the text; with `type` cast to that."""
    return Sql(f"CAST(? AS {type})" if type else "?", (value,))


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'
