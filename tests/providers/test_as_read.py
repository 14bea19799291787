"""L2 where an engine reads a schema otherwise than JSON Schema does: it still takes every valid value."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.analysis.verify.provider_laws import encode
from toolcast.providers import normalize
from toolcast.runtime.wire.decoder import decode_wire

from tests.providers.strategies import contracts
from tests.providers.values import instances

IN_ONE = ("items", "additionalProperties")
IN_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
BY_NAME = ("properties", "$defs")


def inside(node: dict[str, Any], read: Any) -> dict[str, Any]:
    """`node` with each schema below it as `read` takes it."""
    out = dict(node)
    for key in IN_ONE:
        if key in out:
            out[key] = read(out[key])
    for key in IN_MANY:
        if key in out:
            out[key] = [read(one) for one in out[key]]
    for key in BY_NAME:
        if key in out:
            out[key] = {name: read(one) for name, one in out[key].items()}
    return out


def objects_closed(node: dict[str, Any], out: dict[str, Any]) -> None:
    """Keys that nothing speaks of are refused, where anything speaks of keys."""
    if "properties" in node and "additionalProperties" not in node:
        out["additionalProperties"] = False


def llama_cpp(node: Any) -> Any:
    """As json-schema-to-grammar.cpp reads it: of `items` and `prefixItems` the former only; the latter alone
    is a list of exactly these items; `additionalProperties` is false if nothing is said."""
    if not isinstance(node, dict):
        return node
    out = inside(node, llama_cpp)
    objects_closed(node, out)
    if "items" in node:
        out.pop("prefixItems", None)
    elif "prefixItems" in node:
        out |= {"items": False, "minItems": len(node["prefixItems"])}
    return out


def xgrammar(node: Any) -> Any:
    """Its strict mode closes objects and lists that do not speak of more."""
    if not isinstance(node, dict):
        return node
    out = inside(node, xgrammar)
    objects_closed(node, out)
    if "prefixItems" in node and "items" not in node:
        out["items"] = False
    return out


def xai(node: Any) -> Any:
    """`additionalProperties` is false if nothing is said."""
    if not isinstance(node, dict):
        return node
    out = inside(node, xai)
    objects_closed(node, out)
    return out


READERS = {"llama-cpp": llama_cpp, "vllm-xgrammar": xgrammar, "xai": xai}
CONSTRUCTS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "free keys": ({"type": "object"}, ({}, {"a": 1})),
    "undeclared keys": ({"type": "object", "properties": {"a": {"type": "string"}}}, ({"b": 1}, {"a": "x"})),
    "keys by pattern": ({"type": "object", "patternProperties": {"^x": {"type": "integer"}}}, ({"xa": 1},)),
    "a map": ({"type": "object", "additionalProperties": {"type": "integer"}}, ({"a": 1},)),
    "a closed tuple": (
        {"type": "array", "prefixItems": [{"type": "number"}, {"type": "boolean"}], "items": False},
        ([], [1], [1, True]),
    ),
    "a full tuple": (
        {
            "type": "array",
            "prefixItems": [{"type": "number"}, {"type": "boolean"}],
            "items": False,
            "minItems": 2,
        },
        ([1, True],),
    ),
    "an open tuple": ({"type": "array", "prefixItems": [{"type": "number"}]}, ([1, "x", None], [])),
    "a tuple with more": (
        {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
        (["a", 1, 2], ["a"], []),
    ),
}


@pytest.mark.parametrize("provider", READERS)
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_value_can_be_expressed(provider: str, construct: str) -> None:
    schema, values = CONSTRUCTS[construct]
    contract = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    result = normalize(contract, provider)
    read = jsonschema_rs.validator_for(READERS[provider](result.schema))
    for value in values:
        sent = encode({"v": value}, result.wire_forms, result.schema)
        assert read.is_valid(sent), (result.schema, sent)
        back = sent if result.wire_forms is None else decode_wire(sent, result.wire_forms, result.schema)
        assert back == {"v": value}


@pytest.mark.parametrize("provider", READERS)
@given(data=st.data(), contract=contracts())
def test_what_is_sent_is_taken_as_it_is_read(provider: str, data: st.DataObject, contract: Any) -> None:
    value = data.draw(instances({key: item for key, item in contract.items() if key != "$defs"}, contract))
    assume(jsonschema_rs.validator_for(contract).is_valid(value))
    result = normalize(contract, provider)
    sent = encode(value, result.wire_forms, result.schema)
    assert jsonschema_rs.validator_for(READERS[provider](result.schema)).is_valid(sent), (result.schema, sent)
