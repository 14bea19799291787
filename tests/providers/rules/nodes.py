"""A schema as a list of nodes: each subschema with its path and the document it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
          "unevaluatedItems", "unevaluatedProperties")  # fmt: skip
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
NAMED = ("properties", "patternProperties", "$defs", "$def", "definitions", "defs", "dependentSchemas")
CLOSERS = ("additionalProperties", "unevaluatedProperties", "unevaluatedItems")

Path = tuple[str | int, ...]
Schema = dict[str, Any]


@dataclass(frozen=True)
class Node:
    """One subschema. `schema` is an object for every rule but those about boolean schemas."""

    path: Path
    schema: Any
    root: Schema

    @property
    def types(self) -> tuple[str, ...]:
        stated = self.schema.get("type", ())
        listed = stated if isinstance(stated, list) else [stated] if isinstance(stated, str) else []
        return tuple(kind.lower() for kind in listed if isinstance(kind, str))

    @property
    def properties(self) -> Schema:
        held = self.schema.get("properties")
        return held if isinstance(held, dict) else {}

    @property
    def required(self) -> list[str]:
        held = self.schema.get("required")
        return held if isinstance(held, list) else []

    def below(self, *keys: str | int) -> Path:
        return (*self.path, *keys)


def walk(schema: Any, path: Path = (), root: Schema | None = None) -> Iterator[Node]:
    root = schema if root is None else root
    yield Node(path, schema, root if isinstance(root, dict) else {})
    if not isinstance(schema, dict):
        return
    for key in SINGLE:
        child = schema.get(key)
        if isinstance(child, dict) or (isinstance(child, bool) and key not in CLOSERS):
            yield from walk(child, (*path, key), root)
    for key in (*LISTED, "items"):
        held = schema.get(key)
        for i, child in enumerate(held) if isinstance(held, list) else ():
            yield from walk(child, (*path, key, i), root)
    for key in NAMED:
        held = schema.get(key)
        for name, child in held.items() if isinstance(held, dict) else ():
            yield from walk(child, (*path, key, name), root)


def nodes(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every subschema with its path as text; booleans of every keyword included."""
    yield path, schema
    if not isinstance(schema, dict):
        return
    for key in SINGLE:
        if key in schema:
            yield from nodes(schema[key], f"{path}/{key}")
    for key in LISTED:
        for i, child in enumerate(schema.get(key, ())):
            yield from nodes(child, f"{path}/{key}/{i}")
    for key in NAMED:
        held = schema.get(key)
        for name, child in held.items() if isinstance(held, dict) else ():
            yield from nodes(child, f"{path}/{key}/{name}")


def target(root: Schema, reference: Any) -> Any:
    """What a reference inside one document leads to; `None` where it leads nowhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    value: Any = root
    for part in unquote(reference)[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def depth(schema: Any) -> int:
    """Levels of objects and arrays below the root; references are not followed."""
    return max((sum(key in ("properties", "items", "prefixItems") for key in _keywords(node.path))
                for node in walk(schema)), default=0)  # fmt: skip


def _keywords(path: Path) -> Iterator[str | int]:
    """The keywords of a path, without the names of properties and definitions between them."""
    named = False
    for part in path:
        if named:
            named = False
            continue
        named = part in NAMED
        yield part


def cycles(schema: Schema) -> list[str]:
    """References that lead back into the node they stand in."""
    found: list[str] = []
    done: set[str] = set()

    def enter(reference: str, entered: tuple[str, ...]) -> None:
        if reference in entered:
            found.append(reference)
            return
        if reference in done:
            return
        held = target(schema, reference)
        for node in walk(held, (), schema) if isinstance(held, dict) else ():
            if isinstance(node.schema, dict) and isinstance(node.schema.get("$ref"), str):
                enter(node.schema["$ref"], (*entered, reference))
        done.add(reference)

    for node in walk(schema):
        if isinstance(node.schema, dict) and isinstance(node.schema.get("$ref"), str):
            enter(node.schema["$ref"], ())
    return sorted(set(found))
