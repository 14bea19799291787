"""How a registry carries out calls: what all its calls share, and what becomes of calls without a handler."""

from typing import TYPE_CHECKING, Any

from .binding import ToolBinding
from .context import ToolContext
from .handler_results import encodable, mismatch, redacted_result
from .loop_thread import LoopThread
from .middleware.events import Finished, Refused, Stage
from .middleware.guard import Guard
from .middleware.truncate import cut_result
from .result import ToolResult
from .retry_hint import MaxAttempts
from .workers import Workers

if TYPE_CHECKING:
    from .wire.guesses import Guesses


class Executor:
    """How one registry, and every selection of it, carries out calls.

    `guard` is the middleware, `workers` are the threads of plain handlers, `check_results`
    holds typed results to their contracts, `guesses` are made at refused arguments, `max_attempts` at what
    handlers ask for again; `closed` is set when the registry releases its handlers.
    """

    __slots__ = (
        "check_results",
        "closed",
        "guard",
        "guesses",
        "loop_thread",
        "max_attempts",
        "timed",
        "warned",
        "workers",
    )

    def __init__(
        self,
        guard: Guard,
        workers: Workers,
        *,
        check_results: bool | None,
        guesses: "Guesses | None",
        max_attempts: MaxAttempts,
    ) -> None:
        self.guard = guard
        self.max_attempts = max_attempts
        self.workers = workers
        self.check_results = check_results
        self.guesses = guesses
        self.closed = False
        self.timed = 0  # steps that had a timeout
        self.warned: set[str] = set()  # deprecated tools whose first call was logged
        self.loop_thread = LoopThread()  # for calls from programs without an event loop

    def warn_of_deprecated(self, binding: ToolBinding[Any, Any], context: ToolContext) -> None:
        """Log the first call of a deprecated tool, and no other.

        No `DeprecationWarning`: its filters are about code, of which the caller, a model, has none; and where
        warnings are errors, the call would fail.
        """
        if binding.name in self.warned:
            return
        from .log_records import WARNING, log

        self.warned.add(binding.name)
        stated = "; ".join(f"{key}: {value}" for key, value in (binding.deprecated or {}).items())
        log(
            WARNING,
            "Tool %r was called, and it is deprecated%s.",
            binding.name,
            f" ({stated})" if stated else "",
            event="deprecated",
            tool=binding.name,
            call_id=self.guard.redact_text(context.call_id),
        )

    def accept(
        self, binding: ToolBinding[Any, Any], value: Any, provider: str | None, call_id: str
    ) -> ToolResult:
        """The result of a call that was carried out elsewhere, treated as that of a handler. Raises
        ValueError for one that does not fit the contract."""
        result = redacted_result(self.guard.secrets, binding, value, provider)
        result = encodable(result, binding.name, call_id)
        if result.data is not None or self.check_results is not False:
            how = mismatch(binding, value)
            if how is not None:
                raise ValueError(f"The result of tool {binding.name!r} {self.guard.redact_text(how)}.")
        return result if self.guard.limit is None else cut_result(result, self.guard.limit)

    def redact_name(self, name: Any) -> Any:
        """A name that a model made up, without the values of secrets."""
        return self.guard.redact_text(name) if isinstance(name, str) else name

    def refuse(
        self, stage: Stage, name: Any, provider: str | None, context: ToolContext | None, refused: ToolResult
    ) -> ToolResult:
        """A call that no tool takes: `refused`, and the hooks know. `name` holds no secret."""
        guard = self.guard
        result = encodable(ToolResult.failed(guard.redact_text(refused.error)), str(name)[:64], "")
        if guard.hooks:
            call_id = "" if context is None else guard.redact_text(context.call_id)
            tool = name[:64] if isinstance(name, str) else ""
            guard.notify(guard.observers, Refused(tool, call_id, provider, stage, result.error))
            guard.notify(guard.observers, Finished(tool, call_id, provider, result, 0.0))
        return result
