"""Parameter schemas of every construct, and values that come close to them."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
from hypothesis import strategies as st

Schema = Any
Draw = st.DrawFn
NAMES = ["a", "b", "type", "class", "x-y", "list", "B", "ключ", "", "a.b", "str", "additional_properties"]
TEXTS = ["", "a", "b", "ab", "abc", "é", "😀", "1", 'q"', "x\ny"]
NUMBERS: list[Any] = [
    0, 1, 2, 3, -1, 0.5, 1.5, 1.0, 2.0, 0.3, -0.5, 10, 1e3, 2**53 + 1, 2**63, -(2**63), 2**64, 10**20, 0.1,
]  # fmt: skip
BOUNDS: list[Any] = [0, 1, 2, 3, -1, 0.5, 1.5, 2.0, 10, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**20]
JSON: list[Any] = [None, True, False, 0, 1, 1.0, 1.5, "", "a", [], [1], {}, {"a": 1}, "b", 2]
PATTERNS = ["^a", "b$", "^[a-z]+$", r"\d", "^.$", "[^a]"]
REFERENCES = ["#/$defs/Leaf", "#/$defs/Node", "#/$defs/Tree", "#/$defs/Other", "#"]


def chosen(draw: Draw, options: dict[str, Callable[[], Any]], most: int = 2) -> Schema:
    names = draw(st.lists(st.sampled_from(sorted(options)), max_size=most, unique=True))
    return {name: options[name]() for name in names}


def size(draw: Draw) -> int:
    return draw(st.integers(0, 3))


@st.composite
def leaf(draw: Draw) -> Schema:
    kind = draw(
        st.sampled_from(
            ["string", "string", "integer", "integer", "number", "number", "boolean", "null", "enum", "enum",
             "const", "any", "false", "types", "types", "ref", "ref", "texts", "texts"]
        )
    )  # fmt: skip
    if kind == "any":
        return draw(st.sampled_from([True, {}]))
    if kind == "false":
        return False
    if kind == "ref":
        return {"$ref": draw(st.sampled_from(REFERENCES))}
    if kind == "enum":
        return {"enum": draw(st.lists(st.sampled_from(JSON), min_size=1, max_size=4))}
    if kind == "texts":
        return {
            "type": "string",
            "enum": draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True)),
        }
    if kind == "const":
        return {"const": draw(st.sampled_from(JSON))}
    if kind == "types":
        names = ["string", "integer", "number", "boolean", "null", "object", "array"]
        kinds = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        bounds = {"minimum": lambda: draw(st.sampled_from(BOUNDS)), "maxLength": lambda: size(draw)}
        return {"type": kinds, **chosen(draw, bounds, 1)}
    schema = {"type": kind}
    if kind == "string":
        words: dict[str, Callable[[], Any]] = {
            "minLength": lambda: size(draw),
            "maxLength": lambda: size(draw),
            "pattern": lambda: draw(st.sampled_from(PATTERNS)),
        }
        schema |= chosen(draw, words)
    elif kind in ("integer", "number"):
        names = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        words = {name: lambda: draw(st.sampled_from(BOUNDS)) for name in names}
        words["multipleOf"] = lambda: draw(st.sampled_from([1, 2, 0.5, 0.1, 1.5, 3]))
        schema |= chosen(draw, words)
    return schema


@st.composite
def with_default(draw: Draw, schema: Schema) -> Schema:
    """Now and then with a default, one that fits."""
    if not isinstance(schema, dict) or "$ref" in json.dumps(schema) or draw(st.integers(0, 3)):
        return schema
    judge = jsonschema_rs.Draft202012Validator(schema)
    fitting = [value for value in [*JSON, *NUMBERS, *TEXTS] if judge.is_valid(value)]
    return {**schema, "default": draw(st.sampled_from(fitting))} if fitting else schema


@st.composite
def objects(draw: Draw, inner: st.SearchStrategy[Schema], root: bool = False) -> Schema:
    named = draw(st.dictionaries(st.sampled_from(NAMES), inner, max_size=3, min_size=int(root)))
    schema: Schema = {"type": "object"}
    if named:
        schema["properties"] = {}
    for name, sub in named.items():
        if isinstance(sub, dict) and draw(st.integers(0, 5)) == 0:
            sub = {"anyOf": [sub, {"type": "null"}]}
        schema["properties"][name] = draw(with_default(sub))
    required = draw(st.lists(st.sampled_from([*sorted(named), *NAMES[:1]]), max_size=2, unique=True))
    if required:
        schema["required"] = required
    rest = draw(st.sampled_from(["absent", "closed", "closed", "open", "map"]))
    if rest == "closed":
        schema["additionalProperties"] = False
    elif rest == "open":
        schema["additionalProperties"] = True
    elif rest == "map":
        schema["additionalProperties"] = draw(inner)
    if draw(st.integers(0, 3)) == 0:
        schema |= chosen(
            draw,
            {
                "minProperties": lambda: size(draw),
                "maxProperties": lambda: size(draw),
                "propertyNames": lambda: {"pattern": draw(st.sampled_from(PATTERNS))},
                "patternProperties": lambda: {draw(st.sampled_from(PATTERNS)): draw(inner)},
                "dependentRequired": lambda: {"a": ["b"]},
                "dependentSchemas": lambda: {"a": draw(inner)},
                "unevaluatedProperties": lambda: draw(inner),
            },
        )
    return schema


@st.composite
def tagged(draw: Draw, inner: st.SearchStrategy[Schema]) -> Schema:
    field = draw(st.sampled_from(["type", "kind", "x-tag"]))
    values = draw(st.sampled_from([["a", "b"], ["a", "b", "c d"], [1, 2], ["self", "None"]]))
    branches = []
    for value in values:
        branch = draw(objects(inner))
        branch.setdefault("properties", {})[field] = {"const": value}
        branch["required"] = sorted({field, *branch.get("required", [])})
        branches.append(branch)
    if draw(st.booleans()):
        branches.append({"type": "null"})
    return {draw(st.sampled_from(["oneOf", "anyOf"])): branches}


@st.composite
def arrays(draw: Draw, inner: st.SearchStrategy[Schema]) -> Schema:
    schema: Schema = {"type": "array"}
    shape = draw(st.sampled_from(["items", "items", "items", "tuple", "prefix", "contains"]))
    if shape == "items":
        schema["items"] = draw(inner)
    elif shape == "contains":
        schema["contains"] = draw(inner)
    else:
        prefix = draw(st.lists(inner, min_size=1, max_size=2))
        schema |= {"prefixItems": prefix}
        if shape == "tuple":
            schema |= {"items": False, "minItems": len(prefix)}
        else:
            schema["items"] = draw(inner)
    limits = {
        "minItems": lambda: size(draw),
        "maxItems": lambda: size(draw),
        "uniqueItems": lambda: True,
    }
    return {**chosen(draw, limits, 1), **schema}


@st.composite
def combined(draw: Draw, inner: st.SearchStrategy[Schema]) -> Schema:
    word = draw(st.sampled_from(["anyOf", "anyOf", "oneOf", "oneOf", "allOf", "not", "if", "ref", "base"]))
    if word == "not":
        return {"not": draw(inner), **chosen(draw, {"type": lambda: "object"}, 1)}
    if word == "if":
        return {"if": draw(inner), **chosen(draw, {"then": lambda: draw(inner), "else": lambda: draw(inner)})}
    if word == "ref":
        return {"$ref": draw(st.sampled_from(REFERENCES[:4])), "minProperties": 1, "description": "d"}
    if word == "base":
        return {**draw(objects(inner)), draw(st.sampled_from(["anyOf", "oneOf", "allOf"])): [
            draw(objects(inner)), {"required": ["b"]}]}  # fmt: skip
    schema: Schema = {word: draw(st.lists(inner, min_size=1, max_size=3))}
    if draw(st.integers(0, 3)) == 0:
        schema["type"] = draw(st.sampled_from(["object", "string", ["integer", "null"], ["array", "object"]]))
    return schema


def deeper(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return st.one_of(
        objects(inner), objects(inner), arrays(inner), tagged(inner), combined(inner),
        inner.map(lambda schema: {"type": "object", "additionalProperties": schema}),
    )  # fmt: skip


LEAVES = leaf()
INNER = st.one_of(LEAVES, deeper(LEAVES))
DEEP = st.one_of(LEAVES, deeper(INNER))
NODE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "next": {"$ref": "#/$defs/Node"},
        "note": {"type": "string"},
    },
    "required": ["value"],
    "additionalProperties": False,
}


@st.composite
def parameters(draw: Draw) -> Schema:
    schema = draw(objects(DEEP, root=True))
    if draw(st.integers(0, 6)) == 0:
        schema |= draw(combined(INNER))
    schema["type"] = "object"
    schema["$defs"] = {
        "Leaf": draw(
            LEAVES.filter(lambda s: s is not False and "$ref" not in (s if isinstance(s, dict) else {}))
        ),
        "Node": NODE,
        "Tree": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Tree"}}, {"type": "integer"}]},
        "Other": draw(deeper(LEAVES)),
    }
    return schema


@st.composite
def instance(draw: Draw, schema: Schema, root: Schema, depth: int = 0) -> Any:
    """A value that `schema` may well accept; every now and then one that it should not."""
    if isinstance(schema, bool) or depth > 6 or draw(st.integers(0, 24)) == 0:
        return draw(st.sampled_from([*JSON, *NUMBERS]))
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].split("/")[1:]:
            target = target[step]
        return draw(instance(target, root, depth + 1))
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    if "const" in schema:
        return schema["const"]
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema and ("properties" not in schema or draw(st.booleans())):
            parts = [draw(instance(sub, root, depth + 1)) for sub in schema[word][:3]]
            if word == "allOf" and all(isinstance(part, dict) for part in parts):
                return {key: item for part in parts for key, item in part.items()}
            return draw(st.sampled_from(parts))
    kinds = schema.get("type") or draw(st.sampled_from(["object", "string", "integer", "array", "null"]))
    kind = kinds if isinstance(kinds, str) else draw(st.sampled_from(kinds))
    if kind in ("integer", "number"):
        near = [
            schema[w] for w in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if w in schema
        ]
        around = [b + d for b in near for d in (-1, 0, 1)]
        return draw(st.sampled_from([*around, *around, *NUMBERS]))
    if kind == "string":
        return draw(st.sampled_from(TEXTS))
    if kind == "array":
        prefix = [draw(instance(sub, root, depth + 1)) for sub in schema.get("prefixItems", [])]
        more = draw(st.integers(0, 2)) if schema.get("items") is not False else 0
        sub = schema.get("items", schema.get("contains", True))
        return prefix + [draw(instance(sub, root, depth + 1)) for _ in range(more)]
    if kind == "object":
        out: dict[str, Any] = {}
        for name, sub in schema.get("properties", {}).items():
            if name in schema.get("required", ()) or draw(st.booleans()):
                out[name] = draw(instance(sub, root, depth + 1)) if draw(st.integers(0, 9)) else None
        for name in schema.get("required", ()):
            out.setdefault(name, draw(st.sampled_from(JSON)))
        if draw(st.booleans()) and schema.get("additionalProperties") is not False:
            name = draw(st.sampled_from(NAMES))
            further = schema.get("additionalProperties", True)
            out.setdefault(name, draw(instance(further, root, depth + 1)))
        return out
    return {"boolean": True, "null": None}[kind]
