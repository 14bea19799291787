"""Reports and logs of a handler, on their way to a client."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

Send = Callable[..., Awaitable[None]]

_MOST = 1000
"""Messages that wait for a connection at once; others are dropped."""


class Outbox:
    """Sends messages from any thread, in order and only while the call runs. Made and ended in the event
    loop.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[Any, ...]] = deque()
        self._task: asyncio.Task[Any] | None = None
        self._over = False

    def put(self, *message: Any) -> None:
        """Take a message, from any thread."""
        with suppress(RuntimeError):  # a thread that nobody waits for may outlive the loop
            self._loop.call_soon_threadsafe(self._take, message)

    def _take(self, message: tuple[Any, ...]) -> None:
        if self._over or not self._enqueue(message):
            return
        if self._task is None or self._task.done():
            self._task = self._loop.create_task(self._pump())

    def _enqueue(self, message: tuple[Any, ...]) -> bool:
        """Let a message wait; False where it is dropped."""
        if len(self._waiting) >= _MOST:
            return False
        self._waiting.append(message)
        return True

    async def _pump(self) -> None:
        while self._waiting:
            with suppress(Exception):  # whatever a connection that is gone raises
                await self._send(*self._waiting.popleft())

    async def flush(self) -> None:
        """Send reports from before the handler returned; nothing is sent afterwards."""
        await asyncio.sleep(0)  # messages from threads wait for the loop's next turn
        self._over = True
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    def stop(self) -> None:
        self._over = True
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()


class Progress(Outbox):
    """Sends reports of progress. The protocol wants values that grow; others are not sent.

    Reports that come faster than the connection takes them are skipped, but for the last.
    """

    def __init__(self, send: Send) -> None:
        super().__init__(send)
        self._last = float("-inf")

    def report(self, done: float, total: float | None, message: str) -> None:
        """Take a report, as `ToolContext.report` does."""
        self.put(done, total, message or None)

    def _enqueue(self, message: tuple[Any, ...]) -> bool:
        if not message[0] > self._last:
            return False
        self._last = message[0]
        self._waiting.clear()
        self._waiting.append(message)
        return True
