"""Alternatives merged into one schema that accepts what each accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .equality import equal
from .merge import Keywords, equal_schemas
from .schema_node import Path, Schema, SchemaNode


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


def in_words(keyword: str, branches: list[Schema], objects: list[Keywords]) -> str:
    """Describe which keys belong together."""
    how = "Exactly one" if keyword == "oneOf" else "At least one"
    groups = required_groups(branches)
    if groups:
        return f"{how} of these sets of keys must be given: " + "; ".join(map(", ".join, groups)) + "."
    if not objects:
        return "No arguments fit: none of the alternatives takes an object."
    sets = [", ".join(_signature(one)) for one in objects]
    return f"{how} of these alternatives must be given: " + "; ".join(s or "no keys" for s in sets) + "."


def _signature(node: Keywords) -> list[str]:
    required = node.get("required", ())
    properties = node.get("properties", {})
    words: list[str] = []
    for name, schema in properties.items():
        fixed = isinstance(schema, SchemaNode) and "const" in schema.keywords
        shown = f"{name} = {schema.keywords['const']!r}" if fixed else name
        words.append(shown + ("" if name in required else " (optional)"))
    return words + [name for name in required if name not in properties]


def union(objects: list[Keywords], base: Keywords, without: frozenset[str]) -> Keywords:
    """Return one object that accepts what any of `objects` accepts, for the names that they declare."""
    first = objects[0]

    def in_all(key: str, value: Any) -> bool:
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


def _undeclared(node: Keywords) -> Any:
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


def literals(schema: Keywords) -> list[Any] | None:
    """Return the values of a schema that only lists them; else None."""
    if not schema.keys() <= {"const", "enum", "type", "description", "title"}:
        return None
    return [schema["const"]] if "const" in schema else schema.get("enum")


def distinct(values: list[Any]) -> list[Any]:
    """Return JSON values once each, in order."""
    out: list[Any] = []
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


WIDER: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems"), min),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), max),
}


def widest(branches: list[Keywords], kind: str, path: Path) -> tuple[Keywords, bool]:
    """Collapse branches of one type into one node; also return whether that accepts the same values."""
    out: Keywords = {"type": kind}
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
        if key in WIDER and all(key in one for one in branches):
            out[key] = WIDER[key](one[key] for one in branches)
        elif key == "items" and all(key in one for one in branches):
            items = distinct_schemas([one[key] for one in branches])
            out[key] = SchemaNode({"anyOf": items}, (path, "items"))
    return out, exact
