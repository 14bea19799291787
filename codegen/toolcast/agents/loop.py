"""The loop of an agent: ask the model, carry out what it calls, answer, ask again.

The model is any async callable, or one that streams; no provider's client is imported.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .answers import Answers, ReadAnswer, WireAnswers
from .budget import Budget
from .disclosure import Disclosure
from .events import Called, Calling, LoopEvent, RoundEnded, RoundStarted, Stopped
from .model_calls import Model, ModelCalls
from .record import CallRecord, Limit, Record, Round, Stop, attach_record
from .tool_calls import ToolCalls

if TYPE_CHECKING:
    from .text_calls import TextFormat

Observer = Callable[[LoopEvent], Awaitable[None] | None]
"""Receives the events of a run. The run waits for an async one."""

_AGAIN = (
    "The call of a tool in your last answer could not be read, and nothing was done. Send the call again, "
    "with arguments in valid JSON."
)
MALFORMED = 1
"""Answers with a call that cannot be read, one after another, that are answered before the run ends."""


async def run_tools(
    model: Model,
    tools: ToolView | Disclosure,
    messages: Sequence[Any],
    *,
    format: str | None = None,
    text_format: "str | TextFormat | None" = None,
    dispatcher: Callable[[ToolView], Answers] | None = None,
    provider: str | None = None,
    max_rounds: int = 10,
    budget: Budget | None = None,
    repeats: int = 3,
    limit: int = 8,
    context: ToolContext | None = None,
    on_event: Observer | None = None,
) -> Record:
    """Ask a model, carry out its calls and answer them, until it calls no tool or something stops the run.

    A run is a turn of a Disclosure: it begins with `next_turn`. Cancellation, and what the model or the
    dispatcher raises, pass through; the record is on the exception (`record_of`), and `on_event` gets it in
    `Stopped`.

    Args:
        model: an async function from the messages and the JSON array of definitions to the provider's
            response, or to a stream of it: an async iterable of its chunks, or a manager of one. For "text"
            to a str, or a `TextAnswer`, which also has the reason to stop, or a stream of these. An async
            generator of chunks is one, too.
        tools: a registry, a selection, or a Disclosure.
        messages: the conversation so far; it is not changed.
        format: a wire format of `toolcast.agents.dispatch`, or "text"; or else `dispatcher`.
        text_format: for "text": the text format in which the model is asked to call, is read, and gets
            results; by default it is asked in the canonical form, and read in any with marks.
        dispatcher: a function that makes an adapter of your own for the tools that it gets.
        provider: id of the provider of the definitions; by default the Disclosure's own, else the format's
            name.
        max_rounds: answers of the model at most.
        budget: calls and seconds at most.
        repeats: failures of the same call with the same arguments that stop the run.
        limit: calls that run at once.
        context: circumstances for every handler; the id and the tool of each call are filled in.
        on_event: receives every step, and what a stream adds; what it raises is logged. The run waits for an
            async one, and the provider's stream with it.

    Returns:
        The record of the run.

    Raises:
        ValueError: a limit is below 1, not exactly one of `format` and `dispatcher` is set, or `text_format`
            is set without "text", unknown, or without a prompt.
    """
    if (format is None) == (dispatcher is None):
        raise ValueError("Give one of format= and dispatcher=.")
    if text_format is not None and format != "text":
        raise ValueError('text_format= is for format="text".')
    if max_rounds < 1 or repeats < 1 or limit < 1:
        raise ValueError("max_rounds, repeats and limit must be at least 1.")
    calls = ToolCalls(tools.tools if isinstance(tools, Disclosure) else tools, budget or Budget(), repeats)
    if dispatcher is not None:
        answers = dispatcher(calls.tools)
    elif format == "text":
        from .text_answers import TextAnswers

        answers = TextAnswers(calls.tools, limit, text_format)
    else:
        answers = WireAnswers(calls.tools, str(format), _dialect(tools, provider, format), limit)
    definitions = _definitions(tools, format, provider, text_format)
    run = _Run(model, answers, definitions, calls, list(messages), context, on_event)
    return await run.to_end(max_rounds)


def _dialect(tools: ToolView | Disclosure, provider: str | None, format: str | None) -> str:
    """The provider whose definitions the model sees."""
    if isinstance(tools, Disclosure):
        if provider is not None and provider != tools.provider:
            raise ValueError(f"The tools are disclosed to {tools.provider!r}, not {provider!r}.")
        return tools.provider
    chosen = provider if provider is not None else format
    if chosen is None:
        raise ValueError("A dispatcher of your own needs provider=, for the definitions.")
    return chosen


def _definitions(
    tools: ToolView | Disclosure,
    format: str | None,
    provider: str | None,
    text_format: "str | TextFormat | None",
) -> Callable[[], bytes]:
    """What makes each round's definitions; for text the block for the system prompt."""
    if isinstance(tools, Disclosure):
        _dialect(tools, provider, format)
        if format == "text":
            raise ValueError("Text shows tools in the system prompt; give the registry, not a Disclosure.")
        tools.next_turn()
        return tools.definitions
    if format == "text":
        from .text_calls import instructions

        chosen = text_format or "toolcast"
        instructions(tools, format=chosen)  # refused before the first round
        return lambda: instructions(tools, format=chosen).encode()
    dialect = _dialect(tools, provider, format)
    return lambda: tools.definitions(dialect)


class _StopRunError(Exception):
    """The run ends here."""

    def __init__(self, stop: Stop, *, exceeded: Limit | None = None, detail: str = "") -> None:
        super().__init__(stop)
        self.stop = stop
        self.exceeded = exceeded
        self.detail = detail


class _Run:
    """One run: its conversation, and what it has recorded so far."""

    def __init__(
        self,
        model: Model,
        answers: Answers,
        definitions: Callable[[], bytes],
        calls: ToolCalls,
        messages: list[Any],
        context: ToolContext | None,
        on_event: Observer | None,
    ) -> None:
        self._model = ModelCalls(model, answers, self._notify)
        self._answers = answers
        self._definitions = definitions
        self._calls = calls
        self._messages = messages
        self._context = context
        self._on_event = on_event
        self._rounds: list[Round] = []
        self._number = 0
        self._asking = False  # the model is being called
        self._malformed = 0  # answers with a call that could not be read, one after another
        self._begun = time.monotonic()
        calls.starting = self._calling
        calls.notify = self._called

    async def to_end(self, max_rounds: int) -> Record:
        """Every round; the record."""
        try:
            for number in range(1, max_rounds + 1):
                self._number = number
                await self._round()
            return await self._end(_StopRunError("rounds"))
        except _StopRunError as stop:
            return await self._end(stop)
        except asyncio.CancelledError as problem:
            attach_record(problem, await self._end(_StopRunError("cancelled")))
            raise
        except Exception as problem:
            failed: Stop = "provider_error" if self._asking else "error"
            attach_record(problem, await self._end(_StopRunError(failed, detail=str(problem))))
            raise

    async def _round(self) -> None:
        """One question and its calls. Raises _StopRunError where it was the last one."""
        begun = time.monotonic()
        response = await self._ask()
        answered = time.monotonic()
        answer = self._answers.read(response)
        try:
            results = await self._answers.execute(answer.calls, self._context) if answer.calls else ()
        finally:  # completed calls are recorded, also where the rest was cancelled
            done = Round(
                number=self._number,
                response=response,
                calls=self._calls.take(),
                model_seconds=answered - begun,
                tool_seconds=time.monotonic() - answered,
            )
            self._rounds.append(done)
        self._reply(answer, results)
        await self._notify(RoundEnded(round=done))
        self._judge(answer)

    async def _ask(self) -> Any:
        """The model's answer, within the budget."""
        left = self._calls.left
        if left is not None and left <= 0:
            raise _StopRunError("budget", exceeded="seconds")
        shown = self._definitions()
        await self._notify(RoundStarted(round=self._number, definitions=shown))
        clock = asyncio.timeout(left)
        self._asking = True
        try:
            async with clock:
                response = await self._model.ask([*self._messages], shown)
        except TimeoutError:
            if not clock.expired():
                raise
            raise _StopRunError("budget", exceeded="seconds") from None
        self._asking = False
        return response

    def _reply(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> None:
        """Add an answer, and what answers it, to the conversation."""
        replies = [*self._answers.render(answer, results)]
        malformed = answer.end.reason == "malformed_call" and not answer.calls
        self._malformed = self._malformed + 1 if malformed else 0
        if malformed and not replies and self._malformed <= MALFORMED:
            replies = [*self._answers.say(_AGAIN)]
        self._messages += [*answer.messages, *replies]

    def _judge(self, answer: ReadAnswer) -> None:
        """Raise _StopRunError where the answer is the last one."""
        end = answer.end
        if not answer.calls:
            if end.reason == "complete":
                raise _StopRunError("answer", detail=end.detail)
            goes_on = (
                end.reason == "paused"
                or (end.reason == "malformed_call" and self._malformed <= MALFORMED)
                or (end.reason == "cut" and answer.problems)
            )
            if not goes_on:
                raise _StopRunError(end.reason, detail=end.detail)
        if self._calls.spent:
            raise _StopRunError("budget", exceeded="calls")
        if self._calls.repeated:
            raise _StopRunError("repeated")
        left = self._calls.left
        if left is not None and left <= 0:
            raise _StopRunError("budget", exceeded="seconds")

    async def _end(self, stop: _StopRunError) -> Record:
        """The record of the run; the observer gets it, too."""
        record = Record(
            stopped=stop.stop,
            rounds=tuple(self._rounds),
            messages=tuple(self._messages),
            seconds=time.monotonic() - self._begun,
            exceeded=stop.exceeded,
            detail=stop.detail,
        )
        await self._notify(Stopped(record=record))
        return record

    async def _calling(self, id: str, name: str, arguments: Any) -> None:
        await self._notify(Calling(round=self._number, id=id, name=name, arguments=arguments))

    async def _called(self, call: CallRecord) -> None:
        await self._notify(Called(round=self._number, call=call))

    async def _notify(self, event: LoopEvent) -> None:
        if self._on_event is None:
            return
        try:
            waits = self._on_event(event)
            if isawaitable(waits):
                await waits
        except Exception as problem:
            from ..runtime.log_records import ERROR, log

            name = type(event).__name__
            log(ERROR, "An observer of the loop failed at %s.", name, event="hook_failed", problem=problem)
