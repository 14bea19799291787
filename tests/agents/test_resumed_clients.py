"""Runs that pause and go on, with the official clients, plain and streamed, and a server of our own.

What the server receives after the pause is what it receives in a run that never paused.
"""

# ruff: noqa: ARG001, ARG002 - a handler has its signature, whatever it uses

import asyncio
import json
from typing import Any

import pytest
from toolcast.agents import Record, RunState, in_thread, resume, run_tools
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Answer, Policy

from tests.agents.dispatch.answers import ANSWERS, Asked
from tests.agents.dispatch.test_clients import CLIENTS, PNG, on_the_wire, serving
from tests.agents.test_streamed_clients import user
from tests.agents.test_streamed_runs import asked, events_of
from tests.clients.conftest import Client, client
from tests.runtime.sample.files.edit import EDIT

__all__ = ["client"]

CALLED = [(format, stream) for format in CLIENTS for stream in (False, True)]


def tools(approver: Any = None) -> ToolRegistry:
    async def edit(params: Any, context: ToolContext) -> ToolResult:
        return ToolResult.ok(f"edited {params.file_path}", content=(PNG,))

    registry = ToolRegistry(policy=Policy(approver=approver))
    registry.register(EDIT, edit)
    return registry


async def approver(request: Any) -> Any:
    return "yes" if request.params.file_path == "/a" else Answer("no", "Not that one.")


def body_of(format: str, calls: list[Asked], stream: bool) -> tuple[bytes, str]:
    if stream:
        return on_the_wire(format, events_of(format, calls))
    return json.dumps(ANSWERS[format](calls)).encode(), "application/json"


class Scripted:
    """A server that asks for calls, then for nothing, and the official client as a model."""

    def __init__(self, format: str, stream: bool, load: Client, served: Any) -> None:
        self.format, self.stream, self.served = format, stream, served
        self.ask = CLIENTS[format](load, served.url)

    async def __call__(self, messages: list[Any], definitions: bytes) -> Any:
        calls = [] if self.served.requests else asked(self.format, "/a", "/é")
        self.served.body, self.served.kind = body_of(self.format, calls, self.stream)
        response = await asyncio.to_thread(self.ask, messages, self.stream)
        return in_thread(response) if self.stream else response


@pytest.mark.parametrize(("format", "stream"), CALLED)
def test_the_server_sees_no_pause(format: str, stream: bool, client: Client) -> None:
    options: dict[str, Any] = {"format": format, "provider": "openai"}
    with serving(b"", "") as served:
        model = Scripted(format, stream, client, served)
        expected = asyncio.run(run_tools(model, tools(approver), [user(format)], **options))
        whole = [*served.requests]
    with serving(b"", "") as served:
        model = Scripted(format, stream, client, served)
        paused = asyncio.run(run_tools(model, tools(), [user(format)], **options))
        assert (paused.stopped, len(served.requests)) == ("paused", 1)
        state = RunState.decode(paused.state.encode())
        one, two = state.waiting

        async def go_on() -> Record:
            # A client of its own, as another process has it.
            again = Scripted(format, stream, client, served)
            decisions: Any = {one.key: "yes", two.key: Answer("no", "Not that one.")}
            return await resume(again, tools(), state, decisions=decisions, **options)

        record = asyncio.run(go_on())
        assert served.requests == whole
    assert (record.stopped, expected.stopped) == ("answer", "answer")
    assert record.state.usage == expected.state.usage
    text = json.dumps(whole[1], ensure_ascii=False)
    assert "edited /a" in text
    assert "was not approved: Not that one." in text
