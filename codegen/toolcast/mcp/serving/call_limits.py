"""Limits of calls that a server runs at once, of all clients and of one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import Struct

from .bearer_auth import principal_in


class CallLimits(Struct, frozen=True, kw_only=True):
    """Limits of calls that run at once: one more waits for its turn, and where too many wait it is refused.

    A client is a principal where there is authentication, else a session of an older revision. HTTP requests
    of the newest revision without authentication say nothing of their client: only the limits of all calls
    hold for them. All calls without HTTP count as one client. A call does not run while its handler waits for
    its client's answer.

    Attributes:
        running: calls that run at once, of all clients.
        per_client: calls that run at once, of one client.
        waiting: calls of all clients that wait. One more is an `isError` result that says so.
        waiting_per_client: calls of one client that wait.
    """

    running: int = 256
    per_client: int = 64
    waiting: int = 4096
    waiting_per_client: int = 512

    def __post_init__(self) -> None:
        if min(self.running, self.per_client) < 1 or min(self.waiting, self.waiting_per_client) < 0:
            raise ValueError("limits of running calls are 1 or more, those of waiting calls 0 or more")


class TooManyCallsError(Exception):
    """A refused call: too many wait already. Its text is for the model."""


class _Turns:
    """Turns of some calls, in the order in which they came."""

    def __init__(self, running: int, waiting: int) -> None:
        self.free = asyncio.Semaphore(running)
        self.present = 0
        self._running = running
        self._most = running + waiting

    def enter(self) -> None:
        if self.present >= self._most:
            raise TooManyCallsError(
                f"The server runs {self._running} calls at once, and too many wait already: this one did not "
                "run. Wait until others have ended, then call again."
            )
        self.present += 1

    def leave(self) -> None:
        self.present -= 1


class Turn:
    """The turn of one call, of its client's and of all."""

    def __init__(self, turns: tuple[_Turns, ...]) -> None:
        self._turns = turns
        self._held = 0

    async def take(self) -> None:
        # The client's own comes first: whoever waits for it takes no turn from others.
        for turns in self._turns[self._held :]:
            await turns.free.acquire()
            self._held += 1

    def give_back(self) -> None:
        while self._held:
            self._held -= 1
            self._turns[self._held].free.release()

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[None]:
        """Let others run while the call waits for its client; then wait for a turn again."""
        self.give_back()
        try:
            yield
        finally:
            await self.take()


class CallTurns:
    """Gives calls their turns, within limits; each event loop has its own."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._loops: WeakKeyDictionary[object, tuple[_Turns, dict[str, _Turns]]] = WeakKeyDictionary()

    @asynccontextmanager
    async def turn(self, request: object) -> AsyncGenerator[Turn]:
        """Wait until a call may run, and count it while it does. `request` is the HTTP request of the call.
        Raises TooManyCallsError.
        """
        limits = self._limits
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            self._loops[loop] = (_Turns(limits.running, limits.waiting), {})
        every, clients = self._loops[loop]
        client = _client_of(request)
        if client is None:
            counted: tuple[_Turns, ...] = (every,)
        else:
            if client not in clients:
                clients[client] = _Turns(limits.per_client, limits.waiting_per_client)
            counted = (clients[client], every)
        turn, entered = Turn(counted), 0
        try:
            for turns in counted:
                turns.enter()
                entered += 1
            await turn.take()
            yield turn
        finally:
            turn.give_back()
            for turns in counted[:entered]:
                turns.leave()
            if client is not None and not counted[0].present:
                clients.pop(client, None)


def _client_of(request: Any) -> str | None:
    if request is None:
        return ""
    principal = principal_in(request)
    if principal is not None:
        return f"principal {principal.id}"
    session = request.headers.get("mcp-session-id")
    return None if session is None else f"session {session}"
