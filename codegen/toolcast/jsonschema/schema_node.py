"""A schema of 2020-12, parsed: one node for each schema object, which knows where it was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from .keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from .pointers import escape

Path = tuple[Any, str] | None
"""A path to a schema: `(path of the parent, segment)`, None for the root. Extending it copies nothing."""
Segments = tuple[str, ...]
"""The segments of a JSON pointer, unescaped."""


class SchemaNode(Struct, frozen=True, eq=False):
    """One schema object.

    Attributes:
        keywords: the keywords in their order, which no one changes. The value of a keyword that holds schemas
            has `SchemaNode | bool` for each: alone, in a list, or in an object by name. Other values are
            JSON.
        path: where the schema was written, in the document as it was given.
    """

    keywords: dict[str, Any]
    path: Path


Schema = SchemaNode | bool


def pointer(path: Path) -> str:
    """Return the JSON pointer of a path; empty for the root."""
    out = ""
    while path is not None:
        path, segment = path
        out = f"/{escape(segment)}{out}"
    return out


def extended(path: Path, segments: Iterable[str | int]) -> Path:
    """Return a path with further segments: names of members and indices of items."""
    for segment in segments:
        path = path, str(segment)
    return path


def subnodes(node: SchemaNode) -> Iterator[tuple[Segments, Schema]]:
    """Yield the schemas directly below a node, each with its segments, in the order of keywords."""
    for keyword, value in node.keywords.items():
        if keyword in SCHEMA:
            yield (keyword,), value
        elif keyword in SCHEMA_LIST:
            for i, item in enumerate(value):
                yield (keyword, str(i)), item
        elif keyword in SCHEMA_MAP:
            for name, item in value.items():
                yield (keyword, name), item


def to_json(schema: Any) -> Any:
    """Return a node, a boolean, or a list or object of them as JSON, which shares only literals with it."""
    if isinstance(schema, SchemaNode):
        return {key: to_json(value) if key in HOLDERS else value for key, value in schema.keywords.items()}
    if schema.__class__ is dict:
        return {name: to_json(item) for name, item in schema.items()}
    if schema.__class__ is list:
        return [to_json(item) for item in schema]
    return schema


HOLDERS = SCHEMA | SCHEMA_LIST | SCHEMA_MAP
"""Keywords whose value has nodes."""


def descendants(root: SchemaNode) -> Iterator[SchemaNode]:
    """Yield every schema object of a document, outer ones first."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        below = [item for _, item in subnodes(node) if isinstance(item, SchemaNode)]
        pending += reversed(below)


def is_free(schema: Schema) -> bool:
    """Return whether a schema says nothing: true, or a node without keywords."""
    return schema is True or (isinstance(schema, SchemaNode) and not schema.keywords)
