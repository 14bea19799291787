"""Contracts of which a ledger once told too little, or that a second pass changed, under every profile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from toolcast.analysis.verify.ledger_laws import fixpoint, silent_losses
from toolcast.project.core.compiled import Options
from toolcast.providers import SchemaError, available, load_profile, normalize

from tests.providers.regressions import REGRESSIONS
from tests.providers.sampled import PROVIDERS, SAMPLE
from tests.python.compiled import compile_files, spec
from tests.sampled import sampled

INTEGER = {"type": "integer"}
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
CONTRACTS = REGRESSIONS["ledger"]


@pytest.mark.parametrize("name", CONTRACTS)
@pytest.mark.parametrize("providers", sampled([SAMPLE, available()], [SAMPLE]), ids=len)
def test_every_loss_is_in_the_ledger_and_a_second_pass_changes_nothing(
    name: str, providers: tuple[str, ...]
) -> None:
    contract = {"type": "object", **CONTRACTS[name]}
    for provider in providers:
        profile = load_profile(provider)
        result = normalize(contract, profile)
        assert list(silent_losses(contract, result.schema, result.ledger)) == [], provider
        assert list(fixpoint(contract, profile, None)) == [], provider


def test_an_all_of_beside_a_reference_keeps_what_it_refers_to() -> None:
    contract = {
        "type": "object",
        "properties": {"v": {"$ref": "#/$defs/A", "type": "string", "allOf": [{"maxLength": 9}]}},
        "$defs": {"A": {"type": "integer"}},
    }
    assert {"type": "integer"} in normalize(contract, "bedrock").schema["properties"]["v"]["allOf"]


def test_what_is_merged_is_not_reported_as_forbidden() -> None:
    """Two schemas of one property that stand side by side lose nothing."""
    one: dict[str, Any] = {"type": "object", "properties": {"k": INTEGER}, "unevaluatedProperties": False}
    contract = {
        "type": "object",
        "properties": {"v": {"$ref": "#/$defs/A", "properties": {"o": one}}},
        "$defs": {"A": {"properties": {"o": {"minProperties": 1}}}},
    }
    for more in ({}, {"allOf": [{"maxProperties": 3}]}):
        one.update(more)
        reported = [entry for entry in normalize(contract, "bedrock").ledger if "forbids" in entry.reason]
        assert reported == []


def test_alternatives_that_take_no_object_are_described_in_a_sentence() -> None:
    contract = {"type": "object", "anyOf": [{"type": "array"}]}
    assert normalize(contract, "openai-nonstrict").schema["description"] == (
        "No arguments fit: none of the alternatives takes an object."
    )


PARTS: tuple[dict[str, Any], ...] = (
    {"type": "integer"},
    {"type": "string"},
    {"type": "null"},
    {"enum": ["x", 1]},
    {"type": ["string", "null"], "minLength": 2},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"type": "object", "additionalProperties": {"type": "integer"}},
)
COMPOSED: tuple[dict[str, Any], ...] = tuple(
    {keyword: list(parts)}
    for keyword in ("anyOf", "oneOf", "allOf")
    for count in (2, 3)
    for parts in combinations(PARTS, count)
)
IN_PLACE = ("anyOf", "oneOf", "allOf")


def _of_value(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for keyword in IN_PLACE:
            for branch in schema.get(keyword, ()):
                yield from _of_value(branch)


def _types(schema: Any) -> set[str]:
    named = (each.get("type", []) for each in _of_value(schema))
    return {name for kind in named for name in ([kind] if isinstance(kind, str) else kind)}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_way_in_which_a_composed_value_is_sent_is_an_entry(provider: str) -> None:
    for value, required in product(COMPOSED, (True, False)):
        schema = {"type": "object", "properties": {"v": value}, "required": ["v"] if required else []}
        try:
            result = normalize(schema, provider)
        except SchemaError:
            continue
        sent = result.schema["properties"]["v"]
        reasons = [each.reason for each in result.ledger if each.path.startswith("/properties/v")]
        dropped = [each for each in result.ledger if (each.path, each.keyword) == ("", "required")]
        as_text = [each for each in _of_value(sent) if "JSON text" in each.get("description", "")]
        assert not as_text or any("JSON text" in each for each in reasons), (value, sent, reasons)
        if _types(value) - {"null"} != _types(sent) - {"null"}:
            assert reasons, (value, sent)
        nullable = Draft202012Validator(value).is_valid(None)
        if required and nullable and "v" not in result.schema.get("required", ()):
            assert dropped, (value, sent)
            assert any("null" in each for each in reasons), (value, sent, reasons)


@pytest.mark.parametrize("kind", ["string", "array", ["integer", "null"]])
def test_strict_modes_are_sent_no_properties_of_what_is_no_object(kind: Any) -> None:
    value = {"type": kind, "properties": {}, **({"items": INTEGER} if kind == "array" else {})}
    schema = {"type": "object", "properties": {"v": value}, "required": ["v"], "additionalProperties": False}
    for provider in available():
        result = normalize(schema, provider)
        if result.strict:
            assert "properties" not in json.dumps(result.schema["properties"]), provider
            assert ("/properties/v", "properties") in {(each.path, each.keyword) for each in result.ledger}


def test_each_schema_for_vertex_has_a_type() -> None:
    schema = {"type": "object", "properties": {"a": INTEGER}, "additionalProperties": {}}
    result = normalize(schema, "vertex")
    assert result.schema["additionalProperties"] is True
    assert ("", "additionalProperties") in {(each.path, each.keyword) for each in result.ledger}
    assert normalize(result.schema, "vertex").schema == result.schema


@pytest.mark.parametrize("open_", [{}, {"additionalProperties": True}, {"additionalProperties": {}}])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_parameters_that_are_left_out_altogether_are_an_entry(provider: str, open_: dict[str, Any]) -> None:
    for schema, lost in (({"type": "object", **open_}, True), (CLOSED, False)):
        files = compile_files({"t.json": spec(schema)}, options=Options(providers=(provider,)))[0]
        sent = files[f"schemas/{provider}/t.json"].decode()
        if '"type": "object"' in sent or '"type": "OBJECT"' in sent:
            continue
        ledger = json.loads(files["ledger/t.json"])
        (entry,) = [each for each in ledger if each["keyword"] == "parameters"]
        assert entry["severity"] == ("lost" if lost else "kept elsewhere")
