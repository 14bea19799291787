"""No null at all: a key that is left out, or JSON text. And null for what is optional."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from toolcast.providers import Normalized, normalize
from toolcast.runtime.wire import WireForm
from toolcast.runtime.wire.decoder import decode_wire

from tests.providers.axes.common import PLAIN, actions, laws, profile

ABSENT = {**PLAIN, "null": "absent"}
MAYBE = {"type": ["string", "null"]}
LEAF = {"Leaf": {"type": ["string", "null"], "description": "A leaf."}}


def required(node: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": node, "b": {"type": "string"}},
        "required": ["a", "b"],
        **more,
    }


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (MAYBE, {"type": "string"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T"}, {"type": "string", "title": "T"}),
        ({"enum": ["a", None]}, {"enum": ["a"]}),
        ({"type": ["string", "null"], "default": None}, {"type": "string"}),
        ({"type": "string", "nullable": True}, {"type": "string"}),
        ({"$ref": "#/$defs/Leaf"}, {"type": "string", "description": "A leaf."}),
        (
            {"anyOf": [MAYBE, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
        ({"allOf": [MAYBE, {"minLength": 1}]}, {"type": "string", "minLength": 1}),
    ],
)
@pytest.mark.parametrize("refs", ["keep", "inline"])
def test_a_required_property_is_left_out_for_null(node: Any, expected: Any, refs: str) -> None:
    result = laws(required(node, **{"$defs": LEAF}), profile(**ABSENT, refs=refs, keep=("title",)))
    assert result.schema["properties"]["a"] == expected
    assert result.schema["required"] == ["b"]
    assert result.wire_forms is not None
    assert result.wire_forms.root.nulls == ("a",)
    assert decode_wire({"b": "x"}, result.wire_forms, result.schema) == {"b": "x", "a": None}
    assert decode_wire({"b": "x", "a": "y"}, result.wire_forms, result.schema) == {"b": "x", "a": "y"}
    assert ("", "required", "rewritten") in actions(result)


def _severities(result: Normalized) -> dict[str, str]:
    return {f"{entry.path}/{entry.keyword}": entry.severity for entry in result.ledger}


def test_null_of_an_optional_property_is_lost_and_reported() -> None:
    result = laws({"type": "object", "properties": {"a": MAYBE}}, profile(**ABSENT))
    assert result.schema["properties"]["a"] == {"type": "string"}
    assert result.wire_forms is None
    assert _severities(result)["/properties/a"] == "changed"


@pytest.mark.parametrize(
    "node",
    [
        {"type": "array", "items": MAYBE},
        {"type": "array", "items": {"anyOf": [{"type": "object"}, {"type": "null"}]}},
        {"type": "array", "items": {"type": "null"}},
        {"type": "object", "additionalProperties": {"enum": [1, None]}},
        {"type": "array", "items": {"$ref": "#/$defs/Leaf"}},
    ],
)
def test_null_in_a_list_or_a_map_is_json_text(node: Any) -> None:
    result = laws(required(node, **{"$defs": LEAF}), profile(**{**ABSENT, "refs": "inline"}))
    one = result.schema["properties"]["a"]
    inner = one.get("items", one.get("additionalProperties"))
    assert inner["type"] == "string"
    assert "JSON text of a value that matches" in inner["description"]
    assert result.wire_forms is not None
    form = result.wire_forms.root.properties["a"]
    assert (form.items or form.values) == WireForm(encoding="json")
    sent: Any = {"a": ["null"], "b": ""} if "items" in one else {"a": {"k": "null"}, "b": ""}
    undone = decode_wire(sent, result.wire_forms, result.schema)["a"]
    assert undone in ([None], {"k": None})


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"type": ["string", "null"], "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "enum": ["a", None]}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "const": None}, {"type": "string"}),
        ({"type": "null", "const": "a"}, {"type": "string"}),
    ],
)
def test_null_that_is_named_and_never_fits_goes(node: Any, expected: Any) -> None:
    result = laws(required(node), profile(**ABSENT))
    assert result.schema["properties"]["a"] == expected
    assert result.schema["required"] == ["a", "b"]


def test_nothing_but_null_is_json_text() -> None:
    result = laws(required({"type": "null"}), profile(**ABSENT))
    assert result.schema["required"] == ["a", "b"]
    assert result.wire_forms is not None
    assert decode_wire({"a": "null", "b": ""}, result.wire_forms, result.schema) == {"a": None, "b": ""}


def test_alternatives_that_differ_in_what_absence_means_send_json_text() -> None:
    """One alternative requires the key, which may be null; in the other it may be left out."""
    one = {"type": "object", "properties": {"k": {"const": 1}, "w": MAYBE}, "required": ["k", "w"]}
    two = {"type": "object", "properties": {"k": {"const": 2}, "w": MAYBE}, "required": ["k"]}
    contract = {"type": "object", "anyOf": [one, two]}
    result = laws(contract, profile(**{**ABSENT, "any_of": "none"}))
    assert result.schema["properties"]["w"]["description"].startswith("JSON text")
    assert result.wire_forms is not None
    assert decode_wire({"k": 1, "w": "null"}, result.wire_forms, result.schema) == {"k": 1, "w": None}
    assert decode_wire({"k": 2}, result.wire_forms, result.schema) == {"k": 2}


def test_names_sent_under_others_and_absent_nulls_go_together() -> None:
    contract = {"type": "object", "properties": {"x y": MAYBE, "b": MAYBE}, "required": ["x y", "b"]}
    result = laws(contract, profile(**ABSENT, property_names="[a-z_]+"), fixpoint=False)
    assert result.schema["required"] == []
    assert result.wire_forms is not None
    assert decode_wire({}, result.wire_forms, result.schema) == {"x y": None, "b": None}
    assert decode_wire({"x_y": "s"}, result.wire_forms, result.schema) == {"x y": "s", "b": None}


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ({}, {"type": ["string", "null"]}),
        ({"type_arrays": "any-of"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"type_arrays": "nullable"}, {"type": "string", "nullable": True}),
    ],
)
def test_what_is_optional_takes_null_too(axes: dict[str, Any], expected: Any) -> None:
    contract = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["b"],
    }
    result = laws(contract, profile(**axes, optional="also-null"))
    assert result.schema["properties"] == {"a": expected, "b": {"type": "string"}}
    assert result.schema["required"] == ["b"]
    assert ("", "required", "rewritten") in actions(result)


def test_optional_properties_that_are_boolean_schemas_take_null_too() -> None:
    contract = {"type": "object", "properties": {"a": True, "b": False, "c": False}, "required": ["c"]}
    result = laws(contract, profile(optional="also-null"))
    assert result.schema["properties"] == {"a": True, "b": {"type": "null"}, "c": False}


def test_what_negates_an_object_that_takes_null_is_described_in_words() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    contract = {
        "type": "object",
        "properties": {"p": {"not": inner}, "q": {"oneOf": [inner, {"type": "null"}]}},
    }
    result = normalize(contract, profile(optional="also-null"))
    assert "not" not in str(result.schema["properties"]["p"].keys())
    assert "oneOf" not in result.schema["properties"]["q"]


@pytest.mark.parametrize(
    "keyword",
    [
        {"maxProperties": 1},
        {"propertyNames": {"enum": ["b"]}},
        {"dependentRequired": {"c": ["d"]}},
        {"dependentSchemas": {"c": {"properties": {"b": {"type": "integer"}}}}},
        {"not": {"required": ["c"]}},
        {"if": {"required": ["c"]}, "then": {"properties": {"b": {"type": "integer"}}}},
    ],
)
def test_what_refuses_a_key_admits_those_that_are_required_and_null(keyword: dict[str, Any]) -> None:
    text = {"type": "string"}
    contract = {"type": "object", "properties": {"b": text, "c": text}, "additionalProperties": False}
    result = normalize({**contract, **keyword}, profile(closed=True, optional="nullable"))
    sent = {"b": "x", "c": None}
    assert result.schema["required"] == ["b", "c"]
    assert jsonschema_rs.validator_for(result.schema).is_valid(sent)
    assert any(entry.keyword in keyword and entry.action != "rewritten" for entry in result.ledger)
    assert result.wire_forms is not None
    assert decode_wire(sent, result.wire_forms, result.schema) == {"b": "x"}


@pytest.mark.parametrize("axes", [{}, {"typed": True, "untyped": "json"}, {"type_arrays": "any-of"}])
def test_null_next_to_strings_is_not_sent_as_one(axes: dict[str, Any]) -> None:
    lists = [{"type": "array", "items": {"type": kind}} for kind in (["integer", "null"], "string")]
    contract = {"type": "object", "properties": {"a": {"anyOf": lists}}}
    result = laws(contract, profile(**{**ABSENT, **axes}))
    assert result.wire_forms is None
    for sent in ({"a": ["1"]}, {"a": [1, None]}):
        assert jsonschema_rs.validator_for(result.schema).is_valid(sent)
