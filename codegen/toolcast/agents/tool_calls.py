"""The calls of a run: counted, timed and recorded, within a budget."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from ..runtime.arguments import Arguments
from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import RedirectedView, ToolView
from ..runtime.wire.guesses import Guesses
from .budget import Budget
from .record import CallRecord

_SPENT = (
    "Tool {!r} was not called: this run may make {} calls of tools, and has made them. "
    "Answer with what is known."
)
_LATE = "Tool {!r} was {}: this run may take {:g} seconds, and they are over. Answer with what is known."


class ToolCalls:
    """One run's calls. Past the budget a call is answered, not made, so that a conversation stays whole.

    `tools` are those of the run, whose calls pass through here; `starting` gets the id, the name and the
    arguments of each call before it is carried out, `notify` each call that ended; `spent` says that a call
    exceeded the budget, `repeated` that one call failed too often with the same arguments.
    """

    def __init__(self, tools: ToolView, budget: Budget, repeats: int) -> None:
        self.tools: ToolView = RedirectedView(tools, self.execute)
        self.starting: Callable[[str, str, Any], Awaitable[None]] = _nobody
        self.notify: Callable[[CallRecord], Awaitable[None]] = _nobody
        self.spent = False
        self.repeated = False
        self._execute = tools.execute
        self._budget = budget
        self._repeats = repeats
        self._begun = time.monotonic()
        self._made = 0
        self._failures: dict[tuple[str, bytes], int] = {}
        self._ended: list[CallRecord] = []

    def take(self) -> tuple[CallRecord, ...]:
        """The calls that ended since the last time."""
        ended = tuple(self._ended)
        self._ended.clear()
        return ended

    @property
    def left(self) -> float | None:
        """Seconds of the budget, None for no limit."""
        seconds = self._budget.seconds
        return None if seconds is None else seconds - (time.monotonic() - self._begun)

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
        left, executed = self.left, False
        if self._budget.calls is not None and self._made >= self._budget.calls:
            self.spent = True
            result = ToolResult.failed(_SPENT.format(name, self._budget.calls))
        elif left is not None and left <= 0:
            result = ToolResult.failed(_LATE.format(name, "not called", self._budget.seconds))
        else:
            self._made += 1
            executed = True
            await self.starting("" if context is None else context.call_id, name, arguments)
            result = await self._timed(name, arguments, provider, context, guesses)
            self._count_failure(name, arguments, result)
        await self._record(name, arguments, context, result, begun, executed)
        return result

    async def _record(
        self,
        name: str,
        arguments: Arguments,
        context: ToolContext | None,
        result: ToolResult,
        begun: float,
        executed: bool = True,
    ) -> None:
        call = CallRecord(
            id="" if context is None else context.call_id,
            name=name,
            arguments=arguments,
            result=result,
            seconds=time.monotonic() - begun,
            executed=executed,
        )
        self._ended.append(call)
        await self.notify(call)

    async def _timed(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None,
        context: ToolContext | None,
        guesses: Guesses | None,
    ) -> ToolResult:
        begun = time.monotonic()
        clock = asyncio.timeout(self.left)
        try:
            async with clock:
                return await self._execute(name, arguments, provider, context, guesses)
        except asyncio.CancelledError:
            # It goes into the record with the others; the cancellation passes on.
            await self._record(
                name, arguments, context, ToolResult.failed(f"Tool {name!r} was cancelled."), begun
            )
            raise
        except TimeoutError:
            if not clock.expired():
                raise
            return ToolResult.failed(_LATE.format(name, "stopped", self._budget.seconds))

    def _count_failure(self, name: str, arguments: Arguments, result: ToolResult) -> None:
        """Count failures of one call in one wording; a success of it starts anew."""
        key = (name, _canonical(arguments))
        if result.success:
            self._failures.pop(key, None)
            return
        count = self._failures[key] = self._failures.get(key, 0) + 1
        self.repeated = self.repeated or count >= self._repeats


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
