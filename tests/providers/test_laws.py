"""Laws L2, L4 and L5 over generated contracts, for every profile."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from toolwright.providers import ToolInfo, available, load_profile, normalize, tool_object
from toolwright.verify.forward import encode as forward

from tests.providers.encode import encoded
from tests.providers.laws import as_json_schema, missing_without_entry
from tests.providers.rules import CHECKS
from tests.providers.strategies import contracts

quick = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@pytest.mark.parametrize("provider", available())
@given(contract=contracts())
@quick
def test_everything_missing_is_in_the_ledger_and_nothing_would_be_refused(
    provider: str, contract: Any
) -> None:
    """L4, and the provider's own rules."""
    profile = load_profile(provider)
    result = normalize(contract, profile)
    assert missing_without_entry(contract, result) == []
    tool = tool_object(ToolInfo(name="tool", description="A tool."), profile, result)
    assert list(CHECKS[provider](tool)) == []


@pytest.mark.parametrize("provider", available())
@given(contract=contracts(), strict=st.sampled_from([None, False]))
@quick
def test_normalising_twice_changes_nothing(provider: str, contract: Any, strict: bool | None) -> None:
    """L5; and the input is never touched, nor shared with the output."""
    before = copy.deepcopy(contract)
    once = normalize(contract, provider, strict=strict)
    assert contract == before
    twice = normalize(once.schema, provider, strict=strict)
    assert (twice.schema, twice.strict) == (once.schema, once.strict)
    assert json.dumps(twice.schema, sort_keys=True) == json.dumps(once.schema, sort_keys=True)
    _spoil(once.schema)
    assert contract == before


def _spoil(value: Any) -> None:
    if isinstance(value, dict):
        for child in value.values():
            _spoil(child)
        value["spoilt"] = True
    elif isinstance(value, list):
        for child in value:
            _spoil(child)
        value.append("spoilt")


def plain_values(node: dict[str, Any], contract: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Instances of the root's declared properties: what a model would write."""
    chosen: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, child in node["properties"].items():
        target = chosen if name in node.get("required", ()) else optional
        target[name] = instances(child, contract)
    return st.fixed_dictionaries(chosen, optional=optional)


def instances(schema: Any, contract: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that are likely to fit a schema; the caller filters by the contract."""
    if not isinstance(schema, dict) or "not" in schema or "if" in schema:
        return st.sampled_from([None, 1, "a", True, {}, [], {"a": 1}])
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        nodes = st.recursive(
            st.fixed_dictionaries({"value": st.integers()}),
            lambda n: st.fixed_dictionaries({"value": st.integers(), "next": n}),
            max_leaves=4,
        )
        return nodes if name == "Node" else instances(contract["$defs"]["Leaf"], contract)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of([instances(branch, contract) for branch in schema[key]])
    if "allOf" in schema and schema["allOf"][0]["type"] == "object":
        parts = [instances(branch, contract) for branch in schema["allOf"]]
        return st.tuples(*parts).map(lambda values: {k: v for value in values for k, v in value.items()})
    if "prefixItems" in schema:
        return st.tuples(*(instances(kind, contract) for kind in schema["prefixItems"])).map(list)
    if schema.get("type") == "array":
        return st.lists(instances(schema["items"], contract), max_size=3)
    if schema.get("type") == "object":
        rest = schema.get("additionalProperties")
        free = st.dictionaries(
            st.sampled_from(["k", "l"]), instances(rest, contract) if rest else st.integers(), max_size=2
        )
        known = plain_values(schema, contract) if "properties" in schema else st.just({})
        open_map = "additionalProperties" in schema and rest is not False
        return st.tuples(known, free).map(lambda p: {**p[1], **p[0]}) if open_map else known
    return from_schema({k: v for k, v in schema.items() if k != "x-vendor"})


@pytest.mark.parametrize("provider", available())
@given(data=st.data(), contract=contracts())
@quick
def test_what_the_contract_accepts_the_provider_schema_accepts(
    provider: str, data: st.DataObject, contract: Any
) -> None:
    """L2: never stricter, except by null for what is optional where the mode is strict."""
    value = data.draw(instances({key: item for key, item in contract.items() if key != "$defs"}, contract))
    assume(jsonschema_rs.validator_for(contract).is_valid(value))
    result = normalize(contract, provider)
    emitted = jsonschema_rs.validator_for(as_json_schema(result.schema))
    sent = encoded(contract, contract, value) if result.strict else value
    sent = forward(sent, result.ways, as_json_schema(result.schema))
    assert emitted.is_valid(sent), (result.schema, sent)


def test_null_is_not_nullable_twice() -> None:
    branches = [{"$ref": "#/$defs/Leaf"}, {"type": "null"}]
    contract = {
        "type": "object",
        "properties": {"a": {"anyOf": branches}},
        "$defs": {"Leaf": {"type": "null"}},
    }
    once = normalize(contract, "gemini").schema
    assert once["properties"]["a"] == {"type": "null"}
    assert normalize(once, "gemini").schema == once
