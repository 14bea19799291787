"""anyOf with nothing beside it, no unions at all, and types as branches."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.providers import normalize
from toolcast.runtime.wire import WireForm

from tests.providers.axes.common import NONE, PLAIN, actions, laws, output, profile, stated

STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
ONLY = {**PLAIN, "any_of": "only"}


def test_a_list_of_types_becomes_branches() -> None:
    node = {"type": ["string", "integer", "null"], "minLength": 2, "minimum": 1, "description": "D"}
    result = stated(node, type_arrays="any-of")
    assert result.schema["properties"]["a"] == {
        "description": "D",
        "anyOf": [{"type": "string", "minLength": 2}, {"type": "integer", "minimum": 1}, NULL],
    }
    assert ("/properties/a", "type", "rewritten") in actions(result)
    assert output({"type": ["string"]}, type_arrays="any-of") == STRING


def test_null_in_an_enum_is_a_branch() -> None:
    node = {"type": ["string", "null"], "enum": ["a", None]}
    assert output(node, type_arrays="any-of") == {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}


@pytest.mark.parametrize(
    ("node", "axes", "expected"),
    [
        (
            {"anyOf": [STRING, INTEGER], "description": "D", "title": "T"},
            {"keep": ("title",)},
            [
                {**STRING, "description": "D", "title": "T"},
                {**INTEGER, "description": "D", "title": "T"},
            ],
        ),
        (
            {"anyOf": [STRING, {**INTEGER, "description": "own"}], "description": "D"},
            {},
            [{**STRING, "description": "D"}, {**INTEGER, "description": "own"}],
        ),
        (
            {"anyOf": [{**STRING, "description": "own"}, INTEGER], "description": "D"},
            {},
            [{**STRING, "description": "D. own"}, INTEGER],
        ),
        (
            {"anyOf": [STRING, INTEGER], "default": 3, "x-vendor": 1},
            {},
            [{**STRING, "description": "Default: 3."}, {**INTEGER, "description": "Default: 3."}],
        ),
        (
            {"anyOf": [STRING, INTEGER, NULL]},
            {"type_arrays": "nullable", "refs": "inline"},
            [{**STRING, "nullable": True}, INTEGER],
        ),
        (
            {"anyOf": [STRING, INTEGER], "minLength": 1},
            {},
            [{**STRING, "minLength": 1}, {**INTEGER, "minLength": 1}],
        ),
    ],
)
def test_nothing_stands_beside_any_of(node: Any, axes: dict[str, Any], expected: Any) -> None:
    contract = {"type": "object", "properties": {"a": node}}
    result = laws(contract, profile(**ONLY, **axes))
    assert result.schema["properties"]["a"] == {"anyOf": expected}


def test_a_property_that_takes_null_too_keeps_nothing_beside_any_of() -> None:
    contract = {"type": "object", "properties": {"a": {"type": "object", "description": "D"}}}
    result = laws(contract, profile(**ONLY, optional="also-null"))
    wide = {"anyOf": [{"type": "object", "description": "D"}, {**NULL, "description": "D"}]}
    assert result.schema["properties"]["a"] == wide


TEXT = "JSON text of a value that matches this schema: "


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"anyOf": [STRING, NULL], "description": "D"}, {**STRING, "description": "D"}),
        ({"anyOf": [STRING, False]}, STRING),
        ({"anyOf": [STRING, {"anyOf": [STRING, NULL]}]}, STRING),
        (
            {"anyOf": [{"enum": ["a", "b"]}, {"const": "b"}, {"const": "c"}]},
            {**STRING, "enum": ["a", "b", "c"]},
        ),
        ({"oneOf": [INTEGER, {"type": "number"}]}, {"type": "number"}),
        (
            {"anyOf": [{**INTEGER, "minimum": 2, "maximum": 9}, {**INTEGER, "minimum": 1}]},
            {
                **INTEGER,
                "minimum": 1,
                "description": 'Must match one of: [{"type":"integer","minimum":2,"maximum":9},'
                '{"type":"integer","minimum":1}].',
            },
        ),
        (
            {"anyOf": [{"type": "array", "items": STRING}, {"type": "array", "items": {"const": "a"}}]},
            {
                "type": "array",
                "items": {
                    **STRING,
                    "description": 'Must match one of: [{"type":"string"},{"const":"a","type":"string"}].',
                },
                "description": 'Must match one of: [{"type":"array","items":{"type":"string"}},'
                '{"type":"array","items":{"const":"a"}}].',
            },
        ),
        (
            {"anyOf": [STRING, INTEGER], "description": "D."},
            {**STRING, "description": f'D. {TEXT}{{"anyOf":[{{"type":"string"}},{{"type":"integer"}}]}}.'},
        ),
        (
            {"type": ["boolean", "integer"]},
            {**STRING, "description": f'{TEXT}{{"type":["boolean","integer"]}}.'},
        ),
        (
            {"anyOf": [STRING, {}], "description": "D"},
            {**STRING, "description": "D. JSON text of any value."},
        ),
    ],
)
def test_no_union_is_left(node: Any, expected: Any) -> None:
    contract = {"type": "object", "properties": {"a": node}}
    result = laws(contract, profile(**NONE))
    assert result.schema["properties"]["a"] == expected
    assert all(entry.path.startswith("/properties") for entry in result.ledger)


CAT = {
    "type": "object",
    "properties": {"kind": {"const": "cat"}, "lives": INTEGER, "name": STRING},
    "required": ["kind", "name"],
    "additionalProperties": False,
}
DOG = {
    "type": "object",
    "properties": {"kind": {"const": "dog"}, "name": STRING},
    "required": ["kind"],
    "additionalProperties": False,
}


def test_objects_become_one_object_with_the_alternatives_in_words() -> None:
    result = laws({"type": "object", "properties": {"a": {"oneOf": [CAT, DOG]}}}, profile(**NONE))
    assert result.schema["properties"]["a"] == {
        "type": "object",
        "properties": {"kind": {"type": "string", "enum": ["cat", "dog"]}, "lives": INTEGER, "name": STRING},
        "required": ["kind"],
        "additionalProperties": False,
        "description": "At least one of these alternatives must be given: kind = 'cat', "
        "lives (optional), name; kind = 'dog', name (optional).",
    }
    assert ("/properties/a", "oneOf", "rewritten") in actions(result)
    assert ("/properties/a", "anyOf", "described") in actions(result)


def test_a_key_that_an_alternative_takes_undeclared_is_not_restricted() -> None:
    left = {"type": "object", "properties": {"k": STRING}, "additionalProperties": False}
    right = {"type": "object", "additionalProperties": INTEGER}
    result = laws({"type": "object", "properties": {"a": {"anyOf": [left, right]}}}, profile(**NONE))
    one = result.schema["properties"]["a"]
    assert one["properties"]["k"]["description"].startswith("JSON text")
    assert "additionalProperties" not in one
    assert result.wire_forms is not None
    assert result.wire_forms.root.properties["a"].properties["k"] == WireForm(encoding="json")


def test_the_root_has_no_union_either() -> None:
    contract = {"type": "object", "anyOf": [CAT, DOG]}
    for axes in (NONE, ONLY):
        result = laws(contract, profile(**axes))
        assert result.schema["type"] == "object"
        assert "anyOf" not in result.schema
        assert set(result.schema["properties"]) == {"kind", "lives", "name"}


def test_null_stays_a_type_where_lists_of_types_may_stay() -> None:
    axes = {**PLAIN, "any_of": "none"}
    assert output({"anyOf": [STRING, NULL]}, **axes) == {"type": ["string", "null"]}
    assert output({"type": ["string", "null"]}, **axes) == {"type": ["string", "null"]}
    nullable = {**axes, "type_arrays": "nullable"}
    assert output({"anyOf": [STRING, NULL]}, **nullable) == {**STRING, "nullable": True}


def test_a_union_that_contains_itself_ends() -> None:
    tree = {"anyOf": [{"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}, INTEGER]}
    contract = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Tree"}}, "$defs": {"Tree": tree}}
    for refs in ("inline", "keep"):
        result = laws(contract, profile(**{**NONE, "refs": refs}))
        assert result.schema["properties"]["a"].get("type", "$ref") in ("string", "$ref")


def test_names_and_literals_are_never_touched() -> None:
    contract = {
        "type": "object",
        "properties": {"anyOf": {"type": "string"}, "type": {"type": "array", "items": STRING}},
        "default": {"anyOf": [1], "type": ["string", "null"]},
        "required": ["anyOf"],
    }
    for axes in (NONE, ONLY, {"type_arrays": "any-of"}):
        assert normalize(contract, profile(**axes)).schema == contract
