"""The calls of a run and of each answer: counted, timed and recorded, within a budget."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import msgspec

from ..runtime.arguments import Arguments
from ..runtime.bounded_json import read_json
from ..runtime.call_steps import fill_in
from ..runtime.context import Framework, ToolContext
from ..runtime.errors import ArgumentError, CallDeferred, InjectionError
from ..runtime.failure_results import RetryHint
from ..runtime.result import ToolResult
from ..runtime.view import Caller, CallRequest, RedirectedView, ToolView
from ..runtime.wire.guesses import Guesses
from .answers import ReadAnswer
from .record import CallRecord, Limit
from .run_side_by_side import groups, runs_alone
from .run_state import PendingAnswer, RunState, StateError
from .usage import Budget, Usage
from .waiting import (
    INTERRUPTED,
    WAITS,
    Deferred,
    NotStoredError,
    Settled,
    approval,
    deferred,
    is_approval,
    is_repeatable,
)


class Batch(NamedTuple):
    """Calls that are carried out together, by their positions; `framework` is what was decided of them."""

    indexes: tuple[int, ...] = ()
    framework: Framework | None = None


class AnswerCalls:
    """An answer's calls: with results, waiting or begun. `elsewhere` are results from outside."""

    def __init__(
        self, answer: ReadAnswer, pending: PendingAnswer, settled: Settled, tools: ToolView, round: int
    ) -> None:
        """Raise StateError where the answer is not the one that `pending` describes."""
        count = len(answer.calls)
        self.answer = answer
        self._tools = tools
        self._names = [*map(self._name, answer.calls)]
        self.response = pending.response
        self._found: list[ToolResult | None] = [*(pending.results or [None] * count)]
        self._waiting = {call.index: call for call in pending.waiting}
        self._begun = {*pending.begun}
        self._unsure = {*pending.begun}  # begun by an earlier process, and not again since
        self._open: list[int] = []  # of the batch that is carried out: not claimed yet
        self._unknown: set[int] = set()  # of that batch: without a result
        self._counted: set[int] = set()  # by the budget, in this process
        self._round = round
        if len(self._found) != count or not self._fits(pending):
            before = len(self._found)
            had = "other calls" if before == count else f"{before} calls, not {count},"
            raise StateError(
                f"The answer in the state of the run had {had} when it was stored: resume it with the format "
                "and the text format that it began with."
            )
        interrupted = {index for index in self._begun if not self._is_repeatable(index)}
        outcomes = {**settled.results, **dict.fromkeys(interrupted, ToolResult.failed(""))}
        self.elsewhere = {index: self.told((index,), result) for index, result in outcomes.items()}
        for index, result in self.elsewhere.items():
            self._take(index, result)
        self._settled = settled
        alone = [runs_alone(tools, name) for name in self._names]
        self._groups = [*groups(range(count), alone.__getitem__)]

    def _fits(self, pending: PendingAnswer) -> bool:
        """Tell whether the answer has the calls of which `pending` says something."""
        calls = self.answer.calls
        if not {*self._waiting, *pending.begun} <= {*range(len(calls))}:
            return False
        names = ((self._tools.resolve(getattr(calls[i], "name", "")), i) for i in self._waiting)
        return all(name in (None, self._waiting[i].name) for name, i in names)

    def batches(self) -> Iterator[Batch]:
        """Give the calls to carry out, each batch when those before it have ended; at least one batch.

        Where a call waits that runs alone, or after which one runs alone, the calls after it are not begun.
        """
        none = True
        for group in self._groups:
            for batch in self._batches_of(group):
                none = False
                yield batch
            if any(index in self._waiting for index in group):
                break
        if none:
            yield Batch()

    def _batches_of(self, group: Sequence[int]) -> list[Batch]:
        """Divide calls that run side by side into those that nobody has to decide, and those approved."""
        free = tuple(index for index in group if self._found[index] is None and index not in self._waiting)
        batches = [Batch(free)] if free else []
        approved: dict[tuple[Literal["yes", "always"], str], list[int]] = {}
        for verdict in ("yes", "always"):
            for index in group:
                if index in self._waiting and self._settled.approved.get(index) == verdict:
                    approved.setdefault((verdict, self._waiting[index].injected), []).append(index)
        return batches + [Batch(tuple(chosen), approval(*each)) for each, chosen in approved.items()]

    def start(self, batch: Batch) -> list[Any]:
        self._open = [*batch.indexes]
        self._unknown = {*batch.indexes}
        return [self.answer.calls[index] for index in batch.indexes]

    def claim(self, id: str, name: str, arguments: object, counted: bool) -> tuple[int, ...]:
        """Return the position of a call of the batch, equal calls in order; several where it cannot be told
        from others.
        """
        calls = self.answer.calls
        named = [i for i in self._open if self._names[i] == name and getattr(calls[i], "id", "") == id]
        equal = [i for i in named if getattr(calls[i], "arguments", None) == arguments]
        if not equal and len(named) != 1:
            return tuple(named or self._open)
        index = (equal or named)[0]
        self._open.remove(index)
        if counted:
            self._counted.add(index)
        return (index,)

    def begin(self, places: tuple[int, ...]) -> None:
        """Note calls that begin."""
        self._begun.update(places)
        self._unsure.difference_update(places)
        for index in places:
            self._waiting.pop(index, None)

    @contextmanager
    def beginning(self, places: tuple[int, ...]) -> Generator[None]:
        """Note calls that begin; no longer where storing that raises."""
        begun, unsure, waiting = {*self._begun}, {*self._unsure}, {**self._waiting}
        self.begin(places)
        try:
            yield
        except BaseException:  # a cancellation, or a state that is not stored
            for index in places:
                _restore(self._begun, begun, index)
                _restore(self._unsure, unsure, index)
                if index in waiting:
                    self._waiting[index] = waiting[index]
            raise

    def told(self, places: tuple[int, ...], result: ToolResult) -> ToolResult:
        """Return the result of a call; a warning for one that an earlier process began and that fails before
        it begins again.
        """
        if result.success or not places or not self._unsure.issuperset(places):
            return result
        return ToolResult.failed(INTERRUPTED.format(self._names[places[0]]))

    def take(self, places: tuple[int, ...], result: ToolResult) -> bool:
        """Take a result while the batch goes on; True where it must be stored: the call waits for what its
        handler began, or must not run again.
        """
        if len(places) != 1:
            return False
        [index] = places
        began = index in self._begun - self._unsure
        self._take(index, result)
        if not began or not self._unknown:
            return False
        return isinstance(result, Deferred) or not self._is_repeatable(index)

    def end(self, batch: Batch, results: Sequence[ToolResult]) -> None:
        """Take the results of a batch; a deferred call waits."""
        for index, result in zip(batch.indexes, results, strict=True):
            self._take(index, result)

    def _take(self, index: int, result: ToolResult) -> None:
        self._unknown.discard(index)
        if isinstance(result, Deferred):
            self._waiting[index] = result.waiting(self._round, index)
            if index in self._unsure:
                return
        else:
            self._found[index] = result
            self._waiting.pop(index, None)
            self._unsure.discard(index)
        self._begun.discard(index)

    @property
    def uncertain(self) -> int:
        """Number of counted calls that another process would carry out, and count, again."""
        return sum(
            self._found[index] is None
            and index not in self._waiting
            and (index not in self._begun or self._is_repeatable(index))
            for index in self._counted
        )

    def _is_repeatable(self, index: int) -> bool:
        return is_repeatable(self._tools, self._names[index])

    @property
    def results(self) -> list[ToolResult]:
        return [result for result in self._found if result is not None]

    def pending(self) -> PendingAnswer:
        return PendingAnswer(
            response=self.response,
            results=tuple(self._found),
            waiting=tuple(self._waiting[index] for index in sorted(self._waiting)),
            begun=tuple(sorted(self._begun)),
        )

    @property
    def waits(self) -> bool:
        return bool(self._waiting)

    def records(self) -> list[CallRecord]:
        """Return records of the calls that were answered elsewhere."""
        return [
            CallRecord(
                id=str(getattr(self.answer.calls[index], "id", "")),
                name=self._names[index],
                arguments=getattr(self.answer.calls[index], "arguments", None),
                result=result,
                seconds=0.0,
                executed=False,
            )
            for index, result in self.elsewhere.items()
        ]

    def _name(self, call: Any) -> str:
        """Return the name of a call's tool, as records have it; an adapter may have calls without one."""
        name = str(getattr(call, "name", ""))
        return self._tools.resolve(name) or name


def _restore(places: set[int], before: set[int], index: int) -> None:
    (places.add if index in before else places.discard)(index)


_SPENT = (
    "Tool {!r} was not called: this run may make {} calls of tools, and has made them. "
    "Answer with what is known."
)
_LATE = "Tool {!r} was {}: this run may take {:g} seconds, and they are over. Answer with what is known."
_USED = (
    "Tool {!r} was not called: this run may use {:,} tokens, and has used {:,}. "
    "The model will not be asked again."
)
_COST = (
    "Tool {!r} was not called: this run may cost {:g}, and has cost {:g}. The model will not be asked again."
)
_COUNTING = Framework()
UNLIMITED = nullcontext()
"""In place of a clock, where the budget has no seconds."""


class _UsageUnknownError(ValueError):
    """A budget of tokens or cost cannot be kept: an answer does not say what it used."""


class _Spending:
    """The tokens of one run, and their cost. `used` is None before an answer states its usage."""

    def __init__(self, budget: Budget, used: Usage | None = None) -> None:
        self.used = used
        self._budget = budget

    def add(self, usage: Usage | None) -> None:
        """Count an answer. Raises UsageUnknownError where the budget needs its usage, and it has none."""
        if usage is not None:
            self.used = usage if self.used is None else self.used + usage
            return
        limit = "tokens" if self._budget.tokens is not None else "cost"
        if getattr(self._budget, limit) is not None:
            raise _UsageUnknownError(
                f"Budget({limit}=…) needs the usage of every answer, and this one states none. Ask the "
                'provider for it (OpenAI\'s streams: stream_options={"include_usage": True}), or leave the '
                "limit out."
            )

    @property
    def cost(self) -> float | None:
        """The cost so far; None without prices or usage."""
        prices = self._budget.prices
        return None if prices is None or self.used is None else prices.cost(self.used)

    @property
    def exceeded(self) -> Limit | None:
        """The limit that is reached: the model is not asked again."""
        tokens, limit, cost = self._budget.tokens, self._budget.cost, self.cost
        if tokens is not None and self.used is not None and self.used.total >= tokens:
            return "tokens"
        return "cost" if limit is not None and cost is not None and cost >= limit else None

    def refusal(self, name: str) -> str | None:
        """Return what answers a call past the budget; None within it."""
        exceeded = self.exceeded
        if exceeded is None or self.used is None:
            return None
        if exceeded == "tokens":
            return _USED.format(name, self._budget.tokens, self.used.total)
        return _COST.format(name, self._budget.cost, self.cost)


class _Attempts:
    """Counts, by tool, the calls that handlers asked for again, until one succeeds.

    Calls of one answer are one attempt: the model made them before it read a hint.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = {**counts}  # of the answers that ended
        self._asked: set[str] = set()  # tools that asked for another call, of this answer
        self._succeeded: set[str] = set()

    def of(self, tool: str) -> int:
        """Return the number of the attempt that a call is."""
        return self._counts.get(tool, 0) + 1

    def end(self, tool: str, result: ToolResult) -> None:
        if result.success:
            self._succeeded.add(tool)
        elif isinstance(result.data, RetryHint) and result.data.tool == tool:
            self._asked.add(tool)

    @property
    def counts(self) -> dict[str, int]:
        """The attempts in all answers so far, by tool."""
        kept = {tool: n for tool, n in self._counts.items() if tool not in self._succeeded - self._asked}
        return {**kept, **{tool: kept.get(tool, 0) + 1 for tool in self._asked}}

    def end_answer(self) -> None:
        self._counts = self.counts
        self._asked.clear()
        self._succeeded.clear()


class ToolCalls(Caller):
    """One run's calls. Past the budget a call is answered, not made, so that a conversation stays whole.

    Attributes:
        tools: the tools of the run, with calls that pass through here.
        starting: gets id, name and arguments of each call before it is carried out.
        notify: gets each call that ended.
        work: the calls of the answer that is carried out; `store` stores what they have come to.
        checking: a call is not carried out, and its result is the `Deferred` of one that waits.
        uncounted: a tool with calls that the budget does not count.
        spent: whether a call exceeded the budget.
        made: calls that were made or wait.
        failures: failed calls, by a digest of tool and arguments.
        spending: what the model's answers used.

    With `waits`, a deferred call has a `Deferred` for a result, and is no record yet.
    """

    def __init__(self, tools: ToolView, budget: Budget, repeats: int, state: RunState, waits: bool) -> None:
        self.tools: ToolView = RedirectedView(tools, self)
        self.starting: Callable[[str, str, object], Awaitable[None]] = _nobody
        self.notify: Callable[[CallRecord], Awaitable[None]] = _nobody
        self.store: Callable[..., Awaitable[None]] = _nobody
        self.work: AnswerCalls | None = None
        self.checking = False
        self.uncounted = ""
        self.spent = False
        self.made = state.calls
        self.failures: dict[str, int] = {**state.failures}
        self.spending = _Spending(budget, state.usage)
        self._base = tools
        self._attempts = _Attempts(state.attempts)
        self._budget = budget
        self._repeats = repeats
        self._waits = waits
        self._begun = time.monotonic() - state.seconds
        self._ended: list[CallRecord] = []

    def take(self) -> tuple[CallRecord, ...]:
        """Return the calls of an answer that ended since the last time."""
        self._attempts.end_answer()
        ended = tuple(self._ended)
        self._ended.clear()
        return ended

    async def answer(self, call: CallRecord) -> None:
        self._ended.append(call)
        await self.notify(call)

    @property
    def attempts(self) -> dict[str, int]:
        """By tool, how often its handler asked for another call, in all answers so far."""
        return self._attempts.counts

    @property
    def certain(self) -> int:
        """Number of calls that no other process counts again."""
        return self.made - (0 if self.work is None else self.work.uncertain)

    @property
    def repeated(self) -> bool:
        """True once one call failed too often with the same arguments."""
        return any(count >= self._repeats for count in self.failures.values())

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun

    @property
    def left(self) -> float | None:
        """Seconds of the budget that are left; None for no limit."""
        seconds = self._budget.seconds
        return None if seconds is None else seconds - self.seconds

    async def carry_out(self, request: CallRequest) -> ToolResult:
        begun = time.monotonic()
        known, arguments = self._known(request.name), request.arguments
        context, waits = self._with_framework(request.context)
        if self.checking:
            try:
                return self._deferred(known, request, context, CallDeferred())
            except (ArgumentError, InjectionError) as problem:
                return ToolResult.failed(str(problem))
        deferred_before = is_approval(context.framework)
        final = bool(self.uncounted) and known == self.uncounted
        counts = not (deferred_before or final)
        refused = self._refused(known, counts, final)
        work = self.work
        counted = not (refused or final)  # when it first waited, or now
        places = () if work is None else work.claim(context.call_id, known, arguments, counted)
        if refused is not None:
            result = refused if work is None else work.told(places, refused)
        else:
            self.made += counts
            await self.starting(context.call_id, known, arguments)
            try:
                result = await self._timed(known, request, self._announced(known, context, places))
            except CallDeferred as problem:
                if not waits:
                    raise
                waiting = self._deferred(known, request, context, problem)
                await self._take(places, waiting)
                return waiting
            except NotStoredError:
                return ToolResult.failed("")  # the run ends: nobody reads it
            result = result if work is None else work.told(places, result)
            self._attempts.end(known, result)
            self._count_failure(known, arguments, result)
            await self._take(places, result)
        record = CallRecord(
            id=context.call_id,
            name=known,
            arguments=arguments,
            result=result,
            seconds=time.monotonic() - begun,
            executed=refused is None,
        )
        await self.answer(record)
        return result

    def _refused(self, name: str, counts: bool, final: bool) -> ToolResult | None:
        left = self.left
        if counts and self._budget.calls is not None and self.made >= self._budget.calls:
            self.spent = True
            return ToolResult.failed(_SPENT.format(name, self._budget.calls))
        if left is not None and left <= 0:
            return ToolResult.failed(_LATE.format(name, "not called", self._budget.seconds))
        refusal = None if final else self.spending.refusal(name)
        return None if refusal is None else ToolResult.failed(refusal)

    def _announced(self, name: str, context: ToolContext, places: tuple[int, ...]) -> ToolContext:
        """Count the attempt, and have a call stored as begun before its handler is called, unless its tool
        only reads.
        """
        work, framework = self.work, context.framework or _COUNTING
        attempt = self._attempts.of(name)
        if work is None:
            announced = msgspec.structs.replace(framework, attempt=attempt)
        else:

            async def begin() -> None:
                if self.tools.get(name).binding.permission != "read":
                    await self.store(work, places)

            passes = (*framework.passes, NotStoredError)
            announced = msgspec.structs.replace(framework, attempt=attempt, begin=begin, passes=passes)
        return msgspec.structs.replace(context, framework=announced)

    def _deferred(
        self, name: str, request: CallRequest, context: ToolContext, problem: CallDeferred
    ) -> Deferred:
        binding = self.tools.get(name).binding
        injected = fill_in(binding, context)
        guesses = self.tools.guesses if request.guesses is None else request.guesses
        if guesses is not None:  # the call counted its own when it was decoded
            guesses = Guesses(guesses.allow)
        params = binding.decode(request.arguments, request.provider, guesses, injected)
        return deferred(binding, params, context.call_id, problem, injected)

    async def _take(self, places: tuple[int, ...], result: ToolResult) -> None:
        if self.work is not None and self.work.take(places, result):
            with suppress(NotStoredError):  # the run ends with its batch
                await self.store(self.work)

    def _with_framework(self, context: ToolContext | None) -> tuple[ToolContext, bool]:
        """Return the context of a call, and whether it may wait. A program's own framework stays."""
        chosen = context or ToolContext()
        own = chosen.framework
        if own is None and self._waits:
            return msgspec.structs.replace(chosen, framework=WAITS), True
        return chosen, is_approval(own)

    async def _timed(self, known: str, request: CallRequest, context: ToolContext) -> ToolResult:
        begun, arguments = time.monotonic(), request.arguments
        left = self.left
        clock = None if left is None else asyncio.timeout(left)
        try:
            async with clock or UNLIMITED:
                return await self._base.execute(
                    request.name, arguments, request.provider, context, request.guesses
                )
        except asyncio.CancelledError:
            # It goes into the record with the others; the cancellation passes on.
            result = ToolResult.failed(f"Tool {known!r} was cancelled.")
            seconds = time.monotonic() - begun
            await self.answer(
                CallRecord(
                    id=context.call_id, name=known, arguments=arguments, result=result, seconds=seconds
                )
            )
            raise
        except TimeoutError:
            if clock is None or not clock.expired():
                raise
            return ToolResult.failed(_LATE.format(known, "stopped", self._budget.seconds))

    def _known(self, name: str) -> str:
        return self.tools.resolve(name) or name

    def _count_failure(self, name: str, arguments: Arguments, result: ToolResult) -> None:
        """Count failures of one call in one wording, until it succeeds."""
        if result.success and not self.failures:
            return
        key = sha256(f"{name}\0".encode("utf-8", "surrogatepass") + _canonical(arguments)).hexdigest()
        if result.success:
            self.failures.pop(key, None)
        else:
            self.failures[key] = self.failures.get(key, 0) + 1


async def _nobody(*_: object) -> None: ...


def _canonical(arguments: object) -> bytes:
    """Return the same bytes for the same JSON value, whatever its spaces and the order of its keys."""
    try:
        if isinstance(arguments, (str, bytes)):
            arguments = read_json(arguments)
        return msgspec.json.encode(arguments, order="deterministic")
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError):
        return repr(arguments).encode("utf-8", "backslashreplace")
