"""The calls of one answer, carried out side by side; a call that must run alone has the others wait."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

from ..runtime.result import ToolResult
from ..runtime.view import ToolView

C = TypeVar("C")


def runs_alone(tools: ToolView, name: str) -> bool:
    """Tell whether calls of a tool run alone (`parallel: false`); False for one that is unknown or cannot be
    loaded.
    """
    known = tools.resolve(name)
    if known is None:
        return False
    try:
        return not tools.get(known).binding.parallel
    except Exception:  # whatever a module raises when it is imported
        return False


def groups(calls: Iterable[C], is_alone: Callable[[C], bool]) -> Iterator[tuple[C, ...]]:
    """Divide the calls of an answer into those that run side by side, in order."""
    for alone, group in groupby(calls, is_alone):
        if alone:
            yield from ((call,) for call in group)
        else:
            yield tuple(group)


async def run_side_by_side(
    calls: Sequence[C],
    execute: Callable[[C], Coroutine[Any, Any, ToolResult]],
    is_alone: Callable[[C], bool],
    limit: int,
) -> tuple[ToolResult, ...]:
    """Carry out the calls of an answer, `limit` at once; return their results in order.

    A call that is alone begins after those before it have ended, and those after it begin when it has ended.
    Cancelling this cancels all calls, and waits for that.
    """
    run = execute
    if len(calls) > limit:
        slots = asyncio.Semaphore(limit)

        async def limited(call: C) -> ToolResult:
            async with slots:
                return await execute(call)

        run = limited

    results: list[ToolResult] = []
    for together in groups(calls, is_alone):
        if len(together) == 1:
            results.append(await execute(together[0]))
            continue
        async with asyncio.TaskGroup() as tasks:
            begun = [tasks.create_task(run(call)) for call in together]
        results += [task.result() for task in begun]
    return tuple(results)
