"""The nodes that no dialect changes: most are, so they take none of the steps of the walk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .literal_values import ATOMS

SCALARS = frozenset(("string", "number", "integer", "boolean"))
PLAIN = (
    *("title", "description", "default", "enum", "format", "pattern"),
    *("minimum", "maximum", "multipleOf", "minLength", "maxLength"),
)
"""Keywords that no rewrite touches beside one scalar type, where the dialect copies them."""


def keywords(copied: Iterable[str]) -> frozenset[str]:
    """What a leaf may hold; `copied` are those of `PLAIN` that the dialect's table copies."""
    return frozenset(("type", *copied))


def leaf(node: dict[str, Any], longest: int | None) -> dict[str, Any] | None:
    """A copy of one scalar of one type that holds `keywords` only; None if more is to be looked at.

    An enum may be of distinct, non-empty strings, `longest` at most: every dialect can say that.
    """
    kind = node.get("type")
    if kind.__class__ is not str or kind not in SCALARS:
        return None
    out = node.copy()
    if "enum" in node:
        if kind != "string" or not _plain(node["enum"], longest):
            return None
        out["enum"] = node["enum"].copy()
    return out if node.get("default").__class__ in ATOMS else None


def _plain(values: Any, longest: int | None) -> bool:
    if values.__class__ is not list or not values or (longest is not None and len(values) > longest):
        return False
    if any(value.__class__ is not str or not value for value in values):
        return False
    return len(set(values)) == len(values)
