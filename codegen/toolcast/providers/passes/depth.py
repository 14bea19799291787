"""Sends values that would nest too deeply as JSON text.

Axis: `limits.depth` of a profile, where a first walk has nested deeper.

    {"type": "array", "items": {"type": "array"}}
    {"type": "array", "items": {"type": "string",
     "description": "JSON text of a value that matches this schema: {\\"type\\":\\"array\\"}."}}

A definition that reaches too deep is opened, so that only what is below the limit becomes text; one that
contains itself becomes text as a whole.

Ledger: the node's keywords rewritten, kept elsewhere; `$ref` inlined.
Sent and decoded: JSON text is parsed (`json` of the wire form). Source: the notes on depth of each profile.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ...jsonschema.json_types import accepted_types, states_type
from ...jsonschema.schema_node import Schema, SchemaNode, Segments
from ..ledger import Ledger
from ..node import NO_TYPE, TYPES, Keywords, Node, Pass
from ..overlaps import is_map
from ..profiles.dialect import Dialect
from ..values_as_text import as_json
from .references import INLINE_NODES, merge_target

_MAX_FOLLOWED = 8


def _limit_depth(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Send a node as JSON text where its values would nest deeper than the walk allows."""
    while node.path is not None and node.place.walk.most is not None:
        limited = _limited(node, node.place.walk.most, dialect, ledger)
        if limited is None:
            break
        node = limited
    return node


PASS = Pass(name="depth", apply=_limit_depth)


def _limit_untyped(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Send a node as JSON text where it would nest too deep and its literals left no type."""
    most = node.place.walk.most
    if node.path is None or most is None or states_type(node):
        return node
    return _limited(node, most, dialect, ledger) or node


UNTYPED = Pass(
    name="depth_untyped",
    apply=_limit_untyped,
    types=frozenset((NO_TYPE, TYPES)),
)


def _limited(node: Node, most: int, dialect: Dialect, ledger: Ledger) -> Node | None:
    """A node as JSON text, or with its reference opened; `None` where it nests no deeper."""
    place = node.place
    walk = place.walk
    least = place.level + _added(node, node, dialect, 0)
    if least > most and not {"object", "array"}.isdisjoint(
        accepted_types(node, node.document, dialect.typed)
    ):
        return as_json(node, ledger)
    locations = [
        location for location in _referred(node, node, 0) if place.level + walk.heights[location] - 1 > most
    ]
    if any(ledger.schemas > INLINE_NODES or _circular(node, location) for location in locations):
        return as_json(node, ledger)
    if not locations or "$ref" not in node.keywords:
        return None
    found, segments = node.document.target(node.keywords["$ref"], node.path)
    reason = "is replaced by its target, because the schema is nested more deeply than the provider allows"
    ledger.note(node.path, "$ref", "inlined", "kept elsewhere", reason)
    siblings = {key: item for key, item in node.keywords.items() if key != "$ref"}
    keywords = merge_target(siblings, found, node.path, ledger)
    return replace(node, keywords=keywords, entered=(*node.entered, segments))


def _added(node: Node, schema: Schema, dialect: Dialect, followed: int) -> int:
    """The levels that the form in which a schema is sent adds to those of its values, which are no choice."""
    if not isinstance(schema, SchemaNode) or followed > _MAX_FOLLOWED:
        return 0
    keywords = schema.keywords
    added = 0
    if dialect.maps == "pairs" and is_map(keywords):
        declares = keywords.get("properties") or (dialect.declared_required and keywords.get("required"))
        added = 2 if declares else 1
    elif dialect.tuples == "object" and "prefixItems" in keywords:
        added = 1
    same = [*_alternatives(keywords)]
    if "$ref" in keywords and dialect.refs == "inline":
        same.append(node.document.target(keywords["$ref"], schema.path)[0])
    return max([added, *(_added(node, each, dialect, followed + 1) for each in same)])


def _alternatives(keywords: Keywords) -> Iterator[Schema]:
    for keyword in ("anyOf", "oneOf", "allOf"):
        yield from keywords.get(keyword, ())


def _referred(node: Node, schema: Schema, followed: int) -> Iterator[Segments]:
    if not isinstance(schema, SchemaNode) or followed > _MAX_FOLLOWED:
        return
    if "$ref" in schema.keywords:
        segments = node.document.segments(schema.keywords["$ref"], schema.path)
        if segments in node.place.walk.heights:
            yield segments
    for branch in _alternatives(schema.keywords):
        yield from _referred(node, branch, followed + 1)


def _circular(node: Node, location: Segments) -> bool:
    document = node.document
    return document.reaches(document.resolve(location), frozenset((location,)))
