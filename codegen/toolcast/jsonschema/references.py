"""References in a schema: where they lead, and what is there (RFC 6901)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from .json_values import JsonObject
from .pointers import child, unescape
from .schema_node import Path, Schema, SchemaError, SchemaNode, Segments, pointer, to_json


class References:
    """The targets of the references in one schema. What was found is kept."""

    __slots__ = ("_known", "_parse", "_targets", "root", "unresolved")

    def __init__(
        self,
        root: SchemaNode,
        parse: Callable[[JsonObject, Path], SchemaNode],
        unresolved: Mapping[int, str] = {},
    ) -> None:
        """`parse` makes the node of a schema that no keyword holds, and returns the same each time.
        `unresolved`: why the references of nodes lead nowhere, by the id of the node."""
        self.root = root
        self._parse = parse
        self.unresolved = unresolved
        self._known: dict[str, tuple[Schema, Segments]] = {}  # by the reference
        self._targets: dict[Segments, Schema] = {}

    def segments(self, reference: Any, path: Path) -> Segments:
        """Return the segments from the root to where a reference leads, whether or not something is there.
        `path`: the schema that has the reference. Raises SchemaError where it is not local.
        """
        if not isinstance(reference, str):
            raise SchemaError(pointer(path), "$ref must be a string")
        return parse_reference(reference, path)

    def target(self, reference: Any, path: Path) -> tuple[Schema, Segments]:
        """Return the schema that a reference leads to, and its segments from the root. `path`: the schema
        that has the reference. Raises SchemaError where it leads nowhere in this document.
        """
        known = self._known.get(reference) if isinstance(reference, str) else None
        if known is None:
            segments = self.segments(reference, path)
            found = self._found(segments, reference, path)
            self._targets[segments] = found
            known = self._known[reference] = found, segments
        return known

    def resolve(self, segments: Segments) -> Schema:
        """Return the schema at segments that `target` returned. Raises SchemaError where there is none."""
        known = self._targets.get(segments)
        return self._found(segments, "#/" + "/".join(segments), None) if known is None else known

    def _found(self, segments: Segments, reference: str, path: Path) -> Schema:
        value: Any = self.root
        at: Path = None
        for segment in segments:
            try:
                value = child(value.keywords if isinstance(value, SchemaNode) else value, segment)
            except LookupError:
                raise SchemaError(
                    pointer(path),
                    f"the reference {reference!r} leads nowhere: {pointer(at) or '#'} has no {segment!r}",
                    "define it, or correct the reference",
                ) from None
            at = at, segment
        if isinstance(value, SchemaNode | bool):
            return value
        if not isinstance(value, dict):
            reason = f"the reference {reference!r} leads to something that is no schema"
            raise SchemaError(pointer(path), reason)
        holds_nodes = any(isinstance(item, SchemaNode) for item in value.values())
        return self._parse(to_json(value) if holds_nodes else value, at)


def parse_reference(reference: str, path: Path) -> Segments:
    """Return the segments, unescaped, of a local reference such as `#/$defs/a~1b`; those of `#` are empty.
    Raises SchemaError where it does not point into the schema.
    """
    if reference in ("#", "#/"):
        return ()
    if not reference.startswith("#/"):
        raise SchemaError(
            pointer(path),
            f"the reference {reference!r} does not point into this schema",
            "bundle what it refers to under $defs and use '#/$defs/Name'",
        )
    raw = unquote(reference[2:]) if "%" in reference else reference[2:]
    return tuple(map(unescape, raw.split("/")))
