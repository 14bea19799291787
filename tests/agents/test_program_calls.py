"""Calls that a program of the provider makes: Anthropic's code execution, and OpenAI's programs."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from toolcast.agents import Record, RunState, resume, run_tools
from toolcast.agents.dispatch import Dispatcher, DispatchError, parse, read_container
from toolcast.agents.model_calls import ModelRequest, Proceed
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from tests.agents.dispatch.judges import judge_of
from tests.agents.dispatch.test_clients import serving
from tests.clients.conftest import Client, client
from tests.runtime.sample.files.edit import EDIT, EditParams

__all__ = ["client"]

FORMATS = ["anthropic", "openai-responses"]
ARGUMENTS = {"file_path": "/é", "old_string": "a", "new_string": "b"}
CALLERS: dict[str, dict[str, Any]] = {
    "anthropic": {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"},
    "openai-responses": {"type": "program", "caller_id": "prog_1"},
}
USAGE = {"input_tokens": 1, "output_tokens": 1}
CODE = {"code": "for path in …"}
CONTAINER = {"id": "container_1", "expires_at": "2026-11-23T10:00:00Z"}


def anthropic(content: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": USAGE}
    return {**head, "content": content, "stop_reason": reason, "container": CONTAINER}


def responses(output: list[dict[str, Any]]) -> dict[str, Any]:
    head = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m"}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**head, **rest, "output": output}


def answers(format: str, caller: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A program that makes two calls, and what follows their results."""
    caller = caller or CALLERS[format]
    if format == "anthropic":
        code = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": CODE}
        calls = [
            {"type": "tool_use", "id": f"toolu_{i}", "name": "edit", "input": ARGUMENTS, "caller": caller}
            for i in range(2)
        ]
        ran = {"type": "code_execution_result", "stdout": "2", "stderr": "", "return_code": 0, "content": []}
        result = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": ran}
        first = anthropic([{"type": "text", "text": "I run a program."}, code, *calls], "tool_use")
        return first, anthropic([result, {"type": "text", "text": "Done."}], "end_turn")
    program = {"type": "program", "id": "pg_1", "call_id": "prog_1", "code": "…", "fingerprint": "f1"}
    items = [
        {
            "type": "function_call", "id": f"fc_{i}", "call_id": f"call_{i}", "name": "edit",
            "arguments": json.dumps(ARGUMENTS), "status": "completed", "caller": caller,
        }
        for i in range(2)
    ]  # fmt: skip
    ended = {
        "type": "program_output", "id": "po_1", "call_id": "prog_1", "result": "2", "status": "completed",
    }  # fmt: skip
    text = {"type": "output_text", "text": "Done.", "annotations": []}
    said = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [text]}
    return responses([program, *items]), responses([ended, said])


def events(format: str, answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same answer as its provider streams it."""
    if format == "openai-responses":
        empty = {**answer, "output": [], "status": "in_progress"}
        yield {"type": "response.created", "response": empty, "sequence_number": 0}
        for i, item in enumerate(answer["output"]):
            head = {"output_index": i, "sequence_number": 0}
            begun = {**item, "arguments": ""} if "arguments" in item else item
            yield {"type": "response.output_item.added", "item": begun, **head}
            if "arguments" in item:
                for part in (item["arguments"][:9], item["arguments"][9:]):
                    kind = "response.function_call_arguments.delta"
                    yield {"type": kind, "item_id": item["id"], "delta": part, **head}
            yield {"type": "response.output_item.done", "item": item, **head}
        yield {"type": "response.completed", "response": answer, "sequence_number": 0}
        return
    start = {**answer, "content": [], "stop_reason": None, "container": None}
    yield {"type": "message_start", "message": start}
    for i, block in enumerate(answer["content"]):
        key = {"tool_use": "input", "server_tool_use": "input", "text": "text"}.get(block["type"])
        empty = {"input": {}, "text": ""}[key] if key else None
        yield {
            "type": "content_block_start",
            "index": i,
            "content_block": {**block, key: empty} if key else block,
        }
        if key == "text":
            delta = {"type": "text_delta", "text": block["text"]}
            yield {"type": "content_block_delta", "index": i, "delta": delta}
        elif key:
            for letter in json.dumps(block["input"]):
                delta = {"type": "input_json_delta", "partial_json": letter}
                yield {"type": "content_block_delta", "index": i, "delta": delta}
        yield {"type": "content_block_stop", "index": i}
    ended = {"stop_reason": answer["stop_reason"], "stop_sequence": None, "container": CONTAINER}
    yield {"type": "message_delta", "delta": ended, "usage": USAGE}
    yield {"type": "message_stop"}


def on_the_wire(format: str, answer: dict[str, Any], streamed: bool) -> bytes:
    if not streamed:
        return json.dumps(answer).encode()
    lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events(format, answer)]
    return "".join(lines).encode()


@asynccontextmanager
async def asking(load: Client, format: str, url: str, streamed: bool) -> AsyncGenerator[dict[str, Any]]:
    """`model` and `around_model` of a run with the official client, as docs/reference/dispatch.md has
    them."""
    wanted: dict[str, str] = {}

    async def name_container(request: ModelRequest, proceed: Proceed) -> Any:
        wanted.update({"container": request.container} if request.container else {})
        return await proceed(request)

    if format == "anthropic":
        async with load("anthropic").AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as claude:

            def ask_claude(messages: list[Any], _: bytes) -> Any:
                create = claude.messages.create
                return create(model="m", max_tokens=9, messages=messages, stream=streamed, **wanted)

            yield {"model": ask_claude, "around_model": [name_container]}
    else:
        async with load("openai").AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as gpt:

            def ask_gpt(messages: list[Any], _: bytes) -> Any:
                return gpt.responses.create(model="m", input=messages, stream=streamed)

            yield {"model": ask_gpt}


def registry(callers: tuple[str, ...] | None = None, **options: Any) -> ToolRegistry:
    made = ToolRegistry(check_results=False, **options)

    async def edit(params: EditParams, context: ToolContext) -> ToolResult:
        return ToolResult.ok(f"edited {params.file_path} for {context.call_id}")

    made.register(msgspec.structs.replace(EDIT, callers=callers), edit)
    return made


USER = [{"role": "user", "content": "Edit it."}]


def check_second_request(format: str, request: dict[str, Any], load: Client) -> None:
    """What the provider wants while a program of it waits: judged by its client, and by its documentation."""
    sent = request["messages" if format == "anthropic" else "input"]
    judge = judge_of(format, load)
    for message in sent[1:]:
        judge(message)
    if format == "anthropic":
        assert request["container"] == "container_1"
        assert [block["type"] for block in sent[-1]["content"]] == ["tool_result"] * 2
        assert [block.get("caller") for block in sent[1]["content"]][2:] == [CALLERS[format]] * 2
        assert sent[1]["content"][1]["input"] == CODE
        assert sent[1]["content"][2]["input"] == ARGUMENTS
    else:
        assert sent[1]["fingerprint"] == "f1"
        assert [item["caller"] for item in sent[2:]] == [CALLERS[format]] * 4
        assert [item["type"] for item in sent[-2:]] == ["function_call_output"] * 2


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_program_of_the_provider_calls_tools(format: str, streamed: bool, client: Client) -> None:
    first, second = (on_the_wire(format, answer, streamed) for answer in answers(format))
    kind = "text/event-stream" if streamed else "application/json"
    with serving(second, kind) as served:
        served.later.append(first)

        async def main() -> Record:
            async with asking(client, format, served.url, streamed) as asks:
                return await run_tools(
                    tools=registry(), messages=USER, format=format, provider="openai", **asks
                )

        record = asyncio.run(main())
    assert record.stopped == "answer"
    assert [call.result.success for call in record.calls] == [True, True]
    assert "container" not in served.requests[0]
    check_second_request(format, served.requests[1], client)
    assert record.state.container == ("container_1" if format == "anthropic" else "")
    ids = ["toolu_0", "toolu_1"] if format == "anthropic" else ["call_0", "call_1"]
    for id in ids:
        assert f"edited /é for {id}" in json.dumps(served.requests[1], ensure_ascii=False)


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_run_that_paused_goes_on_in_its_container(format: str, streamed: bool, client: Client) -> None:
    first, second = (on_the_wire(format, answer, streamed) for answer in answers(format))
    kind = "text/event-stream" if streamed else "application/json"
    tools = registry(policy=Policy("supervised"))
    with serving(second, kind) as served:
        served.later.append(first)

        async def begin() -> bytes:
            async with asking(client, format, served.url, streamed) as asks:
                record = await run_tools(tools=tools, messages=USER, format=format, provider="openai", **asks)
            assert (record.stopped, len(record.waiting)) == ("paused", 2)
            return record.state.encode()

        async def go_on(stored: bytes) -> Record:
            state = RunState.decode(stored)
            yes: Any = {call.key: "yes" for call in state.waiting}
            async with asking(client, format, served.url, streamed) as asks:  # of another process
                return await resume(
                    tools=tools, state=state, decisions=yes, format=format, provider="openai", **asks
                )

        record = asyncio.run(go_on(asyncio.run(begin())))
    assert record.stopped == "answer"
    check_second_request(format, served.requests[1], client)


@pytest.mark.parametrize(
    ("callers", "caller", "runs"),
    [
        (("model",), "code", False),
        (("code",), "code", True),
        (("model", "code"), "code", True),
        (None, "code", True),
        (("model",), "model", True),
        (("code",), "model", False),
        (None, "model", True),
        (("model",), None, True),
        (("code",), None, True),
    ],
)
@pytest.mark.parametrize("format", FORMATS)
def test_a_caller_that_the_spec_leaves_out_is_refused(
    format: str, callers: tuple[str, ...] | None, caller: str | None, runs: bool
) -> None:
    """A call that does not say who made it is held to nothing: most providers have no programs."""
    answer, _ = answers(format, {"type": "direct"} if caller == "model" else None)
    if caller is None:
        for item in answer["content" if format == "anthropic" else "output"]:
            item.pop("caller", None)
    calls = parse(answer, format)
    assert [call.caller for call in calls] == [caller] * 2
    results = asyncio.run(Dispatcher(registry(callers), format, provider="openai").execute(calls))
    assert [result.success for result in results] == [runs] * 2
    if not runs:
        assert "nothing was done" in results[0].error
    rendered = asyncio.run(Dispatcher(registry(callers), format, provider="openai").run(answer))
    assert sum(json.dumps(each, ensure_ascii=False).count("edited /é") for each in rendered) == 2 * runs


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", ["code_execution_20260521", "program", "something_new", "DIRECT", ""])
def test_whatever_is_not_the_model_is_code(format: str, kind: str) -> None:
    answer, _ = answers(format, {"type": kind, "tool_id": "t", "caller_id": "t"})
    assert [call.caller for call in parse(answer, format)] == ["code"] * 2


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("caller", ["program", 3, ["direct"], {"type": 5}, {"type": ["direct"]}])
def test_a_caller_of_another_form_is_no_answer(format: str, caller: Any) -> None:
    answer, _ = answers(format)
    answer["content" if format == "anthropic" else "output"][-1]["caller"] = caller
    with pytest.raises(DispatchError, match="caller"):
        parse(answer, format)


def test_the_container_of_an_answer(client: Client) -> None:
    answer, _ = answers("anthropic")
    made = client("anthropic").types.Message.model_validate(answer)
    assert read_container(made, "anthropic") == read_container(answer, "anthropic") == "container_1"
    assert read_container(json.dumps(answer), "anthropic-strict") == "container_1"
    wrong = ({"id": each} for each in (3, "\ud800", "c" * 1_000_001))
    for none in ({}, *({"container": each} for each in (None, {}, "c", *wrong))):
        assert read_container({"content": [], **none}, "anthropic") == ""
    assert read_container({"output": [], "container": CONTAINER}, "openai-responses") == ""


def test_a_container_that_is_none_keeps_no_state_from_being_stored() -> None:
    answer = {**answers("anthropic")[1], "container": {"id": "\ud800"}}

    async def model(*_: Any) -> Any:
        return answer

    record = asyncio.run(run_tools(model, registry(), USER, format="anthropic", provider="openai"))
    assert record.stopped == "answer"
    assert RunState.decode(record.state.encode()).container == ""
