"""The nesting depth of values in an output schema, and JSON text for values that are nested too deeply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..jsonschema.keywords import HOLDS_SCHEMAS, SCHEMA
from ..jsonschema.pointers import resolve
from .accepted_types import shapes
from .cycles import reaches
from .inline_references import Segments, merge_target, record_children
from .json_paths import Path
from .maps_as_pairs import is_map
from .state import INLINE_NODES, State
from .values_as_text import as_json

Node = dict[str, Any]
DOWN = frozenset(
    ("items", "prefixItems", "properties", "patternProperties", "additionalProperties", "contains")
)
"""Keywords whose schemas apply to parts of a value; others apply to the same value."""
MAX_FOLLOWED = 8
ENDLESS = 1_000_000
"""The levels of a schema that nests too deeply to be counted."""


def levels(schema: Node) -> int:
    """Levels of objects and arrays below the root; references are followed, recursion is not.

    As OpenAI counts: "14 levels of nesting exceeds limit of 10" was said of a schema of depth 15.
    """
    return max(0, _counted(_Levels(schema), schema, frozenset(("#",))) - 1)


def heights(schema: Node, names: dict[Segments, str]) -> dict[Segments, int]:
    """For each definition of an output its levels, itself included; `names` are those that they have."""
    counted = _Levels(schema)
    return {
        location: _counted(counted, schema.get("$defs", {}).get(name), frozenset())
        for location, name in names.items()
    }


def _counted(levels: _Levels, node: Any, within: frozenset[str]) -> int:
    try:
        return levels.of(node, within)
    except RecursionError:
        return ENDLESS


def limit_depth(
    state: State, node: Node, path: Path, notes: list[str], entered: list[Segments], most: int
) -> Node | None:
    """`node` as JSON text where its values would nest deeper than `most` levels; `None` where they do not.

    A definition that reaches too deep is opened, so that only what is below the limit becomes text; one that
    contains itself becomes text as a whole.
    """
    least = state.level + _added(state, node, path, 0)
    if least > most and not {"object", "array"}.isdisjoint(shapes(state, node, path)):
        return as_json(state, node, path, notes)
    locations = [
        location
        for location in _referred(state, node, path, 0)
        if state.level + state.heights[location] - 1 > most
    ]
    if any(state.nodes > INLINE_NODES or _circular(state, location) for location in locations):
        return as_json(state, node, path, notes)
    if locations and "$ref" in node:
        found, location, segments = state.target(node["$ref"], path)
        state.note(path, "$ref", "inlined", "kept elsewhere", "what it refers to stands here: it is too deep")
        record_children(state, found, location)
        entered.append(segments)
        siblings = {key: item for key, item in node.items() if key != "$ref"}
        return merge_target(state, siblings, found, location, path)
    return None


def _added(state: State, node: Any, path: Path, followed: int) -> int:
    """The levels that the form in which a schema is sent adds to those of its values, which are no choice."""
    if not isinstance(node, dict) or followed > MAX_FOLLOWED:
        return 0
    added = 0
    if state.dialect.maps == "pairs" and is_map(node):
        declares = node.get("properties") or (state.dialect.declared_required and node.get("required"))
        added = 2 if declares else 1
    elif state.dialect.tuples == "object" and "prefixItems" in node:
        added = 1
    same = [(branch, path) for branch in _alternatives(node)]
    if "$ref" in node and state.dialect.refs == "inline":
        same.append(state.target(node["$ref"], path)[:2])
    return max([added, *(_added(state, each, location, followed + 1) for each, location in same)])


def _alternatives(node: Node) -> Iterator[Any]:
    """Schemas that apply to the same value."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        yield from node.get(keyword, ())


def _referred(state: State, node: Any, path: Path, followed: int) -> Iterator[Segments]:
    """The definitions that a schema refers to for its own value."""
    if not isinstance(node, dict) or followed > MAX_FOLLOWED:
        return
    if isinstance(node.get("$ref"), str):
        segments = state.segments(node["$ref"], path)
        if segments in state.heights:
            yield segments
    for branch in _alternatives(node):
        yield from _referred(state, branch, path, followed + 1)


def _circular(state: State, location: Segments) -> bool:
    """Whether a definition contains itself."""
    return reaches(state, state.resolve(location)[0], frozenset((location,)))


class _Levels:
    def __init__(self, root: Node) -> None:
        self.root = root
        self.known: dict[str, int] = {}  # by reference: definitions that share others stay cheap

    def of(self, node: Any, inlining: frozenset[str]) -> int:
        """Levels at and below `node`: 1 for an object or array without others in it, 0 for a scalar."""
        if not isinstance(node, dict):
            return 0
        below, here = 0, 0
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in inlining:
            if reference not in self.known:
                self.known[reference] = self.of(self.target(reference), inlining | {reference})
            here = self.known[reference]
        stated = node.get("type")
        container = bool({"object", "array"} & set(stated if isinstance(stated, list) else [stated]))
        for keyword, value in node.items():
            if keyword == "$defs" or keyword not in HOLDS_SCHEMAS:
                continue
            nested = [value] if keyword in SCHEMA else value.values() if isinstance(value, dict) else value
            deepest = max((self.of(each, inlining) for each in nested), default=0)
            if keyword in DOWN and (deepest or not isinstance(value, bool)):
                container = True
                below = max(below, deepest)
            else:
                here = max(here, deepest)
        return max(here, below + 1 if container else 0)

    def target(self, reference: str) -> Any:
        try:
            return resolve(self.root, reference)
        except LookupError:
            return None
