"""Tasks of any event loop, cancelled and waited for: an object may be closed in another loop than theirs."""

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Final

_POLL: Final = 0.02


def cancel_tasks(tasks: Collection["asyncio.Task[object]"]) -> None:
    """Cancel tasks. Those of a closed event loop do not run any more.

    Args:
        tasks: tasks of this event loop, or of others, which may run in other threads.
    """
    for task in tasks:
        loop = task.get_loop()
        if loop is asyncio.get_running_loop():
            task.cancel()
        elif not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)


async def have_ended(tasks: Callable[[], Collection["asyncio.Task[object]"]], seconds: float) -> bool:
    """Wait for the end of tasks. Tasks of other event loops cannot be awaited, so they are looked at.

    Returns whether all have ended.

    Args:
        tasks: gives the tasks that have not ended by now; those of a closed event loop do not count.
        seconds: to wait at most.
    """
    deadline = time.monotonic() + seconds
    while any(not task.get_loop().is_closed() for task in tasks()):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_POLL)
    return True
