"""Calls of OpenAI's custom tools, whose argument is free text: whole and streamed, all of them answered."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from toolcast.agents.dispatch import (
    Assembler,
    Call,
    Dispatcher,
    DispatchError,
    assistant_messages,
    parse,
    render,
)
from toolcast.runtime import ToolRegistry, ToolResult

from tests.agents.dispatch.judges import as_event, as_object, judge_of
from tests.clients.conftest import Client
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE
from tests.runtime.sample.misc.shapes import SHAPES

SQL = 'SELECT "é"\n-- {not json'
GOOD = '{"file_path":"/a","old_string":"a","new_string":"b"}'
FORMATS = pytest.mark.parametrize("format", ["openai", "openai-responses"])


def registry() -> ToolRegistry:
    made = ToolRegistry(check_results=False)
    made.register(NOTE, lambda params, _: ToolResult.ok(f"noted {params.text}"))
    made.register(EDIT, lambda params, _: ToolResult.ok(f"edited {params.file_path}"))
    made.register(SHAPES, lambda *_: ToolResult.ok("drawn"))
    return made


def answer(format: str, name: str = "note", text: str = SQL) -> dict[str, Any]:
    """A custom call before a call of a function."""
    if format == "openai":
        calls = [
            {"id": "call_0", "type": "custom", "custom": {"name": name, "input": text}},
            {"id": "call_1", "type": "function", "function": {"name": "edit", "arguments": GOOD}},
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        return {"id": "c", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    output = [
        {"type": "custom_tool_call", "id": "ctc_0", "call_id": "call_0", "name": name, "input": text},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "edit", "arguments": GOOD},
    ]  # fmt: skip
    return {"id": "r", "status": "completed", "output": output}


def events(format: str, name: str = "note") -> Iterator[dict[str, Any]]:
    """The same in pieces of three characters, in turns with those of the function."""
    pieces = [SQL[i : i + 3] for i in range(0, len(SQL), 3)]
    others = [GOOD[:9], GOOD[9:]]
    if format == "openai":

        def chunk(*items: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
            delta = {"tool_calls": [*items]} if items else {}
            return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

        yield chunk({"index": 0, "id": "call_0", "type": "custom", "custom": {"name": name, "input": ""}})
        yield chunk({"index": 1, "id": "call_1", "type": "function", "function": {"name": "edit"}})
        for at, piece in enumerate(pieces):
            yield chunk({"index": 0, "custom": {"input": piece}})
            if at < len(others):
                yield chunk({"index": 1, "function": {"arguments": others[at]}})
        yield chunk(reason="tool_calls")
        return
    custom, function = answer(format, name)["output"]
    yield {"type": "response.output_item.added", "output_index": 0, "item": {**custom, "input": ""}}
    yield {"type": "response.output_item.added", "output_index": 1, "item": {**function, "arguments": ""}}
    for at, piece in enumerate(pieces):
        yield {
            "type": "response.custom_tool_call_input.delta",
            "delta": piece,
            "item_id": "ctc_0",
            "output_index": 0,
        }
        if at < len(others):
            yield {
                "type": "response.function_call_arguments.delta",
                "delta": others[at],
                "item_id": "fc_1",
                "output_index": 1,
            }
    yield {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def outputs(format: str, response: Any, tools: ToolRegistry | None = None) -> list[tuple[str, str]]:
    messages = asyncio.run(Dispatcher(tools or registry(), format, provider="anthropic").run(response))
    if format == "openai":
        return [(message["tool_call_id"], message["content"]) for message in messages]
    assert [message["type"] for message in messages] == ["custom_tool_call_output", "function_call_output"]
    return [(message["call_id"], message["output"]) for message in messages]


RAN = [("call_0", f"noted {SQL}"), ("call_1", "edited /a")]


@FORMATS
def test_the_text_is_the_value_of_the_one_parameter(format: str, client: Client) -> None:
    custom, other = parse(answer(format), format)
    assert custom == Call(id="call_0", name="note", arguments=SQL, index=0, custom=True)
    assert (other.custom, other.index) == (False, 1)
    assert outputs(format, answer(format)) == RAN
    assert outputs(format, as_object(format, answer(format), client)) == RAN


@FORMATS
def test_streams(format: str, client: Client) -> None:
    for read in (lambda event: event, lambda event: as_event(format, event, client)):
        stream = Assembler(format)
        for event in events(format):
            stream.feed(read(event))
        assert stream.calls() == parse(answer(format), format)
        assert outputs(format, stream.response()) == RAN


@FORMATS
def test_the_messages_are_those_of_the_api(format: str, client: Client) -> None:
    response = answer(format)
    judge = judge_of(format, client)
    ours = assistant_messages(response, format)
    listed = ours[0]["tool_calls"] if format == "openai" else ours
    source = response["choices"][0]["message"]["tool_calls"] if format == "openai" else response["output"]
    assert listed[0] == source[0]
    for message in (*ours, *asyncio.run(Dispatcher(registry(), format, provider="anthropic").run(response))):
        judge(message)


@FORMATS
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "edit",
            "the parameters of this one: 'file_path', 'line', 'new_string', 'old_string', 're",
        ),
        ("shapes", "with text for arguments, and nothing was done."),
        ("nobody", "There is no tool 'nobody'"),
    ],
)
def test_other_tools_answer_that_they_take_no_text(format: str, name: str, wanted: str) -> None:
    (id, text), (_, other) = outputs(format, answer(format, name))
    assert id == "call_0"
    assert text.startswith("Error:")
    assert wanted in text
    assert other == "edited /a"


@FORMATS
def test_a_cut_custom_call_does_not_run(format: str) -> None:
    """Any text may lack a part."""
    response = answer(format)
    if format == "openai":
        del response["choices"][0]["message"]["tool_calls"][1]
        response["choices"][0]["finish_reason"] = "length"
    else:
        del response["output"][1]
        response |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    (call,) = parse(response, format)
    assert call.cut
    (result,) = asyncio.run(Dispatcher(registry(), format, provider="anthropic").execute([call]))
    assert "Nothing was done for this call of 'note'" in result.error


def test_what_is_no_custom_call() -> None:
    without = {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": None}]}
    with pytest.raises(DispatchError, match=r"custom: expected an object"):
        parse(without, "openai")
    number = {"output": [{"type": "custom_tool_call", "call_id": "c", "name": "note", "input": 5}]}
    with pytest.raises(DispatchError, match=r"input: expected text, got a Python int"):
        parse(number, "openai-responses")
    # The format of another provider has none.
    assert parse({"role": "assistant", "tool_calls": [{"id": "c", "type": "custom"}]}, "mistral") == ()
    stream = Assembler("openai")

    def feed(item: dict[str, Any]) -> None:
        stream.feed({"choices": [{"index": 0, "delta": {"tool_calls": [item]}}]})

    feed({"index": 0, "id": "c", "type": "custom", "custom": {"name": "note"}})
    with pytest.raises(DispatchError, match="began as 'custom'"):
        feed({"index": 0, "function": {"arguments": "{}"}})


def test_a_server_that_has_null_for_what_is_not_there() -> None:
    stream = Assembler("openai")
    function = {"name": "edit", "arguments": GOOD}
    for item in (
        {"index": 0, "id": "a", "type": "function", "function": function, "custom": None},
        {"index": 1, "id": "b", "type": "custom", "function": None, "custom": {"name": "note", "input": SQL}},
        {"index": 1, "id": None, "type": None, "function": None, "custom": {"name": None, "input": "!"}},
    ):
        stream.feed({"choices": [{"index": 0, "delta": {"tool_calls": [item]}}]})
    stream.end()
    first, second = stream.calls()
    assert (first.name, first.arguments, first.custom) == ("edit", GOOD, False)
    assert (second.name, second.arguments, second.custom) == ("note", f"{SQL}!", True)


def test_a_result_of_a_custom_call_repeats_its_caller() -> None:
    response = answer("openai-responses")
    caller = {"type": "program", "caller_id": "p_1"}
    response["output"][0]["caller"] = caller
    calls = parse(response, "openai-responses")
    first, _ = render(calls, [ToolResult.ok("a"), ToolResult.ok("b")], "openai-responses")
    assert first == {
        "type": "custom_tool_call_output",
        "call_id": "call_0",
        "output": "a",
        "caller": caller,
    }
