"""Expresses a tuple by an object, or by an array whose items are a union.

Axis: `tuples = "object"`, "union" or "block".

    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false, "minItems": 2}
    {"type": "object", "properties": {"item_1": {"type": "string"}, "item_2": {"type": "integer"}},
     "required": ["item_1", "item_2"],
     "description": "The items of a list, in the order of their numbers, without gaps."}

    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}
    {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "maxItems": 2,
     "description": "Items in this order: string, integer."}

The union stands in for the object where the object could be confused with another branch, or where null must
stand for an absent item.

Ledger: `prefixItems`, `items`, `minItems`, `maxItems` and `type` rewritten, kept elsewhere, for the object;
`prefixItems` described, changed, for the union. Sent and decoded: the object is decoded to a list
(`positions` of the wire form). Source: the notes on `prefixItems` of each profile.
"""

from __future__ import annotations

from ...jsonschema.json_types import TYPE_KEYWORDS, accepted_types, names_type
from ...jsonschema.json_values import JsonObject
from ...jsonschema.merge import distinct_schemas
from ...jsonschema.schema_node import Schema, SchemaNode, is_free
from ...runtime.wire.wire_form import MORE, position
from ..constraint_texts import MAX_WORDS, text
from ..ledger import CHECKED, IMPLIED_TYPE, NO_FURTHER_ITEMS, Ledger, child
from ..node import Keywords, Node, Pass
from ..profiles.dialect import Dialect
from ..values_as_text import without_idle, without_literals


def _tuple_in_dialect(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Express the tuple of a node."""
    if "prefixItems" not in node.keywords:
        return node
    if "type" in node.keywords and not names_type(node, "array"):
        return node.having(without_idle(node.keywords, "array", node.path, ledger))
    sent = _as_object(node, dialect, ledger) if dialect.tuples == "object" else None
    return _as_union(node, dialect, ledger) if sent is None else sent


PASS = Pass(
    name="tuples",
    apply=_tuple_in_dialect,
    needed=lambda dialect: dialect.tuples != "keep",
    keywords=frozenset(("prefixItems",)),
)


def _as_object(node: Node, dialect: Dialect, ledger: Ledger) -> Node | None:
    """A tuple as an object that has a property for each position; `None` where that could be confused."""
    path, document = node.path, node.document
    kinds: list[Schema] = node.keywords["prefixItems"]
    stated = node.keywords.get("type", "array")
    if node.taken("object") or (isinstance(stated, list) and "object" in stated):
        return None
    keywords = without_idle(node.keywords, "object", path, ledger)
    if "type" not in keywords and not dialect.typed:
        return None  # accepts more than arrays
    least = int(keywords.get("minItems", 0))
    most = int(keywords["maxItems"]) if "maxItems" in keywords else None
    rest: Schema = keywords.get("items", True)
    end = next((i for i, kind in enumerate(kinds) if kind is False), len(kinds))
    if end < len(kinds):
        rest = False
    if most is not None and most <= end:
        end, rest = most, False
    if any("null" in accepted_types(kind, document, dialect.typed) for kind in kinds[least:end]):
        return None  # null must stand for an absent item
    if dialect.typed and any(map(_untyped, kinds[least:end])):
        reason = (
            "accepts null for an item without a type only as an absent item, because the array is sent "
            "as an object"
        )
        ledger.note(path, "prefixItems", "rewritten", "changed", reason)
    if rest is False and least > end:
        return None  # the bounds allow no array that long
    properties: Keywords = {position(i): kind for i, kind in enumerate(kinds[:end])}
    if rest is True and dialect.untyped == "block":
        ledger.block(path, "items", "cannot express further items of any type")
    if rest is not False:
        more: Keywords = {"type": "array", "items": rest}
        if least > end:
            more["minItems"] = least - end
        if most is not None:
            more["maxItems"] = most - end
        properties[MORE] = SchemaNode(more, path)
    taken = ("type", "prefixItems", "items", "minItems", "maxItems")
    out = {key: item for key, item in keywords.items() if key not in taken}
    out["type"] = (
        ["object" if one == "array" else one for one in stated] if isinstance(stated, list) else "object"
    )
    out["properties"] = properties
    required = [position(i) for i in range(min(least, end))] + ([MORE] if least > end else [])
    if required:
        out["required"] = required
    if dialect.closed or dialect.open == "explicit":
        out["additionalProperties"] = False
    for keyword in ("type", "prefixItems", "items", "minItems", "maxItems"):
        if keyword in keywords:
            reason = (
                "applies to an array that is sent as an object with a property for each position, "
                "because the provider cannot express positions; decoding restores the array"
            )
            ledger.note(path, keyword, "rewritten", "kept elsewhere", reason)
    if "type" not in keywords:
        reason = IMPLIED_TYPE
        ledger.note(path, "type", "rewritten", "changed", reason)
    sentence = "The items of a list, in the order of their numbers, without gaps."
    sent = without_literals(node.noting(out, (sentence,)), ledger)
    return sent.sent_as(encoding="positions", required=min(least, end), count=end)


def _untyped(kind: Schema) -> bool:
    """Tell whether a schema without a type gets the one that its keywords imply: it accepts null too."""
    return isinstance(kind, SchemaNode) and TYPE_KEYWORDS.isdisjoint(kind.keywords)


def _as_union(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """A tuple as an array whose items are a union; the positions are described."""
    path, keywords = node.path, node.keywords
    if dialect.tuples == "block" or (dialect.tuples == "object" and dialect.closed):
        ledger.block(path, "prefixItems", "cannot express an array with a schema for each position")
        return node
    kinds: list[Schema] = keywords["prefixItems"]
    words = "Items in this order: " + ", ".join(map(_kind, kinds)) + "."
    reason = "is replaced by `items` for any position, because the provider lacks the keyword" + CHECKED
    ledger.note(path, "prefixItems", "described", "changed", reason)
    out = {key: value for key, value in keywords.items() if key not in ("prefixItems", "items")}
    rest: Schema = keywords.get("items", True)
    longest = keywords.get("maxItems")
    if isinstance(rest, SchemaNode):
        reason = "accepts the items of all positions, because the provider lacks `prefixItems`" + CHECKED
        ledger.note(path, "items", "widened", "changed", reason)
    if rest is False:
        ledger.note(path, "items", "rewritten", "kept elsewhere", NO_FURTHER_ITEMS)
        out["maxItems"] = len(kinds) if longest is None else min(longest, len(kinds))
    closed = isinstance(out.get("maxItems"), int) and out["maxItems"] <= len(kinds)
    distinct = distinct_schemas([kind for kind in (kinds if closed else [*kinds, rest]) if kind is not False])
    items = child(path, "items")
    if any(map(is_free, distinct)) or not distinct:
        out["items"] = SchemaNode({}, items)
    else:
        out["items"] = distinct[0] if len(distinct) == 1 else SchemaNode({"anyOf": distinct}, items)
    return node.noting(out, (words,) if len(words) <= MAX_WORDS else ())


def _kind(schema: Schema) -> str:
    if not isinstance(schema, SchemaNode):
        return "any"
    keywords: JsonObject = schema.keywords
    if "const" in keywords:
        return text(keywords["const"])
    if "$ref" in keywords:
        return str(keywords["$ref"]).rsplit("/", 1)[-1]
    kind = keywords.get("type", "any")
    name = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    label = keywords.get("title") or keywords.get("description")
    return f"{name} ({label})" if isinstance(label, str) else name
