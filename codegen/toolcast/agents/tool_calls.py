"""The calls of a run: counted, timed and recorded, within a budget."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

import msgspec

from ..runtime.arguments import Arguments
from ..runtime.call_steps import fill_in
from ..runtime.context import ToolContext
from ..runtime.errors import CallDeferred
from ..runtime.result import ToolResult
from ..runtime.view import RedirectedView, ToolView
from ..runtime.wire.guesses import Guesses
from .attempts import Attempts
from .budget import Budget
from .record import CallRecord
from .run_state import RunState
from .spending import Spending
from .waiting import WAITS, deferred, is_approval

_SPENT = (
    "Tool {!r} was not called: this run may make {} calls of tools, and has made them. "
    "Answer with what is known."
)
_LATE = "Tool {!r} was {}: this run may take {:g} seconds, and they are over. Answer with what is known."


class ToolCalls:
    """One run's calls. Past the budget a call is answered, not made, so that a conversation stays whole.

    `tools` are those of the run, whose calls pass through here; `starting` gets the id, the name and the
    arguments of each call before it is carried out, `notify` each call that ended. Calls of the tool
    `uncounted` are none of the budget's. `spent` says that a call exceeded the budget; `made` counts calls
    that were made or wait, `failures` those that failed, by a digest of tool and arguments. With `waits`, a
    call that is deferred has a `Deferred` for a result, and is no record yet. `spending` is what the
    model's answers used.
    """

    def __init__(self, tools: ToolView, budget: Budget, repeats: int, state: RunState, waits: bool) -> None:
        self.tools: ToolView = RedirectedView(tools, self.execute)
        self.starting: Callable[[str, str, Any], Awaitable[None]] = _nobody
        self.notify: Callable[[CallRecord], Awaitable[None]] = _nobody
        self.uncounted = ""
        self.spent = False
        self.made = state.calls
        self.failures: dict[str, int] = {**state.failures}
        self.spending = Spending(budget, state.usage)
        self._execute = tools.execute
        self._attempts = Attempts(state.attempts)
        self._budget = budget
        self._repeats = repeats
        self._waits = waits
        self._begun = time.monotonic() - state.seconds
        self._ended: list[CallRecord] = []
        self._cancelled: list[CallRecord] = []
        self._deferred: list[CallRecord] = []  # which are no records of the run

    def take(self) -> tuple[CallRecord, ...]:
        """The calls of an answer that ended since the last time."""
        self._attempts.end_answer()
        ended = tuple(self._ended)
        self._ended.clear()
        return ended

    async def answer(self, call: CallRecord) -> None:
        """Record a call that has its result."""
        self._ended.append(call)
        await self.notify(call)

    def take_deferred(self) -> tuple[CallRecord, ...]:
        """The calls that were deferred since the last time, with what stands for their results."""
        taken = tuple(self._deferred)
        self._deferred.clear()
        return taken

    def was_cancelled(self, call: CallRecord) -> bool:
        """Whether a call was cancelled while it ran."""
        return any(call is each for each in self._cancelled)

    @property
    def attempts(self) -> dict[str, int]:
        """By tool, how often its handler asked for another call, in all answers so far."""
        return {**self._attempts.counts}

    @property
    def repeated(self) -> bool:
        """Whether one call failed too often with the same arguments."""
        return any(count >= self._repeats for count in self.failures.values())

    @property
    def seconds(self) -> float:
        """How long the run took so far."""
        return time.monotonic() - self._begun

    @property
    def left(self) -> float | None:
        """Seconds of the budget, None for no limit."""
        seconds = self._budget.seconds
        return None if seconds is None else seconds - self.seconds

    async def execute(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
        guesses: Guesses | None = None,
    ) -> ToolResult:
        """As the registry's, within the budget."""
        begun = time.monotonic()
        known = self._known(name)
        left, executed = self.left, False
        context, waits = self._with_framework(context)
        deferred_before = is_approval(context.framework)
        final = bool(self.uncounted) and self.tools.resolve(name) == self.uncounted
        counts = not (deferred_before or final)
        if counts and self._budget.calls is not None and self.made >= self._budget.calls:
            self.spent = True
            result = ToolResult.failed(_SPENT.format(known, self._budget.calls))
        elif left is not None and left <= 0:
            result = ToolResult.failed(_LATE.format(known, "not called", self._budget.seconds))
        elif not final and (refusal := self.spending.refusal(known)) is not None:
            result = ToolResult.failed(refusal)
        else:
            self.made += counts
            executed = True
            await self.starting(context.call_id, known, arguments)
            try:
                attempted = self._attempts.begin(known, context)
                result = await self._timed(name, arguments, provider, attempted, guesses)
            except CallDeferred as problem:
                if not waits:
                    raise
                binding = self.tools.get(known).binding
                injected = fill_in(binding, context)
                params = binding.decode(arguments, provider, self._uncounted_guesses(guesses), injected)
                waiting = deferred(binding, params, context.call_id, problem, injected)
                self._deferred.append(self._record(known, arguments, context, waiting, begun))
                return waiting
            self._attempts.end(known, result)
            self._count_failure(known, arguments, result)
        await self.answer(self._record(known, arguments, context, result, begun, executed))
        return result

    def _uncounted_guesses(self, guesses: Guesses | None) -> Guesses | None:
        """The guesses of a call that was decoded before; its own were counted then."""
        chosen = self.tools.guesses if guesses is None else guesses
        return None if chosen is None else Guesses(chosen.allow)

    def _with_framework(self, context: ToolContext | None) -> tuple[ToolContext, bool]:
        """The circumstances of a call, and whether it may wait. A program's own framework stays."""
        chosen = context or ToolContext()
        own = chosen.framework
        if own is None and self._waits:
            return msgspec.structs.replace(chosen, framework=WAITS), True
        return chosen, is_approval(own)

    def _record(
        self,
        name: str,
        arguments: Arguments,
        context: ToolContext,
        result: ToolResult,
        begun: float,
        executed: bool = True,
    ) -> CallRecord:
        return CallRecord(
            id=context.call_id,
            name=name,
            arguments=arguments,
            result=result,
            seconds=time.monotonic() - begun,
            executed=executed,
        )

    async def _timed(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None,
        context: ToolContext,
        guesses: Guesses | None,
    ) -> ToolResult:
        begun, known = time.monotonic(), self._known(name)
        clock = asyncio.timeout(self.left)
        try:
            async with clock:
                return await self._execute(name, arguments, provider, context, guesses)
        except asyncio.CancelledError:
            # It goes into the record with the others; the cancellation passes on.
            result = ToolResult.failed(f"Tool {known!r} was cancelled.")
            call = self._record(known, arguments, context, result, begun)
            self._cancelled.append(call)
            await self.answer(call)
            raise
        except TimeoutError:
            if not clock.expired():
                raise
            return ToolResult.failed(_LATE.format(known, "stopped", self._budget.seconds))

    def _known(self, name: str) -> str:
        """The tool that is called, however the model wrote its name; any other name as it is."""
        return self.tools.resolve(name) or name

    def _count_failure(self, name: str, arguments: Arguments, result: ToolResult) -> None:
        """Count failures of one call in one wording; a success of it starts anew."""
        key = sha256(f"{name}\0".encode("utf-8", "surrogatepass") + _canonical(arguments)).hexdigest()
        if result.success:
            self.failures.pop(key, None)
        else:
            self.failures[key] = self.failures.get(key, 0) + 1


async def _nobody(*_: Any) -> None:
    """Nobody listens."""


def _canonical(arguments: Any) -> bytes:
    """The same bytes for the same JSON value, whatever its spaces and the order of its keys."""
    try:
        if isinstance(arguments, (str, bytes)):
            arguments = msgspec.json.decode(arguments)
        return msgspec.json.encode(arguments, order="deterministic")
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError):
        return repr(arguments).encode("utf-8", "backslashreplace")
