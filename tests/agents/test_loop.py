"""The loop of an agent, with scripted models."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from toolcast.agents import (
    Budget,
    Disclosure,
    Record,
    RunOptions,
    RunState,
    record_of,
    resume,
    run_tools,
    stream_tools,
)
from toolcast.agents.answers import Answers, ReadAnswer
from toolcast.agents.events import Called, Calling, LoopEvent, RoundEnded, RoundStarted, Stopped
from toolcast.agents.options import LIMIT, MAX_ROUNDS, REPEATS
from toolcast.agents.text_calls import TextAnswer
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from generated.files.edit import EDIT
from generated.web.web_fetch import WEB_FETCH
from tests.loops import in_loop

GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}
USER = [{"role": "user", "content": "Edit it."}]


def asks(*calls: tuple[str, Any]) -> dict[str, Any]:
    """An answer in OpenAI's chat format."""
    made = [
        {
            "id": f"c{index}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for index, (name, arguments) in enumerate(calls)
    ]
    reason = "tool_calls" if made else "stop"
    message = {
        "role": "assistant",
        "content": None if made else "Done.",
        **({"tool_calls": made} if made else {}),
    }
    return {"choices": [{"index": 0, "finish_reason": reason, "message": message}]}


class Scripted:
    """A model that says what stands in a list, the last for ever."""

    def __init__(self, *answers: Any) -> None:
        self.answers = [*answers]
        self.seen: list[tuple[list[Any], bytes]] = []

    async def __call__(self, messages: list[Any], definitions: bytes) -> Any:
        self.seen.append((messages, definitions))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer


async def edit(params: Any, context: ToolContext) -> ToolResult:
    if params.old_string == "hang":
        await asyncio.sleep(60)
    if params.old_string == "fail":
        return ToolResult.failed("no such text")
    return ToolResult.ok(f"edited {params.file_path}")


def tools() -> ToolRegistry:
    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, edit)
    return registry


def run(*answers: Any, **options: Any) -> Record:
    return asyncio.run(
        run_tools(Scripted(*answers), options.pop("tools", tools()), USER, format="openai", **options)
    )


def answered(record: Record) -> None:
    """Every call of the conversation has its answer, right after it."""
    waiting: list[str] = []
    for message in record.messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting
            waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert not waiting


def tool_texts(record: Record) -> list[str]:
    """What the model was told of its calls."""
    return [message["content"] for message in record.messages if message["role"] == "tool"]


def record_in(raised: Any) -> Record:
    """The record that an exception has."""
    record = record_of(raised.value)
    assert record is not None
    return record


def test_it_ends_when_the_model_asks_for_nothing() -> None:
    model = Scripted(asks(("edit", GOOD), ("edit", {**GOOD, "file_path": "/b"})), asks())
    record = asyncio.run(run_tools(model, tools(), USER, format="openai"))
    assert (record.stopped, len(record.rounds)) == ("answer", 2)
    assert [message["role"] for message in record.messages] == [
        "user", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert [(call.id, call.name, call.result.output) for call in record.calls] == [
        ("c0", "edit", "edited /a"),
        ("c1", "edit", "edited /b"),
    ]
    assert record.response == asks()
    assert record.seconds >= sum(each.model_seconds + each.tool_seconds for each in record.rounds)
    assert [len(messages) for messages, _ in model.seen] == [1, 4]
    assert {definitions for _, definitions in model.seen} == {tools().definitions("openai")}
    assert len(USER) == 1
    answered(record)


@pytest.mark.parametrize("rounds", [1, 3, 10])
def test_it_ends_after_so_many_rounds(rounds: int) -> None:
    record = run(asks(("edit", GOOD)), max_rounds=rounds)
    assert (record.stopped, len(record.rounds), len(record.calls)) == ("rounds", rounds, rounds)
    answered(record)


def test_a_call_past_the_budget_is_answered_and_not_made() -> None:
    record = run(asks(("edit", GOOD), ("edit", {**GOOD, "file_path": "/b"})), budget=Budget(calls=3))
    assert (record.stopped, record.exceeded) == ("budget", "calls")
    assert [call.executed for call in record.calls] == [True, True, True, False]
    assert "may make 3 calls" in record.calls[-1].result.error
    answered(record)


def test_calls_beyond_those_of_one_answer_are_refused_one_by_one() -> None:
    record = run(asks(*[("edit", {**GOOD, "file_path": f"/{i}"}) for i in range(1030)]), asks())
    assert (record.stopped, len(record.rounds), len(record.calls)) == ("answer", 2, 1030)
    assert sum(call.executed for call in record.calls) == 1024
    refused = [text for text in tool_texts(record) if text.startswith("Error: Nothing was done")]
    assert len(refused) == 6
    assert "beyond the 1,024 calls" in refused[0]
    answered(record)


@pytest.mark.parametrize("streamed", [False, True])
def test_the_older_function_call_is_made_and_answered_by_name(streamed: bool) -> None:
    message = {"role": "assistant", "content": None}
    message["function_call"] = {"name": "edit", "arguments": json.dumps(GOOD)}  # type: ignore[assignment]
    answer: Any = {"choices": [{"message": message, "finish_reason": "function_call"}]}

    async def chunks() -> Any:
        yield {"choices": [{"delta": message, "finish_reason": "function_call"}]}

    record = run(chunks() if streamed else answer, asks())
    assert [message["role"] for message in record.messages] == ["user", "assistant", "function", "assistant"]
    assert record.messages[1]["function_call"] == message["function_call"]
    assert record.messages[2] == {"role": "function", "name": "edit", "content": "edited /a"}
    assert (record.stopped, record.calls[0].executed) == ("answer", True)


@pytest.mark.parametrize("reason", ["tool_calls", "function_call"])
def test_an_answer_that_ends_for_calls_and_has_none_says_so(reason: str) -> None:
    """A server that cannot read what the model wrote may drop it, and keep the reason."""
    empty = {"choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": reason}]}
    record = run(empty)
    assert (record.stopped, record.detail) == ("answer", f"{reason}, without a call")


def test_a_budget_that_just_suffices_stops_nothing() -> None:
    assert run(asks(("edit", GOOD)), asks(), budget=Budget(calls=1)).stopped == "answer"


def test_the_same_failing_call_three_times_is_enough() -> None:
    failing = {**GOOD, "old_string": "fail"}
    again = dict(reversed(failing.items()))
    record = run(
        asks(("edit", failing)), asks(("edit", GOOD)), asks(("edit", again)), asks(("edit", failing))
    )
    assert (record.stopped, len(record.rounds)) == ("repeated", 4)
    answered(record)


def test_other_failing_calls_are_tries() -> None:
    script = [asks(("edit", {**GOOD, "old_string": "fail", "new_string": str(n)})) for n in range(6)]
    assert run(*script, asks()).stopped == "answer"


def test_time_runs_out_within_a_call_which_is_cancelled_and_answered() -> None:
    hanging = asks(("edit", {**GOOD, "old_string": "hang"}), ("edit", GOOD))
    record = run(hanging, budget=Budget(seconds=0.5))
    assert (record.stopped, record.exceeded) == ("budget", "seconds")
    assert {call.result.success for call in record.calls} == {True, False}
    assert any("was stopped: this run may take 0.5 seconds" in call.result.error for call in record.calls)
    answered(record)


def test_time_runs_out_while_the_model_thinks() -> None:
    async def slow(messages: list[Any], definitions: bytes) -> Any:
        await asyncio.sleep(60)

    record = asyncio.run(run_tools(slow, tools(), USER, format="openai", budget=Budget(seconds=0.05)))
    assert (record.exceeded, record.rounds, record.messages) == ("seconds", (), tuple(USER))


def test_events_tell_every_step_and_their_observer_stops_nothing() -> None:
    seen: list[LoopEvent] = []

    def observe(event: LoopEvent) -> None:
        seen.append(event)
        raise RuntimeError

    record = run(asks(("edit", GOOD)), asks(), on_event=observe)
    assert [type(event) for event in seen] == [
        RoundStarted, Calling, Called, RoundEnded, RoundStarted, RoundEnded, Stopped,
    ]  # fmt: skip
    assert seen[-1] == Stopped(record=record)


def test_what_the_model_raises_passes_and_has_the_record() -> None:
    seen: list[LoopEvent] = []
    with pytest.raises(ConnectionError) as raised:
        run(asks(("edit", GOOD)), ConnectionError("no route"), on_event=seen.append)
    record = record_in(raised)
    [stopped] = [event for event in seen if isinstance(event, Stopped)]
    assert stopped.record is record
    assert (record.stopped, record.detail, len(record.calls)) == ("provider_error", "no route", 1)
    answered(record)


def test_what_an_adapter_raises_is_no_fault_of_the_provider() -> None:
    with pytest.raises(ValueError, match="this is no answer") as raised:
        run({"unknown": True})
    record = record_in(raised)
    assert record.stopped == "error"


def test_a_timeout_of_the_models_own_is_no_budget() -> None:
    with pytest.raises(TimeoutError):
        run(TimeoutError(), budget=Budget(seconds=60))


@pytest.mark.parametrize("script", [[asks(("edit", {**GOOD, "old_string": "hang"}))], ["slow"]])
@in_loop
async def test_cancellation_passes_leaves_no_task_and_the_record_is_reported(script: list[Any]) -> None:
    seen: list[LoopEvent] = []
    waits = asyncio.Event()

    async def hang(*_: Any) -> None:
        waits.set()
        await asyncio.sleep(60)

    async def model(messages: list[Any], definitions: bytes) -> Any:
        if script == ["slow"]:
            await hang()
        return script[0]

    registry = ToolRegistry()
    registry.register(EDIT, hang)  # type: ignore[arg-type]
    work = run_tools(model, registry, USER, format="openai", on_event=seen.append)
    task = asyncio.create_task(work)
    await waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert isinstance(seen[-1], Stopped)
    record = seen[-1].record
    assert record.stopped == "cancelled"
    assert [call.result.error for call in record.calls] == (
        [] if script == ["slow"] else ["Tool 'edit' was cancelled."]
    )
    answered(record)


def test_tools_in_part_come_whole_in_the_next_round() -> None:
    registry = tools()
    registry.register(WEB_FETCH, edit)  # type: ignore[arg-type]
    shown = Disclosure(registry, "openai")
    model = Scripted(asks(("edit", {"file_path": "/a"})), asks(("edit", GOOD)), asks())
    record = asyncio.run(run_tools(model, shown, USER, format="openai"))
    assert [call.result.success for call in record.calls] == [False, True]
    first, second, third = (json.loads(definitions) for _, definitions in model.seen)
    assert first != second == third
    assert second[0] == json.loads(EDIT.definition("openai"))
    asyncio.run(run_tools(again := Scripted(asks()), shown, USER, format="openai"))
    assert json.loads(again.seen[0][1]) == first


def test_a_garbled_name_is_recorded_as_the_tool_s() -> None:
    record = run(asks(("functions.edit", GOOD), ("functions.no", {})), asks())
    assert [call.name for call in record.calls] == ["edit", "functions.no"]
    assert [repair.before for repair in record.calls[0].result.repairs] == ["functions.edit"]
    wrong = {**GOOD, "old_string": "fail"}
    model = [asks(("edit", wrong)), asks(("functions.edit", wrong)), asks(("edit:0", wrong))]
    assert run(*model, repeats=3).stopped == "repeated"


def test_calls_in_the_text_format_of_a_family() -> None:
    pairs = "".join(f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>" for key, value in GOOD.items())
    model = Scripted(f"<tool_call>edit{pairs}</tool_call>", "Done.")
    record = asyncio.run(run_tools(model, tools(), USER, format="text", text_format="glm4"))
    assert record.calls[0].result.output == "edited /a"
    assert record.messages[2]["content"] == "<tool_response>\nedited /a\n</tool_response>"
    assert b"<arg_key>{arg-key-1}</arg_key>" in model.seen[0][1]


def test_a_call_that_cannot_be_read_is_told_to_the_model_once() -> None:
    broken = "I will.\n<tool_call>{"
    model = Scripted(broken)
    record = asyncio.run(run_tools(model, tools(), USER, format="text"))
    assert (record.stopped, len(record.rounds)) == ("malformed_call", 2)
    assert [message["role"] for message in record.messages[1:]] == ["assistant", "user"] * 2
    call = json.dumps({"name": "edit", "arguments": GOOD})
    model = Scripted(broken, f"<tool_call>{call}</tool_call>", broken, "Done.")
    assert asyncio.run(run_tools(model, tools(), USER, format="text")).stopped == "answer"


def test_a_text_that_was_cut_off_without_a_call_is_no_answer() -> None:
    model = Scripted(TextAnswer("It is", "length"))
    assert asyncio.run(run_tools(model, tools(), USER, format="text")).stopped == "cut"


def test_a_text_format_that_cannot_be_asked_for_is_refused() -> None:
    for text_format, words in (("zeroclaw", "no prompt"), ("nobody", "no text format")):
        with pytest.raises(ValueError, match=words):
            asyncio.run(run_tools(Scripted(), tools(), USER, format="text", text_format=text_format))
    with pytest.raises(ValueError, match="text_format="):
        asyncio.run(run_tools(Scripted(), tools(), USER, format="openai", text_format="glm4"))


@pytest.mark.parametrize("stop", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
def test_a_call_in_a_text_that_was_cut_off_does_not_run_and_is_asked_for_again(stop: str) -> None:
    call = json.dumps({"name": "edit", "arguments": GOOD})
    cut = TextAnswer(f"I will.\n<tool_call>{call}", stop)
    model = Scripted(cut, TextAnswer(f"<tool_call>{call}</tool_call>", "stop"), "Done.")
    record = asyncio.run(run_tools(model, tools(), USER, format="text"))
    assert [len(each.calls) for each in record.rounds] == [0, 1, 0]
    assert record.messages[1] == {"role": "assistant", "content": cut.text}
    assert "send the call again" in record.messages[2]["content"]
    assert record.calls[0].result.output == "edited /a"


class Own(Answers):
    """An adapter of a program's own: a response is a list of calls."""

    def __init__(self, tools: Any) -> None:
        self.tools = tools

    def read(self, response: Any) -> ReadAnswer:
        return ReadAnswer(messages=[("said", response)], calls=response)

    async def execute(self, calls: Sequence[Any], context: ToolContext | None = None) -> Sequence[ToolResult]:
        return [await self.tools.execute(name, arguments, context=context) for name, arguments in calls]

    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[Any]:
        return results if answer.calls else []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one of"),
        ({"format": "openai", "dispatcher": Own}, "one of"),
        ({"dispatcher": Own}, "needs provider="),
        ({"format": "openai", "max_rounds": 0}, "at least 1"),
        ({"format": "openai", "repeats": 0}, "at least 1"),
        ({"format": "smoke"}, "no format 'smoke'"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        asyncio.run(run_tools(Scripted(asks()), tools(), USER, **options))


def test_an_unknown_option_is_refused() -> None:
    options: Any = {"format": "openai", "max_round": 3}
    for run in (
        run_tools(Scripted(asks()), tools(), USER, **options),
        resume(Scripted(asks()), tools(), RunState(messages=USER), **options),
    ):
        with pytest.raises(TypeError, match="no option 'max_round'"):
            asyncio.run(run)


def test_stated_defaults_are_those_of_the_loop() -> None:
    stated = dict(re.findall(r"^ *(\w+): .*; by default (\d+)\.$", RunOptions.__doc__ or "", re.MULTILINE))
    assert stated == {"max_rounds": str(MAX_ROUNDS), "repeats": str(REPEATS), "limit": str(LIMIT)}


@pytest.mark.parametrize("messages", ["Edit it.", b"Edit it.", USER[0]])
def test_one_text_or_one_message_is_no_conversation(messages: Any) -> None:
    async def streamed() -> list[LoopEvent]:
        return [event async for event in stream_tools(model, tools(), messages, format="openai")]

    model = Scripted(asks())
    for work in (
        run_tools(model, tools(), messages, format="openai"),
        resume(model, tools(), RunState(messages=messages), format="openai"),
        streamed(),
    ):
        with pytest.raises(TypeError, match=r"must be a list .* Pass \[\{\"role\": \"user\""):
            asyncio.run(work)
    assert model.seen == []


@pytest.mark.parametrize("sequence", [list, tuple, iter])
def test_a_conversation_is_any_sequence_of_messages(sequence: Any) -> None:
    record = asyncio.run(run_tools(Scripted(asks()), tools(), sequence(USER), format="openai"))
    assert record.messages[: len(USER)] == tuple(USER)


@pytest.mark.parametrize(("format", "provider"), [("openai", "anthropic"), ("text", None)])
def test_a_disclosure_has_its_own_dialect(format: str, provider: str | None) -> None:
    shown = Disclosure(tools(), "openai")
    with pytest.raises(ValueError, match=r"Disclosure|disclosed"):
        asyncio.run(run_tools(Scripted(asks()), shown, USER, format=format, provider=provider))


def test_a_providers_own_search_goes_back_into_the_conversation() -> None:
    found = {"type": "tool_search_tool_search_result", "tool_references": []}
    content = [
        {
            "type": "server_tool_use",
            "id": "srvtoolu_1",
            "name": "tool_search_tool_bm25",
            "input": {"query": "edit"},
        },
        {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found},
        {"type": "tool_use", "id": "toolu_1", "name": "edit", "input": GOOD},
    ]
    asking = {"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": content}
    done = {**asking, "stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]}
    model = Scripted(asking, done)
    shown = Disclosure(tools(), "anthropic")
    record = asyncio.run(run_tools(model, shown, USER, format="anthropic"))
    assert [call.name for call in record.calls] == ["edit"]
    assert record.messages[1] == {"role": "assistant", "content": content}
    assert model.seen[0][1] == model.seen[1][1] == shown.definitions()
