"""The events of a run as an async generator."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from inspect import isawaitable
from typing import Any, ParamSpec

from .events import LoopEvent, Stopped
from .loop import resume, run_tools
from .record import Record, attach_record

P = ParamSpec("P")


def streamed(run: Callable[P, Coroutine[Any, Any, Record]]) -> Callable[P, AsyncGenerator[LoopEvent]]:
    """Make a function of a run whose events are an async generator.

    Args:
        run: a function with the keyword argument `on_event`, such as `run_tools`.

    Returns:
        A function with the same parameters. What it gives starts the run when it is first asked for an event.
    """

    start: Callable[..., Coroutine[Any, Any, Record]] = run

    def stream(*args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[LoopEvent]:
        options: dict[str, Any] = {**kwargs}
        events = _Events(options.pop("on_event", None))
        return events.of(lambda on_event: start(*args, **options, on_event=on_event))

    return stream


stream_tools = streamed(run_tools)
"""Run tools as `run_tools` does, with the same arguments; an async generator of the events of the run as they
happen. `Stopped` is the last one, and has the record; what `run_tools` would have raised is raised after it.

The run goes on only as fast as its events are taken: one waits at most, and the provider's stream with it.
Closing the generator cancels the run, and waits until it is over. `async for` alone does not close it on
`break`: use `contextlib.aclosing`.
"""
stream_resume = streamed(resume)
"""Go on with a run as `resume` does, with the same arguments; an async generator of its events."""


class _Events:
    """The events of one run, on their way from its task to the generator."""

    def __init__(self, also: Any) -> None:
        self._also = also  # the program's own observer
        self._waiting: asyncio.Queue[LoopEvent | None] = asyncio.Queue(maxsize=1)
        self._taken = True  # whether anybody still takes events
        self._record: Record | None = None

    async def of(self, run: Callable[[Any], Coroutine[Any, Any, Record]]) -> AsyncGenerator[LoopEvent]:
        """Start the run, and give its events."""
        task = asyncio.create_task(self._run(run))
        try:
            while (event := await self._waiting.get()) is not None:
                yield event
            await task
        except asyncio.CancelledError as problem:
            await self._stop(task)
            if self._record is not None:
                attach_record(problem, self._record)
            raise
        finally:
            await self._stop(task)

    async def _run(self, run: Callable[[Any], Coroutine[Any, Any, Record]]) -> None:
        try:
            await run(self._put)
        finally:
            await self._pass_on(None)

    async def _put(self, event: LoopEvent) -> None:
        if isinstance(event, Stopped):
            self._record = event.record
        try:
            waits = None if self._also is None else self._also(event)
            if isawaitable(waits):
                await waits
        finally:
            await self._pass_on(event)

    async def _pass_on(self, event: LoopEvent | None) -> None:
        if self._taken:
            await self._waiting.put(event)

    async def _stop(self, task: asyncio.Task[None]) -> None:
        """Cancel the run, and wait for its end."""
        self._taken = False
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # was raised, or is of no interest to a program that closed the generator
