"""Gives objects and arrays what a dialect demands of them: properties, declared names, `items`.

An object without declared properties is sent in another form, where objects must declare one.

Axis: `empty-objects = "json"` or "block".

    {"type": "object"}
    {"type": "string", "description": "JSON text of an object."}

The root stays as it is. JSON text is the smallest form that keeps every key, and it tells a string from a
number, which pairs with values of JSON text do not. Where another branch of a union accepts a string too, the
object keeps its type, and gets `additional_properties`, a list of pairs. No key is declared that stands for
others: a model would send it.

Ledger: `type` rewritten, kept elsewhere. Sent and decoded: JSON text is parsed (`json` of the wire form), and
pairs are decoded to keys (`rest`). Source: the notes on `properties` of each profile.

Axis: `declared-required = true`; `empty-required = false`.

    {"type": "object", "required": ["a"]}
    {"type": "object", "properties": {"a": {}}, "required": ["a"]}

A required name that `properties` lacks gets the schema of `additionalProperties`, else one that accepts any
value.

Ledger: `required` rewritten, kept elsewhere; `additionalProperties` widened where it forbade the name.
Sent and decoded: as the contract has it. Source: the notes on `required` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import names_type
from ...jsonschema.schema_node import Schema, SchemaNode
from ..ledger import CHECKED, NO_FURTHER_ITEMS, Ledger, child, names_in_words
from ..node import TYPES, Node, Pass
from ..overlaps import declares_no_key
from ..profiles.dialect import Dialect
from ..values_as_text import as_json
from .maps import all_keys_as_pairs


def _send_empty_object(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Send an object that declares no property as JSON text, or with its keys as pairs."""
    if node.path is None or not names_type(node, "object") or not declares_no_key(node.keywords, dialect):
        return node
    if dialect.empty_objects == "block":
        ledger.block(node.path, "properties", "cannot express an object without properties")
        return node
    if node.taken("string") or isinstance(node.keywords["type"], list):
        return all_keys_as_pairs(node, dialect, ledger)
    return as_json(node, ledger)


PROPERTIES = Pass(
    name="empty_objects",
    apply=_send_empty_object,
    needed=lambda dialect: dialect.empty_objects != "keep",
    types=frozenset(("object", TYPES)),
)


_EVALUATING = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "contains", "dependentSchemas")
)


def _require_items(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Give an array `items`."""
    if not names_type(node, "array"):
        return node
    keywords, path = node.keywords, node.path
    if "items" not in keywords and "unevaluatedItems" in keywords and _EVALUATING.isdisjoint(keywords):
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
    apply=_require_items,
    needed=lambda dialect: dialect.items_required,
    types=frozenset(("array", TYPES)),
)


def _declare_required(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Declare the required names of a node."""
    keywords, path = node.keywords, node.path
    if "required" not in keywords:
        return node
    if not ("properties" in keywords or dialect.typed or names_type(node, "object")):
        return node
    properties: dict[str, Schema] = keywords.get("properties", {})
    # A key that is required and forbidden: unsatisfiable, which a dialect without `false` cannot state.
    lax = dialect.booleans == "rewrite"
    missing = [
        name for name in keywords["required"] if name not in properties or (lax and properties[name] is False)
    ]
    if not missing:
        return node
    rest: Schema = keywords.get("additionalProperties", True)
    covers = isinstance(rest, SchemaNode) and "patternProperties" not in keywords
    if rest is False or (isinstance(rest, SchemaNode) and not covers):
        reason = (
            f"does not apply to {names_in_words(missing)}, since the provider requires a declaration{CHECKED}"
        )
        ledger.note(path, "additionalProperties", "widened", "changed", reason)
    at = child(path, "properties")
    for name in missing:
        if name in properties:
            reason = (
                "is declared with any value, because the provider cannot express a property that is "
                "both required and forbidden; decoding still refuses it"
            )
            ledger.note(at, name, "widened", "changed", reason)
    ledger.evaluation += 1
    reason = f"lists {names_in_words(missing)}, which the provider requires `properties` to declare, too"
    ledger.note(path, "required", "rewritten", "kept elsewhere", reason)
    added = {name: rest if covers else SchemaNode({}, child(at, name)) for name in missing}
    return node.having({**keywords, "properties": {**properties, **added}})


DECLARED = Pass(
    name="declared_required",
    apply=_declare_required,
    needed=lambda dialect: dialect.declared_required,
    keywords=frozenset(("required",)),
)


def _without_empty(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Leave out an empty `required`."""
    if node.keywords.get("required") != []:
        return node
    reason = "is left out, because it is empty, which the provider does not allow"
    ledger.note(node.path, "required", "dropped", "kept elsewhere", reason)
    return node.having({key: value for key, value in node.keywords.items() if key != "required"})


NOT_EMPTY = Pass(
    name="empty_required",
    apply=_without_empty,
    needed=lambda dialect: not dialect.empty_required,
    keywords=frozenset(("required",)),
)
