"""What a handler is, and how it is called."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from .context import ToolContext
from .result import ToolResult
from .workers import Workers

R = TypeVar("R")

Returns: TypeAlias = R | ToolResult | str | Awaitable[R | ToolResult | str]
"""What a handler may return, now or awaited: its typed result, a finished ToolResult, or text."""

Handler: TypeAlias = Callable[[Any, ToolContext], Any]
"""A handler as the registry keeps it; the generated Protocols say the rest to type checkers."""


async def call(workers: Workers, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a handler or a precheck: async ones awaited, plain ones in a worker thread with this context.

    Raises what the function raises, and what `Workers.run` raises.
    """
    if is_async(function):
        return await function(*arguments)
    return await call_in_thread(workers, function, *arguments)


async def call_in_thread(workers: Workers, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a plain function in a worker thread; what it returns is awaited if it can be."""
    outcome = await workers.run(function, *arguments)
    if isinstance(outcome, Awaitable):  # a plain callable over an async one: a lambda, a decorator
        return await outcome
    return outcome


def is_async(function: Any) -> bool:
    """Whether calling `function` gives a coroutine, as far as can be told without a call."""
    from inspect import iscoroutinefunction

    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)
