"""Calls out of answers: dicts, JSON text, official clients' objects, plain attributes."""

import json
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.dispatch import (
    FORMATS,
    Assembler,
    Call,
    DispatchError,
    assistant_messages,
    parse,
    render,
)
from toolcast.agents.dispatch.answer_fields import MAX_JSON
from toolcast.agents.dispatch.wire_formats import FORMAT_OF_PROVIDER
from toolcast.runtime import ToolResult

from tests.agents.dispatch.answers import ANSWERS, MCP, Asked, id_for, mcp
from tests.agents.dispatch.judges import as_event, as_object, judge_of
from tests.agents.dispatch.streaming import STREAMS
from tests.clients.conftest import Client


def asked(format: str) -> list[Asked]:
    return [
        Asked(id_for(format, 0), "weather", '{"city": "Paris", "days": null}'),
        Asked(id_for(format, 1), "news", "{}"),
        Asked(id_for(format, 2), "weather", '{"city": "Rome", "deep": [{"a": [null]}]}'),
    ]


def value(arguments: Any) -> Any:
    return arguments if isinstance(arguments, dict) else json.loads(arguments)


def expect(format: str, calls: tuple[Call, ...]) -> None:
    wanted = asked(format)
    assert [(call.id, call.name, value(call.arguments)) for call in calls] == [
        (call.id, call.name, call.value) for call in wanted
    ]
    assert [call.index for call in calls] == [0, 1, 2]
    assert not any(call.cut for call in calls)


def namespace(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{key: namespace(item) for key, item in value.items()})
    return [namespace(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("format", ANSWERS)
def test_dicts_and_text(format: str) -> None:
    answer = ANSWERS[format](asked(format))
    before = json.dumps(answer)
    expect(format, parse(answer, format))
    assistant_messages(answer, format)
    assert json.dumps(answer) == before
    expect(format, parse(before, format))
    expect(format, parse(before.encode(), format))


@pytest.mark.parametrize("format", ANSWERS)
def test_the_official_clients_objects(format: str, client: Client) -> None:
    given = as_object(format, ANSWERS[format](asked(format)), client)
    if format == "ollama":  # its client knows no ids
        assert [call.name for call in parse(given, format)] == ["weather", "news", "weather"]
    else:
        expect(format, parse(given, format))


@pytest.mark.parametrize("format", STREAMS)
def test_the_official_clients_events(format: str, client: Client) -> None:
    calls = asked(format)
    stream = Assembler(format)
    for event in STREAMS[format](calls, [list(call.text) for call in calls], lambda n: n - 1):
        stream.feed(as_event(format, event, client))
    found = stream.calls()
    assert [(call.name, value(call.arguments)) for call in found] == [(c.name, c.value) for c in calls]
    if format != "ollama":
        assert [call.id for call in found] == [call.id for call in calls]


@pytest.mark.parametrize("format", ["openai", "openai-responses", "cohere"])
def test_plain_attributes(format: str) -> None:
    """Arguments are text there, so that every object can be of a class of its own."""
    expect(format, parse(namespace(ANSWERS[format](asked(format))), format))
    messages = assistant_messages(namespace(ANSWERS[format](asked(format))), format)
    assert messages == assistant_messages(ANSWERS[format](asked(format)), format) or format == "openai"


def test_attributes_in_snake_case() -> None:
    @dataclass
    class FunctionCall:
        name: str
        args: dict[str, Any]

    @dataclass
    class Part:
        function_call: FunctionCall | None = None
        text: str | None = None

    parts = [Part(text="hm"), Part(FunctionCall("f", {"a": 1}))]
    found = parse({"candidates": [{"content": SimpleNamespace(parts=parts)}]}, "gemini")
    assert found == (Call(id="", name="f", arguments={"a": 1}, index=0),)


@pytest.mark.parametrize("format", ["openai", "gemini", "bedrock", "mistral", "cohere", "ollama"])
def test_the_message_alone_does(format: str) -> None:
    whole = ANSWERS[format](asked(format))
    for step in ("choices", "candidates"):
        whole = whole[step][0] if step in whole else whole
    whole = whole.get("output", whole)
    message = whole.get("message") or whole["content"]
    expect(format, parse(message, format))
    assert assistant_messages(message, format) == assistant_messages(ANSWERS[format](asked(format)), format)


@pytest.mark.parametrize("format", ANSWERS)
def test_no_calls(format: str) -> None:
    assert parse(ANSWERS[format]([]), format) == ()
    messages = assistant_messages(ANSWERS[format]([]), format)
    assert messages
    assert "I will look" in json.dumps(messages)


@pytest.mark.parametrize(
    ("format", "answer"),
    [
        ("openai", {"role": "assistant", "content": "hi"}),
        ("openai", {"role": "assistant", "content": "hi", "tool_calls": None}),
        ("openai", {"choices": []}),
        ("openai", {"choices": [{"message": {"content": "hi"}}]}),
        ("anthropic", {"role": "assistant", "content": "hi"}),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}),
        ("gemini", {"candidates": [{"finishReason": "SAFETY"}]}),
        ("gemini", {"candidates": None, "usageMetadata": {}}),
    ],
)
def test_answers_without_any(format: str, answer: Any) -> None:
    assert parse(answer, format) == ()
    assert isinstance(assistant_messages(answer, format), list)


def test_calls_that_are_not_of_functions_are_left_out() -> None:
    other = {"id": "c", "type": "other", "other": {"name": "sql", "input": "select"}}
    assert parse({"role": "assistant", "tool_calls": [other]}, "openai") == ()
    assert parse({"output": [{"type": "web_search_call", "id": "w"}]}, "openai-responses") == ()
    server = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    assert parse({"content": [server]}, "anthropic") == ()
    used = {"toolUseId": "s", "name": "nova", "input": {}, "type": "server_tool_use"}
    assert parse({"content": [{"toolUse": used}]}, "bedrock") == ()
    # They stay in the history, and do not move the ids of those that are.
    call = {"id": "f", "type": "function", "function": {"name": "t", "arguments": ""}}
    (message,) = assistant_messages({"role": "assistant", "tool_calls": [other, call]}, "openai")
    assert message["tool_calls"][0] == other
    assert message["tool_calls"][1]["function"] == {"name": "t", "arguments": "{}"}


@pytest.mark.parametrize("format", MCP)
def test_mcp(format: str, client: Client) -> None:
    call = Asked("7", "weather", '{"city": "Paris"}')
    wanted = (Call(id="7", name="weather", arguments={"city": "Paris"}, index=0),)
    assert parse(mcp(call), format) == wanted
    assert parse({**mcp(call), "id": 7}, format) == wanted
    assert parse(json.dumps(mcp(call)), format) == wanted
    without = (msgspec.structs.replace(wanted[0], id=""),)
    assert parse(mcp(call)["params"], format) == without
    types = client("mcp_types")
    request = types.CallToolRequest.model_validate({key: mcp(call)[key] for key in ("method", "params")})
    assert parse(request, format) == parse(request.params, format) == without
    assert parse({"name": "t"}, format)[0].arguments == ""
    assert assistant_messages(mcp(call), format) == []
    with pytest.raises(DispatchError, match="tools/call"):
        parse({"method": "tools/list", "params": {}}, format)


@pytest.mark.parametrize("arguments", ["", "not json", '{"a": 1', "[1]", b"{}", None])
def test_arguments_that_are_no_object_are_a_call_still(arguments: Any) -> None:
    function = {"name": "t", "arguments": arguments}
    (call,) = parse({"tool_calls": [{"id": "x", "function": function}]}, "openai")
    assert call.arguments == (arguments or "")
    (echoed,) = assistant_messages({"tool_calls": [{"id": "x", "function": function}]}, "openai")
    assert isinstance(echoed["tool_calls"][0]["function"]["arguments"], str)


@pytest.mark.parametrize("arguments", [[1, 2], 5, True, "x"])
def test_an_object_format_with_something_else(arguments: Any) -> None:
    content = [{"type": "tool_use", "id": "x", "name": "t", "input": arguments}]
    (call,) = parse({"content": content}, "anthropic")
    assert call.arguments in (json.dumps(arguments, separators=(",", ":")).encode(), "x")
    (message,) = assistant_messages({"content": content}, "anthropic")
    assert isinstance(message["content"][0]["input"], dict)


def test_deep_arguments_are_the_bridges_affair() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    content = [{"type": "tool_use", "id": "x", "name": "t", "input": deep}]
    assert parse({"content": content}, "anthropic")[0].arguments is deep
    assert assistant_messages({"role": "assistant", "content": content}, "anthropic")


@pytest.mark.parametrize(
    ("format", "answer", "path"),
    [
        ("openai", {"choices": {}}, r"\$\.choices: expected a list"),
        ("openai", {"choices": [5]}, r"\$\.choices\[0\]: expected an object"),
        ("openai", {"choices": [{"message": {"tool_calls": {}}}]}, r"\$\.choices\[0\]\.message\.tool_calls"),
        ("openai", {"tool_calls": [None, 5]}, r"\$\.tool_calls\[0\]: expected an object"),
        ("openai", {"tool_calls": [{"function": {}}]}, r"\$\.tool_calls\[0\]\.function\.name"),
        ("openai", {"tool_calls": [{"id": "x"}]}, r"\$\.tool_calls\[0\]\.function: expected"),
        ("openai", {"tool_calls": [{"id": 5, "function": {"name": "t"}}]}, r"\$\.tool_calls\[0\]\.id"),
        ("openai", {"content": []}, r"\$: this is no answer of openai"),
        ("anthropic", {"choices": []}, r"\$: this is no answer of anthropic"),
        ("anthropic", {"content": [{"type": "tool_use", "name": ["x"]}]}, r"\$\.content\[0\]\.name"),
        ("gemini", {"candidates": [{"content": {"parts": "x"}}]}, None),
        ("gemini", {"candidates": [{"content": {"parts": [{"functionCall": 5}]}}]}, "functionCall"),
        ("bedrock", {"output": []}, r"\$\.output"),
        ("openai", {"role": "assistant", "tool_calls": "[]"}, r"\$\.tool_calls: expected a list"),
        ("openai", {"role": "assistant", "tool_calls": ""}, None),
        ("mcp", {"params": []}, r"\$\.method|\$\.params"),
        ("mcp", {"name": "t", "id": {}}, r"\$\.id"),
        ("openai", "{", "not valid JSON"),
        ("openai", b"\xff", "not valid JSON"),
        ("openai", "[" * 100_000, "deeply|not valid JSON"),
        ("openai", 5, r"\$: expected an object"),
        ("openai", None, r"\$"),
        ("openai", [], r"\$"),
        ("openai", object(), "no answer of openai"),
    ],
)
def test_what_is_no_answer(format: str, answer: Any, path: str | None) -> None:
    if path is None:
        assert parse(answer, format) == ()
        return
    with pytest.raises(DispatchError, match=path):
        parse(answer, format)


def test_an_answer_that_is_too_large_is_not_read() -> None:
    with pytest.raises(DispatchError, match="too large"):
        parse(b" " * (MAX_JSON + 1), "openai")
    with pytest.raises(DispatchError, match="too large"):
        Assembler("openai").feed(" " * (MAX_JSON + 1))


def test_too_many_calls() -> None:
    """More than 1,024 are read, and refused when they are carried out."""
    call = {"id": "x", "function": {"name": "t", "arguments": "{}"}}
    assert len(parse({"tool_calls": [call] * 4096}, "openai")) == 4096
    with pytest.raises(DispatchError, match="4,096"):
        parse({"tool_calls": [call] * 4097}, "openai")


def test_the_older_function_call(client: Client) -> None:
    """Whole, as the message alone, as the client's object, and streamed; the request has it as it came."""
    older = {"name": "weather", "arguments": '{"city": "Paris"}'}
    message = {"role": "assistant", "content": None, "function_call": older}
    answer = {"choices": [{"index": 0, "message": message, "finish_reason": "function_call"}]}
    stream = Assembler("openai")
    for piece in (
        {"name": "weather", "arguments": ""},
        {"arguments": '{"city": '},
        {"arguments": '"Paris"}'},
    ):
        event = {"choices": [{"index": 0, "delta": {"function_call": piece}}]}
        stream.feed(as_event("openai", event, client))
    stream.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "function_call"}]})
    for whole in (answer, message, {**message, "tool_calls": []}, as_object("openai", answer, client)):
        (call,) = parse(whole, "openai")
        assert (call.name, call.arguments, call.index, call.older) == (*older.values(), 0, True)
        assert call.id  # the loop tells calls by it
    (streamed,) = stream.calls()
    assert (streamed.name, streamed.arguments, streamed.older) == (*older.values(), True)
    judge = judge_of("openai", client)
    for whole in (answer, {**message, "tool_calls": None}, stream.response()):
        (own,) = assistant_messages(whole, "openai")
        (result,) = render(parse(whole, "openai"), [ToolResult.ok("mild")], "openai")
        assert own["function_call"] == older
        assert result == {"role": "function", "name": "weather", "content": "mild"}
        judge(own)
        judge(result)
    cut = {
        "choices": [{"message": {**message, "function_call": {"name": "weather"}}, "finish_reason": "length"}]
    }
    assert parse(cut, "openai")[0].cut


def test_an_older_call_beside_a_list_of_calls() -> None:
    function = {"name": "weather", "arguments": "{}"}
    message = {
        "role": "assistant",
        "tool_calls": [{"id": "a", "function": function}],
        "function_call": function,
    }
    assert parse({"role": "assistant", "content": "hi", "function_call": {}}, "openai") == ()
    (call,) = parse(message, "openai")  # some gateways write one call in both ways
    assert (call.id, call.older) == ("a", False)
    with pytest.raises(DispatchError, match=r"\$\.function_call: a call of 'news' beside other calls"):
        parse({**message, "function_call": {"name": "news"}}, "openai")


def test_objects_that_misbehave() -> None:
    class Broken:
        @property
        def choices(self) -> Any:
            raise RuntimeError("boom")

    class Dump:
        role = "assistant"
        tool_calls = None

        def model_dump(self, **_: Any) -> Any:
            raise RuntimeError("boom")

    with pytest.raises(DispatchError, match="RuntimeError"):
        parse(Broken(), "openai")
    with pytest.raises(DispatchError, match="boom"):
        assistant_messages(Dump(), "openai")
    circle = SimpleNamespace(role="assistant", content=None, tool_calls=None)
    circle.content = circle
    with pytest.raises(DispatchError, match="deep"):
        assistant_messages(circle, "openai")
    wide: Any = ["x"] * 100
    for _ in range(6):
        wide = [wide] * 100
    with pytest.raises(DispatchError, match="values"):
        assistant_messages({"role": "assistant", "content": wide}, "openai")


BLANK = {"id": "x", "function": {"name": "t", "arguments": ""}}
USED = {"toolUseId": "x", "name": "t", "input": {}}
BLOCK = {"type": "tool_use", "id": "x", "name": "t", "input": {}}
PARTS = [{"functionCall": {"name": "t", "args": {}}}]


@pytest.mark.parametrize(
    ("format", "answer"),
    [
        ("anthropic", {"stop_reason": "max_tokens", "content": [BLOCK]}),
        ("openai", {"choices": [{"finish_reason": "length", "message": {"tool_calls": [BLANK]}}]}),
        ("bedrock", {"stopReason": "max_tokens", "output": {"message": {"content": [{"toolUse": USED}]}}}),
        ("gemini", {"candidates": [{"finishReason": "MAX_TOKENS", "content": {"parts": PARTS}}]}),
    ],
)
def test_a_call_in_which_the_answer_ended(format: str, answer: Any) -> None:
    assert parse(answer, format)[-1].cut


def test_a_whole_call_in_a_cut_answer() -> None:
    content = [{"type": "tool_use", "id": "x", "name": "t", "input": {}}, {"type": "text", "text": "and"}]
    assert not parse({"stop_reason": "max_tokens", "content": content}, "anthropic")[0].cut
    function = {"name": "t", "arguments": '{"a": 1}'}
    choice = {"finish_reason": "length", "message": {"tool_calls": [{"id": "x", "function": function}]}}
    assert not parse({"choices": [choice]}, "openai")[0].cut


def test_names_of_formats() -> None:
    assert set(ANSWERS) | set(MCP) == set(FORMATS)
    for provider, format in FORMAT_OF_PROVIDER.items():
        assert format in FORMATS
        assert parse(ANSWERS[format](asked(format)), provider)
    with pytest.raises(ValueError, match="no format 'opnai'"):
        parse({}, "opnai")


def test_every_profile_has_a_format() -> None:
    from toolcast.providers import available

    rest = set(available()) - set(FORMATS) - set(FORMAT_OF_PROVIDER)
    assert rest <= {"cloud-code-assist", "conservative", "python", "typescript"}, rest


ODD = st.sampled_from([None, 5, -1, "x", [], {}, True, [1], {"a": 1}, 2**70, "\ud800", b"\xff", object()])


@given(st.sampled_from([*ANSWERS, *MCP]), st.data())
def test_hostile_answers_end_in_a_dispatch_error(format: str, data: st.DataObject) -> None:
    def spoil(value: Any) -> Any:
        if data.draw(st.integers(0, 7)) == 0:
            return data.draw(ODD)
        if isinstance(value, dict):
            return {key: spoil(part) for key, part in value.items()}
        return [spoil(part) for part in value] if isinstance(value, list) else value

    whole = mcp(asked("openai")[0]) if format in MCP else ANSWERS[format](asked(format))
    spoilt = spoil(whole)
    for step in (parse, assistant_messages):
        with suppress(DispatchError):
            step(spoilt, format)
