"""Unchecked schemas, made fit for use and given back as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from .cases import FORBIDDEN, Part, Side
from .emptiness import Emptiness
from .json_values import JsonObject
from .keywords import ASSERTIONS
from .schema_document import SchemaDocument, parse_schema, refuses_none
from .schema_node import (
    HOLDERS,
    Changes,
    Schema,
    SchemaChange,
    SchemaError,
    SchemaNode,
    changes_of,
    record,
    subnodes,
)
from .upgrade import NEWEST, outdated
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
    keywords = _Judge(document, changes).with_forbidden()
    out = _write(document.root, {}, lambda node: keywords.get(id(node), node.keywords))
    if outdated(out.get("$schema")):
        out = {**out, "$schema": NEWEST}
    return _SoundSchema(out, tuple(changes.values()), document.upgrades)


class _Side(Side):
    """A schema document as JSON, whose targets of references are upgraded when they are asked for. Keywords
    that hold no schema judge single values: our validator would read the targets as they were written.
    """

    def __init__(self, document: SchemaDocument) -> None:
        super().__init__({})
        self._parsed = document
        self._written: dict[int, JsonObject] = {}

    def part(self, schema: Schema) -> Part:
        if isinstance(schema, SchemaNode):
            return Part(self, _write(schema, self._written, lambda each: each.keywords), "")
        return Part(self, schema, "")

    def target(self, reference: str) -> Part:
        """The schema that a reference names; one that accepts everything where it leads nowhere."""
        try:
            return self.part(self._parsed.target(reference, None)[0])
        except SchemaError:
            return Part(self, True, "")

    def compiled(self, schema: Any) -> Validator:
        """Compile the keywords of a schema that hold none."""
        own = {keyword: value for keyword, value in schema.items() if keyword in ASSERTIONS}
        return Validator(own, formats=True)


class _Judge:
    """Finds the optional properties that no value fits."""

    def __init__(self, document: SchemaDocument, changes: Changes) -> None:
        self._document = document
        self._changes = changes
        self._side = _Side(document)
        self._emptiness = Emptiness()

    def with_forbidden(self) -> dict[int, JsonObject]:
        """The keywords of each node with such properties, `false` for each of them, by the id of the node."""
        found: dict[int, JsonObject] = {}
        visited: set[int] = set()
        pending: list[Schema] = [self._document.root]
        while pending:
            node = pending.pop()
            if not isinstance(node, SchemaNode) or id(node) in visited:
                continue
            visited.add(id(node))
            names = self._forbidden(node)
            if names:
                named = {
                    name: False if name in names else schema
                    for name, schema in node.keywords["properties"].items()
                }
                found[id(node)] = {**node.keywords, "properties": named}
                node = SchemaNode(found[id(node)], node.path)
            pending += reversed([below for _, below in subnodes(node)])
        return found

    def _forbidden(self, node: SchemaNode) -> set[str]:
        found: set[str] = set()
        needed = frozenset(node.keywords.get("required", ()))
        for name, schema in node.keywords.get("properties", {}).items():
            if name in needed or not isinstance(schema, SchemaNode):
                continue
            reason = self._emptiness.reason([self._side.part(schema)])
            if reason not in (None, FORBIDDEN):
                words = f"is replaced by false, because no value matches it: {reason}"
                record(self._changes, (node.path, "properties"), name, "dropped", "kept elsewhere", words)
                found.add(name)
        return found


def _write(
    root: SchemaNode, written: dict[int, JsonObject], keywords_of: Callable[[SchemaNode], JsonObject]
) -> JsonObject:
    """A node as JSON, one object for each node. Does not recurse. `written` holds those made before, and
    grows.
    """

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
            (key, made(value) if key in HOLDERS else value) for key, value in keywords_of(node).items()
        )
    return out
