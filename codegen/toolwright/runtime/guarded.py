"""One call with what a program puts around it: secrets, a policy, hooks, timeouts, a limit for results.

way back → decode → secrets → precheck → policy and approval → handler → result, redacted and cut
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from .binding import ToolBinding
from .bridge import as_result, ask_precheck, explain, fault, unwrap
from .context import Report, ToolContext
from .cutting import cut_result
from .errors import ArgumentError, RefusalError
from .events import (
    Approved,
    Cancelled,
    Decoded,
    Event,
    Failed,
    Finished,
    Refused,
    Stage,
    Started,
    TimedOut,
)
from .guard import Guard
from .handlers import Handler, RunsOn, call_in_thread
from .records import ERROR, log
from .result import ToolResult
from .surrounding import surrounded

if TYPE_CHECKING:
    from .ways.guesses import Guesses


class _TimeoutError(Exception):
    """Our own timeout, not one that a handler raised."""

    def __init__(self, seconds: float, runs_on: bool) -> None:
        super().__init__(seconds, runs_on)
        self.seconds = seconds
        self.runs_on = runs_on


def _redacting(report: Report, text: Callable[[str], str]) -> Report:
    """A listener whose messages hold no secret."""
    return lambda done, total, message: report(done, total, text(message))


class Guarded:
    """The way of every call of one registry."""

    __slots__ = ("guard",)

    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def run(
        self,
        binding: ToolBinding[Any, Any],
        handler: Handler,
        awaited: bool,
        arguments: Any,
        context: ToolContext,
        guesses: "Guesses | None" = None,
    ) -> Awaitable[ToolResult]:
        """Carry out one call. Whatever happens is a ToolResult; only cancellation passes through."""
        call = _Call(self.guard, binding, context)
        if self.guard.surrounds:
            return call.surrounded(handler, awaited, arguments, guesses)
        return call.steps(handler, awaited, arguments, guesses)

    def refuse(
        self, stage: Stage, name: Any, provider: str | None, context: ToolContext | None, refused: ToolResult
    ) -> ToolResult:
        """A call that no tool takes: `refused`, and the hooks know."""
        guard = self.guard
        result = ToolResult.failed(guard.text(refused.error))
        if guard.hooks:
            call_id = "" if context is None else guard.text(context.call_id)
            tool = guard.text(name[:64]) if isinstance(name, str) else ""
            guard.tell(guard.observers, Refused(tool, call_id, provider, stage, result.error))
            guard.tell(guard.observers, Finished(tool, call_id, provider, result, 0.0))
        return result


class _Call:
    """One call on its way."""

    __slots__ = ("begun", "binding", "call_id", "context", "guard", "name", "observers", "provider", "stage")

    def __init__(self, guard: Guard, binding: ToolBinding[Any, Any], context: ToolContext) -> None:
        if guard.secrets is not None and context.report is not None:
            context = msgspec.structs.replace(context, report=_redacting(context.report, guard.text))
        self.begun = perf_counter()
        self.observers = guard.observers
        self.guard = guard
        self.binding = binding
        self.context = context
        self.stage: str = "arguments"
        self.name = binding.name
        self.call_id = context.call_id
        self.provider = context.provider
        if guard.secrets is not None and guard.secrets.known:
            self.call_id = guard.text(context.call_id)

    def tell(self, event: Event) -> None:
        """Show an event of this call to the hooks."""
        for observer in self.observers:
            try:
                observer(event)
            except Exception as problem:
                self.guard.hook_failed(type(event).__name__, self.name, self.call_id, problem)

    def ends_early(self, kind: Any, *given: Any) -> None:
        """Show why the call came no further."""
        if self.observers:
            self.tell(kind(self.name, self.call_id, self.provider, *given))

    async def surrounded(
        self, handler: Handler, awaited: bool, arguments: Any, guesses: "Guesses | None"
    ) -> ToolResult:
        """The call, with what hooks put around it."""
        shown = self.context
        if self.call_id != shown.call_id:
            shown = msgspec.structs.replace(shown, call_id=self.call_id)
        with surrounded(self.guard, self.binding, shown) as self.observers:
            return await self.steps(handler, awaited, arguments, guesses)

    async def steps(
        self, handler: Handler, awaited: bool, arguments: Any, guesses: "Guesses | None"
    ) -> ToolResult:
        """The whole order, and how it ended. Spelt out in one piece: it is the price of every call."""
        guard, binding, context = self.guard, self.binding, self.context
        name, call_id, provider = self.name, self.call_id, self.provider
        observed = len(self.observers) > 0
        try:
            try:
                params = shown = binding.decode(arguments, provider, guesses)
            except ArgumentError as problem:
                raise RefusalError(explain(binding, problem)) from problem
            if observed:
                # A model may have learnt a value elsewhere and write it out.
                seen = shown if guard.secrets is None else guard.secrets.redact(shown)
                self.tell(Decoded(name, call_id, provider, seen))
            if guard.secrets is not None:
                self.stage = "secrets"
                if guard.secrets.concerns(binding, shown):
                    params = await self.within(guard.secrets.fill(binding, shown))
            if hasattr(handler, "precheck"):
                self.stage = "precheck"
                refusal = await self.within(ask_precheck(name, handler, params, context))
                if refusal is not None:
                    raise RefusalError(refusal)
            if guard.policy is not None:
                self.stage = "policy"
                # It sees the references only: what a person is shown, and what is remembered, is no secret.
                decision = guard.policy.rule(binding, shown)
                if decision is None:
                    decision = await guard.policy.ask(binding, shown, context)
                if not decision.allowed:
                    raise RefusalError(decision.error)
                if observed:
                    remembered = guard.text(decision.remembered) if decision.remembered else ""
                    self.tell(Approved(name, call_id, provider, decision.by, remembered))
            self.stage = "handler"
            if observed:
                self.tell(Started(name, call_id, provider))
            work = handler(params, context) if awaited else call_in_thread(handler, params, context)
            value = await (work if guard.timeout is None else self.within(work))
            self.stage = "encoding the result"
            result = self.result(value)
        except RefusalError as problem:
            result = self.refuse(str(problem) or f"The call of {name!r} was refused.")
        except _TimeoutError as problem:
            result = self.late(problem)
        except asyncio.CancelledError:
            self.ends_early(Cancelled, self.stage)
            raise
        except (Exception, SystemExit) as problem:
            result = self.report(unwrap(problem))
        if observed:
            self.tell(Finished(name, call_id, provider, result, perf_counter() - self.begun))
        return result

    async def within(self, work: Awaitable[Any]) -> Any:
        """What `work` gives, within the tool's time. Raises _TimeoutError."""
        seconds = self.guard.seconds(self.binding.name)
        if seconds is None:
            return await work
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                return await work
        except TimeoutError as problem:
            if not scope.expired():
                raise
            cancelled = problem.__cause__
            runs_on = cancelled is not None and isinstance(cancelled.__cause__, RunsOn)
            raise _TimeoutError(seconds, runs_on) from problem

    def result(self, value: Any) -> ToolResult:
        """What the handler returned, redacted, then cut: half a secret would not be found any more."""
        secrets, limit = self.guard.secrets, self.guard.limit
        if secrets is not None and secrets.known:
            # The data first: its text is then made of values that hold no secret, and stays well formed.
            result = secrets.redact(as_result(self.binding, secrets.redact(value)))
        else:
            result = as_result(self.binding, value)
        return result if limit is None else cut_result(result, limit)

    def refuse(self, error: str) -> ToolResult:
        """A call that is not carried out."""
        error = self.guard.text(error)
        self.ends_early(Refused, self.stage, error)
        return ToolResult.failed(error)

    def late(self, problem: _TimeoutError) -> ToolResult:
        """A step that took too long."""
        self.ends_early(TimedOut, self.stage, problem.seconds, problem.runs_on)
        if problem.runs_on:
            became = "It could not be stopped and may still take effect"
        else:
            became = "It was stopped and may have taken effect in part"
        return ToolResult.failed(
            f"Tool {self.binding.name!r} did not finish within {problem.seconds:g} s. {became}: look before "
            "you call it again, and ask for less at once."
        )

    def report(self, problem: BaseException) -> ToolResult:
        """A bug: the traceback to the log, to the model only its kind and number."""
        number = os.urandom(6).hex()
        name, kind = self.binding.name, type(problem).__name__
        where = f"the {self.stage}" if " " not in self.stage else self.stage
        log(
            ERROR,
            "Tool %r failed in %s [%s]",
            name,
            where,
            number,
            event="failed",
            tool=name,
            call_id=self.call_id,
            error_id=number,
            seconds=perf_counter() - self.begun,
            problem=problem,
            redact=self.guard.redact(),
        )
        self.ends_early(Failed, self.stage, kind, number)
        return fault(name, where, kind, number)
