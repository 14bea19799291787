"""Merges two schemas that both apply into one: exactly, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Any

from .equality import equal
from .json_values import has_type
from .keywords import METADATA, TIGHTER, union_of_names
from .schema_node import Schema, SchemaNode

Keywords = dict[str, Any]
"""The keywords of a `SchemaNode`."""

UNMERGEABLE = frozenset(
    ("unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef", "$ref", "$defs", "$id")
)
"""Keywords whose meaning depends on their siblings, so that moving them would change it."""


def merged(left: Keywords, right: Keywords) -> Keywords | None:
    """Merge the keywords of two schemas that both apply to a value; None where no schema accepts exactly what
    both accept.

    The keywords keep the order of `left`, whose annotations win, then of `right`. References must be resolved
    before.
    """
    if left.keys().isdisjoint(right) and not _entangled(left, right):
        return {**left, **right}
    if not UNMERGEABLE.isdisjoint(left.keys() | right.keys()):
        return None
    out: Keywords = {}
    for key, value in left.items():
        if key not in right or key in METADATA:
            out[key] = value
        elif key not in OBJECT:
            other = right[key]
            if equal_schemas(value, other):
                out[key] = value
                continue
            rule = RULES.get(key)
            joined = rule(value, other) if rule is not None else None
            if joined is None:
                return None
            out[key] = joined
    for key, value in right.items():
        if key not in left:
            out[key] = value
    if not OBJECT.isdisjoint(left) and not OBJECT.isdisjoint(right):
        for key in OBJECT:
            out.pop(key, None)
        objects = _objects(left, right)
        if objects is None:
            return None
        out.update(objects)
    if (
        not ITEMS.isdisjoint(left)
        and not ITEMS.isdisjoint(right)
        and ("prefixItems" in left or "prefixItems" in right)
    ):
        return None
    return _settled(out)


OBJECT = frozenset(("properties", "additionalProperties", "patternProperties"))
ITEMS = frozenset(("items", "prefixItems"))
GROUPS = (
    OBJECT,
    ITEMS,
    frozenset(("if", "then", "else")),
    frozenset(("contains", "minContains", "maxContains")),
)


def _entangled(left: Keywords, right: Keywords) -> bool:
    """Return whether keywords that work together would come from different sides."""
    keys = left.keys() | right.keys()
    return (
        not UNMERGEABLE.isdisjoint(keys)
        or any(not group.isdisjoint(left) and not group.isdisjoint(right) for group in GROUPS)
        or ("type" in keys and "enum" in keys)
    )


def _settled(out: Keywords) -> Keywords | None:
    """Drop enum members that the merged type refuses; None if none is left."""
    kind = out.get("type")
    if isinstance(out.get("enum"), list) and kind is not None:
        types = kind if isinstance(kind, list) else [kind]
        values = [value for value in out["enum"] if has_type(value, types)]
        if not values:
            return None
        out["enum"] = values
    if "const" in out and "enum" in out:
        if not any(equal(out["const"], value) for value in out["enum"]):
            return None
        del out["enum"]
    return out


def equal_schemas(left: Any, right: Any) -> bool:
    """Return whether two schemas, or values of keywords, are equal: 1 equals 1.0, keywords have no order."""
    if left is right:
        return True
    if isinstance(left, SchemaNode):
        left = left.keywords
    if isinstance(right, SchemaNode):
        right = right.keywords
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and len(left) == len(right)
            and all(name in right and equal_schemas(item, right[name]) for name, item in left.items())
        )
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(equal_schemas, left, right))
    return equal(left, right)


def _both(left: Schema, right: Schema) -> Schema:
    """Merge two subschemas; a nested allOf where they cannot be merged."""
    if _is_anything(left):
        return right
    if _is_anything(right):
        return left
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    together = merged(left.keywords, right.keywords)
    return SchemaNode({"allOf": [left, right]} if together is None else together, left.path)


def _is_anything(schema: Schema) -> bool:
    return schema is True or (isinstance(schema, SchemaNode) and not schema.keywords)


def _objects(left: Keywords, right: Keywords) -> Keywords | None:
    if "patternProperties" in left or "patternProperties" in right:
        return None
    mine, theirs = left.get("properties", {}), right.get("properties", {})
    my_rest, their_rest = left.get("additionalProperties", True), right.get("additionalProperties", True)
    properties: Keywords = {}
    for name, schema in mine.items():
        properties[name] = _both(schema, theirs.get(name, their_rest))
    for name, schema in theirs.items():
        if name not in mine:
            properties[name] = _both(my_rest, schema)
    out: Keywords = {}
    if "properties" in left or "properties" in right:
        # A name that one side forbids is forbidden: a closed result just lacks it.
        rest_closed = my_rest is False or their_rest is False
        out["properties"] = {n: s for n, s in properties.items() if not (s is False and rest_closed)}
    if "additionalProperties" in left or "additionalProperties" in right:
        out["additionalProperties"] = _both(my_rest, their_rest)
    return out


def _types(left: Any, right: Any) -> Any:
    mine = left if isinstance(left, list) else [left]
    theirs = right if isinstance(right, list) else [right]
    both: list[str] = []
    for one in mine:
        for other in theirs:
            kind = one if one == other else "integer" if {one, other} == {"integer", "number"} else None
            if kind is not None and kind not in both:
                both.append(kind)
    if "number" in both and "integer" in both:
        both.remove("integer")
    return None if not both else both[0] if len(both) == 1 else both


def _enums(left: Any, right: Any) -> Any:
    values = [value for value in left if any(equal(value, other) for other in right)]
    return values or None


def _multiples(left: Any, right: Any) -> Any:
    return (
        lcm(left, right)
        if isinstance(left, int) and isinstance(right, int) and left > 0 and right > 0
        else None
    )


def _dependents(left: Any, right: Any) -> Any:
    return {name: union_of_names(left.get(name, []), right.get(name, [])) for name in {**left, **right}}


RULES: dict[str, Callable[[Any, Any], Any]] = {
    "type": _types,
    "enum": _enums,
    "required": union_of_names,
    **TIGHTER,
    "multipleOf": _multiples,
    "uniqueItems": lambda a, b: a or b,
    "items": _both,
    "allOf": lambda a, b: [*a, *b],
    "dependentRequired": _dependents,
}
"""The rules that merge two different values of a keyword; a keyword without a rule cannot be merged."""
