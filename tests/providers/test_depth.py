"""Values that nest deeper than a provider allows: JSON text stands for what is below its limit."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.verify.provider_laws import encode
from toolcast.jsonschema.nesting import levels
from toolcast.providers import Normalized, available, load_profile, normalize
from toolcast.runtime.wire.decoder import decode_wire

from tests.providers.laws import as_json_schema
from tests.providers.rules.nodes import depth

HELD = [
    name
    for name in available()
    if load_profile(name).limits.depth is not None and load_profile(name).strict is None
]
LEAF: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


def wrap(inner: Any, kind: str) -> dict[str, Any]:
    if kind == "list":
        return {"type": "array", "items": inner}
    if kind == "map":
        return {"type": "object", "additionalProperties": inner}
    if kind == "union":
        return {"anyOf": [{**LEAF, "properties": {"k": inner}, "required": ["k"]}, {"type": "string"}]}
    return {"type": "object", "properties": {"k": inner}, "required": ["k"]}


def inside(value: Any, kind: str) -> Any:
    return [value] if kind == "list" else {"k": value}


def nested(kinds: list[str]) -> tuple[dict[str, Any], Any]:
    schema, value = LEAF, {"x": 1}
    for kind in reversed(kinds):
        schema, value = wrap(schema, kind), inside(value, kind)
    return wrap(schema, "object"), inside(value, "object")


def comes_back(contract: dict[str, Any], value: Any, provider: str) -> Normalized:
    """Holds what is emitted to the limit, the value to its way there and back."""
    result = normalize(contract, provider)
    limit = load_profile(provider).limits.depth
    assert limit is not None
    assert levels(result.schema) < limit
    assert depth(result.schema) <= limit
    schema = as_json_schema(result.schema)
    sent = encode(value, result.wire_forms, schema)
    assert jsonschema_rs.validator_for(schema).is_valid(sent), sent
    assert (
        sent if result.wire_forms is None else decode_wire(sent, result.wire_forms, result.schema)
    ) == value
    assert normalize(result.schema, provider).schema == result.schema
    return result


def test_two_built_in_profiles_are_held_to_their_limit() -> None:
    assert HELD == ["conservative", "moonshot"]


@given(kinds=st.lists(st.sampled_from(("object", "list", "map", "union")), max_size=9))
@pytest.mark.parametrize("provider", HELD)
def test_what_is_too_deep_comes_back_from_text(provider: str, kinds: list[str]) -> None:
    contract, value = nested(kinds)
    result = comes_back(contract, value, provider)
    if len(kinds) >= 4:
        assert result.wire_forms is not None


@pytest.mark.parametrize("provider", HELD)
def test_what_is_not_too_deep_stays_as_it_is(provider: str) -> None:
    contract, _ = nested(["object"] * 3)
    assert normalize(contract, provider).schema == contract


def test_a_definition_that_goes_too_deep_is_opened_and_others_stay() -> None:
    tall, _ = nested(["object"] * 4)
    contract = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Tall"}, "b": {"$ref": "#/$defs/Small"}},
        "required": ["a", "b"],
        "$defs": {"Tall": tall, "Small": LEAF},
    }
    value = {"a": nested(["object"] * 4)[1], "b": {"x": 2}}
    result = comes_back(contract, value, "moonshot")
    assert list(result.schema["$defs"]) == ["Small"]
    assert result.schema["properties"]["a"]["type"] == "object"


def test_a_definition_that_contains_itself_is_text_as_a_whole_where_it_goes_too_deep() -> None:
    tall, value = nested(["object"] * 5)
    tall["description"] = "x" * 600
    tall["properties"]["again"] = {"$ref": "#/$defs/Tall"}
    contract = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Tall"}},
        "required": ["a"],
        "$defs": {"Tall": tall},
    }
    result = comes_back(contract, {"a": {**value, "again": value}}, "moonshot")
    assert result.schema["properties"]["a"]["type"] == "string"
    assert '"$defs":{"Tall"' not in result.schema["properties"]["a"]["description"]  # too long for words
    assert any(each.severity == "lost" and each.path == "/properties/a" for each in result.ledger)


def test_a_value_that_no_enum_leaves_is_no_deeper_than_others() -> None:
    """An empty enum is widened to any value, which has levels of its own."""
    branches = [
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"const": None}},
        {"type": "object", "additionalProperties": {"enum": ["a"]}},
    ]
    inner = {"type": "object", "properties": {"a": {"allOf": branches}}}
    once = normalize({"type": "object", "properties": {"a": inner}}, "moonshot").schema
    limit = load_profile("moonshot").limits.depth
    assert limit is not None
    assert levels(once) < limit
    assert normalize(once, "moonshot").schema == once
