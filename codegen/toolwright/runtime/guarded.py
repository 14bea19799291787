"""One call with what a program puts around it: secrets, a policy, hooks, timeouts, a limit for results.

way back → decode → secrets → precheck → policy and approval → handler → result, redacted and cut
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from .binding import ToolBinding
from .bridge import as_result, ask_precheck, explain, fault, unwrap
from .context import ToolContext
from .cutting import cut
from .errors import ArgumentError, RefusalError
from .events import Approved, Cancelled, Decoded, Event, Failed, Finished, Hooks, Refused, Stage, Started
from .events import TimedOut as TimedOutEvent
from .handlers import Handler, RunsOn, call_in_thread
from .result import ToolResult
from .secrets.secrets import Resolver, Secrets

if TYPE_CHECKING:
    from .policy.policy import Policy
    from .ways.guesses import Guesses

_log = logging.getLogger("toolwright.runtime")


class _TimeoutError(Exception):
    """Our own timeout, not one that a handler raised."""

    def __init__(self, seconds: float, runs_on: bool) -> None:
        super().__init__(seconds, runs_on)
        self.seconds = seconds
        self.runs_on = runs_on


class Guard:
    """What stands around every call of one registry."""

    __slots__ = ("hooks", "limit", "policy", "secrets", "timeout")

    def __init__(
        self,
        secrets: Secrets | Resolver | None = None,
        policy: "Policy | None" = None,
        hooks: Hooks | None = None,
        timeout: float | Mapping[str, float] | None = None,
        limit: int | None = None,
    ) -> None:
        """Raises ValueError for values out of range, TypeError for hooks without `on`."""
        if hooks is not None and not callable(getattr(hooks, "on", None)):
            raise TypeError("hooks must be an object with a method on(event).")
        for seconds in timeout.values() if isinstance(timeout, Mapping) else [timeout]:
            if seconds is not None and not seconds > 0:
                raise ValueError(f"timeout must be more than 0 seconds, not {seconds!r}.")
        if limit is not None and limit < 1:
            raise ValueError(f"output_limit must be at least 1 character, not {limit!r}.")
        self.secrets = secrets if secrets is None or isinstance(secrets, Secrets) else Secrets(secrets)
        self.policy = policy
        self.hooks = hooks
        self.timeout = timeout
        self.limit = limit

    async def run(
        self,
        binding: ToolBinding[Any, Any],
        handler: Handler,
        awaited: bool,
        arguments: Any,
        context: ToolContext,
        guesses: "Guesses | None" = None,
    ) -> ToolResult:
        """Carry out one call. Whatever happens is a ToolResult; only cancellation passes through."""
        call = _Call(self, binding, context)
        begun = perf_counter()
        try:
            result = await call.steps(handler, awaited, arguments, guesses)
        except asyncio.CancelledError:
            if self.hooks is not None:
                call.tell(Cancelled(**call.who, stage=call.stage))
            raise
        if self.hooks is not None:
            call.tell(Finished(**call.who, result=result, seconds=perf_counter() - begun))
        return result

    def unknown(
        self, name: Any, provider: str | None, context: ToolContext | None, refused: ToolResult
    ) -> ToolResult:
        """A call of a tool that is not there: `refused`, and the hooks know."""
        result = ToolResult.failed(self.text(refused.error))
        if self.hooks is not None:
            call_id = "" if context is None else context.call_id
            tool = self.text(name[:64]) if isinstance(name, str) else ""
            who: dict[str, Any] = {"tool": tool, "call_id": call_id, "provider": provider}
            self.tell(Refused(**who, stage="lookup", error=result.error))
            self.tell(Finished(**who, result=result, seconds=0.0))
        return result

    def text(self, text: str) -> str:
        """`text` without the values of secrets."""
        return text if self.secrets is None else self.secrets.redact_text(text)

    def tell(self, event: Event) -> None:
        """Show an event to the hooks."""
        if self.hooks is None:
            return
        try:
            self.hooks.on(event)
        except Exception as problem:
            self.log("A hook failed at %s of tool %r", type(event).__name__, event.tool, problem=problem)

    def log(self, message: str, *given: Any, problem: BaseException) -> None:
        """An exception to the log; as redacted text where there are secrets, for its text may hold them and
        so may the variables of its frames."""
        if self.secrets is None:
            _log.error(message, *given, exc_info=problem)
            return
        import traceback

        text = "".join(traceback.format_exception(problem))
        _log.error(message + "\n%s", *given, self.secrets.redact_text(text))

    def seconds(self, tool: str) -> float | None:
        """How long a step of `tool` may take."""
        return self.timeout.get(tool) if isinstance(self.timeout, Mapping) else self.timeout


class _Call:
    """One call on its way."""

    __slots__ = ("binding", "context", "guard", "stage")

    def __init__(self, guard: Guard, binding: ToolBinding[Any, Any], context: ToolContext) -> None:
        self.guard = guard
        self.binding = binding
        self.context = context
        self.stage: str = "arguments"

    @property
    def who(self) -> dict[str, Any]:
        """Whose event it is."""
        context = self.context
        return {"tool": self.binding.name, "call_id": context.call_id, "provider": context.provider}

    def tell(self, event: Event) -> None:
        self.guard.tell(event)

    async def steps(
        self, handler: Handler, awaited: bool, arguments: Any, guesses: "Guesses | None"
    ) -> ToolResult:
        """The whole order."""
        guard, binding, context = self.guard, self.binding, self.context
        try:
            try:
                params = shown = binding.decode(arguments, context.provider, guesses)
            except ArgumentError as problem:
                return self.refuse("arguments", explain(binding, problem))
            if guard.hooks is not None:
                self.tell(Decoded(**self.who, params=shown))
            self.stage = "secrets"
            if guard.secrets is not None and guard.secrets.concerns(binding, shown):
                params = await self.within(guard.secrets.fill(binding, shown))
            self.stage = "precheck"
            if hasattr(handler, "precheck"):
                refusal = await self.within(ask_precheck(binding.name, handler, params, context))
                if refusal is not None:
                    return self.refuse("precheck", refusal)
            self.stage = "policy"
            if guard.policy is not None:
                # It sees the references only: what a person is shown, and what is remembered, is no secret.
                decision = await guard.policy.decide(binding, shown, context)
                if not decision.allowed:
                    return self.refuse("policy", decision.error)
                if guard.hooks is not None:
                    self.tell(Approved(**self.who, by=decision.by, remembered=decision.remembered))
            self.stage = "handler"
            if guard.hooks is not None:
                self.tell(Started(**self.who))
            value = await self.within(
                handler(params, context) if awaited else call_in_thread(handler, params, context)
            )
            self.stage = "encoding the result"
            return self.result(value)
        except RefusalError as problem:
            stage: Any = self.stage
            return self.refuse(stage, str(problem) or f"The call of {binding.name!r} was refused.")
        except _TimeoutError as problem:
            return self.late(problem)
        except (Exception, SystemExit) as problem:
            return self.report(unwrap(problem))

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
        if limit is None or (len(result.output) <= limit and len(result.error) <= limit):
            return result
        return msgspec.structs.replace(
            result, output=cut(result.output, limit), error=cut(result.error, limit)
        )

    def refuse(self, stage: Stage, error: str) -> ToolResult:
        """A call that is not carried out."""
        error = self.guard.text(error)
        if self.guard.hooks is not None:
            self.tell(Refused(**self.who, stage=stage, error=error))
        return ToolResult.failed(error)

    def late(self, problem: _TimeoutError) -> ToolResult:
        """A step that took too long."""
        if self.guard.hooks is not None:
            who, seconds, runs_on = self.who, problem.seconds, problem.runs_on
            self.tell(TimedOutEvent(**who, stage=self.stage, seconds=seconds, runs_on=runs_on))
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
        self.guard.log("Tool %r failed in %s [%s]", name, where, number, problem=problem)
        if self.guard.hooks is not None:
            self.tell(Failed(**self.who, stage=self.stage, kind=kind, number=number))
        return fault(name, where, kind, number)
