"""The calls of a run: counted, timed and recorded, within a budget; and what the answers used."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from hashlib import sha256

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
from .answer_calls import AnswerCalls
from .record import CallRecord, Limit
from .run_state import RunState
from .usage import Budget, Usage
from .waiting import WAITS, Deferred, NotStoredError, deferred, is_approval

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

    def begin(self, tool: str, context: ToolContext) -> ToolContext:
        framework = context.framework or _COUNTING
        counted = msgspec.structs.replace(framework, attempt=self._counts.get(tool, 0) + 1)
        return msgspec.structs.replace(context, framework=counted)

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
        asked = msgspec.structs.replace(request, name=known, context=context)
        if self.checking:
            try:
                return self._deferred(asked, context, CallDeferred())
            except (ArgumentError, InjectionError) as problem:
                return ToolResult.failed(str(problem))
        deferred_before = is_approval(context.framework)
        final = bool(self.uncounted) and self.tools.resolve(request.name) == self.uncounted
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
                attempted = self._attempts.begin(known, self._announced(known, context, places))
                result = await self._timed(request, attempted)
            except CallDeferred as problem:
                if not waits:
                    raise
                waiting = self._deferred(asked, context, problem)
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
        """Have a call stored as begun before its handler is called, unless its tool only reads."""
        if self.work is None:
            return context
        work, framework = self.work, context.framework or Framework()

        async def begin() -> None:
            if self.tools.get(name).binding.permission != "read":
                await self.store(work, places)

        passes = (*framework.passes, NotStoredError)
        announced = msgspec.structs.replace(framework, begin=begin, passes=passes)
        return msgspec.structs.replace(context, framework=announced)

    def _deferred(self, request: CallRequest, context: ToolContext, problem: CallDeferred) -> Deferred:
        binding = self.tools.get(request.name).binding
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

    async def _timed(self, request: CallRequest, context: ToolContext) -> ToolResult:
        begun, known, arguments = time.monotonic(), self._known(request.name), request.arguments
        within = msgspec.structs.replace(request, context=context)
        clock = asyncio.timeout(self.left)
        try:
            async with clock:
                return await self._base.execute(*msgspec.structs.astuple(within))
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
            if not clock.expired():
                raise
            return ToolResult.failed(_LATE.format(known, "stopped", self._budget.seconds))

    def _known(self, name: str) -> str:
        return self.tools.resolve(name) or name

    def _count_failure(self, name: str, arguments: Arguments, result: ToolResult) -> None:
        """Count failures of one call in one wording, until it succeeds."""
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
