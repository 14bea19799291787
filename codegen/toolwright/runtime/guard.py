"""What a program puts around every call of a registry, and what it all shares."""

import logging
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from .binding import ToolBinding
from .context import ToolContext
from .events import Event, Finished, Hooks, Refused
from .guarded import GuardedCall
from .handlers import Handler
from .result import ToolResult
from .secrets.secrets import Resolver, Secrets

if TYPE_CHECKING:
    from .policy.policy import Policy
    from .ways.guesses import Guesses

_log = logging.getLogger("toolwright.runtime")


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
        call = GuardedCall(self, binding, context)
        if self.hooks is None:
            return call.steps(handler, awaited, arguments, guesses)
        return call.watched(call.steps(handler, awaited, arguments, guesses))

    def unknown(
        self, name: Any, provider: str | None, context: ToolContext | None, refused: ToolResult
    ) -> ToolResult:
        """A call of a tool that is not there: `refused`, and the hooks know."""
        result = ToolResult.failed(self.text(refused.error))
        if self.hooks is not None:
            call_id = "" if context is None else context.call_id
            tool = self.text(name[:64]) if isinstance(name, str) else ""
            self.tell(Refused(tool, call_id, provider, "lookup", result.error))
            self.tell(Finished(tool, call_id, provider, result, 0.0))
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
            self.hook_failed(event, problem)

    def hook_failed(self, event: Event, problem: Exception) -> None:
        """A hook is no reason to fail."""
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
