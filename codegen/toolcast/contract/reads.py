"""What the readers of single constructs need of the one that reads any schema (`read.Reader`).

Objects hold schemas and schemas hold objects: the readers meet in this Protocol instead of importing each
other.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

from .tree import Node

SIZE: Final = 2**62
"""Lengths from here on are past what memory holds and what msgspec's bounds can say."""


class Reads(Protocol):
    """A reader of one contract document."""

    def read(self, schema: Any, pointer: str) -> Node:
        """The node of `schema`, which stands at `pointer`."""
        ...

    def place(self, schema: Any, pointer: str) -> str:
        """Where `schema` stands; at `pointer` unless the document knows better."""
        ...

    def keeps(self, pointer: str) -> bool:
        """Whether the object at `pointer` keeps properties that it does not declare."""
        ...

    def accepts(self, schema: Any, value: Any) -> bool:
        """Whether `schema` accepts `value`."""
        ...

    def validator(self, schema: Any) -> Any:
        """The exact validator of `schema`."""
        ...

    def adopt(self, made: dict[str, Any], origin: Any, pointer: str) -> dict[str, Any]:
        """Let a schema made from parts of the document stand at the place of `origin`."""
        ...


def sizes(schema: Mapping[str, Any], least: str, most: str) -> tuple[int, int | None, tuple[str, ...]]:
    """Both bounds of a length, and what of them is left to the validator."""
    low, high = int(schema.get(least, 0)), schema.get(most)
    whole = None if high is None or high >= SIZE else int(high)
    return (low, whole, ()) if low < SIZE else (0, whole, (least,))
