"""Agents that start agents: how deep, and for how long."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TypeVar

from ..runtime.errors import RefusalError

T = TypeVar("T")

# Follows the calls of one task and of the tasks and threads it starts, and nothing else.
_depth: ContextVar[int] = ContextVar("toolcast_delegation_depth", default=0)


def depth() -> int:
    """Return how many delegations this code runs inside of."""
    return _depth.get()


async def delegate(work: Callable[[], Awaitable[T]], *, limit: int = 3, timeout: float | None = 120.0) -> T:
    """Run another agent inside a handler: `await delegate(lambda: run_tools(…))`.

    Args:
        work: runs the agent.
        limit: most delegations inside each other.
        timeout: seconds after which the agent is cancelled; None for no limit.

    Returns:
        What the agent returns. What it raises passes through.

    Raises:
        ValueError: `limit` is below 1, or `timeout` is not above 0.
        RefusalError: the delegation is too deep, or took too long; it may become the call's failed result.
    """
    if limit < 1 or (timeout is not None and not timeout > 0):
        raise ValueError("limit must be at least 1, and timeout above 0.")
    now = _depth.get()
    if now >= limit:
        raise RefusalError(
            f"Agents may be nested {limit} deep, and this one is the {_ordinal(now)}. Do the task yourself."
        )
    token = _depth.set(now + 1)
    clock = asyncio.timeout(timeout)
    try:
        async with clock:
            return await work()
    except TimeoutError:
        if not clock.expired():
            raise
        raise RefusalError(
            f"The agent was stopped after {timeout:g} seconds. Give it a smaller task, or do it yourself."
        ) from None
    finally:
        _depth.reset(token)


def _ordinal(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")
