"""Schemas of live servers that are small and stand for much: bounded work, and no other error than ours."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from toolcast.providers import SchemaError, available, normalize

from tests.providers.sampled import PROVIDERS
from tests.sampled import sampled

Wrap = Callable[[dict[str, Any]], dict[str, Any]]


def chained(length: int, wrap: Wrap) -> dict[str, Any]:
    defs = {f"d{i}": wrap({"$ref": f"#/$defs/d{i + 1}"}) for i in range(length)}
    defs[f"d{length}"] = {"type": "string"}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs}


TWICE: dict[str, Wrap] = {
    "anyOf": lambda ref: {"anyOf": [ref, dict(ref)]},
    "oneOf": lambda ref: {"oneOf": [ref, dict(ref)]},
    "allOf": lambda ref: {"allOf": [ref, dict(ref)]},
    "prefixItems": lambda ref: {"type": "array", "prefixItems": [ref, dict(ref)]},
    "properties": lambda ref: {"type": "object", "properties": {"x": ref, "y": dict(ref)}},
}


@pytest.mark.parametrize("provider", sampled(available(), ("conservative",)))
@pytest.mark.parametrize("keyword", TWICE)
def test_definitions_that_double_thirty_times(keyword: str, provider: str) -> None:
    """Written out, a billion branches: it ends."""
    with contextlib.suppress(SchemaError):
        normalize(chained(30, TWICE[keyword]), provider)


ONCE: dict[str, Wrap] = {
    "alone": lambda ref: ref,
    "anyOf": lambda ref: {"anyOf": [ref, {"type": "null"}]},
    "items": lambda ref: {"type": "array", "items": ref},
    "properties": lambda ref: {"type": "object", "properties": {"x": ref, "y": dict(ref)}},
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("keyword", ONCE)
def test_a_chain_of_hundreds_of_definitions(keyword: str, provider: str) -> None:
    with contextlib.suppress(SchemaError):
        normalize(chained(300, ONCE[keyword]), provider)


def test_a_union_that_is_too_large_to_open_is_sent_as_text() -> None:
    few = normalize(chained(4, TWICE["anyOf"]), "conservative")
    many = normalize(chained(30, TWICE["anyOf"]), "conservative")
    assert few.schema["properties"]["a"]["type"] == "string"
    assert "JSON" in many.schema["properties"]["a"]["description"]
    assert any("JSON" in entry.reason or "text" in entry.reason for entry in many.ledger)
