"""A schema as nodes: where each was written, what its references lead to, and what parsing changed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from toolcast.jsonschema.quarantine import sound_schema
from toolcast.jsonschema.schema_document import SchemaDocument, container, parse_schema
from toolcast.jsonschema.schema_node import SchemaError, SchemaNode, pointer, subnodes, to_json
from toolcast.providers import quarantined

from tests.providers.strategies import contracts

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def locations(document: SchemaDocument) -> list[str]:
    found: list[str] = []
    pending: list[SchemaNode | bool] = [document.root]
    while pending:
        node = pending.pop(0)
        if isinstance(node, SchemaNode):
            found.append(pointer(node.path))
            pending += [below for _, below in subnodes(node)]
    return found


def changes(document: SchemaDocument) -> list[tuple[str, str, str, str]]:
    return [(each.path, each.keyword, each.action, each.severity) for each in document.changes]


@pytest.mark.parametrize("checked", [False, True])
@given(contract=contracts())
def test_a_sound_schema_is_the_same_as_json(contract: Any, checked: bool) -> None:
    contract = json.loads(json.dumps(contract))
    if isinstance(contract, dict):
        before = copy.deepcopy(contract)
        document = parse_schema(contract, checked=checked)
        assert contract == before
        assert document.changes == ()
        assert to_json(document.root) == contract


def test_nodes_know_where_they_were_written() -> None:
    schema = {
        "properties": {"a/b": {"items": {"type": "string"}}, "c": True},
        "anyOf": [{"not": {"type": "null"}}],
    }
    assert locations(parse_schema(schema)) == [
        "", "/properties/a~1b", "/anyOf/0", "/properties/a~1b/items", "/anyOf/0/not",
    ]  # fmt: skip


def test_upgraded_schemas_keep_their_original_paths() -> None:
    schema = {
        "$schema": DRAFT_7,
        "properties": {"a": {"$ref": "#/definitions/x"}, "t": {"items": [{"type": "string"}]}},
        "dependencies": {"a": {"minProperties": 2}, "b": ["a"]},
        "definitions": {"x": {"type": "integer", "nullable": True}},
    }
    document = parse_schema(schema)
    assert to_json(document.root) == {
        "$schema": DRAFT_7,
        "properties": {"a": {"$ref": "#/$defs/x"}, "t": {"prefixItems": [{"type": "string"}]}},
        "dependentRequired": {"b": ["a"]},
        "dependentSchemas": {"a": {"minProperties": 2}},
        "$defs": {"x": {"type": ["integer", "null"]}},
    }
    assert locations(document) == [
        "", "/properties/a", "/properties/t", "/dependencies/a", "/definitions/x", "/properties/t/items/0",
    ]  # fmt: skip
    assert changes(document) == [
        ("", "dependencies", "rewritten", "kept elsewhere"),
        ("", "definitions", "rewritten", "kept elsewhere"),
        ("/properties/t", "items", "rewritten", "kept elsewhere"),
        ("/definitions/x", "nullable", "rewritten", "kept elsewhere"),
        ("/properties/a", "$ref", "rewritten", "kept elsewhere"),
    ]
    assert document.upgrades == document.changes


def test_defects_are_left_out_in_the_order_of_schemas() -> None:
    schema = {
        "title": None,
        "properties": {"a": {"type": "string", "pattern": "(", "minLength": -1}, "b": 5},
        "required": ["a", "a"],
        "anyOf": [],
    }
    document = parse_schema(schema)
    assert to_json(document.root) == {"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}
    assert changes(document) == [
        ("", "title", "dropped", "kept elsewhere"),
        ("", "required", "rewritten", "kept elsewhere"),
        ("", "anyOf", "dropped", "lost"),
        ("/properties/a", "minLength", "dropped", "lost"),
        ("/properties", "b", "dropped", "lost"),
        ("/properties/a", "pattern", "dropped", "lost"),
    ]
    assert document.upgrades == ()


def test_a_nullable_schema_with_malformed_values_becomes_a_union() -> None:
    schema = {"properties": {"a": {"nullable": True, "type": "object", "title": None, "minProperties": "1"}}}
    document = parse_schema(schema)
    assert to_json(document.root) == {"properties": {"a": {"anyOf": [{"type": "object"}, {"type": "null"}]}}}
    assert [each[:2] for each in changes(document)] == [
        ("/properties/a", "nullable"),
        ("/properties/a", "title"),
        ("/properties/a", "minProperties"),
    ]


def test_a_checked_schema_is_not_changed() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "("}}, "definitions": {"x": {}}}
    document = parse_schema(schema, checked=True)
    assert to_json(document.root) == schema
    assert document.changes == ()


# -- hostile schemas --------------------------------------------------------------------------------------


def test_an_object_at_several_places_is_a_node_at_each() -> None:
    shared = {"minimum": "1"}
    document = parse_schema({"properties": {"a": shared, "b": shared}})
    first, second = document.root.keywords["properties"].values()
    assert [pointer(first.path), pointer(second.path)] == ["/properties/a", "/properties/b"]
    assert [each.path for each in document.changes] == ["/properties/a", "/properties/b"]


def test_objects_at_endlessly_many_places_are_refused() -> None:
    shared: dict[str, Any] = {"type": "string"}
    for _ in range(100):
        shared = {"anyOf": [shared, shared]}
    with pytest.raises(SchemaError, match="more than 50000 schemas"):
        parse_schema(shared)


@pytest.mark.parametrize("checked", [False, True])
def test_an_object_in_itself_is_refused(checked: bool) -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    with pytest.raises(SchemaError, match="schemas are nested too deeply"):
        parse_schema(schema, checked=checked)


def nested(levels: int, innermost: dict[str, Any]) -> dict[str, Any]:
    for _ in range(levels):
        innermost = {"properties": {"a": innermost}}
    return innermost


@pytest.mark.parametrize("innermost", [{}, {"pattern": "("}, {"nullable": True, "type": "string"}])
def test_200_levels_are_read_and_no_more(innermost: dict[str, Any]) -> None:
    cleaned, _ = quarantined(nested(199, innermost))
    assert isinstance(cleaned, dict)
    for levels in (200, 5_000):
        with pytest.raises(SchemaError, match="schemas are nested too deeply"):
            quarantined(nested(levels, innermost))


def test_too_many_schemas_are_refused() -> None:
    assert parse_schema({"properties": {str(i): {} for i in range(49_999)}}, checked=True).changes == ()
    with pytest.raises(SchemaError, match="more than 50000 schemas"):
        parse_schema({"properties": {str(i): {} for i in range(50_001)}}, checked=True)


# -- references -------------------------------------------------------------------------------------------


def test_references_lead_to_nodes() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/x~1y"}, "b": {"$ref": "#named"}, "c": {"$ref": "#"}},
        "$defs": {"x/y": {"type": "string"}, "z": {"$anchor": "named"}, "no": False},
    }
    document = parse_schema(schema)
    definitions = document.root.keywords["$defs"]
    assert document.target("#/$defs/x~1y", None) == (definitions["x/y"], ("$defs", "x/y"))
    assert document.target("#/%24defs/x~1y", None)[0] is definitions["x/y"]
    assert (
        document.root.keywords["properties"]["b"].keywords["$ref"] == "#/$defs/z"
    )  # as pointers, all of them
    assert document.target("#", None) == (document.root, ())
    assert document.target("#/$defs/no", None) == (False, ("$defs", "no"))
    assert document.resolve(("$defs", "z")) is definitions["z"]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (5, r"at /properties/a: \$ref must be a string"),
        ("other.json", "does not point into this schema"),
        ("#unknown", "does not point into this schema"),
        ("#/$defs/y/z", r"leads nowhere: /\$defs has no 'y'"),
        ("#/$defs/x/type", "leads to something that is no schema"),
    ],
)
def test_references_that_lead_nowhere_are_refused(reference: Any, message: str) -> None:
    document = parse_schema({"$defs": {"x": {"type": "string"}}})
    with pytest.raises(SchemaError, match=message):
        document.target(reference, ((None, "properties"), "a"))


@pytest.mark.parametrize("checked", [False, True])
def test_what_no_keyword_holds_is_parsed_where_a_reference_leads_there(checked: bool) -> None:
    schema = {
        "properties": {"a": {"$ref": "#/components/x"}},
        "components": {"x": {"items": {"$ref": "#/components/y"}}, "y": {"type": "string"}},
    }
    document = parse_schema(schema, checked=checked)
    target, segments = document.target("#/components/x", None)
    assert isinstance(target, SchemaNode)
    assert (segments, pointer(target.path)) == (("components", "x"), "/components/x")
    assert pointer(target.keywords["items"].path) == "/components/x/items"
    assert document.resolve(segments) is target
    assert to_json(document.root) == schema


def test_what_no_keyword_holds_moves_to_the_definitions_where_it_is_upgraded() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/components/x"}},
        "components": {"x": {"type": "string", "nullable": True, "minLength": -1}},
    }
    document = parse_schema(schema)
    root = to_json(document.root)
    assert root["properties"] == {"a": {"$ref": "#/$defs/x"}}
    assert root["$defs"] == {"x": {"type": ["string", "null"]}}
    target, _ = document.target("#/$defs/x", None)
    assert isinstance(target, SchemaNode)
    assert pointer(target.path) == "/components/x"
    assert [each[:2] for each in changes(document)] == [
        ("/components/x", "nullable"), ("/properties/a", "$ref"), ("/components/x", "minLength"),
    ]  # fmt: skip


GRAPH = {
    "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"items": {"$ref": "#/properties/b"}}},
    "default": {"$ref": "#/$defs/unused"},
    "$defs": {
        "x": {"properties": {"y": {"$ref": "#/$defs/y"}}},
        "y": {"properties": {"x": {"$ref": "#/$defs/x/properties/y"}}, "const": {"$ref": "#"}},
        "unused": {"items": {"$ref": "#"}},
    },
}


def test_the_definitions_that_lead_to_each_other_are_found() -> None:
    document = parse_schema(GRAPH)
    x, y, unused = ("$defs", "x"), ("$defs", "y"), ("$defs", "unused")
    assert container(("$defs", "x", "properties", "y")) == x
    assert container(("properties", "a")) == ()
    assert document.reach(()) == {(), x, y}
    assert document.reach(x) == {x, y}
    assert document.reach(unused) == {(), x, y, unused}
    assert document.leads_back(("properties", "b"))
    assert not document.leads_back(("properties", "a"))
    assert document.leads_back(())
    schema = document.resolve(("properties", "a"))
    assert list(document.targets(schema)) == [x]
    assert document.reaches(schema, frozenset((y,)))
    assert not document.reaches(schema, frozenset((unused,)))
    assert not document.reaches(document.resolve(y), frozenset(((),)))


# -- schemas as JSON --------------------------------------------------------------------------------------


def test_a_sound_schema_of_an_older_draft_comes_back_as_it_is() -> None:
    schema = {"$schema": DRAFT_7, "properties": {"a": {"$ref": "#/definitions/x"}}, "definitions": {"x": {}}}
    assert quarantined(schema)[0] is schema
    found = sound_schema(schema)
    assert found.schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found.changes == found.upgrades


def test_a_property_that_no_value_fits_is_forbidden() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"type": "string", "enum": [1]}},
        "$defs": {"x": {"properties": {"y": {"minimum": 3, "maximum": 2, "type": "integer"}}}},
        "required": ["b"],
    }
    cleaned, (entry,) = quarantined(schema)
    assert cleaned == {**schema, "$defs": {"x": {"properties": {"y": False}}}}
    assert (entry.path, entry.keyword, entry.severity) == ("/$defs/x/properties", "y", "kept elsewhere")


def test_another_pattern_can_be_refused() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "a"}}, "patternProperties": {"b": {}}}
    cleaned, found = quarantined(schema, refuses=lambda pattern: "no b" if pattern == "b" else "")
    assert cleaned == {**schema, "patternProperties": {}}
    assert [(each.path, each.keyword, each.reason) for each in found] == [
        ("/patternProperties", "b", "is left out, because no b")
    ]
