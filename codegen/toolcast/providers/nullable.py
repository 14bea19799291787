"""Schemas that accept null as well."""

from __future__ import annotations

from typing import Any

from ..jsonschema.keywords import METADATA


def with_null(node: dict[str, Any]) -> dict[str, Any]:
    """`node`, accepting null as well. Works on contract and output alike; nothing is shared but children."""
    if (
        "$ref" in node
        or "const" in node
        or "allOf" in node
        or "oneOf" in node
        or "not" in node
        or "if" in node
    ):
        return wrapped(node)
    if "anyOf" in node:
        if len(node.keys() - METADATA) > 1:
            return wrapped(node)
        if any(accepts_null(branch) for branch in node["anyOf"]):
            return node
        return {**node, "anyOf": [*node["anyOf"], {"type": "null"}]}
    kind = node.get("type")
    if kind is None and "enum" not in node:
        return node  # accepts anything, or constrains only other types than null
    if isinstance(kind, str) and kind in ("object", "array"):
        return wrapped(node)
    out = dict(node)
    if isinstance(kind, str) and kind != "null":
        out["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        out["type"] = [*kind, "null"]
    if "enum" in out and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    return out


HOISTED = ("title", "description", "default", "examples")


def wrapped(node: dict[str, Any]) -> dict[str, Any]:
    """`node` as a branch of a union with null; titles and descriptions stay outside."""
    inner = {key: value for key, value in node.items() if key not in HOISTED and key != "$defs"}
    outer: dict[str, Any] = {"anyOf": [inner, {"type": "null"}]}
    outer.update((key, value) for key, value in node.items() if key in HOISTED or key == "$defs")
    return outer


def accepts_null(node: Any) -> bool:
    """Whether a schema accepts null by its own keywords (references are not followed)."""
    if not isinstance(node, dict):
        return node is True
    if "anyOf" in node and len(node.keys() - METADATA) == 1:
        return any(accepts_null(branch) for branch in node["anyOf"])
    kind = node.get("type")
    named = kind == "null" or (isinstance(kind, list) and "null" in kind)
    if "enum" in node:
        return None in node["enum"] and (named or kind is None)
    return named and "const" not in node
