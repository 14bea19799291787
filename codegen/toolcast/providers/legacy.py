"""Older spellings raised to JSON Schema 2020-12, one node at a time."""

from __future__ import annotations

from typing import Any

from .paths import Path
from .state import State

LEGACY = frozenset(
    (
        "nullable",
        "definitions",
        "dependencies",
        "additionalItems",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "items",
        "type",
        "any_of",
        "one_of",
        "all_of",
        "additional_properties",
        "prefix_items",
        "property_ordering",
    )
)
"""Keywords at which a node may be of an older draft; `raised` looks closer."""

SNAKE = {
    "any_of": "anyOf",
    "one_of": "oneOf",
    "all_of": "allOf",
    "additional_properties": "additionalProperties",
    "prefix_items": "prefixItems",
    "property_ordering": "propertyOrdering",
}
OLD = frozenset(("nullable", "definitions", "dependencies", "additionalItems", *SNAKE))
"""Keywords that the current draft does not have."""
RARE = LEGACY - {"items", "type"}
NEWEST = "https://json-schema.org/draft/2020-12/schema"
OLDER = frozenset(
    f"{scheme}://json-schema.org/{draft}schema{end}"
    for scheme in ("http", "https")
    for draft in ("", "draft-03/", "draft-04/", "draft-06/", "draft-07/", "draft/2019-09/")
    for end in ("", "#")
)
"""What `$schema` may say of a draft that is raised; without a name it meant the newest one of its time."""
BOUNDS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))


def is_legacy(node: dict[str, Any]) -> bool:
    """Whether a node that holds a keyword of `LEGACY` really speaks an older draft."""
    if node.get("items").__class__ is list or node.get("type") == "any":
        return True
    return not RARE.isdisjoint(node) and (
        not OLD.isdisjoint(node)
        or node.get("exclusiveMinimum").__class__ is bool
        or node.get("exclusiveMaximum").__class__ is bool
    )


def raised(state: State, node: dict[str, Any], path: Path) -> dict[str, Any]:
    """`node` in 2020-12 words, the same values accepted. Key order is kept."""

    def told(keyword: str, reason: str) -> None:
        state.note(path, keyword, "rewritten", "kept elsewhere", reason)

    out: dict[str, Any] = {}
    for key, value in node.items():
        if key not in LEGACY and key != "$defs":
            out[key] = value
        elif key in SNAKE:
            out[SNAKE[key]] = value
            told(key, f"is spelt {SNAKE[key]}")
        elif key == "definitions":
            out["$defs"] = {**value, **node.get("$defs", {})} if isinstance(value, dict) else value
            told(key, "is called $defs since 2019-09")
        elif key == "$defs" and "definitions" in node:
            continue
        elif key == "items" and isinstance(value, list):
            if value:
                out["prefixItems"] = value
            if "additionalItems" in node:
                out["items"] = node["additionalItems"]
            told(key, "a list of item schemas is called prefixItems since 2020-12")
        elif key == "additionalItems":
            told(key, "has no effect beside one schema for all items, and is called items beside a list")
        elif key == "dependencies" and isinstance(value, dict):
            names = {name: item for name, item in value.items() if isinstance(item, list)}
            schemas = {name: item for name, item in value.items() if not isinstance(item, list)}
            if names:
                out["dependentRequired"] = {**names, **out.get("dependentRequired", {})}
            if schemas:
                out["dependentSchemas"] = {**schemas, **out.get("dependentSchemas", {})}
            told(key, "is split into dependentRequired and dependentSchemas since 2019-09")
        elif key == "type" and value == "any":
            told(key, "no type means any")
        elif key != "nullable":
            out[key] = value
    for exclusive, inclusive in BOUNDS:
        if isinstance(out.get(exclusive), bool):
            told(exclusive, f"was a flag of {inclusive} in draft 4, and is the bound itself now")
            if out.pop(exclusive) and inclusive in out:
                out[exclusive] = out.pop(inclusive)
                told(inclusive, f"was exclusive: now {exclusive}")
    if "nullable" in node:
        told("nullable", "is said by the type null")
        if node["nullable"] is True:
            out = with_null(out)
    return out


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
        if len(node.keys() - ANNOTATIONS) > 1:
            return wrapped(node)
        if any(accepts_null(branch) for branch in node["anyOf"]):
            return node
        return {**node, "anyOf": [*node["anyOf"], {"type": "null"}]}
    kind = node.get("type")
    if kind is None and "enum" not in node:
        return node  # takes anything, or what it says holds for other types than null only
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


ANNOTATIONS = frozenset(
    (
        "title",
        "description",
        "default",
        "examples",
        "example",
        "$comment",
        "deprecated",
        "readOnly",
        "writeOnly",
    )
)
"""Keywords that say something about a value without constraining it."""
HOISTED = ("title", "description", "default", "examples")


def wrapped(node: dict[str, Any]) -> dict[str, Any]:
    """`node` as one branch beside null; what people read stays outside."""
    inner = {key: value for key, value in node.items() if key not in HOISTED and key != "$defs"}
    outer: dict[str, Any] = {"anyOf": [inner, {"type": "null"}]}
    outer.update((key, value) for key, value in node.items() if key in HOISTED or key == "$defs")
    return outer


def accepts_null(node: Any) -> bool:
    """Whether a schema takes null by its own words (references are not followed)."""
    if not isinstance(node, dict):
        return node is True
    if "anyOf" in node and len(node.keys() - ANNOTATIONS) == 1:
        return any(accepts_null(branch) for branch in node["anyOf"])
    kind = node.get("type")
    named = kind == "null" or (isinstance(kind, list) and "null" in kind)
    if "enum" in node:
        return None in node["enum"] and (named or kind is None)
    return named and "const" not in node
