"""Budgets of tokens and cost, and calls that a run answers without making them."""

import asyncio
import json
import math
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents import Budget, Prices, Record, RunState, Usage, resume, run_tools
from toolcast.agents.answers import Answers, ReadAnswer
from toolcast.agents.events import Called, LoopEvent
from toolcast.agents.text_calls import TextAnswer
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from generated.memory.memory_store import MEMORY_STORE
from tests.agents.test_loop import record_in
from tests.runtime.sample.files.edit import EDIT

GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}
USER = [{"role": "user", "content": "Edit it."}]
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100}
PRICES = Prices(input=3, output=15)  # 0.0045 for each answer


def answer(calls: int = 1, reason: str = "", usage: Any = USAGE) -> dict[str, Any]:
    """An answer in OpenAI's chat format."""
    function = {"name": "edit", "arguments": json.dumps(GOOD)}
    made = [{"id": f"c{index}", "type": "function", "function": function} for index in range(calls)]
    message: dict[str, Any] = {"role": "assistant", "content": None if made else "Done."}
    message |= {"tool_calls": made} if made else {}
    choice = {"index": 0, "finish_reason": reason or ("tool_calls" if made else "stop"), "message": message}
    return {"choices": [choice], **({"usage": usage} if usage else {})}


def run(*answers: Any, format: str = "openai", **options: Any) -> Record:
    waiting = [*answers]

    async def model(_: list[Any], __: bytes) -> Any:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    registry = ToolRegistry()
    registry.register(EDIT, lambda params, _: ToolResult.ok(f"edited {params.file_path}"))
    return asyncio.run(run_tools(model, registry, USER, format=format, **options))


def all_answered(record: Record) -> None:
    asked = [call["id"] for message in record.messages for call in message.get("tool_calls", ())]
    replied = [message["tool_call_id"] for message in record.messages if message["role"] == "tool"]
    assert asked == replied


def test_a_run_records_what_it_used_and_cost() -> None:
    record = run(answer(), answer(), answer(0), budget=Budget(prices=PRICES))
    assert record.stopped == "answer"
    assert record.usage == Usage(input=3_000, output=300)
    assert record.cost == pytest.approx(0.0135)
    assert [each.usage for each in record.rounds] == [Usage(input=1_000, output=100)] * 3
    assert run(answer(0)).cost is None
    without = run(answer(usage=None), answer(0))
    assert without.usage == Usage(input=1_000, output=100)
    assert [each.usage for each in without.rounds] == [None, without.usage]
    assert run(answer(0, usage=None), budget=Budget(prices=PRICES)).cost is None


@pytest.mark.parametrize(
    ("budget", "exceeded", "words"),
    [
        (Budget(tokens=2_000), "tokens", "may use 2,000 tokens, and has used 2,200"),
        (Budget(tokens=2_200), "tokens", "may use 2,200 tokens, and has used 2,200"),
        (Budget(cost=0.008, prices=PRICES), "cost", "may cost 0.008, and has cost 0.009"),
    ],
)
def test_the_model_is_not_asked_past_the_budget(budget: Budget, exceeded: str, words: str) -> None:
    """The calls of the last answer do not run: nobody would read what they come to."""
    record = run(answer(2), answer(2), budget=budget)
    assert (record.stopped, record.exceeded, len(record.rounds)) == ("budget", exceeded, 2)
    assert [call.executed for call in record.calls] == [True, True, False, False]
    assert words in record.calls[-1].result.error
    all_answered(record)


def test_an_answer_past_the_budget_is_an_answer() -> None:
    record = run(answer(), answer(0), budget=Budget(tokens=1_500))
    assert (record.stopped, record.exceeded) == ("answer", None)


def test_a_budget_of_nothing_asks_once() -> None:
    record = run(answer(), budget=Budget(tokens=0))
    assert (record.stopped, record.exceeded, len(record.rounds)) == ("budget", "tokens", 1)


def test_a_paused_turn_ends_at_the_budget() -> None:
    usage = {"input_tokens": 90, "output_tokens": 10}
    paused = {"role": "assistant", "content": [], "stop_reason": "pause_turn", "usage": usage}
    record = run(paused, format="anthropic", budget=Budget(tokens=250))
    assert (record.stopped, record.exceeded, len(record.rounds)) == ("budget", "tokens", 3)


@pytest.mark.parametrize("budget", [Budget(tokens=10_000), Budget(cost=1, prices=PRICES)])
def test_a_budget_that_cannot_be_kept_is_an_error(budget: Budget) -> None:
    """A provider that does not say what it used would make the limit none."""
    with pytest.raises(
        ValueError, match="needs the usage of every answer, and this one states none"
    ) as raised:
        run(answer(), answer(0, usage=None), budget=budget)
    record = record_in(raised)
    assert (record.stopped, len(record.calls), record.usage) == ("error", 1, Usage(input=1_000, output=100))


def test_a_stream_without_usage_is_told_what_to_ask_for() -> None:
    async def model(_: list[Any], __: bytes) -> AsyncGenerator[Any]:
        yield {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}

    with pytest.raises(ValueError, match=r"stream_options=\{\"include_usage\": True\}"):
        asyncio.run(run_tools(model, ToolRegistry(), USER, format="openai", budget=Budget(tokens=5)))


@pytest.mark.parametrize("name", ["calls", "seconds", "tokens"])
@pytest.mark.parametrize("wrong", [-1, math.nan, math.inf])
def test_a_limit_is_a_number_from_0(name: str, wrong: float) -> None:
    with pytest.raises(ValueError, match=f"{name}: a limit must be a number from 0"):
        Budget(**{name: wrong})


def test_a_cost_needs_prices() -> None:
    with pytest.raises(ValueError, match="cost needs prices"):
        Budget(cost=1)


def test_a_call_that_was_cut_off_is_in_the_record() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "edit", "input": {}}
    cut = {"role": "assistant", "content": [block], "stop_reason": "max_tokens"}
    done = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}
    seen: list[LoopEvent] = []
    record = run(cut, done, format="anthropic", on_event=seen.append)
    assert record.stopped == "answer"
    [call] = record.calls
    assert (call.id, call.name, call.arguments, call.executed) == ("t1", "edit", {}, False)
    assert call.result.error in json.dumps(record.messages)
    assert [event.call for event in seen if isinstance(event, Called)] == [call]


def test_a_custom_call_that_no_tool_takes_is_in_the_record() -> None:
    asked = answer(0)
    custom = {"id": "c9", "type": "custom", "custom": {"name": "edit", "input": "put y for x"}}
    asked["choices"][0]["message"]["tool_calls"] = [custom]
    record = run(asked, answer(0))
    assert (record.stopped, len(record.rounds)) == ("answer", 2)
    [call] = record.calls
    assert (call.id, call.arguments, call.executed) == ("c9", "put y for x", False)
    all_answered(record)


def test_a_value_without_a_name_that_no_tool_takes_is_in_the_record() -> None:
    record = run("<tool_call>edit>put y for x</tool_call>", "Done.", format="text")
    [call] = record.calls
    assert (call.name, call.arguments) == ("edit", "put y for x")
    assert not call.result.success


def test_a_resumed_run_counts_on() -> None:
    """The state has what was used, and an answer counts once."""
    registry = ToolRegistry(policy=Policy())
    registry.register(EDIT, lambda *_: ToolResult.ok("edited"))
    budget = Budget(tokens=2_000, prices=PRICES)

    async def model(_: list[Any], __: bytes) -> Any:
        return answer(2)

    first = asyncio.run(run_tools(model, registry, USER, format="openai", budget=budget))
    assert (first.stopped, first.exceeded, first.usage) == ("paused", None, Usage(input=1_000, output=100))
    state = RunState.decode(first.state.encode())
    decisions = {call.key: "yes" for call in state.waiting}
    again = resume(model, registry, state, decisions=decisions, format="openai", budget=budget)
    record = asyncio.run(again)
    assert (record.stopped, record.exceeded) == ("budget", "tokens")
    assert record.usage == Usage(input=2_000, output=200)
    assert record.cost == pytest.approx(0.009)
    assert [each.usage for each in record.rounds] == [None, Usage(input=1_000, output=100)]
    assert [call.executed for call in record.calls] == [True, True, False, False]


def test_an_error_in_place_of_an_answer() -> None:
    record = run({"error": {"code": 529, "message": "Overloaded"}})
    assert (record.stopped, record.detail) == ("provider_error", "529: Overloaded")
    assert (len(record.rounds), record.messages) == (1, tuple(USER))


@pytest.mark.parametrize(
    ("stop", "stopped"),
    [
        ("content_filter", "filtered"),
        ("SAFETY", "filtered"),
        ("refusal", "refusal"),
        ("error", "provider_error"),
        ("max_tokens", "cut"),
        ("end_turn", "answer"),
    ],
)
def test_text_answers_end_for_the_same_reasons(stop: str, stopped: str) -> None:
    record = run(TextAnswer("It is", stop, Usage(input=5, output=2)), format="text")
    assert (record.stopped, record.usage) == (stopped, Usage(input=5, output=2))
    assert record.detail == ("" if stopped == "answer" else stop)


def test_calls_of_a_text_that_was_filtered_do_not_run() -> None:
    call = f"<tool_call>{json.dumps({'name': 'edit', 'arguments': GOOD})}</tool_call>"
    record = run(TextAnswer(call, "content_filter"), format="text")
    assert (record.stopped, record.calls) == ("filtered", ())


class Own(Answers):
    """An adapter that knows what its answers used."""

    def __init__(self, tools: Any) -> None:
        self.tools = tools

    def read(self, response: Any) -> ReadAnswer:
        return ReadAnswer(messages=[response], calls=response, usage=Usage(input=10, output=len(response)))

    async def execute(self, calls: Any, context: ToolContext | None = None) -> list[ToolResult]:
        return [await self.tools.execute(name, GOOD, context=context) for name in calls]

    def render(self, answer: ReadAnswer, results: Any) -> list[Any]:
        assert len(answer.calls) == len(results)
        return [*results]


def test_an_adapter_of_ones_own_states_usage() -> None:
    async def model(_: list[Any], __: bytes) -> Any:
        return ["edit"]

    registry = ToolRegistry()
    registry.register(EDIT, lambda *_: ToolResult.ok("edited"))
    made = run_tools(model, registry, [], dispatcher=Own, provider="openai", budget=Budget(tokens=20))
    record = asyncio.run(made)
    assert (record.stopped, record.usage) == ("budget", Usage(input=20, output=2))


def test_a_final_output_past_the_budget_counts() -> None:
    """It is the answer, and nothing is carried out for it."""
    stored = {"content": "Paris is the capital."}

    def ending() -> dict[str, Any]:
        made = answer(2)
        made["choices"][0]["message"]["tool_calls"][1]["function"] = {
            "name": "memory_store",
            "arguments": json.dumps(stored),
        }
        return made

    record = run(ending(), final=MEMORY_STORE, budget=Budget(tokens=1_000))
    assert (record.stopped, record.output) == ("answer", MEMORY_STORE.decode(stored))
    assert [call.executed for call in record.calls] == [False, True]
    withheld = ending()
    withheld["choices"][0]["finish_reason"] = "content_filter"
    stopped = run(withheld, final=MEMORY_STORE)
    assert (stopped.stopped, stopped.output) == ("filtered", None)


COUNTS = st.integers(0, 10**9)
USAGES = st.builds(Usage, input=COUNTS, output=COUNTS, cached=COUNTS, cache_write=COUNTS, reasoning=COUNTS)


def test_a_cost() -> None:
    used = Usage(input=1_000_000, output=200_000, cached=600_000, cache_write=100_000, reasoning=150_000)
    # 300,000 at 3, 600,000 at 0.3, 100,000 at 3.75, 200,000 at 15.
    prices = Prices(input=3, output=15, cached=0.3, cache_write=3.75)
    assert prices.cost(used) == pytest.approx(0.9 + 0.18 + 0.375 + 3)
    assert Prices(input=3, output=15).cost(used) == pytest.approx(6)
    assert used.total == 1_200_000


@given(USAGES, USAGES)
def test_a_sum_has_the_sum_of_the_counts(one: Usage, other: Usage) -> None:
    both = one + other
    for name in Usage.__struct_fields__:
        assert getattr(both, name) == getattr(one, name) + getattr(other, name)
    assert both == other + one
    assert one + Usage() == one
    assert sum([one, other], Usage()) == both


@given(USAGES)
def test_no_cost_is_below_that_of_the_output(used: Usage) -> None:
    """Also where a provider says that more came from a cache than was read."""
    assert Prices(input=1, output=2).cost(used) >= used.output * 2 / 1_000_000


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["input", "output", "cached", "cache_write"])
def test_prices_are_numbers_from_0(name: str, wrong: float) -> None:
    with pytest.raises(ValueError, match=f"{name}: a price must be a number from 0"):
        Prices(**{"input": 1.0, "output": 1.0, name: wrong})


def test_only_usage_is_added_to_usage() -> None:
    with pytest.raises(TypeError):
        Usage() + 1  # type: ignore[operator]
