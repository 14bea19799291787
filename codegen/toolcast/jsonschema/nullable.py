"""Schemas that accept null as well."""

from __future__ import annotations

from collections.abc import Mapping

from .json_values import JsonObject
from .keywords import METADATA
from .schema_node import Path, Schema, SchemaNode

HOISTED = frozenset(("title", "description", "default", "examples", "$defs"))
"""Keywords that stay outside of a union with null."""
_WRAPPED = frozenset(("$ref", "const", "allOf", "oneOf", "not", "if"))
"""Keywords beside which null is accepted only by a union with it."""


def with_null(node: SchemaNode) -> SchemaNode:
    """Return a schema that accepts null as well: the same one where it does, or constrains only other types.
    A new one shares its subschemas.
    """
    return wrapped(node) if wraps(node.keywords) else null_in_place(node)


def null_in_place(node: SchemaNode) -> SchemaNode:
    """Add null to the types, the literals or the branches of a schema that `wraps` does not name."""
    keywords = node.keywords
    if "anyOf" in keywords:
        if any(map(accepts_null, keywords["anyOf"])):
            return node
        return SchemaNode({**keywords, "anyOf": [*keywords["anyOf"], _null(node.path)]}, node.path)
    kind = keywords.get("type")
    if kind is None and "enum" not in keywords:
        return node  # accepts anything, or constrains only other types than null
    changed: JsonObject = {}
    if isinstance(kind, str) and kind != "null":
        changed["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        changed["type"] = [*kind, "null"]
    if "enum" in keywords and None not in keywords["enum"]:
        changed["enum"] = [*keywords["enum"], None]
    return SchemaNode({**keywords, **changed}, node.path) if changed else node


def wraps(keywords: Mapping[str, object]) -> bool:
    """Return whether a schema with these keywords has to become a branch of a union to accept null."""
    if not _WRAPPED.isdisjoint(keywords):
        return True
    if "anyOf" in keywords:
        return len(keywords.keys() - METADATA) > 1
    kind = keywords.get("type")
    return isinstance(kind, str) and kind in ("object", "array")


def wrapped(node: SchemaNode) -> SchemaNode:
    """Make a schema a branch of a union with null; titles and descriptions stay outside."""
    inner = {key: value for key, value in node.keywords.items() if key not in HOISTED}
    outer: JsonObject = {"anyOf": [SchemaNode(inner, node.path), _null(node.path)]}
    outer.update((key, value) for key, value in node.keywords.items() if key in HOISTED)
    return SchemaNode(outer, node.path)


def accepts_null(schema: Schema) -> bool:
    """Return whether a schema accepts null by its own keywords; references are not followed."""
    if not isinstance(schema, SchemaNode):
        return schema
    keywords = schema.keywords
    if "anyOf" in keywords and len(keywords.keys() - METADATA) == 1:
        return any(map(accepts_null, keywords["anyOf"]))
    kind = keywords.get("type")
    named = kind == "null" or (isinstance(kind, list) and "null" in kind)
    if "enum" in keywords:
        return None in keywords["enum"] and (named or kind is None)
    return named and "const" not in keywords


def _null(path: Path) -> SchemaNode:
    return SchemaNode({"type": "null"}, path)
