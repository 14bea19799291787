"""Hearing that a live server's tools changed."""

from collections.abc import Awaitable, Callable
from typing import Any

Handler = Callable[[Any], Awaitable[None]]


class ToolChanges:
    """A message handler for the SDK's client, which counts `notifications/tools/list_changed`.

    Give the same object to the client (`message_handler=changes`) and to `mcp_tools(changes=changes)`: the
    next call lists the tools anew before anything is sent. `handler` gets every message, too.
    """

    def __init__(self, handler: Handler | None = None) -> None:
        self.count = 0
        self._handler = handler

    async def __call__(self, message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self.count += 1
        if self._handler is not None:
            await self._handler(message)
