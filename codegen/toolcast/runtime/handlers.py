"""What a handler is, and how it is called."""

import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any, TypeAlias, TypeVar

from .context import ToolContext
from .result import ToolResult

R = TypeVar("R")

Returns: TypeAlias = R | ToolResult | str | Awaitable[R | ToolResult | str]
"""What a handler may return, now or awaited: its typed result, a finished ToolResult, or text."""

Handler: TypeAlias = Callable[[Any, ToolContext], Any]
"""A handler as the registry keeps it; the generated Protocols say the rest to type checkers."""


class _Job:
    """A plain function's call in a worker thread, and whether anyone waits for it still."""

    __slots__ = ("abandoned", "begun", "function", "given", "lock", "over", "started")

    def __init__(self, function: Callable[..., Any], given: tuple[Any, ...]) -> None:
        self.function = function
        self.given = given
        self.lock = threading.Lock()
        self.begun = self.over = self.abandoned = False
        self.started = 0.0

    def run(self) -> tuple[Any, BaseException | None]:
        """The exception as a value: a future cannot carry every one (StopIteration hangs its waiter)."""
        with self.lock:
            if self.abandoned:
                return None, None
            self.begun = True
        self.started = perf_counter()
        _job.set(self)
        try:
            outcome: tuple[Any, BaseException | None] = self.function(*self.given), None
        except (Exception, SystemExit) as problem:
            outcome = None, problem
        with self.lock:
            self.over = True
            if self.abandoned:
                kind = None if outcome[1] is None else type(outcome[1]).__name__
                how = "" if kind is None else f" with {kind}"
                self.tell("ran_on", f"ended{how}, after nobody waited for it any more", kind)
        return outcome

    def abandon(self) -> bool:
        """Wait for it no longer. True where it runs on: a thread cannot be stopped from outside."""
        with self.lock:
            self.abandoned = True
            running = self.begun and not self.over
            if running:
                self.tell("runs_on", "was cancelled, and its thread runs on")
        return running

    def tell(self, event: str, what: str, error_type: str | None = None) -> None:
        from .records import WARNING, log

        # Handlers and prechecks get their context last, approvers a request: both know the call.
        last = self.given[-1] if self.given else None
        log(
            WARNING,
            "Plain handler %s %s.",
            getattr(self.function, "__qualname__", type(self.function).__qualname__),
            what,
            event=event,
            tool=getattr(last, "tool", None),
            call_id=getattr(last, "call_id", None),
            error_type=error_type,
            seconds=perf_counter() - self.started,
        )


_job: ContextVar[_Job] = ContextVar("toolcast_job")


class RunsOn(BaseException):
    """Marks a cancellation, as its cause, whose worker thread could not be stopped."""


def abandoned() -> bool:
    """For plain handlers: whether the call was cancelled or timed out, so that it is time to give up."""
    job = _job.get(None)
    return job is not None and job.abandoned


async def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a handler or a precheck: async ones awaited, plain ones in a worker thread with this context.

    Raises what the function raises.
    """
    if is_async(function):
        return await function(*arguments)
    return await call_in_thread(function, *arguments)


async def call_in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a plain function in a worker thread; what it returns is awaited if it can be.

    Cancelled, it waits no longer. A function that has not begun never will; one that has runs on, can ask
    `abandoned()`, and both this and its end are logged.
    """
    import asyncio

    job = _Job(function, arguments)
    try:
        outcome, problem = await asyncio.to_thread(job.run)
    except asyncio.CancelledError as cancelled:
        if job.abandon():
            raise cancelled from RunsOn()
        raise
    if problem is not None:
        raise problem
    if isinstance(outcome, Awaitable):  # a plain callable over an async one: a lambda, a decorator
        return await outcome
    return outcome


def is_async(function: Any) -> bool:
    """Whether calling `function` gives a coroutine, as far as can be told without a call."""
    from inspect import iscoroutinefunction

    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)
