"""The nesting depth of values in an output schema."""

from __future__ import annotations

from typing import Any

from .json_values import JsonObject
from .keywords import HOLDS_SCHEMAS, SCHEMA
from .pointers import resolve
from .schema_node import Segments

Node = JsonObject
_DOWN = frozenset(
    ("items", "prefixItems", "properties", "patternProperties", "additionalProperties", "contains")
)
"""Keywords whose schemas apply to parts of a value; others apply to the same value."""
ENDLESS = 1_000_000
"""The levels of a schema that nests too deeply to be counted."""


def levels(schema: Node) -> int:
    """Count levels of objects and arrays below the root; references are followed, recursion is not. As OpenAI
    counts, which says of a schema of depth 15: "14 levels of nesting exceeds limit of 10".
    """
    return max(0, _counted(_Levels(schema), schema, frozenset(("#",))) - 1)


def heights(schema: Node, names: dict[Segments, str]) -> dict[Segments, int]:
    """Return the levels of each definition of an output, itself included, by its name in `names`."""
    counted = _Levels(schema)
    return {
        location: _counted(counted, schema.get("$defs", {}).get(name), frozenset())
        for location, name in reversed(names.items())  # the last first: others lead to it
    }


def _counted(levels: _Levels, node: object, within: frozenset[str]) -> int:
    try:
        return levels.of(node, within)
    except RecursionError:
        return ENDLESS


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
            if keyword in _DOWN and (deepest or not isinstance(value, bool)):
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
