"""Definitions of a schema that need no name: those with one use take its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..jsonschema.pointers import escape, unescape
from ..jsonschema.subschemas import map_subschemas, subschemas

ANNOTATIONS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
)
START = "#/$defs/"
MAX_OPENED = 8
"""How many definitions may stand inside each other in place of references."""


def with_definitions_inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Put each definition that one reference leads to in the place of the reference.

    Args:
        schema: a schema of 2020-12, with references to `$defs` of its root.

    Returns:
        The same schema, in which only definitions with several uses, or with themselves among their parts,
        are left in `$defs`. The argument is not changed.
    """
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    if not definitions:
        return root
    counts = Counter(_references([root, *definitions.values()]))
    once = {name: one for name, one in definitions.items() if counts[reference_to(name)] == 1}
    circular = _circular(once)
    once = {name: one for name, one in once.items() if name not in circular}
    made = _inlined(root, once, 0)
    kept: dict[str, Any] = {}
    pending = _references([made])
    while pending:
        name = _name(pending.pop())
        if name in definitions and name not in kept:
            kept[name] = _inlined(definitions[name], once, 0)
            pending += _references([kept[name]])
    return {**made, "$defs": {name: kept[name] for name in definitions if name in kept}} if kept else made


def reference_to(name: str) -> str:
    """The reference to a definition."""
    return START + escape(name)


def _name(reference: str) -> str:
    return unescape(reference.removeprefix(START))


def _references(schemas: list[Any]) -> list[str]:
    """Every reference in schemas, as often as it stands there."""
    found: list[str] = []
    pending = list(schemas)
    while pending:
        schema = pending.pop()
        if isinstance(schema, Mapping):
            if isinstance(schema.get("$ref"), str):
                found.append(schema["$ref"])
            pending += [below for _, below in subschemas(schema)]
    return found


def _circular(once: Mapping[str, Any]) -> set[str]:
    """The names of definitions with one use whose references, through others of them, lead back to them."""
    users = {_name(reference): name for name, one in once.items() for reference in _references([one])}
    found: set[str] = set()
    visited: set[str] = set()
    for start in once:
        way: list[str] = []
        name: str | None = start
        while name is not None and name in once and name not in visited:
            visited.add(name)
            way.append(name)
            name = users.get(name)
        if name in way:
            found.update(way[way.index(name) :])
    return found


def _inlined(schema: Any, once: Mapping[str, Any], opened: int) -> Any:
    """A schema with references replaced; `opened` of them lead here."""
    if not isinstance(schema, Mapping):
        return schema
    reference = schema.get("$ref")
    target = once.get(_name(reference)) if isinstance(reference, str) else None
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    if isinstance(target, Mapping) and beside.keys() <= ANNOTATIONS and opened < MAX_OPENED:
        return {**_inlined(target, once, opened + 1), **beside}
    return map_subschemas(schema, lambda below: _inlined(below, once, opened))
