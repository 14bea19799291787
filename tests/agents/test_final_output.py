"""The final output of a run as the call of a tool."""

import asyncio
import json
from typing import Any

import pytest
from toolcast.agents import Budget, Disclosure, Record, RunState, resume, run_tools
from toolcast.agents.text_calls import instructions
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from generated.files.edit import EDIT
from generated.memory.memory_store import MEMORY_STORE, MemoryStoreParams
from generated.web.web_fetch import WEB_FETCH
from tests.agents.dispatch.answers import ANSWERS, Asked, answered, id_for
from tests.agents.dispatch.streaming import STREAMS
from tests.agents.test_loop import Scripted

GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}
FACT = {"content": "It is so.", "tags": ["a"]}
USER = [{"role": "user", "content": "Find out."}]
OWN = ("openai", "openai-responses", "anthropic", "gemini")
"""Formats for whose providers the tools were generated."""


def registry(**options: Any) -> tuple[ToolRegistry, list[str]]:
    seen: list[str] = []

    async def edit(params: Any, _: ToolContext) -> ToolResult:
        await asyncio.sleep(0)
        seen.append(params.file_path)
        return ToolResult.ok("edited")

    made = ToolRegistry(check_results=False, **options)
    made.register(EDIT, edit)
    return made, seen


def asks(format: str, *calls: tuple[str, Any]) -> Any:
    made = [
        Asked(id_for(format, i), name, json.dumps(arguments)) for i, (name, arguments) in enumerate(calls)
    ]
    if format == "text":
        return "".join(
            f'<tool_call>{{"name": "{call.name}", "arguments": {call.text}}}</tool_call>\n' for call in made
        )
    return ANSWERS[format](made)


def run(*answers: Any, format: str = "openai", **options: Any) -> tuple[Record, list[str]]:
    tools, seen = registry()
    if format not in (*OWN, "text"):
        options.setdefault("provider", "openai")
    model = Scripted(*answers)
    options.setdefault("tools", tools)
    made = run_tools(model, options.pop("tools"), USER, format=format, final=MEMORY_STORE, **options)
    return asyncio.run(made), seen


@pytest.mark.parametrize("format", [*STREAMS, "text"])
def test_a_valid_call_ends_the_run_after_the_calls_beside_it(format: str) -> None:
    first = asks(format, ("edit", GOOD), ("memory_store", {**FACT, "importance": 9}))
    last = asks(format, ("memory_store", FACT), ("edit", {**GOOD, "file_path": "/b"}))
    record, seen = run(first, last, format=format)
    assert (record.stopped, seen) == ("answer", ["/a", "/b"])
    assert record.output == MemoryStoreParams(content="It is so.", tags=["a"])
    assert [call.result.success for call in record.rounds[0].calls] == [False, True]
    told = json.dumps(record.messages)
    assert "importance" in told
    assert "This is your final answer." in told
    if format == "openai":
        results = [message for message in record.messages if message["role"] == "tool"]
        assert [id for id, _ in answered(format, results)] == ["call_0", "call_1"] * 2


@pytest.mark.parametrize("format", [*OWN, "text"])
def test_the_tool_is_shown_in_full_beside_the_others(format: str) -> None:
    tools, _ = registry()
    model = Scripted(asks(format, ("memory_store", FACT)))
    made = run_tools(model, tools, USER, format=format, final=MEMORY_STORE)
    assert asyncio.run(made).stopped == "answer"
    if format == "text":
        assert model.seen[0][1].decode() == instructions([EDIT, MEMORY_STORE])
    else:
        shown = [json.loads(binding.definition(format)) for binding in (EDIT, MEMORY_STORE)]
        assert json.loads(model.seen[0][1]) == shown
    assert tools.names == ("edit",)


@pytest.mark.parametrize("format", OWN)
def test_a_disclosure_shows_it_first_and_in_full(format: str) -> None:
    tools, _ = registry()
    tools.register(WEB_FETCH, lambda _p, _c: ToolResult.ok(""))
    shown = Disclosure(tools, format)
    before = json.loads(shown.definitions())
    script = asks(format, ("edit", {"file_path": "/a"})), asks(format, ("memory_store", FACT))
    model = Scripted(*script)
    record = asyncio.run(run_tools(model, shown, USER, format=format, final=MEMORY_STORE))
    assert record.output == MemoryStoreParams(content="It is so.", tags=["a"])
    own = json.loads(MEMORY_STORE.definition(format))
    assert json.loads(model.seen[0][1]) == [own, *before]
    assert json.loads(model.seen[1][1])[0] == own
    shown.next_turn()
    assert json.loads(shown.definitions()) == before
    with pytest.raises(TypeError):
        list(model.seen[0][1])


@pytest.mark.parametrize("format", [*STREAMS, "text"])
def test_a_plain_answer_is_asked_once_for_the_call(format: str) -> None:
    plain = "I think so." if format == "text" else asks(format)
    record, _ = run(plain, asks(format, ("memory_store", FACT)), format=format)
    assert (record.stopped, len(record.rounds)) == ("answer", 2)
    assert record.output is not None
    assert json.dumps(record.messages).count("Call the tool 'memory_store'") == 1
    record, _ = run(plain, format=format)
    assert (record.stopped, len(record.rounds), record.output) == ("answer", 2, None)
    assert json.dumps(record.messages).count("Call the tool") == 1


def test_the_budget_of_calls_does_not_count_it() -> None:
    record, seen = run(
        asks("openai", ("edit", GOOD)), asks("openai", ("memory_store", FACT)), budget=Budget(calls=1)
    )
    assert (record.stopped, seen) == ("answer", ["/a"])
    assert record.output is not None


def test_the_same_invalid_call_again_and_again_stops_the_run() -> None:
    record, _ = run(asks("openai", ("memory_store", {"content": ""})))
    assert (record.stopped, len(record.rounds), record.output) == ("repeated", 3, None)


def test_of_several_valid_calls_the_first_counts() -> None:
    record, _ = run(asks("openai", ("memory_store", FACT), ("memory_store", {"content": "Or not."})))
    assert record.output.content == "It is so."


def test_what_models_write_around_names_is_understood() -> None:
    record, _ = run(asks("openai", ("functions.memory_store", FACT)))
    assert (record.stopped, record.output.content) == ("answer", "It is so.")


@pytest.mark.parametrize("autonomy", ["read_only", "supervised"])
def test_a_policy_asks_nobody_for_it(autonomy: Any) -> None:
    tools, _ = registry(policy=Policy(autonomy))
    record, _ = run(asks("openai", ("memory_store", FACT)), tools=tools)
    assert (record.stopped, record.output.content) == ("answer", "It is so.")


@pytest.mark.parametrize("format", [*OWN, "text"])
def test_it_ends_the_run_when_the_calls_that_wait_beside_it_are_settled(format: str) -> None:
    tools, seen = registry(policy=Policy("supervised"))
    record, _ = run(asks(format, ("edit", GOOD), ("memory_store", FACT)), tools=tools, format=format)
    assert (record.stopped, record.output, seen) == ("paused", None, [])
    state = RunState.decode(record.state.encode())
    decisions: Any = {call.key: "yes" for call in record.waiting}
    rest = resume(Scripted(), tools, state, decisions=decisions, format=format, final=MEMORY_STORE)
    record = asyncio.run(rest)
    assert (record.stopped, seen) == ("answer", ["/a"])
    assert record.output == MemoryStoreParams(content="It is so.", tags=["a"])


def test_a_reference_to_a_secret_stays_one() -> None:
    record, _ = run(asks("openai", ("memory_store", {"content": "<secret_ref:KEY>"})))
    assert record.output.content == "<secret_ref:KEY>"


def test_a_name_that_a_tool_has_is_refused() -> None:
    tools, _ = registry()
    tools.register(MEMORY_STORE, lambda _p, _c: ToolResult.ok(""))
    with pytest.raises(ValueError, match="the name of a tool of the run, 'memory_store'"):
        run(asks("openai"), tools=tools)
