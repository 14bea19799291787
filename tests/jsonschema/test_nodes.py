"""Nodes that accept null as well, and two nodes as one."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.jsonschema.merge import equal_schemas, merged
from toolcast.jsonschema.schema_document import parse_schema
from toolcast.jsonschema.schema_node import SchemaNode, accepts_null, pointer, to_json, with_null, wrapped


def node(schema: dict[str, Any]) -> SchemaNode:
    return parse_schema({"properties": {"a": schema}}, checked=True).root.keywords["properties"]["a"]


NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({}, {}),
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string"], "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"enum": ["a", None]}, {"enum": ["a", None]}),
        ({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, NULL]}),
        ({"anyOf": [NULL, {}]}, {"anyOf": [NULL, {}]}),
        ({"type": "object", "title": "A"}, {"anyOf": [{"type": "object"}, NULL], "title": "A"}),
        ({"$ref": "#", "default": 1}, {"anyOf": [{"$ref": "#"}, NULL], "default": 1}),
        ({"anyOf": [{}], "minimum": 1}, {"anyOf": [{"anyOf": [{}], "minimum": 1}, NULL]}),
    ],
)
def test_a_schema_accepts_null_as_well(schema: Any, wanted: Any) -> None:
    before = node(schema)
    after = with_null(before)
    assert to_json(after) == wanted
    assert (after is before) == (schema == wanted)
    assert pointer(after.path) == "/properties/a"


def test_the_branches_of_a_union_with_null_have_the_path_of_the_schema() -> None:
    for branch in wrapped(node({"type": "object"})).keywords["anyOf"]:
        assert pointer(branch.path) == "/properties/a"


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (NULL, True),
        ({"type": ["null", "string"]}, True),
        ({"enum": [1, None]}, True),
        ({"type": "string", "enum": [None]}, False),
        ({"anyOf": [{"type": "string"}, NULL]}, True),
        ({"type": "null", "const": None}, False),
        ({}, False),
    ],
)
def test_null_is_accepted_by_its_own_keywords(schema: Any, wanted: bool) -> None:
    assert accepts_null(node(schema)) is wanted


def test_true_accepts_null_and_false_does_not() -> None:
    assert accepts_null(True)
    assert not accepts_null(False)


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ({"title": "A"}, {"title": "B", "type": "string"}, {"title": "A", "type": "string"}),
        ({"minimum": 1, "maximum": 5}, {"minimum": 2}, {"minimum": 2, "maximum": 5}),
        ({"type": ["integer", "string"]}, {"type": "number"}, {"type": "integer"}),
        ({"type": "string"}, {"enum": ["a", 1]}, {"type": "string", "enum": ["a"]}),
        ({"type": "string"}, {"type": "null"}, None),
        ({"$ref": "#"}, {"type": "null"}, None),
        ({"pattern": "a"}, {"pattern": "b"}, None),
        ({"items": {"minimum": 1}}, {"items": {"minimum": 1.0}}, {"items": {"minimum": 1}}),
        ({"items": {"type": "string"}}, {"items": {"pattern": "a"}},
         {"items": {"type": "string", "pattern": "a"}}),
        ({"items": {"pattern": "a"}}, {"items": {"pattern": "b"}},
         {"items": {"allOf": [{"pattern": "a"}, {"pattern": "b"}]}}),
        ({"properties": {"a": {"minimum": 1}}, "additionalProperties": False},
         {"properties": {"a": {"maximum": 2}, "b": {}}},
         {"properties": {"a": {"minimum": 1, "maximum": 2}}, "additionalProperties": False}),
    ],
)  # fmt: skip
def test_two_schemas_become_one(left: Any, right: Any, wanted: Any) -> None:
    both = merged(node(left).keywords, node(right).keywords)
    assert (None if both is None else to_json(SchemaNode(both, None))) == wanted


def test_merged_schemas_have_the_path_of_the_left_one() -> None:
    left, right = (
        parse_schema({key: schema}).root.keywords[key]
        for key, schema in (
            ("if", {"properties": {"a": {"type": "string"}, "b": {}}}),
            ("then", {"properties": {"a": {"maxLength": 3}, "b": {"type": "null"}, "c": {"$ref": "#"}}}),
        )
    )
    both = merged(left.keywords, right.keywords)
    assert both is not None
    assert {name: pointer(each.path) for name, each in both["properties"].items()} == {
        "a": "/if/properties/a",
        "b": "/then/properties/b",
        "c": "/then/properties/c",
    }


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ({"minimum": 1, "items": {"const": [1]}}, {"items": {"const": [1.0]}, "minimum": 1}, True),
        ({"const": True}, {"const": 1}, False),
        ({"anyOf": [{}, True]}, {"anyOf": [{}, {}]}, False),
        ({"anyOf": [{}]}, {"anyOf": [{}, {}]}, False),
        ({"properties": {"a": {}}}, {"properties": {"b": {}}}, False),
    ],
)  # fmt: skip
def test_schemas_are_equal_by_content(left: Any, right: Any, equal: bool) -> None:
    assert equal_schemas(node(left), node(right)) is equal
    assert equal_schemas([node(left)], [node(right)]) is equal
