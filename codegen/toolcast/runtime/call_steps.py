"""One call, from untyped arguments to a ToolResult. Its steps, in this order:

decode → scopes, policy, rate limit → secrets → precheck → approval → handler → result, redacted and cut
"""

from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from ..jsonschema.json_values import JsonMapping, JsonObject
from .binding import AnyBinding
from .context import LogLevel, ToolContext, missing_scopes
from .errors import ArgumentError, RefusalError, is_from_outside
from .executor import Executor
from .failure_results import (
    attempts_of,
    lacks_scopes,
    redacted_refusal,
    refuse_arguments,
    refused_result,
    timed_out_result,
)
from .handlers import (
    Handler,
    Precheck,
    as_result,
    call,
    call_in_thread,
    find_mismatch,
    make_encodable,
    redacted_result,
    report_mismatch,
)
from .log_records import WARNING, log
from .middleware.events import (
    Approved,
    Cancelled,
    Decoded,
    Deferred,
    Failed,
    Finished,
    Observer,
    Refused,
    Stage,
    Started,
    TimedOut,
)
from .middleware.truncate import cut_result
from .repairs.repair import MAX_REPAIRS, Repair, renamed
from .result import ToolResult
from .workers import RunsOn, Workers, unwrap

if TYPE_CHECKING:
    from asyncio import Timeout

    from .middleware.secrets.secrets import Secrets
    from .questions import ElicitationRequest, SamplingRequest
    from .wire.guesses import Guesses, RecordedGuesses


def redacted_context(context: ToolContext, secrets: "Secrets") -> ToolContext:
    """Return `context` without values of secrets in the call id, which a model may write and a handler may
    log, and in what a handler reports, logs and asks."""
    call_id = secrets.redact_text(context.call_id) if context.call_id else ""
    channels = (context.report, context.receive_log, context.asker, context.sampler)
    if channels == (None, None, None, None) and call_id == context.call_id:
        return context
    return msgspec.structs.replace(context, call_id=call_id, **_redacted_channels(context, secrets))


def _redacted_channels(context: ToolContext, secrets: "Secrets") -> JsonObject:
    report, receive_log, asker, sampler = context.report, context.receive_log, context.asker, context.sampler
    channels: JsonObject = {}
    if report is not None:

        def redacted_report(done: float, total: float | None, message: str) -> None:
            report(done, total, secrets.redact_text(message))

        channels["report"] = redacted_report
    if receive_log is not None:

        def redacted_log(level: LogLevel, data: object, logger: str) -> None:
            receive_log(level, secrets.redact(data), secrets.redact_text(logger))

        channels["receive_log"] = redacted_log
    if asker is not None:

        def redacted_question(request: "ElicitationRequest") -> object:
            return asker(secrets.redact(request))

        channels["asker"] = redacted_question
    if sampler is not None:

        def redacted_sampling(request: "SamplingRequest") -> object:
            return sampler(secrets.redact(request))

        channels["sampler"] = redacted_sampling
    return channels


class _Waiting:
    """The unanswered questions of one call. While there is one, the call's timeout does not run."""

    __slots__ = ("_left", "_open", "scope", "until")

    def __init__(self) -> None:
        self.scope: Timeout | None = None  # the timeout that runs, set by the call
        self.until: float | None = None  # when the current step is over, in the loop's time
        self._open = 0
        self._left: float | None = None  # seconds, while a question is open

    def begin(self, seconds: float) -> None:
        """Begin a step."""
        self.scope, self.until, self._left = None, _now() + seconds, None

    def stopping_time(self, context: ToolContext) -> ToolContext:
        """Return `context` with channels that stop the time."""
        channels: JsonObject = {}
        for name in ("asker", "sampler", "root_lister"):
            if (channel := getattr(context, name)) is not None:
                channels[name] = self._stopping(channel)
        return msgspec.structs.replace(context, **channels)

    def _stopping(self, channel: Callable[[object], object]) -> Callable[[object], Awaitable[object]]:
        async def ask(request: Any) -> Any:
            self._open += 1
            if self._open == 1 and self.until is not None:
                self._left = self.until - _now()
                self._reschedule(None)
            try:
                outcome = channel(request)
                return await outcome if isinstance(outcome, Awaitable) else outcome
            finally:
                self._open -= 1
                if self._open == 0 and self._left is not None:
                    self._reschedule(_now() + self._left)
                    self._left = None

        return ask

    def _reschedule(self, when: float | None) -> None:
        self.until = when
        if self.scope is not None:
            with suppress(RuntimeError):  # the handler has ended, and a task of its own still asks
                self.scope.reschedule(when)


class _Begun:
    """An awaitable that has begun, and gave `wait` to its event loop to wait for."""

    __slots__ = ("_steps", "_wait")

    def __init__(self, steps: Generator[Any, Any, Any], wait: object) -> None:
        self._steps = steps
        self._wait = wait

    def __await__(self) -> Generator[Any, Any, Any]:
        wait = self._wait
        while True:
            try:
                step, given = self._steps.send, (yield wait)
            except BaseException as problem:  # a cancellation
                step, given = self._steps.throw, problem
            try:
                wait = step(given)
            except StopIteration as end:
                return end.value


def _now() -> float:
    import asyncio

    return asyncio.get_running_loop().time()


class ReadyTool(NamedTuple):
    """A tool whose handler can be called. `written` is its name as the model wrote it, without values of
    secrets, if that is another."""

    binding: AnyBinding
    handler: Handler
    awaited: bool
    precheck: Precheck | None
    written: str = ""


FILLING_IN = "filling in arguments"
"""The stage of a call that lacks values of the program (`inject`)."""


def fill_in(binding: AnyBinding, context: ToolContext | None) -> JsonObject | None:
    """Return the values that the program fills in from `context`; None for a tool without `inject`. Raises
    InjectionError."""
    if not binding.inject:
        return None
    from .injection import injected_values

    return injected_values(binding.name, binding.inject, context or ToolContext())


def run_call(
    executor: Executor, tool: ReadyTool, arguments: object, context: ToolContext, guesses: "Guesses | None"
) -> Awaitable[ToolResult]:
    """Carry out one call. All but what comes from outside (`is_from_outside`) becomes a ToolResult."""
    guard = executor.guard
    if tool.binding.deprecated is not None:
        executor.warn_of_deprecated(tool.binding, context)
    if guard.secrets is not None:
        context = redacted_context(context, guard.secrets)
    if guard.surrounds:
        return _run_surrounded(executor, tool, arguments, context, guesses)
    return _Call(executor, tool, context, guard.observers).run(arguments, guesses)


async def _run_surrounded(
    executor: Executor, tool: ReadyTool, arguments: object, context: ToolContext, guesses: "Guesses | None"
) -> ToolResult:
    with executor.guard.around(tool.binding, context) as observers:
        return await _Call(executor, tool, context, observers).run(arguments, guesses)


class _TimeoutError(Exception):
    """A timeout of the registry, not one that a handler raised."""

    def __init__(self, seconds: float, runs_on: bool) -> None:
        super().__init__(seconds, runs_on)
        self.seconds = seconds
        self.runs_on = runs_on


class _Call:
    """One call while it runs; `stage` is its current step."""

    __slots__ = ("context", "executor", "framework", "observers", "passes", "stage", "tool", "waiting")

    def __init__(
        self, executor: Executor, tool: ReadyTool, context: ToolContext, observers: tuple[Observer, ...]
    ) -> None:
        self.executor = executor
        self.tool = tool
        # Not for handlers: what they call themselves nobody approved.
        framework = self.framework = context.framework
        self.passes = () if framework is None else framework.passes
        asks = (context.asker, context.sampler, context.root_lister) != (None, None, None)
        self.waiting = _Waiting() if asks else None
        if self.waiting is not None:
            context = self.waiting.stopping_time(context)
        if framework is not None:
            approved, attempt = framework.approved, framework.attempt
            if framework.observer is not None:
                observers = (*observers, framework.observer)
            context = msgspec.structs.replace(context, framework=None, approved=approved, attempt=attempt)
        elif context.approved or context.attempt is not None:
            context = msgspec.structs.replace(context, approved=False, attempt=None)
        self.context = context
        self.observers = observers
        self.stage = "arguments"

    async def run(self, arguments: Any, guesses: "Guesses | None") -> ToolResult:
        """Carry out the call. One coroutine has all of its steps: to begin another one takes as long as most
        of them."""
        begun = perf_counter()
        executor, context, observers = self.executor, self.context, self.observers
        binding, handler, awaited, precheck, misnamed = self.tool
        guard, secrets, policy = executor.guard, executor.guard.secrets, executor.guard.policy
        name, call_id, provider = binding.name, context.call_id, context.provider
        recorded = guesses.recorded() if guesses is not None and guesses.allow else None
        repaired = bool(misnamed) or recorded is not None
        encoded = False
        try:
            injected = None
            if binding.inject:
                self.stage = FILLING_IN
                injected = fill_in(binding, context)
            try:
                params = shown = binding.decode(arguments, provider, recorded, injected)
            except ArgumentError as problem:
                self.stage = "arguments"
                in_part = self.framework is not None and self.framework.in_part
                raise refuse_arguments(
                    binding, problem, provider, in_part=in_part, limit=guard.limit
                ) from problem
            if binding.result is not None:
                self.stage = "reading its contract"
                binding.prepare_result(provider)
                self.stage = "arguments"
            if injected is not None and context.approved and self._approved_other(injected):
                context = self._without_approval(context)
            if observers:
                # A model may have learnt a value elsewhere and write it out.
                redacted = shown if secrets is None else secrets.redact(shown)
                written = guard.written(arguments) if guard.records else None
                repairs = self._repairs(recorded) if repaired else ()
                guard.notify(observers, Decoded(name, call_id, provider, redacted, repairs, written))
            if binding.scopes:  # what a token permits, no policy widens
                self.stage = "policy"
                missing = missing_scopes(binding.scopes, context.extra.get("principal"))
                if missing:
                    raise RefusalError(lacks_scopes(name, missing))
            decision, since = None, 0
            if policy is not None:
                self.stage = "policy"
                # Before a secret is resolved: a call that may not run does not reach the resolver.
                since = policy.forgotten
                decision = policy.rule(binding, shown, self.framework)
                if decision is not None and not decision.allowed:
                    raise RefusalError(decision.error)
            if secrets is not None:
                self.stage = "secrets"
                if secrets.concerns(binding, shown):
                    params = await self._within(secrets.fill(binding, shown))
            self.stage = "precheck"
            if precheck is not None:
                refusal = await self._within(_run_precheck(name, executor.workers, precheck, params, context))
                if refusal is not None:
                    raise RefusalError(refusal)
            if policy is not None:
                self.stage = "policy"
                if decision is None:
                    # A person sees the references only: what is shown, and what is remembered, is no secret.
                    decision = await policy.ask(binding, shown, context, since, self.framework)
                    context = msgspec.structs.replace(context, approved=True)
                if not decision.allowed:
                    raise RefusalError(decision.error)
                if observers:
                    remembered = guard.redact_text(decision.remembered) if decision.remembered else ""
                    guard.notify(observers, Approved(name, call_id, provider, decision.by, remembered))
            begin = None if self.framework is None or binding.external else self.framework.begin
            if begin is not None:
                await begin()
            self.stage = "handler"
            if observers:
                guard.notify(observers, Started(name, call_id, provider))
            work = (
                handler(params, context)
                if awaited
                else call_in_thread(executor.workers, handler, params, context)
            )
            value = await (work if guard.timeout is None else self._within(work))
            self.stage = "encoding the result"
            if secrets is None:
                result = as_result(binding, value, provider, call_id)
            else:
                result = redacted_result(secrets, binding, value, provider, call_id)
            checks = executor.check_results
            # A success must have data where there is a contract of results, which may accept null.
            if checks or (
                checks is None and binding.result is not None and result.success and result.data is None
            ):
                how = find_mismatch(binding, value)  # before redacting: a mark is no number
                if how is not None:
                    result = report_mismatch(name, call_id, guard.redact_text(how), result)
            # After redacting: half a secret would not be found any more.
            result = result if guard.limit is None else cut_result(result, guard.limit)
            encoded = value is not None and not isinstance(value, (str, ToolResult))
        except BaseException as problem:  # a handler's, hook's, approver's or resolver's
            result = self._ended(problem, arguments, perf_counter() - begun)
        if not encoded:  # a typed value was
            result = make_encodable(result, name, call_id)
        if repaired and (repairs := self._repairs(recorded)):
            result = msgspec.structs.replace(result, repairs=repairs)
        if observers:
            guard.notify(observers, Finished(name, call_id, provider, result, perf_counter() - begun))
        return result

    def _ended(self, problem: BaseException, arguments: object, seconds: float) -> ToolResult:
        """Return the result of a call that a step ended. Raises what comes from outside, and what the
        framework takes."""
        guard, observers, binding = self.executor.guard, self.observers, self.tool.binding
        name, call_id, provider = binding.name, self.context.call_id, self.context.provider
        if isinstance(problem, RefusalError):
            if isinstance(problem, self.passes):
                guard.notify(observers, Deferred(name, call_id, provider, self.stage, type(problem).__name__))
                raise redacted_refusal(problem, guard) from None
            max_attempts = attempts_of(name, self.executor.max_attempts)
            result = refused_result(binding, problem, guard, self.context.attempt, max_attempts)
            stage = cast("Stage", self.stage)
            wrong = guard.redacted_violations(problem.__cause__) if observers and stage == "arguments" else ()
            written = guard.written(arguments) if wrong else None
            guard.notify(observers, Refused(name, call_id, provider, stage, result.error, written, wrong))
            return result
        if isinstance(problem, _TimeoutError):
            event = TimedOut(name, call_id, provider, self.stage, problem.seconds, problem.runs_on)
            guard.notify(observers, event)
            return timed_out_result(name, problem.seconds, problem.runs_on, self.stage == "handler")
        if is_from_outside(problem):
            guard.notify(observers, Cancelled(name, call_id, provider, self.stage))
            raise problem
        raised = unwrap(problem)
        if isinstance(raised, self.passes):
            guard.notify(observers, Deferred(name, call_id, provider, self.stage, type(raised).__name__))
            raise raised from None
        where = self.stage if " " in self.stage else f"the {self.stage}"
        result, number = guard.report_fault(name, call_id, where, raised, seconds)
        kind = guard.redact_text(type(raised).__name__)
        guard.notify(observers, Failed(name, call_id, provider, self.stage, kind, number))
        return result

    def _repairs(self, guesses: "RecordedGuesses | None") -> tuple[Repair, ...]:
        tool = self.tool
        named = (renamed(tool.written, tool.binding.name),) if tool.written else ()
        if guesses is None:
            return named
        secrets = self.executor.guard.secrets
        return (*named, *guesses.repairs(None if secrets is None else secrets.redact))[:MAX_REPAIRS]

    def _approved_other(self, injected: JsonMapping) -> bool:
        """Tell whether the call was approved with other values than the program fills in now."""
        approved_for = None if self.framework is None else self.framework.approved_for
        if approved_for is None:
            return False
        from .injection import injected_digest

        return approved_for != injected_digest(injected)

    def _without_approval(self, context: ToolContext) -> ToolContext:
        assert self.framework is not None
        self.framework = msgspec.structs.replace(self.framework, approved=False, remember=False)
        log(
            WARNING,
            "The approval of a call of %r is void: the program fills in other values than those that it was "
            "given for.",
            self.tool.binding.name,
            event="approval_void",
            tool=self.tool.binding.name,
            call_id=context.call_id,
        )
        return msgspec.structs.replace(context, approved=False)

    async def _within(self, work: Awaitable[object]) -> object:
        """Await `work` for as long as a step may take. A timer costs as much as a call: it is set where
        `work` waits, and few handlers do each time."""
        seconds = self.executor.guard.seconds(self.tool.binding.name)
        if seconds is None:
            return await work
        waiting, begun = self.waiting, monotonic()
        if waiting is not None:
            waiting.begin(seconds)
        steps = work.__await__()
        try:
            wait = next(steps)
        except StopIteration as end:
            return end.value
        import asyncio

        if waiting is None:
            scope = asyncio.timeout(seconds - (monotonic() - begun))
        else:
            scope = waiting.scope = asyncio.timeout_at(waiting.until)
        try:
            async with scope:
                return await _Begun(steps, wait)
        except TimeoutError as problem:
            if not scope.expired():
                raise
            cancelled = problem.__cause__
            runs_on = cancelled is not None and isinstance(cancelled.__cause__, RunsOn)
            raise _TimeoutError(seconds, runs_on) from problem


async def _run_precheck(
    tool: str, workers: Workers, precheck: Precheck, params: object, context: ToolContext
) -> str | None:
    """Return the refusal of a precheck, if any. Raises TypeError for a precheck that returns neither None nor
    a text."""
    refusal = await call(workers, precheck, params, context)
    if refusal is None:
        return None
    if isinstance(refusal, str):
        return refusal or f"The call of {tool!r} was refused."
    # Neither a refusal nor a pass: a precheck that answers True or False may mean either.
    raise TypeError(f"precheck must return None or a refusal text, not {type(refusal).__name__}")
