"""Notifies clients when the tools change."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import ref

from .listed import Listed, is_modern
from .sdk import load

_PERIOD = 1.0
"""Seconds between two checks of the registry; a check compares two references."""
_SESSIONS = 1024
"""Sessions of older revisions that are remembered; past it, the oldest is not notified."""
_PATIENCE = 5.0
"""Seconds that notifying one client may take."""


class Announcer:
    """Notifies clients: newer ones that subscribed, and older ones that listed the tools."""

    def __init__(self, listed: Listed) -> None:
        subscriptions = load("mcp.server.subscriptions")
        self._listed = listed
        self._bus = subscriptions.InMemorySubscriptionBus()
        self._event = load("mcp.shared.subscriptions").ToolsListChanged
        # By their connections, which belong to the server: a session that ended is not kept alive here.
        self._older: dict[str, ref[Any]] = {}
        self.listen = subscriptions.ListenHandler(self._bus)
        """Serves `subscriptions/listen`."""

    def remember(self, context: Any) -> None:
        """The session of a client that listed the tools."""
        if is_modern(context.protocol_version):
            return
        headers = getattr(context.request, "headers", None)
        key = "" if headers is None else headers.get("mcp-session-id", "")
        self._older.pop(key, None)
        # A session object is one request's; the SDK has no other way to its connection.
        self._older[key] = ref(context.session._connection)
        while len(self._older) > _SESSIONS:
            del self._older[next(iter(self._older))]

    async def announce(self) -> None:
        """Notify every client, if the tools changed since the last check."""
        if not self._listed.changed():
            return
        await self._bus.publish(self._event())
        sent = [self._notify(key, kept()) for key, kept in self._older.items()]
        await asyncio.gather(*sent)

    async def _notify(self, key: str, connection: Any) -> None:
        if connection is None:
            self._older.pop(key, None)
            return
        try:
            async with asyncio.timeout(_PATIENCE):
                await connection.send_tool_list_changed()
        except Exception:  # whatever a connection that is gone raises
            self._older.pop(key, None)

    @asynccontextmanager
    async def watching(self, _server: Any) -> AsyncGenerator[dict[str, Any], None]:
        """The server's lifespan: checks the registry periodically."""
        task = asyncio.create_task(self._watch())
        try:
            yield {}
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_PERIOD)
            await self.announce()
