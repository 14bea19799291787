"""Instances: enough of them valid, whatever the schema, and the same for the same seed."""

import random
import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.generator import Generator
from toolcast.analysis.instances.oracle import Oracle, judged_by
from toolcast.analysis.instances.pattern_texts import sample
from toolcast.analysis.instances.shrink import shrink
from toolcast.jsonschema.json_values import equal, key

SCHEMAS: dict[str, Any] = {
    "plain": {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    },
    "bounds": {"type": "number", "exclusiveMinimum": 3, "maximum": 4, "multipleOf": 0.25},
    "pattern": {"type": "string", "pattern": r"^[a-z]{2,5}(-\d{3})?$", "maxLength": 7},
    "unique": {"type": "array", "items": {"enum": ["a", "b", 1, 1.5]}, "uniqueItems": True, "minItems": 3},
    "contains": {
        "type": "array",
        "items": {"type": "integer"},
        "contains": {"minimum": 100},
        "minContains": 2,
    },
    "recursive": {
        "$ref": "#/$defs/T",
        "$defs": {
            "T": {
                "type": "object",
                "required": ["kids"],
                "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}},
            }
        },
    },
    "exclusive": {"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}]},
    "not": {"type": "string", "not": {"maxLength": 3}},
    "if": {
        "type": "object",
        "properties": {"k": {"enum": ["x", "y"]}, "n": {"type": "integer"}},
        "required": ["k"],
        "if": {"properties": {"k": {"const": "x"}}},
        "then": {"required": ["n"]},
        "else": {"not": {"required": ["n"]}},
    },
    "all": {
        "allOf": [
            {"properties": {"a": {"minimum": 3}}, "required": ["a"]},
            {"properties": {"a": {"type": "integer", "maximum": 5}}},
        ],
        "type": "object",
    },
    "keys": {
        "type": "object",
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": False,
        "minProperties": 2,
    },
    "names": {
        "type": "object",
        "propertyNames": {"pattern": "^[a-z]{3}$"},
        "additionalProperties": {"type": "null"},
        "minProperties": 1,
    },
    "dependent": {
        "type": "object",
        "properties": {"a": {"const": 1}, "b": {"const": 2}},
        "required": ["a"],
        "dependentRequired": {"a": ["b"]},
    },
    "tuple": {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "items": False,
        "minItems": 2,
    },
    "unevaluated": {"type": "object", "allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False},
    "big": {"type": "integer", "minimum": 2**64},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_enough_instances_are_valid_and_enough_are_not(name: str) -> None:
    judge = jsonschema_rs.Draft202012Validator(SCHEMAS[name])
    made = list(instances(Oracle(SCHEMAS[name]), random.Random(1), 200))
    valid = sum(judge.is_valid(value) for value in made)
    assert 50 <= valid <= 190


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_value_made_is_valid_and_they_differ(name: str) -> None:
    judge = jsonschema_rs.Draft202012Validator(SCHEMAS[name])
    generator, schema = Generator(rng=random.Random(1)), judged_by(Oracle(SCHEMAS[name]))
    made = [generator.varied(schema) for _ in range(60)]
    assert all(map(judge.is_valid, made))
    assert len(set(map(key, made))) >= (1 if name == "dependent" else 4)


def test_a_schema_without_values_ends_without_any() -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"allOf": [{"type": "string"}, {"type": "null"}]}},
    }
    oracle = Oracle(schema)
    assert not any(oracle.accepts(value) for value in instances(oracle, random.Random(0), 100))


def test_endless_recursion_is_bounded() -> None:
    oracle = Oracle(
        {
            "$ref": "#/$defs/A",
            "$defs": {"A": {"required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}, "type": "object"}},
        }
    )
    assert len(list(instances(oracle, random.Random(0), 50))) == 50


@given(st.integers(0, 2**32))
@settings(max_examples=15)
def test_the_same_seed_makes_the_same_instances(seed: int) -> None:
    schema = {
        "type": "object",
        "properties": {name: inner for name, inner in SCHEMAS.items() if "$defs" not in inner},
    }
    one = list(instances(Oracle(schema), random.Random(seed), 30))
    assert repr(one) == repr(list(instances(Oracle(schema), random.Random(seed), 30)))


@pytest.mark.parametrize(
    "pattern", [r"^a+$", r"^(?:foo|ba[rz])\d{2}$", r"^[^a-z]{3}$", r"^(a)(b)\2\1$", r"^\w+@\w+\.(com|org)$"]
)
def test_strings_for_patterns(pattern: str) -> None:
    rng = random.Random(3)
    made = [sample(rng, pattern) for _ in range(30)]
    found = sum(text is not None and re.search(pattern, text) is not None for text in made)
    assert found >= 25


def test_an_unreadable_pattern_gives_nothing() -> None:
    assert sample(random.Random(0), "(") is None


def test_shrinking_finds_the_least_value() -> None:
    value = {"a": [1, 2, {"deep": "long text with x inside"}], "b": "x", "c": 12345}

    def fails(smaller: Any) -> bool:
        return isinstance(smaller, dict) and bool(smaller.get("c", 0))

    assert equal(shrink(value, fails), {"c": 1})
    assert len(str(shrink(value, lambda v: "x" in str(v)))) <= len("{'b': 'x'}")


def test_equality_is_json_s() -> None:
    assert equal({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0})
    assert not equal(True, 1)
    assert not equal([0], [False])
    assert not equal(None, 0)
    assert not equal({}, [])
