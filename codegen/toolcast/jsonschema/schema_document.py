"""A schema document: the nodes of a schema, and the targets of its references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from .json_values import JsonObject
from .references import References
from .schema_defects import without_defects
from .schema_node import Path, Schema, SchemaChange, SchemaError, SchemaNode, Segments, changes_of, subnodes
from .schema_parser import Parser


class SchemaDocument:
    """A schema and everything that its references lead to. It does not change once it is made.

    `changes` are older forms that were upgraded when it was parsed, and defects that were left out;
    `repaired` tells whether there were defects.
    """

    __slots__ = ("_graph", "_reach", "_references", "changes", "root", "upgrades")

    def __init__(
        self,
        root: SchemaNode,
        references: References,
        changes: tuple[SchemaChange, ...] = (),
        upgrades: tuple[SchemaChange, ...] = (),
    ) -> None:
        """`changes` are all, `upgrades` those of them that read an older form."""
        self.root = root
        self.changes = changes
        self.upgrades = upgrades
        self._references = references
        self._graph: dict[Segments, set[Segments]] | None = None
        self._reach: dict[Segments, frozenset[Segments]] = {}

    # -- references ---------------------------------------------------------------------------

    def segments(self, reference: Any, path: Path) -> Segments:
        """Return the segments from the root to where a reference leads, whether or not something is there.
        `path`: the schema that has the reference. Raises SchemaError where it is not local.
        """
        return self._references.segments(reference, path)

    def target(self, reference: Any, path: Path) -> tuple[Schema, Segments]:
        """Return the schema that a reference leads to, and its segments from the root. `path`: the schema
        that has the reference. Raises SchemaError where it leads nowhere in this document.
        """
        return self._references.target(reference, path)

    def resolve(self, segments: Segments) -> Schema:
        """Return the schema at segments that `target` returned. Raises SchemaError where there is none."""
        return self._references.resolve(segments)

    # -- which definitions refer to which -------------------------------------------------------

    def reach(self, start: Segments) -> frozenset[Segments]:
        """Return the segments of the definitions that references lead to from one definition, and on; itself
        included. Empty segments stand for what is outside of definitions.
        """
        known = self._reach.get(start)
        if known is None:
            graph = self._graph
            if graph is None:
                graph = self._graph = _graph(self)
            found: set[Segments] = set()
            pending = [start]
            while pending:
                each = pending.pop()
                if each not in found:
                    found.add(each)
                    pending += graph.get(each, ())
            known = self._reach[start] = frozenset(found)
        return known

    def leads_back(self, segments: Segments) -> bool:
        """Return whether references from a schema outside of definitions lead to the root, to itself, or into
        any circle.
        """
        return self._leads_back(segments, frozenset(), set())

    def _leads_back(self, segments: Segments, above: frozenset[Segments], clear: set[Segments]) -> bool:
        """`above` are the schemas that the search is in, `clear` those known not to lead back."""
        if segments in above or not segments:
            return True
        if segments in clear:
            return False
        above |= {segments}
        for target in self.targets(self.resolve(segments)):
            start = container(target)
            if start:
                if () in self.reach(start):
                    return True
            elif target == segments[: len(target)] or self._leads_back(target, above, clear):
                return True
        clear.add(segments)
        return False

    def reaches(self, schema: Schema, locations: frozenset[Segments]) -> bool:
        """Return whether references inside a schema, followed to the end, lead to one of several places."""
        pending = [*self.targets(schema)] if locations else []
        visited: set[Segments] = set()
        while pending:
            segments = pending.pop()
            if segments in locations:
                return True
            if segments not in visited:
                visited.add(segments)
                pending += self.targets(self.resolve(segments))
        return False

    def targets(self, schema: Schema) -> Iterator[Segments]:
        """Yield the segments of the targets of references inside a schema, each that is resolved."""
        pending = [schema]
        visited: set[int] = set()
        while pending:
            each = pending.pop()
            if not isinstance(each, SchemaNode) or id(each) in visited:
                continue
            visited.add(id(each))
            if "$ref" in each.keywords:
                with suppress(SchemaError):  # reported where the reference is read
                    yield self.target(each.keywords["$ref"], each.path)[1]
            pending += [below for _, below in subnodes(each)]


def container(segments: Segments) -> Segments:
    """Return the segments of the definition that contains a schema; `()` outside of definitions."""
    return segments[:2] if len(segments) > 1 and segments[0] == "$defs" else ()


def _graph(document: SchemaDocument) -> dict[Segments, set[Segments]]:
    graph: dict[Segments, set[Segments]] = {}
    pending: list[tuple[Schema, Segments]] = [(document.root, ())]
    visited: set[int] = set()
    while pending:
        node, at = pending.pop()
        if not isinstance(node, SchemaNode) or id(node) in visited:
            continue
        visited.add(id(node))
        if "$ref" in node.keywords:
            try:
                target, segments = document.target(node.keywords["$ref"], node.path)
            except SchemaError:  # reported where the reference is read
                pass
            else:
                graph.setdefault(at, set()).add(container(segments))
                pending.insert(0, (target, container(segments)))
        for segments, below in subnodes(node):
            pending.append((below, segments if node is document.root and segments[0] == "$defs" else at))
    return graph


def refuses_none(_: str) -> str:
    """Refuse no pattern."""
    return ""


def parse_schema(
    schema: JsonObject, *, checked: bool = False, refuses: Callable[[str], str] = refuses_none
) -> SchemaDocument:
    """Parse a schema of any draft into nodes, in the keywords of 2020-12 and without its defects. The schema
    is not changed.

    A `checked` schema is a contract: nothing of it needs a change. `refuses` returns why a pattern is not to
    be used, besides those that cannot. Raises SchemaError for schemas that are nested too deeply or too many,
    and for references to what cannot be used.
    """
    parser = Parser(schema, checked=checked, refuses=refuses)
    root = parser.parsed()
    if checked:
        return SchemaDocument(root, References(root, parser.target))
    changes = {**parser.upgrades, **parser.converted, **changes_of(parser.changes_of_values(root))}
    root, references = without_defects(root, parser, refuses, changes)
    upgrades = tuple(parser.upgrades.values())
    return SchemaDocument(root, references, tuple(changes.values()), upgrades)
