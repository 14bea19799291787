"""The loop of an agent: ask the model, carry out what it calls, answer, ask again.

The model is any async callable, or one that streams; no provider's client is imported.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ..runtime.binding import ToolBinding
from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .answer_calls import AnswerCalls, Batch
from .answers import Answers, ReadAnswer, WireAnswers
from .budget import Budget
from .delegation import depth
from .disclosure import TEXT, Disclosure
from .dispatch.answer_end import raised_reason
from .events import Called, Calling, LoopEvent, Observer, RoundEnded, RoundStarted, Stopped
from .final_output import FinalOutput
from .model_calls import AroundModel, Model, ModelCalls, ModelRequest
from .options import Adapter, Checkpoint, Options
from .record import CallRecord, Limit, Record, Round, Stop, attach_record
from .run_state import PendingAnswer, RunState, StateError
from .telemetry import UNWATCHED, Telemetry, WatchedRun
from .tool_calls import ToolCalls
from .waiting import Settled

if TYPE_CHECKING:
    from .text_calls import TextFormat

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
    dispatcher: Adapter | None = None,
    provider: str | None = None,
    max_rounds: int = 10,
    budget: Budget | None = None,
    repeats: int = 3,
    limit: int = 8,
    context: ToolContext | None = None,
    on_event: Observer | None = None,
    pause: bool | None = None,
    checkpoint: Checkpoint | None = None,
    around_model: Sequence[AroundModel] = (),
    final: ToolBinding[Any, Any] | None = None,
    telemetry: Telemetry | None = None,
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
        budget: calls, seconds, tokens and cost at most.
        repeats: failures of the same call with the same arguments that stop the run.
        limit: calls that run at once.
        context: circumstances for every handler; the id and the tool of each call are filled in.
        on_event: receives every step, and what a stream adds; what it raises is logged. The run waits for an
            async one, and the provider's stream with it.
        pause: whether a call that needs an approval for which the policy has no approver, or whose result
            comes from outside, pauses the run; else it is answered with that. By default it does, except
            inside of `delegate`, where nobody sees the state.
        checkpoint: stores the state of the run, plain or async: after each answer of the model, before its
            calls are carried out, and after them. What it raises ends the run.
        around_model: hooks around each call of the model, the outermost first: async functions from a
            `ModelRequest` and `proceed` to the answer. The conversation of the run keeps its own messages,
            whatever they ask with.
        final: a tool that the model is to call for its final answer, beside `tools`. A call with valid
            arguments ends the run, after all calls of its answer; `output` of the record is its parameters.
        telemetry: what watches the run, such as `toolcast.agents.otel.agent_spans(…)`.

    Returns:
        The record of the run; `resume` goes on from its `state`.

    Raises:
        ValueError: a limit is below 1, not exactly one of `format` and `dispatcher` is set, or `text_format`
            is set without "text", unknown, or without a prompt; `final` has the name of a tool of the run.
    """
    options = Options(
        format=format,
        text_format=text_format,
        dispatcher=dispatcher,
        provider=provider,
        max_rounds=max_rounds,
        budget=budget,
        repeats=repeats,
        limit=limit,
        context=context,
        on_event=on_event,
        pause=pause,
        checkpoint=checkpoint,
        around_model=around_model,
        final=final,
        telemetry=telemetry,
    )
    return await run_from(model, tools, RunState(messages=tuple(messages)), options)


async def run_from(
    model: Model,
    tools: ToolView | Disclosure,
    state: RunState,
    options: Options,
    settle: Callable[[RunState, str | None], Settled] | None = None,
) -> Record:
    """Go on with a run, from its beginning or from where it was.

    Args:
        model: as for `run_tools`.
        tools: as for `run_tools`.
        state: from where to go on.
        options: the options of the run.
        settle: what became of the calls that wait in a state, for the provider that results go to; by default
            all of them wait on.

    Returns:
        The record, of what happened from there on.

    Raises:
        ValueError: as for `run_tools`, or the state is of a run in another format.
    """
    waits = depth() == 0 if options.pause is None else options.pause
    view = tools.tools if isinstance(tools, Disclosure) else tools
    output = None if options.final is None else FinalOutput(options.final, view)
    if output is not None:
        view = output.tools
    calls = ToolCalls(view, options.budget or Budget(), options.repeats, state, waits)
    calls.uncounted = "" if output is None else output.binding.name
    answers, provider = _answers(tools, calls, options)
    if state.format not in (None, answers.name):
        raise StateError(
            f"The state is of a run in the format {state.format!r}: it cannot go on in {answers.name!r}."
        )
    pending = state.pending
    if pending is not None:
        pending = msgspec.structs.replace(pending, response=answers.restore(pending.response))
    state = msgspec.structs.replace(state, format=answers.name, pending=pending)
    settled = Settled(left=state.waiting) if settle is None else settle(state, provider)
    definitions = _definitions(tools, options, state, output)
    disclosure = tools if isinstance(tools, Disclosure) else None
    telemetry = options.telemetry or UNWATCHED
    named = options.provider if options.format in (None, "text") else options.format
    with telemetry.run(named or "") as watched:
        run = _Run(model, answers, _Shown(definitions, disclosure, output, watched), calls, state, options)
        return await run.to_end(settled)


def _answers(tools: ToolView | Disclosure, calls: ToolCalls, options: Options) -> tuple[Answers, str | None]:
    """What reads the model's answers, and the provider whose form results have."""
    if options.dispatcher is not None:
        return options.dispatcher(calls.tools), _dialect(tools, options.provider, None)
    if options.format == "text":
        from .text_answers import TextAnswers

        return TextAnswers(calls.tools, options.limit, options.text_format), None
    dialect = _dialect(tools, options.provider, options.format)
    return WireAnswers(calls.tools, str(options.format), dialect, options.limit), dialect


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
    tools: ToolView | Disclosure, options: Options, state: RunState, output: FinalOutput | None
) -> Callable[[], bytes]:
    """What makes each round's definitions; for text the block for the system prompt."""
    disclosed = tools if isinstance(tools, Disclosure) else None
    in_text = options.format == TEXT
    dialect = TEXT if disclosed is None and in_text else _dialect(tools, options.provider, options.format)
    if disclosed is not None and options.format is not None and in_text != (dialect == TEXT):
        needed = f"Disclosure(registry, {TEXT!r})" if in_text else "a Disclosure for its provider"
        raise ValueError(f"The tools are disclosed to {dialect!r}; format={options.format!r} needs {needed}.")
    if dialect == TEXT:
        shown = _block(tools, output, options.text_format or "toolcast")
        shown()  # refused before the first round
    elif isinstance(tools, ToolView):
        shown = partial((tools if output is None else output.tools).definitions, dialect)
    elif output is not None:
        shown = partial(_with_output, tools, output)
    else:
        shown = tools.definitions
    if disclosed is not None and state.shown is None:
        disclosed.next_turn()
    elif disclosed is not None and state.shown is not None:
        disclosed.restore(state.shown)
    return shown


def _with_output(disclosure: Disclosure, output: FinalOutput) -> bytes:
    return output.defined(disclosure.definitions(), disclosure.provider)


def _block(
    tools: ToolView | Disclosure, output: FinalOutput | None, format: "str | TextFormat"
) -> Callable[[], bytes]:
    """What makes each round's block for the system prompt."""
    from .text_calls.prompts.system_prompt import instructions, tools_block

    if output is None:
        return lambda: instructions(tools, format=format).encode()
    if isinstance(tools, ToolView):
        return lambda: instructions(output.tools, format=format).encode()
    return lambda: tools_block([(output.binding, "full"), *tools.shown()], format).encode()


class _Shown(NamedTuple):
    """What the model sees of the tools, and who watches the run."""

    definitions: Callable[[], bytes]
    disclosure: Disclosure | None
    output: FinalOutput | None
    watched: WatchedRun


class _StopRunError(Exception):
    """The run ends here."""

    def __init__(
        self, stop: Stop, *, exceeded: Limit | None = None, detail: str = "", output: Any = None
    ) -> None:
        super().__init__(stop)
        self.stop: Stop = stop
        self.exceeded: Limit | None = exceeded
        self.detail = detail
        self.output = output


class _Run:
    """One run: its conversation, and what it has recorded so far.

    `_state` is from where the run can go on at any time; its counts are brought up to date by `_now`.
    """

    def __init__(
        self,
        model: Model,
        answers: Answers,
        shown: _Shown,
        calls: ToolCalls,
        state: RunState,
        options: Options,
    ) -> None:
        self._model = ModelCalls(model, options.around_model, answers, self._notify)
        self._answers = answers
        self._shown = shown
        self._calls = calls
        self._options = options
        self._on_event = options.on_event
        self._messages = [*state.messages]
        self._rounds: list[Round] = []
        self._state = state
        self._number = state.rounds
        self._asking = False  # the model is being called
        self._output = shown.output
        self._asked_for_output = state.output_asked  # after an answer without a call of its tool
        self._watched = shown.watched
        self._malformed = state.malformed  # answers with a call that could not be read, one after another
        self._interrupted = False  # the provider paused its last answer
        calls.starting = self._calling
        calls.notify = self._called

    async def to_end(self, settled: Settled) -> Record:
        """Every round; the record."""
        try:
            if self._state.pending is not None:
                answer = self._answers.read(self._state.pending.response)
                await self._carry_out(answer, self._state.pending, settled)
            elif self._calls.repeated:
                raise _StopRunError("repeated")
            while self._number < self._options.max_rounds:
                self._number += 1
                await self._round()
            return await self._end(_StopRunError("paused" if self._interrupted else "rounds"))
        except _StopRunError as stop:
            return await self._end(stop)
        except asyncio.CancelledError as problem:
            attach_record(problem, await self._end(_StopRunError("cancelled")))
            raise
        except Exception as problem:
            failed: Stop = raised_reason(problem) if self._asking else "error"
            attach_record(problem, await self._end(_StopRunError(failed, detail=str(problem))))
            raise

    async def _round(self) -> None:
        """One question and its calls. Raises _StopRunError where it was the last one."""
        begun = time.monotonic()
        response = await self._ask()
        seconds = time.monotonic() - begun
        answer = self._answers.read(response)
        self._calls.spending.add(answer.usage)
        await self._carry_out(answer, PendingAnswer(response=response), model_seconds=seconds)

    async def _carry_out(
        self,
        answer: ReadAnswer,
        pending: PendingAnswer,
        settled: Settled | None = None,
        model_seconds: float | None = None,
    ) -> None:
        """The calls of an answer that have no results yet. Raises _StopRunError where it was the last one.

        `model_seconds` is None for an answer of an earlier process.
        """
        work = AnswerCalls(answer, pending, settled or Settled(), self._calls.tools)
        begun = time.monotonic()
        try:
            for call in work.records():
                await self._calls.answer(call)
            for batch in work.batches():
                await self._execute(work, batch)
        finally:  # completed calls are recorded, also where the rest was cancelled
            ended = self._calls.take()
            known = (*ended, *self._calls.take_deferred())
            work.recover(known, self._calls.was_cancelled, self._number)
            self._state = self._now(pending=work.pending(), rounds=self._number)
            done = Round(
                number=self._number,
                response=pending.response,
                calls=ended,
                model_seconds=model_seconds or 0.0,
                tool_seconds=time.monotonic() - begun,
                usage=None if model_seconds is None else answer.usage,
            )
            self._rounds.append(done)
        if work.waits:
            await self._save()
            raise _StopRunError("paused")
        self._reply(work.answer, work.results)
        await self._notify(RoundEnded(round=done))
        self._judge_answer(work.answer, work.results)
        messages = tuple(self._messages)
        self._state = self._now(
            pending=None,
            messages=messages,
            malformed=self._malformed,
            output_asked=self._asked_for_output,
        )
        await self._save()
        self._judge_limits()

    async def _execute(self, work: AnswerCalls, batch: Batch) -> None:
        """The calls of one batch; the state says before that they are begun."""
        calls = work.begin(batch)
        self._state = self._now(pending=work.pending(), rounds=self._number)
        await self._save()
        if not calls:
            return
        for refused in self._answers.refused(calls):
            await self._calls.answer(refused)
        context = self._options.context
        if batch.framework is not None:
            context = msgspec.structs.replace(context or ToolContext(), framework=batch.framework)
        work.end(batch, await self._answers.execute(calls, context), self._number)

    async def _ask(self) -> Any:
        """The model's answer, within the budget."""
        left = self._calls.left
        if left is not None and left <= 0:
            raise _StopRunError("budget", exceeded="seconds")
        shown = self._shown.definitions()
        await self._notify(RoundStarted(round=self._number, definitions=shown))
        clock = asyncio.timeout(left)
        self._asking = True
        try:
            with self._watched.model_call() as call:
                request = ModelRequest(round=self._number, messages=tuple(self._messages), definitions=shown)
                async with clock:
                    response = await self._model.ask(request, call.chunk)
                if self._options.telemetry is not None:
                    call.answered(self._answers.facts(response))
        except TimeoutError:
            if not clock.expired():
                raise
            raise _StopRunError("budget", exceeded="seconds") from None
        self._asking = False
        return response

    def _reply(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> None:
        """Add an answer, and what answers it, to the conversation."""
        replies = [*self._answers.render(answer, results)]
        unread = len(self._answers.refused(answer.calls)) == len(answer.calls)
        malformed = answer.end.reason == "malformed_call" and unread
        self._malformed = self._malformed + 1 if malformed else 0
        self._interrupted = answer.end.reason == "paused" and not answer.calls
        if malformed and not replies and self._malformed <= MALFORMED:
            replies = [*self._answers.say(_AGAIN)]
        if self._lacks_output(answer):
            assert self._output is not None
            replies = [*replies, *self._answers.say(self._output.request)]
        self._messages += [*answer.messages, *replies]

    def _lacks_output(self, answer: ReadAnswer) -> bool:
        """Whether the model is to be asked for its final output, which it did not give."""
        ended = not answer.calls and answer.end.reason == "complete"
        return ended and self._output is not None and not self._asked_for_output

    def _judge_answer(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> None:
        """Raise _StopRunError where the answer is the last one."""
        end = answer.end
        output = None if self._output is None else self._output.output_of(answer.calls, results)
        if output is not None:
            raise _StopRunError("answer", detail=end.detail, output=output)
        if self._lacks_output(answer):
            self._asked_for_output = True
            return
        if end.reason == "complete":
            if not answer.calls:
                raise _StopRunError("answer", detail=end.detail)
            return
        goes_on = {
            "paused": True,
            "malformed_call": self._malformed <= MALFORMED,
            "cut": bool(answer.calls or answer.problems),
        }
        if not goes_on.get(end.reason, False):
            raise _StopRunError(end.reason, detail=end.detail)

    def _judge_limits(self) -> None:
        """Raise _StopRunError where a limit is reached."""
        exceeded = self._calls.spending.exceeded
        if exceeded is not None:
            raise _StopRunError("budget", exceeded=exceeded)
        if self._calls.spent:
            raise _StopRunError("budget", exceeded="calls")
        if self._calls.repeated:
            raise _StopRunError("repeated")
        left = self._calls.left
        if left is not None and left <= 0:
            raise _StopRunError("budget", exceeded="seconds")

    def _now(self, **changes: Any) -> RunState:
        """The state, with the counts of this moment."""
        disclosure = self._shown.disclosure
        return msgspec.structs.replace(
            self._state,
            calls=self._calls.made,
            seconds=self._calls.seconds,
            usage=self._calls.spending.used,
            failures={**self._calls.failures},
            attempts=self._calls.attempts,
            shown=None if disclosure is None else disclosure.state,
            **changes,
        )

    async def _save(self) -> None:
        """Give the state to the program."""
        if self._options.checkpoint is not None:
            stored = self._options.checkpoint(self._state)
            if isawaitable(stored):
                await stored

    async def _end(self, stop: _StopRunError) -> Record:
        """The record of the run; the observer gets it, too."""
        self._state = self._now()
        record = Record(
            stopped=stop.stop,
            rounds=tuple(self._rounds),
            messages=tuple(self._messages),
            seconds=self._state.seconds,
            state=self._state,
            exceeded=stop.exceeded,
            detail=stop.detail,
            output=stop.output,
            usage=self._calls.spending.used,
            cost=self._calls.spending.cost,
        )
        self._watched.ended(record)
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
