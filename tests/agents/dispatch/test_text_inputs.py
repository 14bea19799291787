"""Tools whose argument is one text, from definition to result, in a run that pauses, too."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from toolcast.agents import RunState, resume, run_tools
from toolcast.agents.dispatch import Assembler, Dispatcher
from toolcast.analysis.verify.verified_tool import subject
from toolcast.bridges.frameworks import definition_parts
from toolcast.project.core.compiled import Options
from toolcast.runtime import ArgumentError, EncodeError, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.binding import ToolBinding
from toolcast.runtime.middleware.policy import Policy

from tests.spec.helper import tool

PROVIDERS = ("openai", "openai-responses", "openai-nonstrict", "anthropic", "mcp")
FORMATS = pytest.mark.parametrize("format", ["openai", "openai-responses"])
SPEC = """\
name: calculate
description: Computes the value of an arithmetic expression.
permission: write
secrets: []
input:
  grammar: lark
  definition: |
    start: NUMBER ("+" NUMBER)*
    %import common.NUMBER
    %ignore " "
"""


@pytest.fixture
def binding() -> Iterator[ToolBinding[Any, Any]]:
    spec, found = tool(SPEC, "calculate.yaml")
    assert spec is not None, found
    with subject(spec, {}, Options(providers=PROVIDERS)) as made:
        assert isinstance(made.binding, ToolBinding)
        yield made.binding


def registry(binding: ToolBinding[Any, Any], **options: Any) -> tuple[ToolRegistry, list[str]]:
    seen: list[str] = []

    def handler(params: Any, _: ToolContext) -> ToolResult:
        seen.append(params.input)
        return ToolResult.ok("3")

    made = ToolRegistry(**options)
    made.register(binding, handler)
    return made, seen


def answer(format: str, text: str) -> dict[str, Any]:
    if format == "openai":
        call = {"id": "call_0", "type": "custom", "custom": {"name": "calculate", "input": text}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"id": "c", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    call = {
        "type": "custom_tool_call", "id": "ctc_0", "call_id": "call_0", "name": "calculate", "input": text,
    }  # fmt: skip
    return {"id": "r", "status": "completed", "output": [call]}


def last(format: str) -> dict[str, Any]:
    if format == "openai":
        message = {"role": "assistant", "content": "It is 3."}
        return {"id": "c", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    content = [{"type": "output_text", "text": "It is 3.", "annotations": []}]
    item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    return {"id": "r", "status": "completed", "output": [item]}


@FORMATS
def test_a_text_of_the_grammar_reaches_the_handler(format: str, binding: ToolBinding[Any, Any]) -> None:
    tools, seen = registry(binding)
    (message,) = asyncio.run(Dispatcher(tools, format).run(answer(format, "1 + 2")))
    assert seen == ["1 + 2"]
    kind = {"role": "tool"} if format == "openai" else {"type": "custom_tool_call_output"}
    assert message.items() >= kind.items()


@FORMATS
def test_another_text_is_refused_with_its_place(format: str, binding: ToolBinding[Any, Any]) -> None:
    tools, seen = registry(binding)
    (message,) = asyncio.run(Dispatcher(tools, format).run(answer(format, "1 +\n")))
    assert seen == []
    assert "line 1, column 4: expected [ .0-9]" in json.dumps(message)


def test_a_streamed_text(binding: ToolBinding[Any, Any]) -> None:
    tools, seen = registry(binding)
    assembler = Assembler("openai")
    first = {"index": 0, "id": "call_0", "type": "custom", "custom": {"name": "calculate", "input": "1 "}}
    for delta in (first, {"index": 0, "custom": {"input": "+ 2"}}):
        assembler.feed({"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]})
    assembler.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    asyncio.run(Dispatcher(tools, "openai").run(assembler.response()))
    assert seen == ["1 + 2"]


def test_a_provider_without_such_tools_gets_one_parameter(binding: ToolBinding[Any, Any]) -> None:
    definition = msgspec.json.decode(binding.definition("anthropic"))
    text = definition["input_schema"]["properties"]["input"]
    assert text["type"] == "string"
    assert 'start: NUMBER ("+" NUMBER)*' in text["description"]
    assert binding.decode(b'{"input": "1"}', "anthropic").input == "1"
    with pytest.raises(ArgumentError, match="line 1, column 1"):
        binding.decode(b'{"input": "x"}', "anthropic")
    assert binding.decode_offered({"input": "1"}) == {"input": "1"}
    with pytest.raises(ArgumentError, match="line 1, column 1"):
        binding.decode_offered({"input": "x"})
    with pytest.raises(EncodeError, match="line 1, column 1"):
        binding.encode(binding.params(input="x"))


def test_brief_definitions_keep_the_format(binding: ToolBinding[Any, Any]) -> None:
    full, brief = (msgspec.json.decode(binding.definition("openai", level)) for level in ("full", "brief"))
    assert brief["custom"]["format"] == full["custom"]["format"]
    assert binding.definition("openai", strict=False) == binding.definition("openai")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_frameworks_get_one_parameter(provider: str, binding: ToolBinding[Any, Any]) -> None:
    parts = definition_parts(binding, provider)
    assert list(parts.schema["properties"]) == ["input"]
    assert parts.description == "Computes the value of an arithmetic expression."


@FORMATS
def test_a_run_that_waits_for_approval_goes_on(format: str, binding: ToolBinding[Any, Any]) -> None:
    tools, seen = registry(binding, policy=Policy())
    answers = [answer(format, "1 + 2"), last(format)]
    sent: list[Any] = []

    async def model(messages: list[Any], definitions: bytes) -> Any:
        sent.append((messages, msgspec.json.decode(definitions)))
        return answers.pop(0)

    user = [{"role": "user", "content": "1 + 2?"}]
    paused = asyncio.run(run_tools(model, tools, user, format=format))
    (waiting,) = paused.waiting
    assert (waiting.arguments, seen) == ({"input": "1 + 2"}, [])
    assert sent[0][1][0]["type"] == "custom"
    state = RunState.decode(paused.state.encode())
    record = asyncio.run(resume(model, tools, state, decisions={waiting.key: "yes"}, format=format))
    assert (record.stopped, seen) == ("answer", ["1 + 2"])
    results = [
        each
        for each in sent[-1][0]
        if each.get("role") == "tool" or each.get("type") == "custom_tool_call_output"
    ]
    assert len(results) == 1
