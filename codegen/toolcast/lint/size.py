"""One pass over an emitted schema: everything that some provider limits."""

from typing import Any

from msgspec import Struct

from ..jsonschema.subschemas import subschemas
from ..providers.depth import levels
from ..spec.model import Path


class Enum(Struct, frozen=True):
    """One enum: how many values, how many characters its texts have together, and where."""

    count: int
    chars: int
    path: Path


class Size(Struct, frozen=True, kw_only=True):
    """What a schema holds. Definitions count once, however often they are referred to."""

    depth: int  # levels of objects and arrays below the root, references followed, recursion not
    properties: tuple[Path, ...]
    optional: tuple[Path, ...]
    unions: tuple[Path, ...]
    enums: tuple[Enum, ...]
    string_chars: int
    required: int  # parameters that the root requires


class _Count:
    def __init__(self) -> None:
        self.properties: list[Path] = []
        self.optional: list[Path] = []
        self.unions: list[Path] = []
        self.enums: list[Enum] = []
        self.chars = 0

    def node(self, node: Any, path: Path) -> None:
        if not isinstance(node, dict):
            return
        kind = node.get("type")
        if path and path[-2:-1] == ("properties",) and ("anyOf" in node or isinstance(kind, list)):
            self.unions.append(path)
        enum = node.get("enum")
        if isinstance(enum, list):
            chars = sum(len(each) for each in enum if isinstance(each, str))
            self.enums.append(Enum(len(enum), chars, path))
            self.chars += chars
        if isinstance(node.get("const"), str):
            self.chars += len(node["const"])
        required = node.get("required") or ()
        for below, item in subschemas(node):
            inner = *path, *below
            if below[0] in ("properties", "$defs", "definitions"):
                self.chars += len(str(below[1]))
            if below[0] == "properties":
                self.properties.append(inner)
                if below[1] not in required:
                    self.optional.append(inner)
            self.node(item, inner)


def measured(schema: dict[str, Any]) -> Size:
    """The size of an emitted schema."""
    count = _Count()
    count.node(schema, ())
    required = schema.get("required")
    return Size(
        depth=levels(schema),
        properties=tuple(count.properties),
        optional=tuple(count.optional),
        unions=tuple(count.unions),
        enums=tuple(count.enums),
        string_chars=count.chars,
        required=len(required) if isinstance(required, list) else 0,
    )
