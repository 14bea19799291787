"""One pass over an emitted schema: everything that some provider limits."""

from typing import Any, Final

from msgspec import Struct

from ..providers.depth import levels
from ..spec.model import Path
from .words import among

ONE: Final = among(
    "items additionalProperties contains not if then else propertyNames unevaluatedItems "
    "unevaluatedProperties contentSchema"
)
MANY: Final = among("anyOf oneOf allOf prefixItems")
NAMED: Final = among("properties patternProperties $defs definitions dependentSchemas")


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
        for keyword, value in node.items():
            if keyword in ONE:
                self.node(value, (*path, keyword))
            elif keyword in MANY and isinstance(value, list):
                for index, each in enumerate(value):
                    self.node(each, (*path, keyword, index))
            elif keyword in NAMED and isinstance(value, dict):
                self.named(node, keyword, value, (*path, keyword))

    def named(self, node: dict[str, Any], keyword: str, value: dict[str, Any], path: Path) -> None:
        required = node.get("required") or ()
        for name, each in value.items():
            inner = (*path, name)
            if keyword in ("properties", "$defs", "definitions"):
                self.chars += len(name)
            if keyword == "properties":
                self.properties.append(inner)
                if name not in required:
                    self.optional.append(inner)
            self.node(each, inner)


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
