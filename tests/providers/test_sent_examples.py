"""Examples of a tool as providers are sent them: in their form, and accepted by the schema beside them.

jsonschema-rs judges; an example that a provider's schema refuses fails the whole request.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.analysis.instances.edits import instances as generated
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.jsonschema.validator import Validator
from toolcast.project.core.compiled import Options
from toolcast.providers import (
    ToolInfo,
    available,
    envelope_pointers,
    load_profile,
    normalize,
    spec_ledger,
    tool_object,
)
from toolcast.providers.schema_judge import as_json_schema
from toolcast.providers.wire_encoding import NOT_RESTORED, REFUSED, sent_examples
from toolcast.runtime.definitions import bare_definition, cut_definition
from toolcast.runtime.wire.decoder import decode_wire

from tests.providers.rules.survey import CORPORA, tools
from tests.providers.sampled import PROVIDERS
from tests.providers.strategies import contracts
from tests.providers.values import instances
from tests.python.compiled import binding

CONTRACT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a b": {"type": "string"},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        "any": {},
        "level": {"enum": [1, "high"]},
        "note": {"type": "string"},
    },
    "required": ["a b"],
    "additionalProperties": False,
}
EXAMPLE = {"a b": "x", "map": {"k": 1}, "pair": ["a", 2], "any": [1], "level": 1}
FORMS = {
    "anthropic": {"a_b": "x", "map": {"k": 1}, "pair": ["a", 2], "any": [1], "level": 1},
    "mcp": EXAMPLE,
    "gemini": {
        "a_b": "x",
        "map": [{"key": "k", "value": 1}],
        "pair": {"item_1": "a", "item_2": 2},
        "any": "[1]",
        "level": "1",
    },
}


@pytest.mark.parametrize("provider", FORMS)
def test_an_example_has_the_form_of_the_provider(provider: str) -> None:
    made = normalize(CONTRACT, provider)
    assert sent_examples([EXAMPLE], made.schema, made.wire_forms).values == (FORMS[provider],)


def test_what_a_strict_mode_cannot_be_sent_is_left_out() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    made = normalize(schema, "anthropic-strict")
    assert made.strict
    examples = [{"a": "x"}, {"a": "x", "further": 1}, {"b": "y"}]
    found = sent_examples(examples, made.schema, made.wire_forms)
    assert found.values == ({"a": "x"}, {"b": "y"})
    assert found.left_out == ((1, REFUSED),)


def test_a_null_for_an_absent_property_is_sent_as_the_provider_wants_absence() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
    for provider, expected in (("anthropic", {}), ("openai", {"a": None})):
        made = normalize(schema, provider)
        for example in ({"a": None}, {}):
            assert sent_examples([example], made.schema, made.wire_forms).values == (expected,), provider


def test_an_example_that_decodes_to_another_call_is_left_out() -> None:
    """A schema whose wire form is not that of the examples, as none of our profiles makes it."""
    made = normalize(CONTRACT, "gemini")
    assert made.wire_forms is not None
    open_schema = {"type": "object"}
    wrong = replace(made.wire_forms, root=replace(made.wire_forms.root, names={"a_b": "c"}))
    found = sent_examples([{"c": 1, "a_b": 2}], open_schema, wrong)
    assert found.left_out == ((0, NOT_RESTORED),)


@given(provider=st.sampled_from(available()), data=st.data(), contract=contracts())
def test_the_schema_beside_them_accepts_all_that_are_sent(
    provider: str, data: st.DataObject, contract: Any
) -> None:
    drawn = st.lists(
        instances({key: item for key, item in contract.items() if key != "$defs"}, contract), max_size=3
    )
    judge = jsonschema_rs.validator_for(contract)
    examples = [each for each in data.draw(drawn) if judge.is_valid(each)]
    before = json.dumps(examples)
    made = normalize(contract, provider)
    found = sent_examples(examples, made.schema, made.wire_forms)
    assert json.dumps(examples) == before
    assert len(found.values) + len(found.left_out) == len(examples)
    emitted = jsonschema_rs.validator_for(as_json_schema(made.schema))
    settled = Validator(contract)
    for sent in found.values:
        assert emitted.is_valid(sent), (made.schema, sent)
        decoded = sent if made.wire_forms is None else decode_wire(sent, made.wire_forms, made.schema)
        assert judge.is_valid(settled.settle(decoded)), decoded


@pytest.mark.corpora
@pytest.mark.parametrize("provider", PROVIDERS)
def test_generated_calls_of_public_tools_have_a_form(shared_dir: Path, provider: str) -> None:
    """Only keys without a declared meaning are in no form of a closed object."""
    sent = left_out = 0
    for corpus in CORPORA:
        for tool in tools(shared_dir, corpus, 16):
            contract = dict(normalize(tool["parameters"], "mcp").schema)
            contract.pop("$schema", None)
            made = normalize(contract, provider)
            try:
                judge, emitted = Oracle(contract), Oracle(as_json_schema(made.schema))
            except OracleError:
                continue
            calls = [each for each in generated(judge, random.Random(1), 6) if judge.accepts(each)]
            found = sent_examples(calls, made.schema, made.wire_forms)
            assert all(map(emitted.accepts, found.values)), tool["name"]
            sent += len(found.values)
            left_out += len(found.left_out)
            closed = any(each.keyword == "additionalProperties" for each in made.ledger)
            assert closed or not found.left_out, (tool["name"], found.left_out)
    assert sent > 3 * left_out
    assert sent > 100


def test_a_deep_and_a_large_example_end() -> None:
    deep: Any = {}
    for _ in range(150):
        deep = {"n": deep}
    node = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}
    recursive = {**node, "$defs": {"N": {"anyOf": [node, {"type": "null"}]}}}
    wide = {"n": {f"p{number}": {"n": None} for number in range(20_000)}}
    for provider in ("anthropic", "anthropic-strict", "gemini"):
        made = normalize(recursive, provider)
        found = sent_examples([deep, wide], made.schema, made.wire_forms)
        assert len(found.values) + len(found.left_out) == 2


PROFILE = load_profile("anthropic")
SHOWN = replace(PROFILE, examples=replace(PROFILE.examples, shown=True)) if PROFILE.examples else PROFILE


def made(**more: Any) -> dict[str, Any]:
    info = ToolInfo(name="t", description="A tool.", examples=(EXAMPLE,), **more)
    return tool_object(info, SHOWN, normalize(CONTRACT, SHOWN))


def test_examples_are_off_unless_asked_for() -> None:
    info = ToolInfo(name="t", description="A tool.", examples=(EXAMPLE,))
    assert "input_examples" not in tool_object(info, PROFILE, normalize(CONTRACT, PROFILE))
    assert made()["input_examples"] == [FORMS["anthropic"]]
    assert "input_examples" not in made(shows_examples={"anthropic": False})
    assert "input_examples" in made(shows_examples={"openai": False})


@pytest.mark.parametrize("provider", available())
def test_they_are_sent_to_those_alone_whose_tool_objects_have_a_place(provider: str) -> None:
    profile = load_profile(provider)
    assert (profile.examples is not None) == (provider in ("anthropic", "anthropic-strict"))
    info = ToolInfo(name="t", description="A.", examples=(EXAMPLE,), shows_examples={provider: True})
    text = json.dumps(tool_object(info, profile, normalize(CONTRACT, profile)))
    assert ("input_examples" in text) == (profile.examples is not None)


@pytest.mark.parametrize(
    ("provider", "more", "paths", "words"),
    [
        ("openai", {}, ["/examples"], "no place"),
        ("anthropic", {}, ["/examples"], "off for this provider"),
        ("anthropic", {"shows_examples": {"anthropic": True}}, [], ""),
        (
            "anthropic",
            {"shows_examples": {"anthropic": True}, "keys": {"defer": True}},
            ["/examples"],
            "searches for",
        ),
        ("anthropic-strict", {"shows_examples": {"anthropic-strict": True}}, ["/examples/1"], "in no form"),
        ("anthropic", {"examples": ()}, [], ""),
    ],
)
def test_the_ledger_has_what_is_not_sent(
    provider: str, more: dict[str, Any], paths: list[str], words: str
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    profile, normalized = load_profile(provider), normalize(schema, provider)
    info = ToolInfo(**{"name": "t", "description": "A.", "examples": ({"a": "x"}, {"b": 1}), **more})
    found = spec_ledger(info, profile, normalized)
    assert [entry.path for entry in found] == paths
    assert all(words in entry.sentence for entry in found)
    assert all((entry.of, entry.severity, entry.keyword) == ("spec", "lost", "examples") for entry in found)
    emitted = tool_object(info, profile, normalized).get("input_examples")
    assert emitted == ([each for i, each in enumerate(info.examples) if f"/examples/{i}" not in paths] or None
                       if "/examples" not in paths else None)  # fmt: skip


def test_brief_definitions_have_none() -> None:
    whole = made()
    for level in (cut_definition, bare_definition):
        for pointers in (None, envelope_pointers(SHOWN)):
            assert "input_examples" not in level(whole, "t", "Brief.", pointers)
    assert "input_examples" in whole


def test_a_tool_whose_enum_the_program_fills_shows_none() -> None:
    """An example may name what is not among the values, for which the provider would refuse the request."""
    parameters = {"type": "object", "properties": {"who": {"type": "string"}}}
    more: dict[str, Any] = {
        "runtime_enums": {"who": "people"},
        "examples": [{"who": "Ann"}],
        "providers": {"anthropic": {"examples": True}},
    }
    with binding(parameters, options=Options(providers=("anthropic",)), **more) as bound:
        assert json.loads(bound.definition("anthropic"))["input_examples"] == [{"who": "Ann"}]
        assert "input_examples" not in json.loads(bound.specialise(who=["Bob"]).definition("anthropic"))
