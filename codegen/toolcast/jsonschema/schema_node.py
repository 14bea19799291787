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
    """The JSON pointer of a path.

    Args:
        path: the path.

    Returns:
        The pointer, with `~` and `/` escaped; empty for the root.
    """
    out = ""
    while path is not None:
        path, segment = path
        out = f"/{escape(segment)}{out}"
    return out


def extended(path: Path, segments: Iterable[str | int]) -> Path:
    """A path with further segments.

    Args:
        path: the path.
        segments: names of members and indices of items.

    Returns:
        The longer path.
    """
    for segment in segments:
        path = path, str(segment)
    return path


def subnodes(node: SchemaNode) -> Iterator[tuple[Segments, Schema]]:
    """The schemas directly below a node.

    Args:
        node: the node.

    Returns:
        The segments below the node and the schema, in the order of keywords.
    """
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
    """A schema as plain JSON.

    Args:
        schema: a node, true or false, or a list or an object of them.

    Returns:
        The JSON value, which shares no container of schemas with the nodes; literals are shared.
    """
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
    """Every schema object of a document: the root and all below it.

    Args:
        root: the root.

    Returns:
        The nodes, outer ones first.
    """
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        below = [item for _, item in subnodes(node) if isinstance(item, SchemaNode)]
        pending += reversed(below)


def is_free(schema: Schema) -> bool:
    """Whether a schema accepts any value because it says nothing.

    Args:
        schema: the schema.

    Returns:
        True for true, and for a node without keywords.
    """
    return schema is True or (isinstance(schema, SchemaNode) and not schema.keywords)
