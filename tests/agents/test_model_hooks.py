"""Hooks around the calls of the model."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.agents import ModelRequest, Record, record_of, run_tools
from toolcast.agents.dispatch import Discarded, TextPiece
from toolcast.agents.events import LoopEvent, Stopped

from tests.agents.dispatch.streaming import STREAMS
from tests.agents.test_streamed_runs import USER, Tools, asked, chunks, events_of, facts, streaming, whole

CALLS = events_of("openai", asked("openai", "/a"))
DONE = events_of("openai", [])


class RateLimitError(Exception):
    """As clients raise it."""


def run(model: Any, *hooks: Any, format: str = "openai") -> tuple[Record, list[LoopEvent]]:
    seen: list[LoopEvent] = []
    record = asyncio.run(
        run_tools(
            model, Tools(), USER, format=format, provider="openai", on_event=seen.append, around_model=hooks
        )
    )
    return record, seen


async def retry(request: ModelRequest, proceed: Any) -> Any:
    for _ in range(3):
        try:
            return await proceed(request)
        except RateLimitError:
            continue
    return await proceed(request)


def test_hooks_run_the_outermost_first_and_get_every_request() -> None:
    order: list[Any] = []

    def hook(name: str) -> Any:
        async def around(request: ModelRequest, proceed: Any) -> Any:
            order.append((name, request.round, len(request.messages)))
            response = await proceed(request)
            order.append((name, response["choices"][0]["finish_reason"]))
            return response

        return around

    record, _ = run(streaming(CALLS, DONE), hook("a"), hook("b"))
    assert record.stopped == "answer"
    assert order == [
        *(("a", 1, 1), ("b", 1, 1), ("b", "tool_calls"), ("a", "tool_calls")),
        *(("a", 2, 3), ("b", 2, 3), ("b", "tool_calls"), ("a", "tool_calls")),
    ]


def test_what_a_hook_changes_is_asked_with_and_not_kept() -> None:
    asked_with: list[Any] = []

    async def model(messages: list[Any], definitions: bytes) -> Any:
        asked_with.append((messages, definitions))
        return whole("openai", CALLS if len(asked_with) == 1 else DONE)

    async def change(request: ModelRequest, proceed: Any) -> Any:
        return await proceed(replace(request, messages=request.messages[-1:], definitions=b"[]"))

    record, _ = run(model, change)
    assert [(len(messages), definitions) for messages, definitions in asked_with] == [(1, b"[]"), (1, b"[]")]
    assert [message["role"] for message in record.messages] == ["user", "assistant", "tool", "assistant"]
    assert record.messages[0] is USER[0]


def test_a_rate_limit_is_retried() -> None:
    script = [RateLimitError(), RateLimitError(), whole("openai", DONE)]

    async def model(_messages: list[Any], _definitions: bytes) -> Any:
        answer = script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    record, _ = run(model, retry)
    assert (record.stopped, len(record.rounds)) == ("answer", 1)
    script[:] = [RateLimitError()] * 4
    with pytest.raises(RateLimitError) as raised:
        run(model, retry)
    failed = record_of(raised.value)
    assert failed is not None
    assert failed.stopped == "provider_error"


def test_a_hook_asks_with_messages_and_not_with_one_text() -> None:
    async def summarised(request: ModelRequest, proceed: Any) -> Any:
        summary: Any = "Edit it."
        return await proceed(replace(request, messages=summary))

    with pytest.raises(TypeError, match="must be a list"):
        run(streaming(CALLS, DONE), summarised)


@pytest.mark.parametrize("format", STREAMS)
def test_a_stream_that_is_asked_for_again_takes_back_its_pieces(format: str) -> None:
    events = events_of(format, asked(format, "/a"))

    async def broken() -> AsyncIterator[Any]:
        for event in events[:-2]:
            yield event
        raise RateLimitError

    script = [broken(), chunks(events), chunks(events_of(format, []))]
    record, seen = run(lambda _m, _d: script.pop(0), retry, format=format)
    expected, told = run(streaming(events, events_of(format, [])), format=format)
    assert facts(record) == facts(expected)
    at = seen.index(Discarded())
    assert [type(event) for event in seen[at + 1 :]] == [type(event) for event in told[1:]]


def test_an_answer_from_elsewhere_takes_back_the_pieces_of_the_stream() -> None:
    other = whole("openai", DONE)

    async def instead(request: ModelRequest, proceed: Any) -> Any:
        await proceed(request)
        return other

    record, seen = run(streaming(CALLS), instead)
    assert record.response is other
    assert record.calls == ()
    last = max(at for at, event in enumerate(seen) if isinstance(event, TextPiece))
    assert seen[last:].count(Discarded()) == 1

    async def cached(_request: ModelRequest, _proceed: Any) -> Any:
        return other

    record, seen = run(streaming(), cached)
    assert Discarded() not in seen
    assert record.stopped == "answer"


def test_a_hook_may_stream_from_another_model() -> None:
    async def fall_back(request: ModelRequest, proceed: Any) -> Any:
        try:
            return await proceed(request)
        except RateLimitError:
            return chunks(DONE)

    async def busy(_messages: list[Any], _definitions: bytes) -> Any:
        raise RateLimitError

    async def check(request: ModelRequest, proceed: Any) -> Any:
        response = await proceed(request)
        assert response == whole("openai", DONE)
        return response

    record, seen = run(busy, check, fall_back)
    assert record.stopped == "answer"
    assert any(isinstance(event, TextPiece) for event in seen)
    assert isinstance(seen[-1], Stopped)
