"""One call with what a program puts around it: secrets, a policy, hooks, timeouts, a limit for results.

way back → decode → policy, rate limit → secrets → precheck → approval → handler → result, redacted and cut
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import msgspec

from .binding import ToolBinding
from .bridge import ask_precheck, explain, fault, unwrap
from .context import Report, ToolContext
from .cutting import cut_result
from .errors import ArgumentError, RefusalError
from .events import (
    Approved,
    Cancelled,
    Decoded,
    Failed,
    Finished,
    Observer,
    Refused,
    Stage,
    Started,
    TimedOut,
)
from .execution import Execution, Ready
from .guard import Guard
from .handlers import call_in_thread
from .interrupts import is_from_outside
from .records import ERROR, log
from .result import ToolResult
from .results import as_result, encodable, mismatch, mismatched
from .surrounding import surrounded
from .workers import RunsOn

if TYPE_CHECKING:
    from .secrets.secrets import Secrets
    from .ways.guesses import Guesses

_TURN = 256
"""Calls with a timeout after which the event loop has a turn: it drops the timers of calls that are over, and
handlers that never wait would leave it none."""

Observers: TypeAlias = tuple[Observer, ...]


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
        tool: Ready,
        arguments: Any,
        context: ToolContext,
        guesses: "Guesses | None",
        execution: Execution,
    ) -> Awaitable[ToolResult]:
        """Carry out one call. Whatever happens is a ToolResult; only what comes from outside passes through
        (`is_from_outside`)."""
        guard, call_id = self.guard, context.call_id
        if guard.secrets is not None:
            if context.report is not None:
                context = msgspec.structs.replace(context, report=_redacting(context.report, guard.text))
            call_id = guard.text(call_id)
            if call_id != context.call_id:  # a model may write any id, and a handler may log it
                context = msgspec.structs.replace(context, call_id=call_id)
        call = _Call(guard, guard.observers, call_id, tool, execution)
        steps = _surrounded if guard.surrounds else _steps
        return steps(call, arguments, context, guesses)

    def shown(self, name: Any) -> Any:
        """A name that a model made up, without the values of secrets."""
        return self.guard.text(name) if isinstance(name, str) else name

    def refuse(
        self, stage: Stage, name: Any, provider: str | None, context: ToolContext | None, refused: ToolResult
    ) -> ToolResult:
        """A call that no tool takes: `refused`, and the hooks know. `name` holds no secret."""
        guard = self.guard
        result = encodable(ToolResult.failed(guard.text(refused.error)), str(name)[:64], "")
        if guard.hooks:
            call_id = "" if context is None else guard.text(context.call_id)
            tool = name[:64] if isinstance(name, str) else ""
            guard.tell(guard.observers, Refused(tool, call_id, provider, stage, result.error))
            guard.tell(guard.observers, Finished(tool, call_id, provider, result, 0.0))
        return result


class _Call(NamedTuple):
    """What the steps of one call share."""

    guard: Guard
    observers: Observers
    call_id: str
    tool: Ready
    execution: Execution


async def _surrounded(
    call: _Call, arguments: Any, context: ToolContext, guesses: "Guesses | None"
) -> ToolResult:
    """The call, with what hooks put around it."""
    with surrounded(call.guard, call.tool.binding, context) as observers:
        return await _steps(call._replace(observers=observers), arguments, context, guesses)


async def _steps(call: _Call, arguments: Any, context: ToolContext, guesses: "Guesses | None") -> ToolResult:
    """The whole order, and how it ended. Spelt out in one piece: it is the price of every call."""
    guard, observers, call_id, (binding, handler, awaited), execution = call
    begun = perf_counter()
    name, provider, secrets = binding.name, context.provider, guard.secrets
    stage: str = "arguments"
    try:
        try:
            params = shown = binding.decode(arguments, provider, guesses)
        except ArgumentError as problem:
            raise RefusalError(explain(binding, problem, provider)) from problem
        if observers:
            # A model may have learnt a value elsewhere and write it out.
            decoded = Decoded(name, call_id, provider, shown if secrets is None else secrets.redact(shown))
            for observer in observers:  # as `Guard.tell` does it, three calls of a function less
                try:
                    observer(decoded)
                except BaseException as problem:
                    if is_from_outside(problem):
                        raise
                    guard.hook_failed("Decoded", name, call_id, problem)
        decision, since = None, 0
        if guard.policy is not None:
            stage = "policy"
            # Before a secret is looked up: a call that may not run learns nothing of them.
            since = guard.policy.forgotten
            decision = guard.policy.rule(binding, shown)
            if decision is not None and not decision.allowed:
                raise RefusalError(decision.error)
        if secrets is not None:
            stage = "secrets"
            if secrets.concerns(binding, shown):
                params = await _within(guard, name, secrets.fill(binding, shown))
        stage = "precheck"
        if hasattr(handler, "precheck"):
            refusal = await _within(
                guard, name, ask_precheck(name, execution.workers, handler, params, context)
            )
            if refusal is not None:
                raise RefusalError(refusal)
        if guard.policy is not None:
            stage = "policy"
            if decision is None:
                # A person sees the references only: what is shown, and what is remembered, is no secret.
                decision = await guard.policy.ask(binding, shown, context, since)
            if not decision.allowed:
                raise RefusalError(decision.error)
            if observers:
                remembered = guard.text(decision.remembered) if decision.remembered else ""
                approved = Approved(name, call_id, provider, decision.by, remembered)
                for observer in observers:
                    try:
                        observer(approved)
                    except BaseException as problem:
                        if is_from_outside(problem):
                            raise
                        guard.hook_failed("Approved", name, call_id, problem)
        stage = "handler"
        if observers:
            started = Started(name, call_id, provider)
            for observer in observers:
                try:
                    observer(started)
                except BaseException as problem:
                    if is_from_outside(problem):
                        raise
                    guard.hook_failed("Started", name, call_id, problem)
        workers = execution.workers
        work = handler(params, context) if awaited else call_in_thread(workers, handler, params, context)
        value = await (work if guard.timeout is None else _within(guard, name, work))
        stage = "encoding the result"
        result = as_result(binding, value) if secrets is None else _redacted(secrets, binding, value)
        if execution.check_results:
            how = mismatch(binding, value)  # before redacting: a mark is no number
            if how is not None:
                result = mismatched(name, call_id, guard.text(how), result)
        if guard.limit is not None:
            # After redacting: half a secret would not be found any more.
            result = cut_result(result, guard.limit)
    except RefusalError as problem:
        error = guard.text(str(problem) or f"The call of {name!r} was refused.")
        guard.tell(observers, Refused(name, call_id, provider, cast("Stage", stage), error))
        result = ToolResult.failed(error)
    except _TimeoutError as problem:
        guard.tell(observers, TimedOut(name, call_id, provider, stage, problem.seconds, problem.runs_on))
        result = _late(name, problem)
    except BaseException as problem:
        if is_from_outside(problem):
            guard.tell(observers, Cancelled(name, call_id, provider, stage))
            raise
        result, failed = _report(guard, name, call_id, provider, stage, begun, unwrap(problem))
        guard.tell(observers, failed)
    result = encodable(result, name, call_id)
    if observers:
        guard.tell(observers, Finished(name, call_id, provider, result, perf_counter() - begun))
    return result


async def _within(guard: Guard, tool: str, work: Awaitable[Any]) -> Any:
    """What `work` gives, within the tool's time. Raises _TimeoutError."""
    seconds = guard.seconds(tool)
    if seconds is None:
        return await work
    guard.timed += 1
    if guard.timed % _TURN == 0:
        await asyncio.sleep(0)
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


def _redacted(secrets: "Secrets", binding: ToolBinding[Any, Any], value: Any) -> ToolResult:
    """What the handler returned, without values of secrets."""
    if not secrets.known:
        return as_result(binding, value)
    # The data first: its text is then made of values that hold no secret, and stays well formed.
    return secrets.redact(as_result(binding, secrets.redact(value)))


def _late(tool: str, problem: _TimeoutError) -> ToolResult:
    """A step that took too long."""
    if problem.runs_on:
        became = "It could not be stopped and may still take effect"
    else:
        became = "It was stopped and may have taken effect in part"
    return ToolResult.failed(
        f"Tool {tool!r} did not finish within {problem.seconds:g} s. {became}: look before "
        "you call it again, and ask for less at once."
    )


def _report(
    guard: Guard,
    name: str,
    call_id: str,
    provider: str | None,
    stage: str,
    begun: float,
    problem: BaseException,
) -> tuple[ToolResult, Failed]:
    """A bug: the traceback to the log, to the model only its kind and number."""
    number = os.urandom(6).hex()
    kind = type(problem).__name__
    where = f"the {stage}" if " " not in stage else stage
    log(
        ERROR,
        "Tool %r failed in %s [%s]",
        name,
        where,
        number,
        event="failed",
        tool=name,
        call_id=call_id,
        error_id=number,
        seconds=perf_counter() - begun,
        problem=problem,
        redact=guard.redact(),
    )
    return fault(name, where, kind, number), Failed(name, call_id, provider, stage, kind, number)
