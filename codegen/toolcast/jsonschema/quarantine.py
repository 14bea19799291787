"""Unchecked schemas, made fit for use and given back as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from .cases import FORBIDDEN, Part, Side
from .emptiness import Emptiness
from .json_values import JsonObject
from .keywords import ASSERTIONS, DIALECT
from .schema_document import parse_schema, refuses_none
from .schema_node import (
    HOLDERS,
    Changes,
    Schema,
    SchemaChange,
    SchemaNode,
    changes_of,
    record,
    subnodes,
)
from .upgrade import outdated
from .validator import Validator


class _SoundSchema(Struct, frozen=True):
    """A schema in 2020-12 words without its defects, and the changes in order, of which `upgrades` only read
    an older form.
    """

    schema: JsonObject
    changes: tuple[SchemaChange, ...]
    upgrades: tuple[SchemaChange, ...]


def sound_schema(schema: JsonObject, *, refuses: Callable[[str], str] = refuses_none) -> _SoundSchema:
    """Upgrade a schema and leave out its defects, as `providers.quarantined` lists them. `refuses`: why a
    pattern is not to be used; "" where it is. Raises SchemaError for schemas that are nested too deeply.
    """
    document = parse_schema(schema, refuses=refuses)
    changes = changes_of(document.changes)
    written: dict[int, JsonObject] = {}
    out = _write(document.root, written)
    for node, name in list(_forbidden(document.root, _Side(out), written, changes)):
        written[id(node)]["properties"][name] = False
    if outdated(out.get("$schema")):
        out = {**out, "$schema": DIALECT}
    return _SoundSchema(out, tuple(changes.values()), document.upgrades)


class _Side(Side):
    """A sound schema. The keywords that hold no schema judge single values: the targets of references may
    have defects where no keyword holds them.
    """

    def compiled(self, schema: Any) -> Validator:
        own = {keyword: value for keyword, value in schema.items() if keyword in ASSERTIONS}
        return Validator(own, formats=True)


def _forbidden(
    root: SchemaNode, side: Side, written: Mapping[int, JsonObject], changes: Changes
) -> Iterator[tuple[SchemaNode, str]]:
    """The optional properties that no value fits, each with the node that declares it."""
    emptiness = Emptiness()
    visited: set[int] = set()
    pending: list[Schema] = [root]
    while pending:
        node = pending.pop()
        if not isinstance(node, SchemaNode) or id(node) in visited:
            continue
        visited.add(id(node))
        gone: set[int] = set()
        needed = frozenset(node.keywords.get("required", ()))
        for name, schema in node.keywords.get("properties", {}).items():
            if name in needed or not isinstance(schema, SchemaNode):
                continue
            reason = emptiness.reason([Part(side, written[id(schema)], "")])
            if reason not in (None, FORBIDDEN):
                words = f"is replaced by false, because no value matches it: {reason}"
                record(changes, (node.path, "properties"), name, "dropped", "kept elsewhere", words)
                gone.add(id(schema))
                yield node, name
        pending += reversed([below for _, below in subnodes(node) if id(below) not in gone])


def _write(root: SchemaNode, written: dict[int, JsonObject]) -> JsonObject:
    """A node as JSON, one object for each node. Does not recurse. `written` receives those made."""

    def made(value: Any) -> Any:
        if isinstance(value, SchemaNode):
            if id(value) not in written:
                written[id(value)] = {}
                pending.append(value)
            return written[id(value)]
        if isinstance(value, dict):
            return {name: made(item) for name, item in value.items()}
        return [made(item) for item in value] if isinstance(value, list) else value

    pending: list[SchemaNode] = []
    out: JsonObject = made(root)
    while pending:
        node = pending.pop()
        written[id(node)].update(
            (key, made(value) if key in HOLDERS else value) for key, value in node.keywords.items()
        )
    return out
