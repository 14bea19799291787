"""A spec as a tree of fields, and its digests, which a merge compares.

A mapping is a branch where each key can change by itself: the spec, a schema, its properties and definitions,
annotations. `required` is a set of names. Everything else is a leaf.
"""

import base64
import hashlib
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_SCHEMAS = frozenset({"items", "additionalProperties", "unevaluatedProperties", "contains"})
SCHEMAS = ("parameters", "result")
"""The keys of a spec whose values are schemas."""
_BRANCHES = ("annotations", "http", "providers")
DECIDED = ("name", "permission", "secrets", "source", "$schema")
"""The keys of a spec that no import changes once they are there."""
_DIGEST = 12
_encode = msgspec.json.Encoder(order="sorted").encode


class Leaf(Struct, frozen=True):
    """A value that changes as a whole."""

    value: Any


class Names(Struct, frozen=True):
    """A set of names, in the order in which they are written."""

    names: tuple[str, ...]


Node: TypeAlias = dict[str, "Node"] | Leaf | Names
Digests: TypeAlias = dict[str, "Digests"] | str | list[str]
"""The same tree with a digest for each leaf, as JSON holds it."""


def fields_of(data: dict[str, Any]) -> dict[str, Node]:
    """Return the fields of a spec that an import may change."""
    fields: dict[str, Node] = {}
    for key, value in data.items():
        if key in SCHEMAS:
            fields[key] = schema_fields(value)
        elif key in _BRANCHES:
            fields[key] = _mapping(value)
        elif key not in DECIDED:
            fields[key] = Leaf(value)
    return fields


def schema_fields(schema: Any) -> Node:
    """Return the fields of a schema."""
    if not isinstance(schema, dict):
        return Leaf(schema)
    fields: dict[str, Node] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            fields[key] = {name: schema_fields(item) for name, item in value.items()}
        elif key in _SCHEMAS and isinstance(value, dict):
            fields[key] = schema_fields(value)
        elif key == "required" and _is_set(value):
            fields[key] = Names(tuple(value))
        else:
            fields[key] = Leaf(value)
    return fields


def data_of(node: Node) -> Any:
    """Return the value that a tree was made of."""
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Names):
        return list(node.names)
    return {key: data_of(item) for key, item in node.items()}


def digests_of(node: Node) -> Digests:
    """Return the digests of a tree; equal for values that are equal as JSON, in whatever order."""
    if isinstance(node, Leaf):
        digest = hashlib.sha256(_encode(_settled(node.value))).digest()
        return base64.urlsafe_b64encode(digest[:_DIGEST]).decode()
    if isinstance(node, Names):
        return sorted(node.names)
    return {key: digests_of(item) for key, item in sorted(node.items())}


def are_digests(value: Any) -> bool:
    """Return whether a value is a tree of digests."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            if not all(isinstance(name, str) for name in node):
                return False
        elif not isinstance(node, str):
            return False
    return True


def _mapping(value: Any) -> Node:
    if not isinstance(value, dict):
        return Leaf(value)
    return {key: _mapping(item) for key, item in value.items()}


def _is_set(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )


def _settled(value: Any) -> Any:
    """`value` with whole floats as integers: JSON has one kind of number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_settled(item) for item in value]
    if isinstance(value, dict):
        return {key: _settled(item) for key, item in value.items()}
    return value
