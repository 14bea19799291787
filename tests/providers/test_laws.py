"""Laws L2, L4 and L5 over generated contracts, under any profile."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.analysis.verify.provider_laws import encode as forward
from toolcast.providers import ToolInfo, available, load_profile, normalize, tool_object
from toolcast.providers.schema_judge import as_json_schema

from tests.providers.laws import missing_without_entry
from tests.providers.rules import CHECKS
from tests.providers.strategies import contracts
from tests.providers.values import instances

PROVIDERS = st.sampled_from(available())


@given(provider=PROVIDERS, contract=contracts())
def test_everything_missing_is_in_the_ledger_and_nothing_would_be_refused(
    provider: str, contract: Any
) -> None:
    """L4, and the provider's own rules."""
    profile = load_profile(provider)
    result = normalize(contract, profile)
    assert missing_without_entry(contract, result) == []
    tool = tool_object(ToolInfo(name="tool", description="A tool."), profile, result)
    assert list(CHECKS[provider](tool)) == []


@given(provider=PROVIDERS, contract=contracts(), strict=st.sampled_from([None, False]))
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


@given(provider=PROVIDERS, data=st.data(), contract=contracts())
def test_what_the_contract_accepts_the_provider_schema_accepts(
    provider: str, data: st.DataObject, contract: Any
) -> None:
    """L2: never stricter, except by null for what is optional where the mode is strict."""
    value = data.draw(instances({key: item for key, item in contract.items() if key != "$defs"}, contract))
    assume(jsonschema_rs.validator_for(contract).is_valid(value))
    result = normalize(contract, provider)
    emitted = jsonschema_rs.validator_for(as_json_schema(result.schema))
    sent = forward(value, result.wire_forms, as_json_schema(result.schema))
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
