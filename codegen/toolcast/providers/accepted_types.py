"""The JSON types that a schema may accept: they decide whether a wire form is ambiguous."""

from __future__ import annotations

from typing import Any

from .json_paths import Path
from .json_types import fits, inferred, kind_of
from .state import State

ALL = frozenset(("string", "number", "boolean", "null", "array", "object"))
MAX_FOLLOWED = 8
TYPE_KEYWORDS = frozenset(("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"))
"""Keywords that state the types of a schema; without them, the others imply them."""


def shapes(state: State, node: Any, path: Path, followed: int = 0) -> frozenset[str]:
    """The JSON types that a schema may accept, or more of them; integers are numbers."""
    if not isinstance(node, dict):
        return ALL if node is True else frozenset()
    values = (
        node["enum"] if isinstance(node.get("enum"), list) else [node["const"]] if "const" in node else []
    )
    kinds = node.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if values and (not kinds or any(fits(value, kinds) for value in values)):
        return _numbers(kind_of(value) for value in values)
    if kinds:  # literals of other types are left out
        return _numbers(kinds) | ({"null"} if node.get("nullable") is True else frozenset())
    if isinstance(node.get("$ref"), str) and followed < MAX_FOLLOWED:
        found, location, _ = state.target(node["$ref"], path)
        return shapes(state, found, location, followed + 1)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(node.get(keyword), list) and followed < MAX_FOLLOWED:
            return frozenset[str]().union(
                *(shapes(state, branch, path, followed + 1) for branch in node[keyword])
            )
    parts = [node]
    if isinstance(node.get("allOf"), list) and followed < MAX_FOLLOWED:
        parts += [part for part in node["allOf"] if isinstance(part, dict)]
        stated_types = [
            shapes(state, branch, path, followed + 1)
            for branch in node["allOf"]
            if branch is not True and not (isinstance(branch, dict) and TYPE_KEYWORDS.isdisjoint(branch))
        ]
        found = ALL.intersection(*stated_types)
        if found < ALL:  # a stated type precedes the types that keywords imply
            return found or ALL.intersection(
                frozenset[str]().union(*stated_types)
            )  # one of them is described
    types = [kind for part in parts for kind in inferred(part)]
    return _numbers(types) if types and state.dialect.typed else ALL


def _numbers(kinds: Any) -> frozenset[str]:
    return frozenset("number" if kind == "integer" else str(kind) for kind in kinds)
