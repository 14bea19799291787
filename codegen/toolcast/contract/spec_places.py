"""Places in spec files while schemas are read, and the small facts about what stands there."""

from typing import Any

from msgspec import Struct

from ..spec.model import Document, Path


class Home(Struct, frozen=True):
    """Where a definition is written: a document, and the path of its schema there."""

    file: str  # key of the document: a type file's path below the specs root, or "" for the tool itself
    path: Path


class Place(Struct, frozen=True):
    """A schema being read: its document, the root its local references resolve in, and its path."""

    document: Document
    file: str
    root: Path  # path of the schema resource that `#` means
    path: Path
    draft: int

    def at(self, *steps: str | int) -> "Place":
        """The place `steps` below."""
        return Place(self.document, self.file, self.root, (*self.path, *steps), self.draft)


def get(data: Any, path: Path) -> Any:
    """What stands at `path`."""
    for step in path:
        data = data[step]
    return data


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    names = {bool: "a boolean", str: "a string", int: "a number", float: "a number", list: "an array"}
    return "null" if value is None else names.get(type(value), "an object")
