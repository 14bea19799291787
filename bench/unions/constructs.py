"""Schemas that become parts of unions, values beside them, and the forms in which a spec can join them."""

import itertools
from collections.abc import Collection, Iterator
from typing import Any

Schema = dict[str, Any]

CONSTRUCTS: dict[str, Schema] = {
    "null": {"type": "null"},
    "boolean": {"type": "boolean"},
    "integer": {"type": "integer"},
    "integer-range": {"type": "integer", "minimum": -3, "maximum": 7},
    "integer-steps": {"type": "integer", "multipleOf": 3},
    "number": {"type": "number"},
    "number-range": {"type": "number", "exclusiveMinimum": -1.5, "maximum": 3.5},
    "string": {"type": "string"},
    "string-length": {"type": "string", "minLength": 2, "maxLength": 5},
    "string-pattern": {"type": "string", "pattern": "^a"},
    "string-date": {"type": "string", "format": "date"},
    "string-enum": {"enum": ["a", "bc"]},
    "integer-enum": {"enum": [1, 2]},
    "mixed-enum": {"enum": ["a", 1, None]},
    "list": {"type": "array"},
    "list-typed": {"type": "array", "items": {"type": "integer", "minimum": 2}},
    "list-length": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
    "list-unique": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "no-items": {"type": "array", "items": False},
    "one-item": {"type": "array", "prefixItems": [{"type": "integer"}], "items": False, "minItems": 1},
    "two-items": {"type": "array", "prefixItems": [{}, {"type": "string"}], "items": False, "minItems": 2},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    "map-size": {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "minProperties": 1,
        "maxProperties": 3,
    },
    "map-keys": {"type": "object", "propertyNames": {"pattern": "^a"}, "additionalProperties": True},
    "object": {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    },
    "tag-a": {
        "type": "object",
        "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}},
        "required": ["kind"],
    },
    "tag-b": {
        "type": "object",
        "properties": {"kind": {"const": "b"}, "y": {"type": "string", "pattern": "^a"}},
        "required": ["kind"],
    },
}

VALUES: tuple[Any, ...] = (
    None, True, 1, 2, 3, 9, -2, 1.5, -2.25, 5.5, "a", "bc", "abc", "abcdef", "2026-01-31", [], [1], [5],
    ["a"], ["a", "a"], [1, "a"], [1, 2, 3, 4], [3, 4], {}, {"x": 1}, {"x": "1"}, {"a": 1}, {"b": 1},
    {"a": 1, "ab": 2, "ac": 3, "ad": 4}, {"kind": "a", "x": 1}, {"kind": "b", "y": "ab"},
    {"kind": "b", "y": "b"},
)  # fmt: skip

DEFINITIONS = {name: schema for name, schema in CONSTRUCTS.items() if name != "null"}


FORMS = ("anyOf", "types", "oneOf", "references", "items", "nested")


def schemas(names: tuple[str, ...]) -> Iterator[tuple[str, Schema]]:
    """The `FORMS` in which a spec can join these constructs; definitions stand beside them."""
    parts = [CONSTRUCTS[name] for name in names]
    yield "anyOf", {"anyOf": parts}
    yield "oneOf", {"oneOf": parts}
    references = [{"$ref": f"#/$defs/{name}"} if name in DEFINITIONS else CONSTRUCTS[name] for name in names]
    yield "references", {"anyOf": references}
    yield "items", {"type": "array", "items": {"anyOf": parts}}
    yield "nested", {"anyOf": [{"anyOf": parts}, {"type": "null"}]}
    types = [part["type"] for part in parts if "type" in part]
    keys = [key for part in parts for key in part if key != "type"]
    if len(set(types)) == len(names) and len(set(keys)) == len(keys):
        yield "types", {key: value for part in parts for key, value in part.items()} | {"type": types}


def unions(size: int, step: int, forms: Collection[str]) -> Iterator[tuple[str, Schema]]:
    """Parameters of a tool with one union each, of every `step`th combination of `size` constructs."""
    for names in itertools.islice(itertools.combinations(CONSTRUCTS, size), 0, None, step):
        for form, schema in schemas(names):
            if form not in forms:
                continue
            parameters: Schema = {"type": "object", "required": ["value"], "properties": {"value": schema}}
            if form == "references":
                parameters["$defs"] = {name: DEFINITIONS[name] for name in names if name in DEFINITIONS}
            yield f"{form} of {', '.join(names)}", parameters


def values(schema: Schema) -> Iterator[Any]:
    """Arguments for a tool of `unions`, good and bad ones."""
    listed = schema["properties"]["value"].get("items")
    for value in VALUES:
        yield {"value": [value] if listed and "anyOf" in listed else value}
