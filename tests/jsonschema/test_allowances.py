"""The two allowances: nulls of optional properties, whole floats."""

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from toolcast.jsonschema.json_values import equal
from toolcast.jsonschema.validator import Validator

from tests.jsonschema.strategies import documents, schemas, values

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def exact(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize(
    ("schema", "value", "settled"),
    [
        ({"properties": {"a": TEXT}}, {"a": None, "b": None}, {"b": None}),
        ({"properties": {"a": TEXT}, "required": ["a"]}, {"a": None}, {"a": None}),
        ({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None}, {"a": None}),
        ({"properties": {"a": {"enum": [None, 1]}}}, {"a": None}, {"a": None}),
        ({"properties": {"a": {}}}, {"a": None}, {"a": None}),
        ({"properties": {"a": False}}, {"a": None}, {}),
        (WHOLE, 1.0, 1),
        ({"type": ["integer", "string"]}, -0.0, 0),
        ({"type": "number"}, 1.0, 1.0),
        ({"type": ["integer", "number"]}, 1.0, 1.0),
        (WHOLE, 1.5, 1.5),
        (WHOLE, 1e20, 10**20),
        ({"enum": [1, "a"]}, 1.0, 1),
        ({"enum": [1.0]}, 1.0, 1.0),
        ({"const": 2}, 2.0, 2),
        ({"const": True}, 1.0, 1.0),
        ({"items": WHOLE}, [1.0, 2, "x"], [1, 2, "x"]),
        ({"prefixItems": [WHOLE], "items": {"type": "number"}}, [1.0, 2.0], [1, 2.0]),
        ({"additionalProperties": WHOLE, "properties": {"a": {}}}, {"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 1}),
        ({"patternProperties": {"^n": WHOLE}}, {"n": 1.0, "m": 1.0}, {"n": 1, "m": 1.0}),
        ({"unevaluatedItems": {"properties": {"a": TEXT}}}, [{"a": None}, {}], [{}, {}]),
        (
            {"prefixItems": [True], "contains": {"type": "object"}, "unevaluatedItems": WHOLE},
            [1.0, {"z": 2.0}, 3.0],
            [1.0, {"z": 2.0}, 3],
        ),
        (
            {"unevaluatedProperties": {"properties": {"a": TEXT}}, "properties": {"k": True}},
            {"k": {"a": None}, "n": {"a": None}},
            {"k": {"a": None}, "n": {}},
        ),
        (
            {"allOf": [{"properties": {"a": TEXT}}, {"properties": {"b": WHOLE}}]},
            {"a": None, "b": 1.0},
            {"b": 1},
        ),
        ({"anyOf": [TEXT, WHOLE]}, 3.0, 3),
        ({"anyOf": [{"type": "number"}, WHOLE]}, 3.0, 3.0),
        ({"oneOf": [{"required": ["z"]}, {"properties": {"a": TEXT}}]}, {"a": None}, {}),
        ({"if": {"required": ["k"]}, "then": {"properties": {"a": TEXT}}}, {"k": 1, "a": None}, {"k": 1}),
        (
            {"if": {"required": ["k"]}, "else": {"properties": {"a": TEXT}}},
            {"k": 1, "a": None},
            {"k": 1, "a": None},
        ),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"items": {"$ref": "#/$defs/i"}}, "i": WHOLE}}, [1.0], [1]),
        (
            {"properties": {"next": {"$ref": "#"}, "a": TEXT}},
            {"next": {"next": {"a": None}}},
            {"next": {"next": {}}},
        ),
        # A branch that takes the value as it stands goes before one that needs a null dropped.
        (
            {
                "anyOf": [
                    {"properties": {"a": TEXT}},
                    {"properties": {"a": {"type": "null"}}, "required": ["a"]},
                ]
            },
            {"a": None},
            {"a": None},
        ),
        ({"not": {"properties": {"a": TEXT}}}, {"a": None}, {"a": None}),
    ],
)
def test_what_settles(schema: Any, value: Any, settled: Any) -> None:
    assert exact(Validator(schema).settle(value)) == exact(settled)


def test_the_same_object_when_nothing_applies() -> None:
    validator = Validator({"properties": {"a": {"items": WHOLE}, "b": TEXT}})
    value = {"a": [1, 2], "b": "x", "c": [1.0]}
    assert validator.settle(value) is value


@given(schemas() | documents(), values())
def test_settling(schema: Any, value: Any) -> None:
    """Never mutates, is idempotent, keeps accepted values equal; the rest changes only by the allowances."""
    validator = Validator(schema)
    before = copy.deepcopy(value)
    settled = validator.settle(value)
    assert exact(value) == exact(before)
    assert validator.settle(settled) is settled
    if jsonschema_rs.Draft202012Validator(schema, validate_formats=False).is_valid(value):
        assert equal(settled, value)
        assert validator.accepts(settled)
    assert only_allowances(value, settled)
    if exact(settled) == exact(value):
        assert settled is value


def only_allowances(value: Any, settled: Any) -> bool:
    if isinstance(value, dict):
        gone = value.keys() - settled.keys()
        return (
            settled.keys() <= value.keys()
            and all(value[name] is None for name in gone)
            and all(only_allowances(value[name], item) for name, item in settled.items())
        )
    if isinstance(value, list):
        return len(value) == len(settled) and all(map(only_allowances, value, settled))
    if isinstance(value, float) and isinstance(settled, int):
        return value == settled
    return exact(value) == exact(settled)


@given(values())
def test_a_plain_object_accepts_what_it_accepts_without_nulls(value: Any) -> None:
    """The allowance by its definition, on a schema simple enough to define it in one line."""
    schema = {
        "type": "object",
        "properties": {"a": TEXT, "b": WHOLE, "c": {"type": ["array", "null"]}},
        "required": ["b"],
    }
    validator = Validator(schema)
    bare = value
    if isinstance(value, dict):
        bare = {name: item for name, item in value.items() if not (name == "a" and item is None)}
    expected = jsonschema_rs.Draft202012Validator(schema).is_valid(bare)
    assert validator.accepts(validator.settle(value)) == expected
