"""Definitions that are sent in another form (maps, tuples), and what they could be taken for.

An encoding is used only where the form that it sends cannot be taken for something else: not in a branch of
a union beside a branch that takes the same JSON type.
"""

from __future__ import annotations

from typing import Any

from .accepted_types import shapes
from .json_paths import Path
from .maps_as_pairs import is_map
from .state import State


def sent_as(state: State, node: Any, path: Path) -> str:
    """The JSON type in which a referenced schema is sent, where that differs from its own; else empty."""
    if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
        return ""
    found, place, _ = state.target(node["$ref"], path)
    if not isinstance(found, dict):
        return ""
    if "$ref" in found:
        return sent_as(state, found, place)
    dialect = state.dialect
    if dialect.maps == "pairs" and is_map(found) and not found.get("properties"):
        return "array"
    if dialect.tuples == "object" and "prefixItems" in found:
        return "object"
    return ""


def confused(state: State, branches: list[Any], path: Path, keyword: str) -> None:
    """Block where a definition is sent in a form that another branch of its union takes, too."""
    kinds = [sent_as(state, branch, path) for branch in branches]
    if not any(kinds):
        return
    for i, kind in enumerate(kinds):
        if kind and any(
            kind in shapes(state, other, path) or kind == kinds[j]
            for j, other in enumerate(branches)
            if j != i
        ):
            state.block(path, keyword, f"two alternatives would both be sent as {kind}s")
            return
