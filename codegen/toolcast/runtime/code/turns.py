"""Which calls run at once, in the order in which they came: some side by side, others alone."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Turns:
    """Turns of calls that arrive one by one.

    A call that runs alone begins when those before it have ended, and those after it begin when it has ended.
    """

    def __init__(self, limit: int) -> None:
        """Begin without calls.

        Args:
            limit: calls that run at once.
        """
        self._limit = limit
        self._running = 0
        self._is_alone = False  # what runs now
        self._waiting: deque[tuple[bool, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def turn(self, alone: bool) -> AsyncGenerator[None]:
        """Wait for the turn of a call, which ends with the block.

        Args:
            alone: whether it runs alone.
        """
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((alone, mine))
        self._admit()
        try:
            await mine
            yield
        finally:
            if mine.done() and not mine.cancelled():
                self._running -= 1
                self._is_alone = False
            self._admit()

    def _admit(self) -> None:
        while self._waiting:
            alone, first = self._waiting[0]
            if first.cancelled():
                self._waiting.popleft()
                continue
            room = self._running == 0 if alone else self._running < self._limit and not self._is_alone
            if not room:
                return
            self._waiting.popleft()
            self._running += 1
            self._is_alone = alone
            first.set_result(None)
