"""A schema that no one checked, made fit for use and given back as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from .satisfiable import FORBIDDEN, Satisfiability
from .schema_change import Changes, SchemaChange, changes_of, record
from .schema_document import SchemaDocument, parse_schema, refuses_none
from .schema_error import SchemaError
from .schema_node import HOLDERS, Schema, SchemaNode, subnodes
from .upgrade import NEWEST, outdated


class SoundSchema(Struct, frozen=True):
    """A schema without its defects.

    Attributes:
        schema: the schema, in 2020-12 words.
        changes: what was changed, in the order in which it was found.
        upgrades: those of the changes that only read an older form.
    """

    schema: dict[str, Any]
    changes: tuple[SchemaChange, ...]
    upgrades: tuple[SchemaChange, ...]


def sound_schema(schema: dict[str, Any], *, refuses: Callable[[str], str] = refuses_none) -> SoundSchema:
    """Upgrade a schema and leave out its defects, as `providers.quarantined` lists them.

    Args:
        schema: the schema, which is not changed.
        refuses: why another pattern is not to be used; "" where it is.

    Returns:
        The schema and its changes.

    Raises:
        SchemaError: schemas are nested too deeply.
    """
    document = parse_schema(schema, refuses=refuses)
    changes = changes_of(document.changes)
    keywords = _Judge(document, changes).with_forbidden()
    out = _write(document.root, {}, lambda node: keywords.get(id(node), node.keywords))
    if outdated(out.get("$schema")):
        out = {**out, "$schema": NEWEST}
    return SoundSchema(out, tuple(changes.values()), document.upgrades)


class _Judge:
    """Finds the optional properties that no value fits."""

    def __init__(self, document: SchemaDocument, changes: Changes) -> None:
        """`changes` receives each."""
        self._document = document
        self._changes = changes
        self._written: dict[int, dict[str, Any]] = {}
        self._judge = Satisfiability(self._referred)

    def with_forbidden(self) -> dict[int, dict[str, Any]]:
        """The keywords of each node with such properties, `false` for each of them, by the id of the node."""
        found: dict[int, dict[str, Any]] = {}
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
            reason = self._judge.contradiction(self._json(schema))
            if reason not in (None, FORBIDDEN):
                words = f"is replaced by false, because no value matches it: {reason}"
                record(self._changes, (node.path, "properties"), name, "dropped", "kept elsewhere", words)
                found.add(name)
        return found

    def _json(self, node: SchemaNode) -> dict[str, Any]:
        return _write(node, self._written, lambda each: each.keywords)

    def _referred(self, reference: str) -> Any:
        """The target of a reference as JSON. Raises LookupError where it does not resolve."""
        try:
            target, _ = self._document.target(reference, None)
        except SchemaError as problem:
            raise LookupError(reference) from problem
        return self._json(target) if isinstance(target, SchemaNode) else target


def _write(
    root: SchemaNode, written: dict[int, dict[str, Any]], keywords_of: Callable[[SchemaNode], dict[str, Any]]
) -> dict[str, Any]:
    """A node as JSON, one object for each node. Does not recurse. `written`: those made before, by the id of
    the node, which receives more."""

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
    out: dict[str, Any] = made(root)
    while pending:
        node = pending.pop()
        written[id(node)].update(
            (key, made(value) if key in HOLDERS else value) for key, value in keywords_of(node).items()
        )
    return out
