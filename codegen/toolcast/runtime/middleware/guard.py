"""The middleware of a registry: secrets, policy, hooks, timeouts and limits."""

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from ..binding import AnyBinding
from ..context import ToolContext
from ..errors import ArgumentError, InjectionError, is_from_outside
from ..log_records import ERROR, log
from ..result import ToolResult
from .events import Event, Hooks, Observer, Written

if TYPE_CHECKING:
    from ...jsonschema.validator_errors import Violation
    from .policy.policy import Policy
    from .secrets.secrets import Resolver, Secrets


class Guard:
    """The middleware of one registry. `surrounds`: a hook has `around`; `records`: one wants arguments as
    they were written; `observers` are all hooks' `on`."""

    __slots__ = ("hooks", "limit", "observers", "policy", "records", "secrets", "surrounds", "timeout")

    def __init__(
        self,
        secrets: "Secrets | Resolver | None" = None,
        policy: "Policy | None" = None,
        hooks: Hooks | Iterable[Hooks] | None = None,
        timeout: float | Mapping[str, float] | None = None,
        limit: int | None = None,
    ) -> None:
        """Raise ValueError for values out of range, TypeError for hooks without `on`."""
        listed = _listed(hooks)
        for seconds in timeout.values() if isinstance(timeout, Mapping) else [timeout]:
            if seconds is not None and not seconds > 0:
                raise ValueError(f"timeout must be more than 0 seconds, not {seconds!r}.")
        if limit is not None and limit < 1:
            raise ValueError(f"output_limit must be at least 1 character, not {limit!r}.")
        self.secrets = None if secrets is None else _secrets(secrets)
        self.policy = policy
        self.hooks = listed
        self.observers: tuple[Observer, ...] = tuple(hook.on for hook in listed)
        self.surrounds = any(hasattr(hook, "around") for hook in listed)
        self.records = any(getattr(hook, "wants_arguments", False) for hook in listed)
        self.timeout = timeout
        self.limit = limit

    def redact_text(self, text: str) -> str:
        return text if self.secrets is None else self.secrets.redact_text(text)

    def written(self, arguments: Any) -> Written | None:
        """Return arguments for events, where a hook wants them."""
        if not self.records:
            return None
        shown = arguments if self.secrets is None else self.secrets.redact(arguments)
        return Written(shown, shown is not arguments and shown != arguments)

    def redacted_violations(self, problem: object) -> "tuple[Violation, ...]":
        """Return what is wrong with refused arguments, for events."""
        if not isinstance(problem, ArgumentError):
            return ()
        from ...jsonschema.validator_errors import Violation

        found = problem.violations or (Violation("$", problem.problem, "json"),)
        text = self.redact_text
        return tuple(Violation(text(each.path), text(each.message), each.keyword) for each in found)

    def redactor(self) -> Callable[[str], str] | None:
        """Return `redact_text` as a function; None without secrets."""
        return None if self.secrets is None else self.secrets.redact_text

    def seconds(self, tool: str) -> float | None:
        """Return the time of a step of the tool."""
        timeout = self.timeout
        if timeout is None or isinstance(timeout, (int, float)):  # asked first: of a Mapping, it takes longer
            return timeout
        return timeout.get(tool)

    def notify(self, observers: Iterable[Observer], event: Event) -> None:
        """Call every observer with an event; exceptions are logged."""
        for observer in observers:
            try:
                observer(event)
            except BaseException as problem:  # an observer's
                if is_from_outside(problem):
                    raise
                self.log_hook_failure(type(event).__name__, event.tool, event.call_id, problem)

    @contextmanager
    def around(self, binding: AnyBinding, context: ToolContext) -> Generator[tuple[Observer, ...]]:
        """Enter every hook's `around`, and leave them in reverse order; yield the observers of this call. A
        hook that cannot be entered is logged, and sees the call by its `on`."""
        observers: list[Observer] = []
        entered: list[AbstractContextManager[object]] = []
        for hook in self.hooks:
            observer = None
            around = getattr(hook, "around", None)
            if around is not None:
                try:
                    manager = around(binding, context)
                    observer = manager.__enter__()
                    entered.append(manager)
                except BaseException as problem:  # a hook's
                    if is_from_outside(problem):
                        raise
                    self.log_hook_failure("the beginning", binding.name, context.call_id, problem)
            observers.append(hook.on if observer is None else observer)
        try:
            yield tuple(observers)
        finally:
            for manager in reversed(entered):
                try:
                    manager.__exit__(None, None, None)
                except BaseException as problem:  # a hook's
                    if is_from_outside(problem):
                        raise
                    self.log_hook_failure("the end", binding.name, context.call_id, problem)

    def log_hook_failure(self, where: str, tool: str, call_id: str, problem: BaseException) -> None:
        """Log it: a hook is no reason to fail."""
        log(
            ERROR,
            "A hook failed at %s of tool %r",
            where,
            tool,
            event="hook_failed",
            tool=tool,
            call_id=call_id,
            problem=problem,
            redact=self.redactor(),
        )

    def report_fault(
        self, tool: str, call_id: str, where: str, problem: BaseException, seconds: float | None = None
    ) -> tuple[ToolResult, str]:
        """Log a bug with its traceback; return the result, with its kind and number for the model, and the
        number. An exception's text may hold secrets, paths, or a third party's words."""
        number = os.urandom(6).hex()
        log(
            ERROR,
            "Tool %r failed in %s [%s]",
            tool,
            where,
            number,
            event="failed",
            tool=tool,
            call_id=call_id,
            error_id=number,
            seconds=seconds,
            problem=problem,
            redact=self.redactor(),
        )
        kind = self.redact_text(type(problem).__name__)
        whose = "program" if isinstance(problem, InjectionError) else "tool"
        result = ToolResult.failed(
            f"Tool {tool!r} failed in {where}: internal error {kind} (error id {number}). "
            f"This is a fault of the {whose}, not of the arguments; "
            "do not repeat the call unchanged more than once."
        )
        return result, number


def _secrets(secrets: "Secrets | Resolver") -> "Secrets":
    from .secrets.secrets import Secrets

    return secrets if isinstance(secrets, Secrets) else Secrets(secrets)


def _listed(hooks: Hooks | Iterable[Hooks] | None) -> tuple[Hooks, ...]:
    if hooks is None:
        return ()
    listed: list[Any] = [*hooks] if isinstance(hooks, Iterable) and not hasattr(hooks, "on") else [hooks]
    if not all(callable(getattr(hook, "on", None)) for hook in listed):
        raise TypeError("hooks must be an object with a method on(event), or several.")
    return tuple(listed)
