"""A handler that asks runs in a program's own loop as behind an MCP server."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
from typing import Any

import pytest
from msgspec import Struct
from toolcast.agents import run_tools
from toolcast.runtime import (
    ElicitationRequest,
    Elicited,
    Sampled,
    SamplingRequest,
    ToolContext,
    ToolRegistry,
)

from tests.agents.test_loop import asks
from tests.runtime.sample.files.edit import EDIT

CALL = {"name": "edit", "arguments": {"file_path": "/a", "old_string": "x", "new_string": "y"}}
TEXT = f"<tool_call>{json.dumps(CALL)}</tool_call>"


class Confirmed(Struct):
    sure: bool


async def edit(params: Any, context: ToolContext) -> str:
    context.log("info", "asking")
    answer = await context.ask(f"Edit {params.file_path}?", Confirmed)
    sampled = await context.sample("Why?", max_tokens=9)
    return f"{answer.action} {answer.data} {sampled.text}"


@pytest.mark.parametrize(
    ("format", "answers"),
    [("openai", [asks(("edit", CALL["arguments"])), asks()]), ("text", [TEXT, "Done."])],
)
def test_the_program_answers_in_its_own_loop(format: str, answers: list[Any]) -> None:
    asked: list[Any] = []
    waiting = [*answers]

    async def model(messages: list[Any], definitions: Any) -> Any:
        return waiting.pop(0)

    async def ask_user(request: ElicitationRequest) -> Elicited[Any]:
        asked.append(request.message)
        return Elicited("accept", {"sure": True})

    def ask_model(request: SamplingRequest) -> Sampled:
        asked.append(request.messages[0].content)
        return Sampled("because")

    registry = ToolRegistry()
    registry.register(EDIT, edit)
    context = ToolContext(
        asker=ask_user, sampler=ask_model, receive_log=lambda level, data, logger: asked.append(data)
    )
    messages = [{"role": "user", "content": "Edit it."}]
    record = asyncio.run(run_tools(model, registry, messages, format=format, context=context))
    assert record.stopped == "answer"
    assert asked == ["asking", "Edit /a?", "Why?"]
    assert "accept Confirmed(sure=True) because" in repr(record)


def test_without_somebody_to_ask_the_model_is_told() -> None:
    waiting = [asks(("edit", CALL["arguments"])), asks()]

    async def model(messages: list[Any], definitions: Any) -> Any:
        return waiting.pop(0)

    registry = ToolRegistry()
    registry.register(EDIT, edit)
    messages = [{"role": "user", "content": "Edit it."}]
    record = asyncio.run(run_tools(model, registry, messages, format="openai"))
    assert record.stopped == "answer"
    assert "takes no questions" in repr(record)
