"""Runs whose model streams: the same record as of a plain answer, whatever the cuts; events as they come."""

import asyncio
import json
import threading
import tracemalloc
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, redirect_stdout
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents import (
    Budget,
    Record,
    in_thread,
    record_of,
    run_tools,
    stream_resume,
    stream_tools,
)
from toolcast.agents.answers import Answers, AnswerStream, ReadAnswer
from toolcast.agents.dispatch import (
    ArgumentsPiece,
    Assembler,
    CallBegun,
    Discarded,
    DispatchError,
    Piece,
    TextPiece,
)
from toolcast.agents.events import Called, Calling, LoopEvent, RoundEnded, RoundStarted, Stopped
from toolcast.agents.text_answers import MAX_STREAMED_TEXT, TextPieces
from toolcast.agents.text_calls import TextAnswer
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from tests.agents.dispatch.answers import TEXT, Asked, id_for
from tests.agents.dispatch.streaming import IN_PIECES, STREAMS, dump
from tests.agents.test_loop import record_in
from tests.loops import in_loop
from tests.runtime.sample.files.edit import EDIT, EditParams

USER = [{"role": "user", "content": "Edit it."}]


class Tools(ToolRegistry):
    """A tool that notes what it was called with."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.paths: list[str] = []
        self.register(EDIT, self.edit)

    async def edit(self, params: EditParams, _: ToolContext) -> ToolResult:
        self.paths.append(params.file_path)
        return ToolResult.ok(f"edited {params.file_path}")


def asked(format: str, *paths: str) -> list[Asked]:
    return [
        Asked(id_for(format, i), "edit", dump({"file_path": path, "old_string": "ä", "new_string": "b"}))
        for i, path in enumerate(paths)
    ]


def events_of(format: str, calls: list[Asked], data: st.DataObject | None = None) -> list[dict[str, Any]]:
    """A stream of calls, cut and interleaved as `data` says."""

    def cut(text: str) -> list[str]:
        if data is None:
            return [text[:7], text[7:]]
        places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
        return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]

    def order(n: int) -> int:
        return 0 if data is None else data.draw(st.integers(0, n - 1))

    return list(STREAMS[format](calls, [cut(call.text) for call in calls], order))


async def chunks(events: Iterable[Any]) -> AsyncIterator[Any]:
    for event in events:
        await asyncio.sleep(0)
        yield event


def streaming(*scripts: Sequence[Any]) -> Callable[[list[Any], bytes], AsyncIterator[Any]]:
    waiting = [*scripts]
    return lambda _messages, _definitions: chunks(waiting.pop(0))


def plain(*answers: Any) -> Callable[[list[Any], bytes], Any]:
    waiting = [*answers]

    async def model(_messages: list[Any], _definitions: bytes) -> Any:
        return waiting.pop(0)

    return model


def whole(format: str, events: Iterable[Any]) -> dict[str, Any]:
    stream = Assembler(format)
    for event in events:
        stream.feed(event)
    return stream.response()


def run(model: Any, tools: ToolRegistry | None = None, **options: Any) -> tuple[Record, list[LoopEvent]]:
    seen: list[LoopEvent] = []
    if options.get("format") != "text":
        options.setdefault("provider", "openai")
    made = run_tools(model, tools or Tools(), USER, on_event=seen.append, **options)
    return asyncio.run(made), seen


def facts(record: Record) -> Any:
    """A record without its times."""
    calls = [(call.id, call.name, call.arguments, call.result, call.executed) for call in record.calls]
    rounds = [(each.number, each.response) for each in record.rounds]
    return record.stopped, record.detail, record.messages, calls, rounds


@given(st.sampled_from([*STREAMS]), st.lists(st.sampled_from(["/a", "/é", "/c"]), max_size=3), st.data())
def test_the_record_does_not_depend_on_the_cuts(format: str, paths: list[str], data: st.DataObject) -> None:
    calls = asked(format, *paths)
    script = [events_of(format, calls), events_of(format, [])]
    expected, _ = run(plain(*(whole(format, events) for events in script)), format=format)
    assert [call.result.output for call in expected.calls] == [f"edited {path}" for path in paths]
    record, seen = run(streaming(events_of(format, calls, data), events_of(format, [], data)), format=format)
    assert facts(record) == facts(expected)
    begun = [event for event in seen if isinstance(event, CallBegun)]
    assert [(event.index, event.name, event.id) for event in begun] == [
        (at, call.name, call.id) for at, call in enumerate(calls)
    ]
    if format in IN_PIECES:
        for at, call in enumerate(calls):
            pieces = [each.text for each in seen if isinstance(each, ArgumentsPiece) and each.index == at]
            assert "".join(pieces) == call.text


@pytest.mark.parametrize("format", STREAMS)
def test_the_events_of_a_streamed_run_in_their_order(format: str) -> None:
    script = events_of(format, asked(format, "/a")), events_of(format, [])
    _, seen = run(streaming(*script), format=format)
    kinds = [type(event) for event in seen]
    order = [kind for at, kind in enumerate(kinds) if at == 0 or kinds[at - 1] is not kind]
    steps = (
        RoundStarted, CallBegun, ArgumentsPiece, Calling, Called, RoundEnded, RoundStarted, RoundEnded,
        Stopped,
    )  # fmt: skip
    assert [kind for kind in order if kind in steps] == [*steps]
    if format != "cohere":  # its plan is a thought
        text = "".join(event.text for event in seen if isinstance(event, TextPiece))
        assert text == 2 * TEXT


@given(st.sampled_from([*STREAMS]), st.booleans(), st.data())
def test_a_stream_that_breaks_runs_nothing(format: str, by_error: bool, data: st.DataObject) -> None:
    first, events = events_of(format, asked(format, "/a")), events_of(format, asked(format, "/b"), data)
    ends = next(at for at in range(len(events)) if complete(format, events[: at + 1]))
    kept = events[: data.draw(st.integers(0, ends))]

    async def broken() -> AsyncIterator[Any]:
        for event in kept:
            yield event
        if by_error:
            raise ConnectionError("reset")

    script = [chunks(first), broken()]
    tools = Tools()
    with pytest.raises(ConnectionError if by_error else DispatchError, match=r"reset|broke off") as raised:
        run(lambda _m, _d: script.pop(0), tools, format=format)
    record = record_in(raised)
    assert (record.stopped, len(record.rounds), tools.paths) == ("provider_error", 1, ["/a"])
    again, _ = run(streaming(events_of(format, [])), format=format)  # the conversation is whole
    assert again.stopped == "answer"


def complete(format: str, events: Iterable[Any]) -> bool:
    stream = Assembler(format)
    for event in events:
        stream.feed(event)
    return stream.complete


def test_a_server_that_never_marks_the_end() -> None:
    events = events_of("openai", asked("openai", "/a"))
    unmarked = [event for event in events if not any(each["finish_reason"] for each in event["choices"])]
    tools = Tools()
    run(streaming([*unmarked, "[DONE]"], events_of("openai", [])), tools, format="openai")
    assert tools.paths == ["/a"]


CALL = dump({"name": "edit", "arguments": {"file_path": "/a", "old_string": "x", "new_string": "y"}})


@given(st.lists(st.integers(0, 200), max_size=8), st.booleans())
def test_text_in_pieces(places: list[int], with_reason: bool) -> None:
    text = f"I will.\n<tool_call>{CALL}</tool_call>\nSo."
    at = sorted({place % len(text) for place in places})
    pieces: list[Any] = [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]
    reason = "stop" if with_reason else ""
    if with_reason:
        pieces[-1] = TextAnswer(pieces[-1], reason)
    expected, _ = run(plain(TextAnswer(text, reason), TextAnswer("Done.")), format="text")
    record, seen = run(streaming(pieces, ["Do", "ne."]), format="text")
    assert facts(record) == facts(expected)
    told = [event for event in seen if isinstance(event, (TextPiece, CallBegun, ArgumentsPiece))]
    assert "".join(each.text for each in told if isinstance(each, TextPiece)) == "I will.\n\nSo.Done."
    assert [each for each in told if isinstance(each, CallBegun)] == [CallBegun(0, "edit")]
    assert (
        json.loads("".join(each.text for each in told if isinstance(each, ArgumentsPiece)))["file_path"]
        == "/a"
    )


def test_a_call_in_text_that_the_stream_cuts_off_does_not_run() -> None:
    tools = Tools()
    script = ["<tool_call>", CALL, TextAnswer("", "length")], ["Done."]
    record, _ = run(streaming(*script), tools, format="text")
    assert tools.paths == []
    assert "send the call again" in record.messages[2]["content"]


def test_a_thought_without_a_beginning_takes_back_what_was_told() -> None:
    _, seen = run(streaming(["I think", " so.</think>", "Yes."]), format="text")
    at = seen.index(Discarded())
    assert "".join(each.text for each in seen[at:] if isinstance(each, TextPiece)) == "Yes."


def test_a_text_is_bounded_and_empty_pieces_cost_nothing() -> None:
    stream = TextPieces("auto")
    tracemalloc.start()
    for _ in range(100_000):
        stream.feed("")
    assert tracemalloc.get_traced_memory()[0] < 100_000
    tracemalloc.stop()
    with pytest.raises(DispatchError, match="too large"):
        stream.feed("x" * (MAX_STREAMED_TEXT + 1))


def test_a_text_format_with_values_one_by_one() -> None:
    pairs = "<arg_key>file_path</arg_key><arg_value>/a</arg_value>"
    _, seen = run(
        streaming([f"<tool_call>edit{pairs}</tool_call>"], ["Done."]), format="text", text_format="glm4"
    )
    assert ArgumentsPiece(0, "/a", "file_path") in seen


@pytest.mark.parametrize("chunk", [{"text": "a"}, None, b"a"])
def test_a_stream_of_text_has_nothing_but_text(chunk: Any) -> None:
    with pytest.raises(TypeError, match="A stream of text has str and TextAnswer"):
        run(streaming([chunk]), format="text")


@in_loop
async def test_the_run_waits_for_who_takes_its_events() -> None:
    made = 0

    async def model(_messages: list[Any], _definitions: bytes) -> AsyncIterator[Any]:
        nonlocal made
        for _ in range(1000):
            made += 1
            yield {"choices": [{"index": 0, "delta": {"content": "x"}}]}

    async with aclosing(stream_tools(model, Tools(), USER, format="openai")) as events:
        async for event in events:
            if isinstance(event, TextPiece):
                await asyncio.sleep(0.01)
                break
    assert made < 5


def test_an_async_observer_is_waited_for() -> None:
    order: list[Any] = []

    async def model(_messages: list[Any], _definitions: bytes) -> AsyncIterator[Any]:
        for at in range(3):
            order.append(at)
            yield {"choices": [{"index": 0, "delta": {"content": str(at)}}]}
        yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

    async def observe(event: LoopEvent) -> None:
        await asyncio.sleep(0.001)
        if isinstance(event, TextPiece):
            order.append(event.text)
        raise RuntimeError("is logged")

    asyncio.run(run_tools(model, Tools(), USER, format="openai", on_event=observe))
    assert order == [0, "0", 1, "1", 2, "2"]


class Manager:
    """What is entered for a stream, as clients' managers are."""

    def __init__(self, events: Iterable[Any]) -> None:
        self.events = events
        self.left = False

    async def __aenter__(self) -> AsyncIterator[Any]:
        return chunks(self.events)

    async def __aexit__(self, *_: object) -> None:
        self.left = True


def test_a_manager_of_a_stream_is_entered_and_left() -> None:
    manager = Manager(events_of("openai", []))
    record, _ = run(lambda _m, _d: manager, format="openai")
    assert (record.stopped, manager.left) == ("answer", True)

    @asynccontextmanager
    async def opened() -> AsyncGenerator[AsyncIterator[Any]]:
        yield chunks(events_of("openai", []))

    record, _ = run(plain(opened()), format="openai")
    assert record.stopped == "answer"


@pytest.mark.parametrize("how", ["close", "cancel"])
@in_loop
async def test_closing_cancels_the_run_and_closes_the_providers_stream(how: str) -> None:
    closed: list[str] = []
    waits = asyncio.Event()

    async def model(_messages: list[Any], _definitions: bytes) -> AsyncIterator[Any]:
        try:
            yield {"choices": [{"index": 0, "delta": {"content": "x"}}]}
            waits.set()
            await asyncio.sleep(60)
        finally:
            closed.append("stream")

    def observe(event: LoopEvent) -> None:
        if isinstance(event, Stopped):
            closed.append(event.record.stopped)

    async def take() -> None:
        events = stream_tools(model, Tools(), USER, format="openai", on_event=observe)
        async with aclosing(events):
            async for event in events:
                if how == "close" and isinstance(event, TextPiece):
                    break

    task = asyncio.create_task(take())
    if how == "cancel":
        await waits.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        record = record_in(raised)
        assert record.stopped == "cancelled"
    await asyncio.wait([task])
    assert closed == ["stream", "cancelled"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


@in_loop
async def test_closing_cancels_handlers_and_waits_for_them() -> None:
    left: list[str] = []
    begun = asyncio.Event()

    async def hang(_params: EditParams, _: ToolContext) -> str:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            left.append("handler")
        return ""

    tools = ToolRegistry()
    tools.register(EDIT, hang)
    model = streaming(events_of("openai", asked("openai", "/a", "/b")))
    async with aclosing(stream_tools(model, tools, USER, format="openai")) as events:
        async for event in events:
            if isinstance(event, Calling):
                await begun.wait()
                break
    assert left
    assert asyncio.all_tasks() == {asyncio.current_task()}


@in_loop
async def test_an_observer_that_never_returns_does_not_outlive_a_cancellation() -> None:
    waits = asyncio.Event()

    async def observe(event: LoopEvent) -> None:
        if isinstance(event, TextPiece):
            waits.set()
            await asyncio.sleep(60)

    model = streaming(events_of("openai", []))
    task = asyncio.create_task(run_tools(model, Tools(), USER, format="openai", on_event=observe))
    await waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as raised:
        await task
    record = record_in(raised)
    assert record.stopped == "cancelled"


def collected(model: Any, **options: Any) -> tuple[list[LoopEvent], BaseException | None]:
    seen: list[LoopEvent] = []

    async def main() -> None:
        async for event in stream_tools(model, Tools(), USER, **options):
            seen.append(event)

    try:
        asyncio.run(main())
    except Exception as problem:
        return seen, problem
    return seen, None


def test_the_events_are_those_of_the_observer_and_what_is_raised_comes_after_them() -> None:
    script = events_of("openai", asked("openai", "/a", "/b")), events_of("openai", [])
    seen, problem = collected(streaming(*script), format="openai", provider="openai")
    record, observed = run(streaming(*script), format="openai")
    assert problem is None
    assert [type(event) for event in seen] == [type(event) for event in observed]
    assert isinstance(seen[-1], Stopped)
    assert facts(seen[-1].record) == facts(record)

    async def broken(_messages: list[Any], _definitions: bytes) -> Any:
        raise ConnectionError("no route")

    seen, problem = collected(broken, format="openai")
    assert isinstance(problem, ConnectionError)
    assert isinstance(seen[-1], Stopped)
    assert record_of(problem) is seen[-1].record
    seen, problem = collected(broken, format="smoke")
    assert (seen, type(problem)) == ([], ValueError)


def test_a_resumed_run_is_streamed() -> None:
    tools = ToolRegistry(policy=Policy("supervised"))
    tools.register(EDIT, lambda params, _: f"edited {params.file_path}")
    record, _ = run(streaming(events_of("openai", asked("openai", "/a"))), tools, format="openai")
    decisions: Any = {call.key: "yes" for call in record.waiting}

    async def main() -> list[LoopEvent]:
        model = streaming(events_of("openai", []))
        events = stream_resume(model, tools, record.state, decisions=decisions, format="openai")
        return [event async for event in events]

    seen = asyncio.run(main())
    assert [type(event) for event in seen if not isinstance(event, TextPiece)] == [
        *(Calling, Called, RoundEnded, RoundStarted, RoundEnded, Stopped),
    ]
    [called] = [event for event in seen if isinstance(event, Called)]
    assert called.call.result.output == "edited /a"


def test_the_seconds_of_the_budget_hold_within_a_stream() -> None:
    async def model(_messages: list[Any], _definitions: bytes) -> AsyncIterator[Any]:
        yield {"choices": [{"index": 0, "delta": {"content": "x"}}]}
        await asyncio.sleep(60)

    record, _ = run(model, format="openai", budget=Budget(seconds=0.05))
    assert (record.stopped, record.exceeded) == ("budget", "seconds")


class Blocking:
    """A stream of a client that is not async."""

    def __init__(self, events: Iterable[Any]) -> None:
        self.events = [*events]
        self.closed = threading.Event()

    def __iter__(self) -> Iterator[Any]:
        for event in self.events:
            if event == "wait":
                self.closed.wait(60)
                return
            yield event

    def close(self) -> None:
        self.closed.set()


def test_a_stream_that_blocks_is_read_in_a_thread() -> None:
    events = Blocking(events_of("openai", []))
    record, _ = run(lambda _m, _d: in_thread(events), format="openai")
    assert (record.stopped, events.closed.is_set()) == ("answer", True)
    manager = redirect_stdout(None)
    for stream in (events, iter(events), manager):
        with pytest.raises(TypeError, match="in_thread"):
            run(plain(stream), format="openai")


@in_loop
async def test_closing_ends_a_thread_that_waits() -> None:
    events = Blocking([{"choices": [{"index": 0, "delta": {"content": "x"}}]}, "wait"])
    run = stream_tools(lambda _m, _d: in_thread(events), Tools(), USER, format="openai")
    async with aclosing(run):
        async for event in run:
            if isinstance(event, TextPiece):
                await asyncio.sleep(0.02)
                assert not events.closed.is_set()
                break
    assert events.closed.is_set()


class Letters(AnswerStream):
    """Puts letters together."""

    def __init__(self) -> None:
        self.whole = ""

    def feed(self, chunk: Any) -> Sequence[Piece]:
        self.whole += chunk
        return [TextPiece(chunk)]

    def response(self) -> Any:
        return self.whole


class Own(Answers):
    """An adapter of a program's own, whose answers are texts without calls; it reads no streams."""

    def __init__(self, _tools: Any) -> None: ...

    def read(self, response: Any) -> ReadAnswer:
        return ReadAnswer(messages=[response], calls=())

    async def execute(self, calls: Sequence[Any], context: ToolContext | None = None) -> Sequence[ToolResult]:
        return [ToolResult.failed(f"{call} of {context}") for call in calls]

    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[Any]:
        return [] if answer.calls else results


class Lettered(Own):
    """The same, with streams."""

    def stream(self) -> AnswerStream:
        return Letters()


def test_an_adapter_may_have_streams_of_its_own() -> None:
    record, seen = run(streaming("Done."), dispatcher=Lettered)
    assert (record.stopped, record.response) == ("answer", "Done.")
    assert [event.text for event in seen if isinstance(event, TextPiece)] == [*"Done."]


class Empty(Answers):
    """An adapter without the steps that each needs."""

    def __init__(self, _tools: Any) -> None: ...


def test_an_adapter_that_lacks_a_step_is_refused_with_the_steps() -> None:
    with pytest.raises(TypeError, match="execute, read, render"):
        run(streaming("Done."), dispatcher=Empty)


def test_an_adapter_without_streams_says_so() -> None:
    with pytest.raises(TypeError, match="Own reads no streams"):
        run(streaming([]), dispatcher=Own)
