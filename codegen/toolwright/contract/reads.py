"""What the readers of single constructs need of the one that reads any schema (`read.Reader`).

Objects hold schemas and schemas hold objects: the readers meet in this Protocol instead of importing each
other.
"""

from typing import Any, Protocol

from .tree import Node


class Reads(Protocol):
    """A reader of one contract document."""

    def read(self, schema: Any, pointer: str) -> Node:
        """The node of `schema`, which stands at `pointer`."""
        ...

    def place(self, schema: Any, pointer: str) -> str:
        """Where `schema` stands; at `pointer` unless the document knows better."""
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
