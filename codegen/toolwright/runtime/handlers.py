"""What a handler is, and how it is called."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from .context import ToolContext
from .result import ToolResult

R = TypeVar("R")

Returns: TypeAlias = R | ToolResult | str | Awaitable[R | ToolResult | str]
"""What a handler may return, now or awaited: its typed result, a finished ToolResult, or text."""

Handler: TypeAlias = Callable[[Any, ToolContext], Any]
"""A handler as the registry keeps it; the generated Protocols say the rest to type checkers."""


async def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a handler or a precheck: async ones awaited, plain ones in a worker thread with this context.

    Raises what the function raises.
    """
    if _is_async(function):
        return await function(*arguments)
    import asyncio

    outcome, problem = await asyncio.to_thread(_attempt, function, arguments)
    if problem is not None:
        raise problem
    if isinstance(outcome, Awaitable):  # a plain callable over an async one: a lambda, a decorator
        return await outcome
    return outcome


def _is_async(function: Any) -> bool:
    from inspect import iscoroutinefunction

    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)


def _attempt(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
    """The exception as a value: a future cannot carry every one (StopIteration hangs its waiter)."""
    try:
        return function(*arguments), None
    except (Exception, SystemExit) as problem:
        return None, problem
