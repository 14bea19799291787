"""Alternatives of a union as one schema that takes what any of them takes; the rest is told in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jsonschema.equality import equal
from .unions import required_groups

Node = dict[str, Any]


def in_words(keyword: str, branches: list[Any], objects: list[Node]) -> str:
    """Which keys belong together, for a description."""
    how = "Exactly one" if keyword == "oneOf" else "At least one"
    groups = required_groups(branches)
    if groups:
        return f"{how} of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
    if not objects:
        return "No arguments fit: none of the alternatives takes an object."
    sets = [", ".join(_signature(one)) for one in objects]
    return f"{how} of these alternatives must be given: " + "; ".join(s or "no keys" for s in sets) + "."


def _signature(node: Node) -> list[str]:
    """An alternative in words: its keys, with the fixed values that tell it from the others."""
    required = node.get("required", ())
    words: list[str] = []
    for name, schema in node.get("properties", {}).items():
        fixed = isinstance(schema, dict) and "const" in schema
        words.append(
            (f"{name} = {schema['const']!r}" if fixed else name) + ("" if name in required else " (optional)")
        )
    return words


def union(objects: list[Node], base: Node, without: tuple[str, ...]) -> Node:
    """One object that accepts what any of `objects` accepts, of the names that they declare."""
    first = objects[0]
    out = {
        key: value
        for key, value in first.items()
        if key not in without and (key in base or all(key in o and equal(o[key], value) for o in objects))
    }
    for key in [key for key in out if not all(key in o and equal(o[key], out[key]) for o in objects)]:
        if key in base and key in ("description", "title"):
            out[key] = base[key]
        else:
            del out[key]
    properties: dict[str, Any] = {}
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
    else:
        out.pop("additionalProperties", None) if out.get("additionalProperties") is False else None
    return out


def _undeclared(node: Node) -> Any:
    """What an object takes under a name that it does not declare; nothing where it does not speak of it."""
    if node.get("patternProperties"):
        return True
    return node.get("additionalProperties", False)


def _either(left: Any, right: Any) -> Any:
    if equal(left, right):
        return left
    if left is True or right is True:
        return True
    if left is False or right is False:
        return right if left is False else left
    fixed = literals(left), literals(right)
    if fixed[0] is not None and fixed[1] is not None and left.get("type") == right.get("type"):
        out = {key: value for key, value in left.items() if key not in ("const", "enum")}
        out["enum"] = distinct([*fixed[0], *fixed[1]])
        return out
    pure = isinstance(left, dict) and left.keys() == {"anyOf"}
    return {"anyOf": [*left["anyOf"], right] if pure else [left, right]}


def literals(schema: Node) -> list[Any] | None:
    """The values of a schema that says nothing but them; else `None`."""
    if not schema.keys() <= {"const", "enum", "type", "description", "title"}:
        return None
    return [schema["const"]] if "const" in schema else schema.get("enum")


def distinct(values: list[Any]) -> list[Any]:
    """JSON values once each, in order."""
    out: list[Any] = []
    for value in values:
        if not any(equal(value, old) for old in out):
            out.append(value)
    return out


WIDER: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems"), min),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), max),
}


def widest(branches: list[Node], kind: str) -> tuple[Node, bool]:
    """Branches of one type as one node, and whether that takes exactly what they take."""
    out: Node = {"type": kind}
    values = [[one["const"]] if "const" in one else one.get("enum") for one in branches]
    exact = not any(isinstance(one, list) for one in values)
    if all(isinstance(one, list) for one in values):
        out["enum"] = distinct([value for one in values for value in one or ()])
        exact = all(literals(one) is not None for one in branches)
    for key in dict.fromkeys(key for one in branches for key in one):
        if key in ("type", "enum", "const"):
            continue
        if all(key in one and equal(one[key], branches[0].get(key)) for one in branches):
            out[key] = branches[0][key]
            continue
        exact = False
        if key in WIDER and all(key in one for one in branches):
            out[key] = WIDER[key](one[key] for one in branches)
        elif key == "items" and all(key in one for one in branches):
            out[key] = {"anyOf": distinct([one[key] for one in branches])}
    return out, exact
