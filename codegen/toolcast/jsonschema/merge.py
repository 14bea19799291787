"""Merges schemas into one: two that both apply, exactly or not at all; and alternatives, accepting each."""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import Any

from .json_values import JsonObject, equal, has_type
from .keywords import METADATA, TIGHTER, union_of_names
from .schema_node import Path, Schema, SchemaNode

_Keywords = JsonObject
"""The keywords of a `SchemaNode`."""

_UNMERGEABLE = frozenset(
    ("unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef", "$ref", "$defs", "$id")
)
"""Keywords whose meaning depends on their siblings, so that moving them would change it."""


def merged(left: _Keywords, right: _Keywords) -> _Keywords | None:
    """Merge the keywords of two schemas that both apply to a value; None where no schema accepts exactly what
    both accept. The keywords keep the order of `left`, whose annotations win, then of `right`. References
    must be resolved before.
    """
    if left.keys().isdisjoint(right) and not _entangled(left, right):
        return {**left, **right}
    if not _UNMERGEABLE.isdisjoint(left.keys() | right.keys()):
        return None
    out: _Keywords = {}
    for key, value in left.items():
        if key not in right or key in METADATA:
            out[key] = value
        elif key not in OBJECT:
            other = right[key]
            if equal_schemas(value, other):
                out[key] = value
                continue
            rule = _RULES.get(key)
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
        not _ITEMS.isdisjoint(left)
        and not _ITEMS.isdisjoint(right)
        and ("prefixItems" in left or "prefixItems" in right)
    ):
        return None
    return _settled(out)


OBJECT = frozenset(("properties", "additionalProperties", "patternProperties"))
_ITEMS = frozenset(("items", "prefixItems"))
_GROUPS = (
    OBJECT,
    _ITEMS,
    frozenset(("if", "then", "else")),
    frozenset(("contains", "minContains", "maxContains")),
)


def _entangled(left: _Keywords, right: _Keywords) -> bool:
    """Return whether keywords that work together would come from different sides."""
    keys = left.keys() | right.keys()
    return (
        not _UNMERGEABLE.isdisjoint(keys)
        or any(not group.isdisjoint(left) and not group.isdisjoint(right) for group in _GROUPS)
        or ("type" in keys and "enum" in keys)
    )


def _settled(out: _Keywords) -> _Keywords | None:
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


def equal_schemas(left: object, right: object) -> bool:
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


def _objects(left: _Keywords, right: _Keywords) -> _Keywords | None:
    if "patternProperties" in left or "patternProperties" in right:
        return None
    mine, theirs = left.get("properties", {}), right.get("properties", {})
    my_rest, their_rest = left.get("additionalProperties", True), right.get("additionalProperties", True)
    properties: _Keywords = {}
    for name, schema in mine.items():
        properties[name] = _both(schema, theirs.get(name, their_rest))
    for name, schema in theirs.items():
        if name not in mine:
            properties[name] = _both(my_rest, schema)
    out: _Keywords = {}
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


def _multiples(left: object, right: object) -> Any:
    return (
        lcm(left, right)
        if isinstance(left, int) and isinstance(right, int) and left > 0 and right > 0
        else None
    )


def _dependents(left: Any, right: Any) -> Any:
    return {name: union_of_names(left.get(name, []), right.get(name, [])) for name in {**left, **right}}


_RULES: dict[str, Callable[[Any, Any], Any]] = {
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


def required_groups(branches: list[Schema]) -> list[list[str]]:
    """Return the sets of keys, if all branches only state required keys; else empty."""
    groups: list[list[str]] = []
    for branch in branches:
        if not isinstance(branch, SchemaNode) or "required" not in branch.keywords:
            return []
        if branch.keywords.keys() - {"required", "type"}:
            return []
        groups.append([str(name) for name in branch.keywords["required"]])
    return groups


def in_words(keyword: str, branches: list[Schema], objects: list[_Keywords]) -> str:
    """Describe which keys belong together."""
    how = "Exactly one" if keyword == "oneOf" else "At least one"
    groups = required_groups(branches)
    if groups:
        return f"{how} of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
    if not objects:
        return "No arguments fit: none of the alternatives takes an object."
    sets = [", ".join(_signature(one)) for one in objects]
    return f"{how} of these alternatives must be given: " + "; ".join(s or "no keys" for s in sets) + "."


def _signature(node: _Keywords) -> list[str]:
    required = node.get("required", ())
    properties = node.get("properties", {})
    words: list[str] = []
    for name, schema in properties.items():
        fixed = isinstance(schema, SchemaNode) and "const" in schema.keywords
        shown = f"{name} = {schema.keywords['const']!r}" if fixed else name
        words.append(shown + ("" if name in required else " (optional)"))
    return words + [name for name in required if name not in properties]


def union(objects: list[_Keywords], base: _Keywords, without: frozenset[str]) -> _Keywords:
    """Return one object that accepts what any of `objects` accepts, for the names that they declare."""
    first = objects[0]

    def in_all(key: str, value: object) -> bool:
        return all(key in one and equal_schemas(one[key], value) for one in objects)

    out = {
        key: value
        for key, value in first.items()
        if key not in without and (key in base or in_all(key, value))
    }
    for key in [key for key in out if not in_all(key, out[key])]:
        if key in base and key in ("description", "title"):
            out[key] = base[key]
        else:
            del out[key]
    properties: dict[str, Schema] = {}
    for one in objects:
        for name, schema in one.get("properties", {}).items():
            properties[name] = _either(properties[name], schema) if name in properties else schema
    for one in objects:
        for name in properties:
            if name not in one.get("properties", {}):
                properties[name] = _either(properties[name], _undeclared(one))
    if properties:
        out["properties"] = properties
    required = [
        name for name in first.get("required", ()) if all(name in o.get("required", ()) for o in objects)
    ]
    if required or base.get("required") == []:
        out["required"] = required
    else:
        out.pop("required", None)
    patterns = any("patternProperties" in one for one in objects) and "patternProperties" not in out
    if all(one.get("additionalProperties") is False for one in objects) and not patterns:
        out["additionalProperties"] = False
    elif out.get("additionalProperties") is False:
        del out["additionalProperties"]
    return out


def _undeclared(node: _Keywords) -> Any:
    """The schema of an undeclared name in an object; `False` where it states none."""
    if node.get("patternProperties"):
        return True
    return node.get("additionalProperties", False)


def _either(left: Schema, right: Schema) -> Schema:
    if left is True or right is True:
        return True
    if not isinstance(left, SchemaNode) or not isinstance(right, SchemaNode):
        return right if left is False else left
    if equal_schemas(left, right):
        return left
    fixed = literals(left.keywords), literals(right.keywords)
    if (
        fixed[0] is not None
        and fixed[1] is not None
        and left.keywords.get("type") == right.keywords.get("type")
    ):
        out = {key: value for key, value in left.keywords.items() if key not in ("const", "enum")}
        out["enum"] = distinct([*fixed[0], *fixed[1]])
        return SchemaNode(out, left.path)
    pure = left.keywords.keys() == {"anyOf"}
    return SchemaNode({"anyOf": [*left.keywords["anyOf"], right] if pure else [left, right]}, left.path)


def literals(schema: _Keywords) -> list[Any] | None:
    """Return the values of a schema that only lists them; else None."""
    if not schema.keys() <= {"const", "enum", "type", "description", "title"}:
        return None
    return [schema["const"]] if "const" in schema else schema.get("enum")


def distinct(values: list[object]) -> list[Any]:
    """Return JSON values once each, in order."""
    out: list[object] = []
    for value in values:
        if not any(equal(value, old) for old in out):
            out.append(value)
    return out


def distinct_schemas(schemas: list[Schema]) -> list[Schema]:
    """Return schemas once each, in order."""
    out: list[Schema] = []
    for schema in schemas:
        if not any(equal_schemas(schema, old) for old in out):
            out.append(schema)
    return out


_WIDER: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems"), min),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), max),
}


def widest(branches: list[_Keywords], kind: str, path: Path) -> tuple[_Keywords, bool]:
    """Collapse branches of one type into one node; also return whether that accepts the same values."""
    out: _Keywords = {"type": kind}
    values = [[one["const"]] if "const" in one else one.get("enum") for one in branches]
    exact = not any(isinstance(one, list) for one in values)
    if all(isinstance(one, list) for one in values):
        out["enum"] = distinct([value for one in values for value in one or ()])
        exact = all(literals(one) is not None for one in branches)
    for key in dict.fromkeys(key for one in branches for key in one):
        if key in ("type", "enum", "const"):
            continue
        if all(key in one and equal_schemas(one[key], branches[0].get(key)) for one in branches):
            out[key] = branches[0][key]
            continue
        exact = False
        if key in _WIDER and all(key in one for one in branches):
            out[key] = _WIDER[key](one[key] for one in branches)
        elif key == "items" and all(key in one for one in branches):
            items = distinct_schemas([one[key] for one in branches])
            out[key] = SchemaNode({"anyOf": items}, (path, "items"))
    return out, exact
