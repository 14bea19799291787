"""Nodes of which the node alone tells that no dialect changes anything there."""

from __future__ import annotations

from typing import Any

from .type_inference import KINDS

Node = dict[str, Any]
_ANY = ("type", "title", "description", "default", "examples", "deprecated", "$comment", "$schema")
_SCALAR = frozenset(
    (*_ANY, "minimum", "maximum", "multipleOf", "minLength", "maxLength", "format", "pattern")
)
_KEYWORDS = {
    "object": frozenset((*_ANY, "properties", "required", "additionalProperties", "$defs")),
    "array": frozenset((*_ANY, "items", "minItems", "maxItems")),
    **dict.fromkeys(("string", "number", "integer", "boolean"), _SCALAR),
}
"""By type, what a node may hold that no rewrite looks at; the table still says what becomes of it."""


def plain(node: Node) -> bool:
    """Whether no rewrite changes `node` in any dialect, unless values may be nested in so many levels only.

    It has one type, and nothing that a dialect may say in other words: what it requires is declared, what
    else it takes is said by true or false, and items have a schema.
    """
    kind = node.get("type")
    if kind.__class__ is not str or kind not in _KEYWORDS or not _KEYWORDS[kind].issuperset(node):
        return False
    if kind == "array":
        return node.get("items").__class__ is dict
    return kind != "object" or _declared(node)


def _declared(node: Node) -> bool:
    properties, required = node.get("properties"), node.get("required", [])
    if not properties or properties.__class__ is not dict or required.__class__ is not list:
        return False
    if node.get("additionalProperties", True).__class__ is not bool:
        return False
    # A property that is forbidden is none for some dialects: there must be one that is not.
    for name in required:
        if name.__class__ is not str or properties.get(name, False) is False:
            return False
    return bool(required) or next(iter(properties.values())) is not False


def stated(node: Node) -> bool:
    """Whether `node` says of which one type it is."""
    kind = node.get("type")
    return kind.__class__ is str and kind in KINDS


def complete(out: Node) -> bool:
    """Whether an output object requires each key that it declares: there is nothing optional."""
    properties, required = out.get("properties"), out.get("required")
    if not properties or not required or len(properties) != len(required):
        return False
    return bool(properties.keys() <= set(required))
