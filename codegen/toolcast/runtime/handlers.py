"""Handlers: how they are called, and how they are released."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from inspect import iscoroutinefunction
from types import MethodType
from typing import Any, NoReturn, TypeAlias, TypeVar

from .context import ToolContext
from .errors import CallDeferred, is_from_outside
from .log_records import ERROR, log
from .result import ToolResult
from .workers import Workers, unwrap

R = TypeVar("R")

Returns: TypeAlias = R | ToolResult | str | Awaitable[R | ToolResult | str]
"""The value of a handler, now or awaited: its typed result, a finished ToolResult, or text. Where the tool
has a typed result, text alone is a failure unless the contract accepts it (`ToolRegistry.check_results`)."""

Handler: TypeAlias = Callable[[Any, ToolContext], Any]
"""A handler as the registry keeps it; type checkers use the generated Protocols."""

Refuses: TypeAlias = str | Awaitable[str | None] | None
"""The value of a precheck, now or awaited: why the call is refused, or None."""

Precheck: TypeAlias = Callable[[Any, ToolContext], Refuses]
"""A precheck as the registry keeps it."""


async def defer(params: object, context: ToolContext, /) -> NoReturn:
    """Raise CallDeferred: the handler of every external tool."""
    del params
    raise CallDeferred(f"Calls of tool {context.tool!r} are carried out outside of this program.")


async def call(workers: Workers, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a handler or a precheck: async ones awaited, plain ones in a worker thread with this context.
    Raises what the function raises, and what `Workers.run` raises."""
    if is_async(function):
        return await function(*arguments)
    return await call_in_thread(workers, function, *arguments)


async def call_in_thread(workers: Workers, function: Callable[..., object], *arguments: object) -> object:
    """Call a plain function in a worker thread; an awaitable that it returns is awaited."""
    outcome = await workers.run(function, *arguments)
    if isinstance(outcome, Awaitable):  # a plain callable over an async one: a lambda, a decorator
        return await outcome
    return outcome


def find_precheck(handler: Any) -> object:
    """Return the `precheck` of a handler, or of what it wraps: by `functools.partial`, by `functools.wraps`,
    or as the bound `__call__` of an object."""
    seen: set[int] = set()
    while id(handler) not in seen:
        seen.add(id(handler))
        precheck = getattr(handler, "precheck", None)
        if precheck is not None:
            return precheck
        if isinstance(handler, partial):
            handler = handler.func
        elif type(handler) is MethodType and handler.__name__ == "__call__":
            handler = handler.__self__
        else:
            handler = getattr(handler, "__wrapped__", handler)
    return None


def is_async(function: object) -> bool:
    """Tell by its type whether calling `function` returns a coroutine."""
    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)


async def release(handlers: Iterable[tuple[str, Any]]) -> None:
    """Call `aclose`, or else `close`, of every handler that has one: each object once, in that order. A bound
    method without one stands for its object. Plain closers run in a worker thread. Raises an ExceptionGroup
    with every failure after the last handler; a cancellation waits for that, too."""
    import asyncio

    done: set[int] = set()
    problems: list[Exception] = []
    cancelled: BaseException | None = None
    workers = Workers(1)  # of its own: handlers that hang are no reason to hold on to the others
    for name, handler in handlers:
        owner = _owner(handler)
        if id(owner) in done:
            continue
        done.add(id(owner))
        close = _closer(owner)
        if close is None:
            continue
        try:
            await call(workers, close)
        except BaseException as problem:  # a handler's
            if not is_from_outside(problem):
                problems.append(_noted(name, unwrap(problem)))
            elif isinstance(problem, asyncio.CancelledError):
                cancelled = problem
            else:
                raise
    if cancelled is not None:
        raise cancelled
    if problems:
        raise ExceptionGroup("Some handlers could not be released", problems)


def _owner(handler: Any) -> Any:
    """Return the object to release for a handler: itself, or the object of a bound method."""
    return handler.__self__ if type(handler) is MethodType and _closer(handler) is None else handler


def _closer(handler: object) -> Any:
    """Return an object's closer. A class has methods of its instances, which are no closers of its own."""
    if isinstance(handler, type):
        return None
    found = (getattr(handler, name, None) for name in ("aclose", "close"))
    return next((close for close in found if callable(close)), None)


def _noted(name: str, problem: BaseException) -> Exception:
    log(
        ERROR,
        "The handler of %r could not be released",
        name,
        event="release_failed",
        tool=name,
        problem=problem,
    )
    kept = problem if isinstance(problem, Exception) else RuntimeError(f"{type(problem).__name__}({problem})")
    kept.add_note(f"while releasing the handler of tool {name!r}")
    return kept
