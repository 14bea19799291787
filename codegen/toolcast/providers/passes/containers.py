"""Gives an object below the root a property, where objects must declare one.

Axis: `empty-objects = "placeholder"` or "block".

    {"type": "object", "additionalProperties": {"type": "integer"}}
    {"type": "object", "properties": {"any_key": {"type": "integer"}},
     "description": "Keys are free: any_key stands for any key."}

Ledger: `properties` widened, changed. Sent and decoded: as the contract has it.
Source: the notes on `properties` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import has_type
from ...jsonschema.schema_node import Schema, SchemaNode
from ..ledger import CHECKED, FORBIDDEN_PROPERTY, NO_FURTHER_ITEMS, Ledger, child
from ..node import TYPES, Node, Pass
from ..profiles.dialect import Dialect
from .types import scalar_value


def declare_placeholder(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Declare a placeholder property in an object of free keys."""
    keywords, path = node.keywords, node.path
    if path is None or not has_type(node, "object") or not _keyless(node, dialect):
        return node
    if dialect.empty_objects == "block":
        ledger.block(path, "properties", "cannot express an object without properties")
        return node
    rest: Schema = keywords.get("additionalProperties", True)
    name = dialect.placeholder
    at = child(path, "properties")
    notes: tuple[str, ...] = ()
    if rest is False and "patternProperties" not in keywords:
        empty = {"type": "string", "description": "Leave this out: the object has no keys."}
        schema: Schema = SchemaNode(empty, child(at, name))
        reason = (
            f"declares {name!r}, which a call must leave out, because the provider requires a property; "
            "decoding still refuses it"
        )
    else:
        schema = rest if isinstance(rest, SchemaNode) and rest.keywords else _any_scalar(node, dialect)
        notes = (f"Keys are free: {name} stands for any key.",)
        reason = (
            f"declares {name!r} in place of any key, because the provider requires a property; decoding "
            "accepts every key"
        )
    ledger.note(path, "properties", "widened", "changed", reason)
    for key in keywords.get("properties", ()):
        ledger.note(child(at, key), "false", "dropped", "changed", FORBIDDEN_PROPERTY)
    if "additionalProperties" in keywords:
        reason = f"is left out, because {name!r} is declared in its place{CHECKED}"
        ledger.note(path, "additionalProperties", "widened", "kept elsewhere", reason)
    out = {key: value for key, value in keywords.items() if key != "additionalProperties"}
    return node.noting({**out, "properties": {name: schema}}, notes)


PROPERTIES = Pass(
    name="empty_objects",
    apply=declare_placeholder,
    needed=lambda dialect: dialect.empty_objects != "keep",
    types=frozenset(("object", TYPES)),
)


def _keyless(node: Node, dialect: Dialect) -> bool:
    """Whether an object will declare no property: a key that is forbidden is not declared, where no schema
    can be false."""
    properties: dict[str, Schema] = node.keywords.get("properties", {})
    return not properties or (
        dialect.booleans == "rewrite" and all(schema is False for schema in properties.values())
    )


def _any_scalar(node: Node, dialect: Dialect) -> SchemaNode:
    """The schema of the placeholder. Other keys may have any value: the object is open."""
    if dialect.any_of == "none":
        return SchemaNode({"type": "string"}, node.path)
    return scalar_value(node, nullable=dialect.type_arrays == "nullable")


EVALUATING = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "contains", "dependentSchemas")
)


def require_items(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Give an array `items`."""
    if not has_type(node, "array"):
        return node
    keywords, path = node.keywords, node.path
    if "items" not in keywords and "unevaluatedItems" in keywords and EVALUATING.isdisjoint(keywords):
        out = {key: value for key, value in keywords.items() if key != "unevaluatedItems"}
        reason = "is replaced by `items`, which means the same here and which the provider requires"
        ledger.note(path, "unevaluatedItems", "rewritten", "kept elsewhere", reason)
        node = node.having({**out, "items": keywords["unevaluatedItems"]})
        keywords = node.keywords
    items = keywords.get("items", True)
    if items is True:
        if dialect.untyped == "block":
            ledger.block(path, "items", "cannot express an array with items of any type")
        anything = SchemaNode({}, child(path, "items"))
        if "items" not in keywords and "unevaluatedItems" in keywords:
            reason = "is left out, because the provider requires `items`, which evaluates all items" + CHECKED
            ledger.note(path, "unevaluatedItems", "dropped", "lost", reason)
            out = {key: value for key, value in keywords.items() if key != "unevaluatedItems"}
            return node.having({**out, "items": anything})
        if "items" not in keywords or dialect.booleans == "rewrite":
            return node.having({**keywords, "items": anything})
    elif items is False and dialect.booleans == "rewrite":
        ledger.note(path, "items", "rewritten", "kept elsewhere", NO_FURTHER_ITEMS)
        longest = len(keywords.get("prefixItems", ()))
        string = SchemaNode({"type": "string"}, child(path, "items"))
        most = min(longest, keywords.get("maxItems", longest))
        return node.having({**keywords, "items": string, "maxItems": most})
    return node


ITEMS = Pass(
    name="items",
    apply=require_items,
    needed=lambda dialect: dialect.items_required,
    types=frozenset(("array", TYPES)),
)
