"""Enums whose values are known only when the program runs."""

import asyncio
import json
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ArgumentError, ToolContext, ToolRegistry
from toolcast.runtime.runtime_enums import MAX_CHARACTERS, MAX_VALUES

from generated.agents.delegate import DELEGATE, DelegateParams

PROVIDERS = ("anthropic", "gemini", "mcp", "openai", "openai-responses")
AGENTS = DELEGATE.specialise(agent=["coder", "tester"])
GOOD = {"agent": "coder", "task": "Write the tests."}


def parameters(definition: bytes) -> Any:
    tool = json.loads(definition)
    tool = tool.get("function", tool)
    return next(tool[key] for key in ("parameters", "input_schema", "inputSchema") if key in tool)


@pytest.mark.parametrize("level", ["full", "brief"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_definition_has_the_values_and_nothing_else_changes(provider: str, level: Any) -> None:
    before, after = (json.loads(each.definition(provider, level)) for each in (DELEGATE, AGENTS))
    agent = parameters(AGENTS.definition(provider, level))["properties"]["agent"]
    assert agent.pop("enum") == ["coder", "tester"]
    text = json.dumps(after).replace(', "enum": ["coder", "tester"]', "")
    assert json.loads(text) == before


def test_definitions_are_the_same_bytes_each_time() -> None:
    assert AGENTS.definition("openai") == DELEGATE.specialise(agent=["coder", "tester"]).definition("openai")


def test_the_binding_itself_stays_as_it_was() -> None:
    DELEGATE.specialise(agent=["other"])
    assert b'"enum":["other"]' not in DELEGATE.definition("openai")
    assert DELEGATE.decode({**GOOD, "agent": "anyone"}).agent == "anyone"


@pytest.mark.parametrize("provider", [None, *PROVIDERS])
@pytest.mark.parametrize("form", [dict, json.dumps, lambda value: json.dumps(value).encode()])
def test_other_values_are_refused_with_path_and_values(provider: str | None, form: Any) -> None:
    assert AGENTS.decode(form(GOOD), provider) == DelegateParams(**GOOD)
    with pytest.raises(ArgumentError) as caught:
        AGENTS.decode(form({**GOOD, "agent": "thief"}), provider)
    [violation] = caught.value.violations
    assert (violation.path, violation.keyword) == ("$.agent", "enum")
    assert violation.expected == ["coder", "tester"]
    assert '"coder"' in violation.message


def test_it_is_named_among_all_that_is_wrong() -> None:
    with pytest.raises(ArgumentError) as caught:
        AGENTS.decode({"agent": "thief", "task": "short", "limits": {"steps": 0}})
    assert {each.path for each in caught.value.violations} == {"$.agent", "$.task", "$.limits.steps"}


@given(
    st.fixed_dictionaries(
        {"agent": st.sampled_from(["coder", "tester", "thief", "", "Coder"]) | st.integers() | st.none()},
        optional={"task": st.sampled_from(["long enough for it", "short"]), "more": st.booleans()},
    )
)
def test_decoder_and_schema_accept_the_same(arguments: dict[str, Any]) -> None:
    oracle = jsonschema_rs.Draft202012Validator({**AGENTS.schema()})
    try:
        AGENTS.decode(json.dumps(arguments))
    except ArgumentError:
        accepted = False
    else:
        accepted = True
    assert accepted == oracle.is_valid(arguments)


def test_what_is_encoded_has_a_value_of_the_enum() -> None:
    assert json.loads(AGENTS.encode(DelegateParams(**GOOD))) == GOOD
    with pytest.raises(ValueError, match="agent"):
        AGENTS.encode(DelegateParams(agent="thief", task=GOOD["task"]))


def test_a_registry_takes_it() -> None:
    async def run(params: DelegateParams, _: ToolContext) -> str:
        return params.agent

    registry = ToolRegistry()
    registry.register(AGENTS, run)  # type: ignore[arg-type]  # its result is text, for the test
    assert b'"enum":["coder","tester"]' in registry.definitions("anthropic")
    assert asyncio.run(registry.execute("delegate", GOOD)).output == "coder"
    refused = asyncio.run(registry.execute("delegate", {**GOOD, "agent": "thief"}, "openai"))
    assert not refused.success
    assert '"tester"' in refused.error


def test_other_values_may_follow() -> None:
    again = AGENTS.specialise(agent=["writer"])
    assert again.decode({**GOOD, "agent": "writer"}).agent == "writer"
    with pytest.raises(ArgumentError):
        again.decode(GOOD)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"agnet": ["a"]}, "Did you mean 'agent'"),
        ({"task": ["a"]}, "It has: agent"),
        ({"agent": []}, "1 to 250 values"),
        ({"agent": "coder"}, "a list of strings"),
        ({"agent": [1]}, "a list of strings"),
        ({"agent": ["a", "b", "a"]}, "'a' twice"),
        ({"agent": ["a", ""]}, "the contract refuses ''"),
        ({"agent": [str(number) for number in range(MAX_VALUES + 1)]}, "1 to 250 values"),
        ({"agent": ["x" * (MAX_CHARACTERS + 1)]}, "7500 characters"),
    ],
)
def test_values_that_cannot_be_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DELEGATE.specialise(**values)


def test_a_tool_without_them_says_where_to_name_them() -> None:
    from generated.files.edit import EDIT

    with pytest.raises(ValueError, match="has no runtime_enums"):
        EDIT.specialise(file_path=["/a"])


def test_a_caller_may_change_the_schema_it_was_given() -> None:
    schema = AGENTS.schema()
    schema["properties"].clear()
    assert AGENTS.schema()["properties"]["agent"]["enum"] == ["coder", "tester"]
    assert msgspec.json.encode(DELEGATE.schema()["properties"])
