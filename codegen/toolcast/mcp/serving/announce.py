"""Changes of the program's offers, and notifications of clients about them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Literal
from weakref import ref

from ..sdk import load
from .listed import Listed, is_modern

_Listener = Callable[[str | None], None]
"""Called, from any thread, with the URI of a resource that changed; with None where a list did."""


class Changes:
    """Listeners to changes: the servers that run."""

    def __init__(self) -> None:
        self._listeners: dict[object, _Listener] = {}

    def listen(self, listener: _Listener) -> Callable[[], None]:
        """Call `listener` from now on; returns the function that ends it."""
        token = object()
        self._listeners[token] = listener

        def end() -> None:
            self._listeners.pop(token, None)

        return end

    def tell(self, uri: str | None = None) -> None:
        for listener in [*self._listeners.values()]:
            listener(uri)


_PERIOD = 1.0
"""Seconds between two checks of the registry; a check compares two references."""
_SESSIONS = 1024
"""Sessions of older revisions that are remembered; past it, the oldest is not notified."""
_PATIENCE = 5.0
"""Seconds that notifying one client may take."""
SUBSCRIPTIONS = "toolcast.subscriptions"
"""Key of a connection's state: the URIs to which a client of an older revision subscribed."""

Kind = Literal["resources", "prompts"]
_Notify = Callable[[Any], Awaitable[None]]


class Announcer:
    """Notifies clients: newer ones that subscribed, and older ones that listed anything."""

    def __init__(self, listed: Listed, changes: dict[Kind, Changes]) -> None:
        subscriptions = load("mcp.server.subscriptions")
        self._listed = listed
        self._changes = changes
        self._bus = subscriptions.InMemorySubscriptionBus()
        self._events = load("mcp.shared.subscriptions")
        # By their connections, which belong to the server: a session that ended is not kept alive here.
        self._older: dict[str, ref[Any]] = {}
        self.listen = subscriptions.ListenHandler(self._bus)
        """Serves `subscriptions/listen`."""

    def remember(self, context: Any) -> None:
        """Remember the session of a client that listed anything."""
        if is_modern(context.protocol_version):
            return
        # A session object is one request's; the SDK has no other way to its connection.
        connection = context.session._connection
        headers = getattr(context.request, "headers", None) or {}
        key = headers.get("mcp-session-id", f"connection {id(connection)}")
        self._older.pop(key, None)
        self._older[key] = ref(connection)
        while len(self._older) > _SESSIONS:
            del self._older[next(iter(self._older))]

    async def announce(self) -> None:
        """Notify every client, if the tools changed since the last check."""
        if self._listed.changed():
            await self._tell(self._events.ToolsListChanged(), lambda each: each.send_tool_list_changed())

    async def _announce_change(self, kind: Kind, uri: str | None) -> None:
        events = self._events
        if uri is not None:
            await self._tell(events.ResourceUpdated(uri=uri), lambda each: _updated(each, uri))
        elif kind == "resources":
            await self._tell(events.ResourcesListChanged(), lambda each: each.send_resource_list_changed())
        else:
            await self._tell(events.PromptsListChanged(), lambda each: each.send_prompt_list_changed())

    async def _tell(self, event: Any, notify: _Notify) -> None:
        await self._bus.publish(event)
        await asyncio.gather(*[self._notify(key, kept(), notify) for key, kept in self._older.items()])

    async def _notify(self, key: str, connection: object, notify: _Notify) -> None:
        if connection is None:
            self._older.pop(key, None)
            return
        try:
            async with asyncio.timeout(_PATIENCE):
                await notify(connection)
        except Exception:  # whatever a connection that is gone raises
            self._older.pop(key, None)

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Check the registry periodically, and hear of other changes, while the server runs."""
        async with AsyncExitStack() as stack:
            waiting = _WaitingChanges()
            for kind, changes in self._changes.items():
                stack.callback(changes.listen(waiting.listener(kind)))
            for work in (self._watch(), self._hear(waiting)):
                stack.push_async_callback(_end, asyncio.create_task(work))
            yield

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_PERIOD)
            await self.announce()

    async def _hear(self, waiting: "_WaitingChanges") -> None:
        while True:
            await self._announce_change(*await waiting.next())


class _WaitingChanges:
    """Changes that clients are to be told of, each once, in order; from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[tuple[Kind, str | None], None] = {}
        self._changed = asyncio.Event()

    def listener(self, kind: Kind) -> Callable[[str | None], None]:
        def hear(uri: str | None) -> None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._take, kind, uri)

        return hear

    def _take(self, kind: Kind, uri: str | None) -> None:
        self._waiting[kind, uri] = None
        self._changed.set()

    async def next(self) -> tuple[Kind, str | None]:
        while not self._waiting:
            self._changed.clear()
            await self._changed.wait()
        change = next(iter(self._waiting))
        del self._waiting[change]
        return change


async def _updated(connection: Any, uri: str) -> None:
    if uri in connection.state.get(SUBSCRIPTIONS, ()):
        await connection.send_resource_updated(uri)


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
