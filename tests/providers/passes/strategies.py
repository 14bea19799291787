"""Contracts that have the keywords which passes ask for, and are small."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.providers.strategies import NODE, composed, contracts, copied, leaves, objects, references

Schema = dict[str, Any]
few = st.one_of(leaves, leaves, references)
FURTHER: dict[str, st.SearchStrategy[Any]] = {
    "patternProperties": st.dictionaries(st.sampled_from(["^x-", "(?!b)", "a"]), few, min_size=1, max_size=2),
    "propertyNames": st.sampled_from([{"pattern": "^[a-z]"}, {"maxLength": 3}, {"enum": ["a"]}, False]),
    "dependentRequired": st.sampled_from([{"a": ["b"]}, {"x y": ["a"]}]),
    "dependentSchemas": few.map(lambda one: {"a": {"properties": {"b": one}}}),
    "minProperties": st.integers(0, 2),
    "maxProperties": st.integers(1, 3),
    "unevaluatedProperties": st.one_of(st.booleans(), few),
    "additionalProperties": st.one_of(st.booleans(), few),
    "required": st.lists(st.sampled_from(["a", "b", "x y"]), unique=True, max_size=2),
    "anyOf": st.sampled_from(
        [
            [{"required": ["a"]}, {"required": ["b"]}],
            [{"$ref": "#/$defs/Node"}, {"type": "object", "properties": {"a": {"type": "string"}}}],
            [{"properties": {"a": {"type": "integer"}}}, True],
        ]
    ),
    "enum": st.just([{"a": 1}, {"x y": None}]),
}
LISTS: dict[str, st.SearchStrategy[Any]] = {
    "prefixItems": st.lists(few, min_size=1, max_size=2),
    "items": st.one_of(st.booleans(), few),
    "contains": few,
    "minContains": st.integers(0, 2),
    "unevaluatedItems": st.one_of(st.booleans(), few),
    "minItems": st.integers(0, 3),
    "maxItems": st.integers(0, 3),
    "uniqueItems": st.just(True),
}


def _some(keywords: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Schema]:
    names = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=3, unique=True)
    return names.flatmap(lambda chosen: st.fixed_dictionaries({name: keywords[name] for name in chosen}))


many_types = st.sampled_from(
    [
        {"type": ["object", "null"]},
        {"type": ["array", "string", "null"], "prefixItems": [{"type": "string"}]},
        {"type": ["string"]},
        {"enum": [[1], {"a": 1}]},
        {"enum": ["a", 1, None], "default": 1, "minLength": 1},
        {"enum": [], "type": "string"},
        {"anyOf": [{"const": i} for i in range(9)]},
        {"anyOf": [*({"minimum": 10 * i} for i in range(9))]},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "A name."},
        {"anyOf": [{"type": "string"}, False], "description": "A name."},
        {"anyOf": [{"type": "string", "maxLength": 3}, {"$ref": "#/$defs/Leaf"}]},
        {"type": "string", "anyOf": [{"pattern": "^a"}, {"maxLength": 3}]},
        {"oneOf": [{"type": "string"}, {"type": "integer"}], "anyOf": [{"maxLength": 2}, {"minimum": 1}]},
        {"allOf": [{"$ref": "#/$defs/Leaf"}], "description": "A leaf."},
        {"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]},
        {"$ref": "#/$defs/Node", "required": ["next"]},
        {},
        {"minLength": 1},
        {"properties": {"a": {}}},
    ]
)
rich_objects = st.tuples(objects(few), _some(FURTHER)).map(lambda pair: {**pair[0], **pair[1]})
rich_lists = _some(LISTS).map(lambda one: {"type": "array", **one})
rich = st.one_of(rich_objects, rich_lists, many_types, composed(few), few)


def schemas() -> st.SearchStrategy[Schema]:
    """Whole parameters schemas, with two definitions that references may use."""
    root = st.tuples(objects(rich, least=1), st.one_of(st.just({}), st.just({}), _some(FURTHER)), leaves)
    made = root.map(lambda p: copied({**p[0], **p[1], "$defs": {"Leaf": p[2], "Node": NODE}}))
    return st.one_of(made, made, contracts())
