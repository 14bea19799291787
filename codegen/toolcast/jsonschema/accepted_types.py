"""The JSON types that a schema may accept, and what other branches of a union accept at the same place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .json_types import inferred
from .json_values import has_type, type_of
from .schema_document import SchemaDocument
from .schema_node import Schema, SchemaNode

ALL = frozenset(("string", "number", "boolean", "null", "array", "object"))
MAX_FOLLOWED = 8
"""References and unions that are followed for one answer."""
TYPE_KEYWORDS = frozenset(("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"))
"""Keywords that state the types of a schema; without them, the others imply them."""


def accepted_types(
    schema: Schema, document: SchemaDocument, typed: bool, followed: int = 0
) -> frozenset[str]:
    """Return the JSON types that a schema may accept, or more of them; integers are numbers."""
    if not isinstance(schema, SchemaNode):
        return ALL if schema is True else frozenset()
    node = schema.keywords
    values = node["enum"] if "enum" in node else [node["const"]] if "const" in node else []
    kinds = node.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if values and (not kinds or any(has_type(value, kinds) for value in values)):
        return _numbers(type_of(value) for value in values)
    if kinds:  # literals of other types are left out
        return _numbers(kinds) | ({"null"} if node.get("nullable") is True else frozenset())
    if "$ref" in node and followed < MAX_FOLLOWED:
        found, _ = document.target(node["$ref"], schema.path)
        return accepted_types(found, document, typed, followed + 1)
    for keyword in ("anyOf", "oneOf"):
        if keyword in node and followed < MAX_FOLLOWED:
            return frozenset[str]().union(
                *(accepted_types(branch, document, typed, followed + 1) for branch in node[keyword])
            )
    parts = [node]
    if "allOf" in node and followed < MAX_FOLLOWED:
        branches = [branch for branch in node["allOf"] if isinstance(branch, SchemaNode)]
        parts += [branch.keywords for branch in branches]
        stated = [
            accepted_types(branch, document, typed, followed + 1)
            for branch in node["allOf"]
            if branch is False or (branch is not True and not TYPE_KEYWORDS.isdisjoint(branch.keywords))
        ]
        found_types = ALL.intersection(*stated)
        if found_types < ALL:  # a stated type precedes the types that keywords imply
            return found_types or ALL.intersection(frozenset[str]().union(*stated))  # one is described
    types = [kind for part in parts for kind in inferred(part)]
    return _numbers(types) if types and typed else ALL


def _numbers(kinds: Iterable[Any]) -> frozenset[str]:
    return frozenset("number" if kind == "integer" else str(kind) for kind in kinds)


def types_of(schemas: Iterable[Schema], document: SchemaDocument, typed: bool) -> frozenset[str]:
    """Return the JSON types that one of several schemas may accept."""
    return frozenset[str]().union(*(accepted_types(each, document, typed) for each in schemas))


def same_value(schema: Schema, document: SchemaDocument, followed: int = 0) -> Iterator[SchemaNode]:
    """Yield a schema and those that apply to the same value: targets of references, branches of unions."""
    if schema is True:
        yield SchemaNode({}, None)
    if not isinstance(schema, SchemaNode) or followed > MAX_FOLLOWED:
        return
    yield schema
    keywords = schema.keywords
    if "$ref" in keywords:
        yield from same_value(document.target(keywords["$ref"], schema.path)[0], document, followed + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in keywords.get(keyword, ()):
            yield from same_value(branch, document, followed + 1)
