"""Which JSON types a schema may take: what decides whether a form that is sent can be taken for another."""

from __future__ import annotations

from typing import Any

from .json_paths import Path
from .literal_values import fits, kind_of
from .state import State
from .type_inference import inferred

ALL = frozenset(("string", "number", "boolean", "null", "array", "object"))
MAX_FOLLOWED = 8
SAYING = frozenset(("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"))
"""Keywords that say which types a schema takes; without them, it is what the others speak of."""


def shapes(state: State, node: Any, path: Path, followed: int = 0) -> frozenset[str]:
    """The JSON types that a schema may take; integers are numbers. Too many rather than too few."""
    if not isinstance(node, dict):
        return ALL if node is True else frozenset()
    values = (
        node["enum"] if isinstance(node.get("enum"), list) else [node["const"]] if "const" in node else []
    )
    kinds = node.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if values and (not kinds or any(fits(value, kinds) for value in values)):
        return _numbers(kind_of(value) for value in values)
    if kinds:  # literals that do not fit them are not sent
        return _numbers(kinds) | ({"null"} if node.get("nullable") is True else frozenset())
    if isinstance(node.get("$ref"), str) and followed < MAX_FOLLOWED:
        found, place, _ = state.target(node["$ref"], path)
        return shapes(state, found, place, followed + 1)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(node.get(keyword), list) and followed < MAX_FOLLOWED:
            return frozenset[str]().union(
                *(shapes(state, branch, path, followed + 1) for branch in node[keyword])
            )
    parts = [node]
    if isinstance(node.get("allOf"), list) and followed < MAX_FOLLOWED:
        parts += [part for part in node["allOf"] if isinstance(part, dict)]
        said = [
            shapes(state, branch, path, followed + 1)
            for branch in node["allOf"]
            if branch is not True and not (isinstance(branch, dict) and SAYING.isdisjoint(branch))
        ]
        found = ALL.intersection(*said)
        if found < ALL:  # a type that is stated goes before those that keywords speak of
            return found or ALL.intersection(frozenset[str]().union(*said))  # one of them is said in words
    types = [kind for part in parts for kind in inferred(part)]
    return _numbers(types) if types and state.dialect.typed else ALL


def _numbers(kinds: Any) -> frozenset[str]:
    return frozenset("number" if kind == "integer" else str(kind) for kind in kinds)
