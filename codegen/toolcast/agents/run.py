"""One run: its rounds, its conversation, why it ends, and the tool of its final output."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import Any, NamedTuple

import msgspec

from ..jsonschema.json_values import JsonObject
from ..runtime.binding import AnyBinding
from ..runtime.context import Framework, ToolContext
from ..runtime.definitions import DefinitionBytes
from ..runtime.errors import is_from_outside
from ..runtime.log_records import ERROR, log
from ..runtime.result import ToolResult
from ..runtime.snapshot import Entry
from ..runtime.view import CallRequest, RedirectedView, ToolView
from .answers import Answers, ReadAnswer
from .disclosure import Disclosure
from .dispatch.answer_facts import raised_reason
from .events import Called, Calling, LoopEvent, RoundEnded, RoundStarted, Stopped, WatchedRun
from .model_calls import Model, ModelCalls, ModelRequest
from .options import MAX_ROUNDS, RunOptions
from .record import CallRecord, Limit, Record, Round, Stop, attach_record
from .run_state import PendingAnswer, RunState, StateError, conversation
from .tool_calls import UNLIMITED, AnswerCalls, Batch, ToolCalls
from .waiting import Deferred, NotStoredError, Settled, is_unchanged

_TAKEN = "This is your final answer."
_ASK = "Call the tool {!r} to give your final answer; nothing else counts as one."


class FinalOutput:
    """The tool that ends a run when it is called, and the tools with it."""

    def __init__(self, binding: AnyBinding, tools: ToolView) -> None:
        """Put the tool beside others. Its results, secrets and permission count for nothing: it is not
        carried out.

        Raises ValueError where a tool of the run has the same name.
        """
        if binding.name in tools:
            raise ValueError(f"final= has the name of a tool of the run, {binding.name!r}. Rename one.")
        # A reference to a secret stays one: the output is the model's own text.
        self.binding = msgspec.structs.replace(
            binding, result=None, secrets=(), permission="read", external=False
        )
        self.tools: ToolView = _WithFinal(tools, self.binding)
        self.request = _ASK.format(binding.name)

    def defined(self, definitions: bytes, provider: str) -> bytes:
        """Put the tool's definition first, so that it keeps its place when a Disclosure shows more."""
        others = [definitions[1:-1]] if definitions != b"[]" else []
        return DefinitionBytes(b"[" + b",".join([self.binding.definition(provider), *others]) + b"]")

    def output_of(self, calls: Sequence[object], results: Sequence[ToolResult]) -> object:
        """Return the parameters of the first accepted call of the tool, or None."""
        for call, result in zip(calls, results, strict=True):
            if result.success and self.tools.resolve(getattr(call, "name", "")) == self.binding.name:
                # Out of the state of a run it comes as plain data.
                plain = isinstance(result.data, dict)
                return _typed(self.binding, result.data) if plain else result.data
        return None


def _typed(binding: AnyBinding, plain: JsonObject) -> Any:
    """Decode parameters that were stored as plain data, with what the program filled in."""
    inject = binding.inject
    sent = {name: item for name, item in plain.items() if name not in inject}
    return binding.decode(sent, injected={name: plain[name] for name in inject if name in plain})


class _WithFinal(RedirectedView):
    def __init__(self, base: ToolView, binding: AnyBinding) -> None:
        super().__init__(base, base, Entry(binding, _take))
        self._final = binding.name

    async def carry_out(self, request: CallRequest) -> ToolResult:
        if self.resolve(request.name) != self._final:
            return await super().carry_out(request)
        # A policy that asks for every call need not ask for one that does nothing.
        approved = msgspec.structs.replace(
            request.context or ToolContext(), framework=Framework(approved=True)
        )
        return await ToolView.carry_out(self, msgspec.structs.replace(request, context=approved))


async def _take(params: object, _: ToolContext) -> ToolResult:
    return ToolResult.ok(_TAKEN, data=params)


_AGAIN = (
    "The call of a tool in your last answer could not be read, and nothing was done. Send the call again, "
    "with arguments in valid JSON."
)
_MALFORMED = 1
"""Answers with a call that cannot be read, one after another, that are answered before the run ends."""


class RunSetup(NamedTuple):
    """The reader of answers, the tools as the model sees them, and who watches."""

    answers: Answers
    definitions: Callable[[], bytes]
    disclosure: Disclosure | None
    output: FinalOutput | None
    watched: WatchedRun


class _StopRunError(Exception):
    def __init__(
        self, stop: Stop, *, exceeded: Limit | None = None, detail: str = "", output: object = None
    ) -> None:
        super().__init__(stop)
        self.stop: Stop = stop
        self.exceeded: Limit | None = exceeded
        self.detail = detail
        self.output = output


class Run:
    """One run: its conversation and record. The run can go on from `_state` at any time, once `_now` has its
    counts.
    """

    def __init__(
        self, model: Model, shown: RunSetup, calls: ToolCalls, state: RunState, options: RunOptions
    ) -> None:
        self._answers = shown.answers
        self._model = ModelCalls(model, options.get("around_model", ()), shown.answers, self._notify)
        self._shown = shown
        self._calls = calls
        self._max_rounds = options.get("max_rounds", MAX_ROUNDS)
        self._context = options.get("context")
        self._checkpoint = options.get("checkpoint")
        self._on_event = options.get("on_event")
        self._messages = [*conversation(state.messages)]
        self._rounds: list[Round] = []
        self._state = state
        self._number = state.rounds
        self._asking = False  # the model is being called
        self._output = shown.output
        self._asked_for_output = state.output_asked  # after an answer without a call of its tool
        self._watched = shown.watched
        self._is_watched = options.get("telemetry") is not None
        self._malformed = state.malformed  # answers with a call that could not be read, one after another
        self._interrupted = False  # the provider paused its last answer
        self._storing = asyncio.Lock()
        self._unstored: BaseException | None = None  # why nothing more is stored
        calls.starting = self._calling
        calls.notify = self._called
        calls.store = self._store

    async def to_end(self, settled: Settled, claim: Callable[[], Awaitable[None]] | None) -> Record:
        """Make all rounds; return the record."""
        pending = self._state.pending
        try:
            work = None if pending is None else self._work(pending, settled)
            if work is not None:
                await self._check_waiting(work)
            if claim is not None:
                await claim()
            if work is not None:
                await self._carry_out(work)
            elif self._calls.repeated:
                raise _StopRunError("repeated")
            while self._number < self._max_rounds:
                self._number += 1
                await self._round()
            return await self._end(_StopRunError("paused" if self._interrupted else "rounds"))
        except _StopRunError as stop:
            return await self._end(stop)
        except asyncio.CancelledError as problem:
            attach_record(problem, await self._end(_StopRunError("cancelled")))
            raise
        except Exception as problem:  # the model function's, or the program's
            failed: Stop = raised_reason(problem) if self._asking else "error"
            attach_record(problem, await self._end(_StopRunError(failed, detail=str(problem))))
            raise

    async def _round(self) -> None:
        """Ask once, and carry out the calls. Raises _StopRunError after the last answer."""
        begun = time.monotonic()
        response = await self._ask()
        seconds = time.monotonic() - begun
        work = self._work(PendingAnswer(response=response), Settled())
        self._calls.spending.add(work.answer.usage)
        await self._carry_out(work, model_seconds=seconds)

    def _work(self, pending: PendingAnswer, settled: Settled) -> AnswerCalls:
        answer = self._answers.read(pending.response)
        return AnswerCalls(answer, pending, settled, self._calls.tools, self._number)

    async def _check_waiting(self, work: AnswerCalls) -> None:
        """Raise StateError where a call that waits differs from the one in the answer."""
        for call in self._state.waiting:
            if not is_unchanged(call, self._calls.tools):
                continue  # it does not run, whatever was decided
            self._calls.checking = True
            try:
                [made] = await self._answers.execute([work.answer.calls[call.index]], self._context)
            finally:
                self._calls.checking = False
            if isinstance(made, Deferred):
                same = made.stored(self._number, call) == call
            else:
                same = call.kind == "approval"  # its arguments are refused now: it does not run
            if not same:
                raise StateError(
                    f"The call of {call.name!r} that the state of the run shows is not the one in the answer "
                    "of the model: the state was changed after it was stored. Nothing was done."
                )

    async def _carry_out(self, work: AnswerCalls, model_seconds: float | None = None) -> None:
        """Carry out calls without results. Raises _StopRunError after the last answer.

        `model_seconds` is None for an answer of an earlier process.
        """
        self._calls.work = work
        if work.answer.container:
            self._state = msgspec.structs.replace(self._state, container=work.answer.container)
        begun = time.monotonic()
        try:
            for call in work.records():
                await self._calls.answer(call)
            for batch in work.batches():
                await self._execute(work, batch)
        finally:  # completed calls are recorded, also where the rest was cancelled
            ended = self._calls.take()
            self._show(work)
            done = Round(
                number=self._number,
                response=work.response,
                calls=ended,
                model_seconds=model_seconds or 0.0,
                tool_seconds=time.monotonic() - begun,
                usage=None if model_seconds is None else work.answer.usage,
            )
            self._rounds.append(done)
        if work.waits:
            await self._save()
            raise _StopRunError("paused")
        self._reply(work.answer, work.results)
        await self._notify(RoundEnded(round=done))
        self._judge_answer(work.answer, work.results)
        self._state = msgspec.structs.replace(
            self._state,
            pending=None,
            messages=tuple(self._messages),
            malformed=self._malformed,
            output_asked=self._asked_for_output,
        )
        await self._save()
        self._judge_limits()

    async def _execute(self, work: AnswerCalls, batch: Batch) -> None:
        calls = work.start(batch)
        await self._save(work)
        if not calls:
            return
        for refused in self._answers.refused(calls):
            await self._calls.answer(refused)
        context = self._context
        if batch.framework is not None:
            context = msgspec.structs.replace(context or ToolContext(), framework=batch.framework)
        results = await self._answers.execute(calls, context)
        if self._unstored is not None:
            raise self._unstored
        work.end(batch, results)

    async def _ask(self) -> Any:
        left = self._calls.left
        if left is not None and left <= 0:
            raise _StopRunError("budget", exceeded="seconds")
        shown = self._shown.definitions()
        await self._notify(RoundStarted(round=self._number, definitions=shown))
        clock = None if left is None else asyncio.timeout(left)
        self._asking = True
        try:
            with self._watched.model_call() as call:
                request = ModelRequest(
                    round=self._number,
                    messages=tuple(self._messages),
                    definitions=shown,
                    container=self._state.container,
                )
                async with clock or UNLIMITED:
                    response = await self._model.ask(request, call.chunk)
                if self._is_watched:
                    call.answered(self._answers.facts(response))
        except TimeoutError:
            if clock is None or not clock.expired():
                raise
            raise _StopRunError("budget", exceeded="seconds") from None
        self._asking = False
        return response

    def _reply(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> None:
        replies = [*self._answers.render(answer, results)]
        malformed = answer.end.reason == "malformed_call"
        malformed = malformed and len(self._answers.refused(answer.calls)) == len(answer.calls)
        self._malformed = self._malformed + 1 if malformed else 0
        self._interrupted = answer.end.reason == "paused" and not answer.calls
        if malformed and not replies and self._malformed <= _MALFORMED:
            replies = [*self._answers.say(_AGAIN)]
        if self._lacks_output(answer):
            assert self._output is not None
            replies = [*replies, *self._answers.say(self._output.request)]
        self._messages += [*answer.messages, *replies]

    def _lacks_output(self, answer: ReadAnswer) -> bool:
        ended = not answer.calls and answer.end.reason == "complete"
        return ended and self._output is not None and not self._asked_for_output

    def _judge_answer(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> None:
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
            "malformed_call": self._malformed <= _MALFORMED,
            "cut": bool(answer.calls or answer.problems),
        }
        if not goes_on.get(end.reason, False):
            raise _StopRunError(end.reason, detail=end.detail)

    def _judge_limits(self) -> None:
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

    def _show(self, work: AnswerCalls) -> None:
        self._state = msgspec.structs.replace(self._state, pending=work.pending(), rounds=self._number)

    def _now(self) -> RunState:
        disclosure = self._shown.disclosure
        return msgspec.structs.replace(
            self._state,
            calls=self._calls.certain,
            seconds=self._calls.seconds,
            usage=self._calls.spending.used,
            failures={**self._calls.failures},
            attempts=self._calls.attempts,
            shown=None if disclosure is None else disclosure.state,
        )

    async def _store(self, work: AnswerCalls, begin: tuple[int, ...] = ()) -> None:
        if self._checkpoint is None:
            work.begin(begin)
            return
        async with self._storing:  # calls side by side: each state has what is true when it is stored
            if self._unstored is not None:
                raise NotStoredError
            with work.beginning(begin):
                try:
                    await self._save(work)
                except BaseException as problem:  # the program's checkpoint
                    if is_from_outside(problem):
                        raise
                    self._unstored = problem
                    raise NotStoredError from problem

    async def _save(self, work: AnswerCalls | None = None) -> None:
        """Store the state where somebody keeps it; with `work`, what its calls have come to."""
        if self._checkpoint is not None:
            if work is not None:
                self._show(work)
            self._state = self._now()
            stored = self._checkpoint(self._state)
            if isawaitable(stored):
                await stored

    async def _end(self, stop: _StopRunError) -> Record:
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

    async def _calling(self, id: str, name: str, arguments: object) -> None:
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
        except BaseException as problem:  # the program's receiver
            if is_from_outside(problem):
                raise
            name = type(event).__name__
            log(ERROR, "An observer of the loop failed at %s.", name, event="hook_failed", problem=problem)
