"""L2 and L3 where a dialect sends values in another form: what goes out comes back."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.analysis.verify.provider_laws import encode
from toolcast.jsonschema.validator import Validator
from toolcast.providers import Dialect, Normalized, Profile, normalize
from toolcast.providers.schema_judge import as_json_schema
from toolcast.runtime.wire.decoder import decode_wire

from tests.providers.laws import missing_without_entry
from tests.providers.rules.nodes import nodes
from tests.providers.strategies import contracts
from tests.providers.values import instances

KEPT = (
    "type",
    "properties",
    "required",
    "items",
    "anyOf",
    "enum",
    "const",
    "description",
    "title",
    "nullable",
)
BOUNDS = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format")
REFUSED = ("not", "if", "then", "else", "dependentSchemas", "contains", "unevaluatedProperties")

closed = Dialect(
    keep=(*KEPT, *BOUNDS, "additionalProperties", "$ref", "$defs"),
    block=(*REFUSED, "patternProperties", "propertyNames", "dependentRequired"),
    other="describe",
    typed=True,
    untyped="block",
    booleans="rewrite",
    enums="fitting",
    any_of="alone",
    one_of="any-of",
    all_of="merge",
    ref_siblings=False,
    ref_targets="definitions",
    maps="pairs",
    tuples="object",
    closed=True,
    optional="nullable",
    declared_required=True,
)
openapi = Dialect(
    keep=(*KEPT, *BOUNDS),
    other="describe",
    type_arrays="nullable",
    typed=True,
    untyped="json",
    booleans="rewrite",
    enums="strings",
    const="enum",
    any_of="alone",
    one_of="any-of",
    all_of="merge",
    refs="inline",
    maps="pairs",
    tuples="object",
    items_required=True,
    exclusive="inclusive",
    empty_objects="json",
    declared_required=True,
    empty_required=False,
    property_names="[A-Za-z_][A-Za-z0-9_]{0,63}",
)


def profile(dialect: Dialect) -> Profile:
    strict = {"strict": dialect} if dialect.closed else {"dialect": dialect}
    return Profile(id="test", dated="2026-01-01", envelope={"parameters": "$parameters"}, **strict)


def back(result: Normalized, sent: Any) -> Any:
    return sent if result.wire_forms is None else decode_wire(sent, result.wire_forms, result.schema)


@pytest.mark.parametrize("dialect", [closed, openapi], ids=["closed", "openapi"])
@given(data=st.data(), contract=contracts())
def test_what_is_sent_comes_back(dialect: Dialect, data: st.DataObject, contract: Any) -> None:
    """L2, L3: every valid value has a form that the dialect accepts, and that form means the value."""
    value = data.draw(instances({key: item for key, item in contract.items() if key != "$defs"}, contract))
    assume(jsonschema_rs.validator_for(contract).is_valid(value))
    result = normalize(contract, profile(dialect))
    assume(result.strict is not False)
    emitted = as_json_schema(result.schema)
    before = json.dumps(value)
    sent = encode(value, result.wire_forms, emitted)
    closes = any(entry.keyword in ("additionalProperties", "items") for entry in result.ledger)
    accepted = jsonschema_rs.validator_for(emitted).is_valid(sent)
    assert accepted or closes, (result.schema, sent)
    assume(accepted)
    copy = json.dumps(sent)
    undone = back(result, sent)
    assert json.dumps(sent) == copy
    assert json.dumps(value) == before
    settled = Validator(contract, root=contract).settle(undone)
    assert settled == value or jsonschema_rs.validator_for(contract).is_valid(settled), (sent, undone, value)


@pytest.mark.parametrize("dialect", [closed, openapi], ids=["closed", "openapi"])
@given(contract=contracts())
def test_a_second_pass_changes_nothing_and_nothing_is_lost_silently(dialect: Dialect, contract: Any) -> None:
    """L4, L5."""
    once = normalize(contract, profile(dialect))
    assert missing_without_entry(contract, once) == []
    assert all(isinstance(key, str) and type(key) is str for key in _keys(once.schema))
    twice = normalize(once.schema, profile(dialect))
    if once.strict is not False:
        assert json.dumps(twice.schema, sort_keys=True) == json.dumps(once.schema, sort_keys=True)
        assert twice.strict == once.strict


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *(key for child in value.values() for key in _keys(child))]
    return [key for child in value for key in _keys(child)] if isinstance(value, list) else []


CASES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "a map": (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"a": 1, "b": 2},
        [{"key": "a", "value": 1}, {"key": "b", "value": 2}],
    ),
    "a map of maps": (
        {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": {"enum": [1, 2]}},
        },
        {"a": {"b": 1}},
        [{"key": "a", "value": [{"key": "b", "value": 1}]}],
    ),
    "further keys": (
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "required": ["a"],
            "additionalProperties": {"type": "number"},
        },
        {"a": "x", "b": 2.5},
        {"a": "x", "additional_properties": [{"key": "b", "value": 2.5}]},
    ),
    "keys by pattern": (
        {"type": "object", "patternProperties": {"^x": {"type": "boolean"}}, "additionalProperties": False},
        {"xa": True},
        [{"key": "xa", "value": True}],
    ),
    "a tuple": (
        {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "number"}],
            "minItems": 2,
            "items": False,
        },
        ["a", 1],
        {"item_1": "a", "item_2": 1},
    ),
    "a tuple with more": (
        {"type": "array", "prefixItems": [{"type": "string"}], "minItems": 1, "items": {"type": "integer"}},
        ["a", 1, 2],
        {"item_1": "a", "more_items": [1, 2]},
    ),
    "an object as a literal": ({"const": {"a": 1}}, {"a": 1}, '{"a":1}'),
}


@pytest.mark.parametrize("case", CASES)
def test_the_form_that_is_sent(case: str) -> None:
    schema, value, form = CASES[case]
    contract = {
        "type": "object",
        "properties": {"v": schema},
        "required": ["v"],
        "additionalProperties": False,
    }
    result = normalize(contract, profile(closed))
    assert result.strict, result.ledger
    assert jsonschema_rs.validator_for(result.schema).is_valid({"v": form}), result.schema
    assert back(result, {"v": form}) == {"v": value}
    assert back(result, {"v": value}) == {"v": value}  # a model that did not follow the schema
    assert result.wire_forms is not None
    assert (
        msgspec.json.decode(msgspec.json.encode(result.wire_forms), type=type(result.wire_forms))
        == result.wire_forms
    )


def test_alternatives_that_would_look_alike_are_not_encoded() -> None:
    pairs = {
        "type": "array",
        "items": {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "integer"}}},
    }
    union = {"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}}, pairs]}
    contract = {"type": "object", "properties": {"v": union}, "required": ["v"]}
    assert normalize(contract, profile(closed)).strict is False
    numbers = {"anyOf": [{"enum": [1, 2]}, {"type": "string"}]}
    contract = {"type": "object", "properties": {"v": numbers}, "required": ["v"]}
    result = normalize(contract, profile(openapi))
    assert result.wire_forms is None
    assert [entry.action for entry in result.ledger if entry.keyword == "enum"] == ["described"]


def test_refused_names_are_sent_under_others() -> None:
    contract = {
        "type": "object",
        "properties": {"a b": {"type": "string"}, "a_b": {"type": "string"}, "ключ": {"type": "integer"}},
        "required": ["a b", "ключ"],
    }
    result = normalize(contract, profile(openapi))
    assert list(result.schema["properties"]) == ["a_b_2", "a_b", "property"]
    assert result.schema["required"] == ["a_b_2", "property"]
    assert back(result, {"a_b_2": "x", "a_b": "y", "property": 1}) == {"a b": "x", "a_b": "y", "ключ": 1}


def test_any_value_may_be_nested_at_will() -> None:
    contract = {"type": "object", "properties": {"v": {}}, "required": ["v"]}
    result = normalize(contract, profile(openapi))
    value = {"v": [[[1, "x", [2, ["y"]]], {"a": [[[[1]]]]}]]}
    sent = encode(value, result.wire_forms, as_json_schema(result.schema))
    assert jsonschema_rs.validator_for(as_json_schema(result.schema)).is_valid(sent)
    assert back(result, sent) == value


STRING, OBJECT = {"type": "string"}, {"type": "object"}
FREE: dict[str, Any] = {
    "anything": {},
    "a list": {"type": "array"},
    "an object": OBJECT,
    "an object or null": {"type": ["object", "null"]},
    "an object without keys": {"type": "object", "additionalProperties": False},
    "a list of objects": {"type": "array", "items": OBJECT},
    "a map of objects": {"type": "object", "additionalProperties": OBJECT},
    "a string or an object": {"anyOf": [STRING, OBJECT]},
    "a string, a list or an object": {"type": ["string", "array", "object"]},
    "an object, beside one with keys": {
        "anyOf": [OBJECT, {"type": "object", "properties": {"a": STRING}, "required": ["a"]}]
    },
    "anything, where another alternative takes a string": {
        "anyOf": [{"type": "object", "properties": {"a": kind}, "required": ["a"]} for kind in (STRING, {})]
    },
}
"""Schemas that leave open what is in a value."""
WITH_UNIONS = ("gemini", "vertex", "moonshot")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["", "x", "5", "null", "[1]", '{"a":1}', "é"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b c", "key"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@pytest.mark.parametrize("provider", [*WITH_UNIONS, "conservative", "cloud-code-assist"])
@given(drawn=JSON)
def test_every_value_of_a_schema_that_leaves_it_open_comes_back(provider: str, drawn: Any) -> None:
    around = [drawn, [drawn], {"a": drawn}, [{"a": drawn}], {"k": {"a": drawn}}, {}]
    for name in FREE:
        accepts, result, emitted, emits = free(provider, name)
        value = {"v": next(one for one in around if accepts({"v": one}))}
        # Without unions, null is the absence of a key, and the keys of alternatives are declared together.
        if provider not in WITH_UNIONS and (value["v"] is None or "beside" in name):
            continue
        sent = encode(value, result.wire_forms, emitted)
        assert emits(sent), name
        assert back(result, sent) == value, name


@cache
def free(provider: str, name: str) -> tuple[Any, Normalized, Any, Any]:
    """One of the schemas under a provider: what judges its values, and what is emitted, with its judge."""
    contract = {"type": "object", "properties": {"v": FREE[name]}, "required": ["v"]}
    result = normalize(contract, provider)
    emitted = as_json_schema(result.schema)
    judges = [jsonschema_rs.validator_for(schema).is_valid for schema in (contract, emitted)]
    return judges[0], result, emitted, judges[1]


@pytest.mark.parametrize("provider", [*WITH_UNIONS, "conservative", "cloud-code-assist"])
@given(contract=contracts())
def test_no_key_is_declared_that_stands_for_others(provider: str, contract: Any) -> None:
    """What a model sends under a name reaches a handler under that name, or is decoded."""
    result = normalize(contract, provider)
    known = str(contract) + str(result.wire_forms)
    forms = ("key", "value", "additional_properties", "more_items")
    for _, node in nodes(result.schema):
        for name in node.get("properties", ()) if isinstance(node, dict) else ():
            assert repr(name) in known or name in forms or name.startswith("item_"), name


def test_text_that_a_model_writes_without_quotes_is_a_string() -> None:
    contract = {"type": "object", "properties": {"v": {"type": "array"}, "o": OBJECT}}
    result = normalize(contract, "gemini")
    assert back(result, {"v": ["x", "5", '"5"'], "o": '{"zip": "02139"}'}) == {
        "v": ["x", 5, "5"],
        "o": {"zip": "02139"},
    }
    assert back(result, {"o": {"zip": "02139"}}) == {"o": {"zip": "02139"}}


def test_free_parts_take_few_characters() -> None:
    """Two lists of anything, and an object of any keys, in less than pairs or a union would take."""
    contract = {"type": "object", "properties": {"a": {"type": "array"}, "b": {"type": "array"}, "c": OBJECT}}
    for provider in ("gemini", "vertex"):
        assert len(json.dumps(normalize(contract, provider).schema)) < 300


def test_what_stands_at_a_position_of_a_tuple_is_decoded() -> None:
    inner = {"type": "object", "properties": {"a b": {"enum": [1, 2]}}, "required": ["a b"]}
    tuple_ = {"type": "array", "prefixItems": [{"type": "string"}, inner], "items": inner}
    contract = {"type": "object", "properties": {"v": tuple_}, "required": ["v"]}
    dialect = Dialect(property_names="[a-z_]+", enums="strings")
    result = normalize(contract, profile(dialect))
    value = {"v": ["x", {"a b": 1}, {"a b": 2}]}
    sent = encode(value, result.wire_forms, result.schema)
    assert sent == {"v": ["x", {"a_b": "1"}, {"a_b": "2"}]}
    assert back(result, sent) == value
