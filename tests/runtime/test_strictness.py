"""Strict mode is left off for a provider, by an argument or by the environment, and for no other reason."""

from __future__ import annotations

import json
import logging
import os
from typing import Any

import pytest
from toolcast.providers import available, decode, normalize
from toolcast.runtime import ToolBinding, ToolRegistry
from toolcast.runtime.definitions import BUILT_IN, without_strict_flag

from tests.python.compiled import Options, binding
from tests.runtime.sample.registry import BINDINGS

Binding = ToolBinding[Any, Any]
VARIABLE = "TOOLCAST_NO_STRICT"
STRICT = ("openai", "openai-responses", "anthropic-strict", "bedrock-strict")
PARAMETERS = {
    "type": "object",
    "properties": {
        "strict": {"type": "boolean"},
        "counts": {"type": "string"},
        "inner": {"type": "object", "properties": {"name": {"const": "tool"}, "strict": {"type": "boolean"}}},
    },
    "required": ["strict"],
}


def flags(value: Any) -> list[Any]:
    """Every flag `strict` of a tool object: the parameters have only schemas of that name."""
    if isinstance(value, list):
        return [flag for each in value for flag in flags(each)]
    if not isinstance(value, dict):
        return []
    own = [value["strict"]] if isinstance(value.get("strict"), bool) else []
    return [*own, *(flag for each in value.values() for flag in flags(each))]


def registry(*tools: Binding) -> ToolRegistry:
    made = ToolRegistry()
    for tool in tools:
        made.register(tool, lambda params, _: str(params))
    return made


@pytest.mark.parametrize("provider", STRICT)
def test_without_strict_the_flag_is_false_and_the_schema_is_the_same(provider: str) -> None:
    with binding(PARAMETERS, options=Options(providers=STRICT)) as tool:
        on, off = (json.loads(tool.definition(provider, strict=strict)) for strict in (True, False))
        assert (flags(on), flags(off)) == ([True], [False])
        assert json.dumps(on).replace('"strict": true', '"strict": false') == json.dumps(off)
        assert json.loads(tool.definition(provider)) == on
        # The way back is that of the schema, which is the same: null for what is left out.
        sent = '{"strict": true, "counts": null, "inner": {"name": null, "strict": false}}'
        params = tool.decode(sent, provider)
        assert json.loads(tool.encode(params)) == {"strict": True, "inner": {"strict": False}}


@pytest.mark.parametrize("level", ["full", "brief"])
def test_a_registry_gives_definitions_without_strict(edit: Binding, level: Any) -> None:
    tools = registry(edit)
    on, off = (tools.definition_objects("openai", level, strict=strict) for strict in (None, False))
    assert (flags(on), flags(off)) == ([True], [False])
    assert json.loads(tools.definitions("openai", level, strict=False)) == off
    assert flags(tools.definition_objects("openai", level)) == [True]
    assert tools.definitions("anthropic", level, strict=False) == tools.definitions("anthropic", level)


def test_the_variable_names_providers(edit: Binding, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = registry(edit)
    assert flags(tools.definition_objects("openai")) == [True]
    monkeypatch.setenv(VARIABLE, "anthropic-strict, openai")
    assert flags(tools.definition_objects("openai")) == [False]
    assert flags(json.loads(edit.definition("openai"))) == [False]
    assert flags(tools.definition_objects("openai", strict=True)) == [True]
    monkeypatch.setenv(VARIABLE, "anthropic-strict")
    assert flags(tools.definition_objects("openai")) == [True]
    monkeypatch.delenv(VARIABLE)
    assert flags(tools.definition_objects("openai")) == [True]


def test_tools_whose_modules_wait_obey_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = ToolRegistry()
    tools.register_later(BINDINGS, "edit", lambda params, _: str(params))
    assert flags(tools.definition_objects("openai")) == [True]
    assert flags(tools.definition_objects("openai", strict=False)) == [False]
    monkeypatch.setenv(VARIABLE, "openai")
    assert flags(tools.definition_objects("openai")) == [False]


def test_a_name_in_the_variable_that_is_no_provider_is_warned_of_once(
    edit: Binding, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(VARIABLE, f"opnai-{os.getpid()},openai")
    with caplog.at_level(logging.WARNING, "toolcast.runtime"):
        for _ in range(3):
            edit.definition("openai")
            registry(edit).definitions("openai")
    (record,) = caplog.records
    message = record.getMessage()
    assert f"TOOLCAST_NO_STRICT names 'opnai-{os.getpid()}', which is no provider" in message
    assert "anthropic" in message


def test_a_build_does_not_read_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    before = normalize(PARAMETERS, "openai")
    monkeypatch.setenv(VARIABLE, "openai")
    after = normalize(PARAMETERS, "openai")
    assert before == after
    assert after.strict is True
    with binding(PARAMETERS, options=Options(providers=("openai",))) as tool:
        assert flags(json.loads(tool.definition("openai", strict=True))) == [True]


def test_a_schema_met_at_run_time_is_normalised_and_decoded_without_strict() -> None:
    made = normalize(PARAMETERS, "openai", strict=False)
    assert made.strict is False
    found = decode('{"strict": true}', "openai", schema=PARAMETERS, strict=False)
    assert found == {"strict": True}


def test_the_flag_is_found_in_an_envelope_of_a_profile_of_ones_own() -> None:
    tool = {"strict": True, "tool": {"schema": {"default": {"name": "edit", "strict": True}}, "id": "edit"}}
    made = json.loads(without_strict_flag(json.dumps(tool).encode(), "edit", ("/tool/schema", "/tool/about")))
    assert made == {**tool, "strict": False}


def test_every_built_in_provider_is_known() -> None:
    assert set(available()) == BUILT_IN
