"""Messages that clients of older revisions missed while their connection was broken (SEP-1699,
`Last-Event-ID`).

The SDK's transport stores each message that it sends in an event store, under the id of its request. One
store serves all sessions, and two clients number their requests alike; so each session has a log of its own
here, and an id of another session's event finds nothing.

A context variable has the key of a session's log: the SDK's tasks inherit it from the request that opened the
session, and `SessionLogs` sets it for every later one. It has no log itself: timers of a connection keep
their context for long after the session.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from secrets import token_hex
from time import monotonic
from typing import Any

from msgspec import Struct

from ..sdk import INTERNAL_ERROR, load
from .request_guards import header_values

MEBIBYTE = 1 << 20


class Replay(Struct, frozen=True, kw_only=True):
    """Bounds on what a server keeps for clients with a broken connection (SEP-1699).

    A client of revision 2025-11-25 or later gets an event first that says from where it can go on, and how
    long to wait; then it asks with `Last-Event-ID`. What exceeds a bound is dropped, the oldest first. A
    client that waits for a result that was not kept gets an error that says so.

    Attributes:
        session_events: messages of one session; 0 to keep none, and to send no such event.
        session_bytes: bytes of the messages of one session.
        total_bytes: bytes of the messages of all sessions. A message that would exceed it is not kept.
        retry: milliseconds that a client waits before it connects again.
        stream_seconds: seconds after which the stream of a call that still runs is closed, once, and the
            client is to connect again: for proxies that end long connections. None to keep it open.
    """

    session_events: int = 256
    session_bytes: int = MEBIBYTE
    total_bytes: int = 64 * MEBIBYTE
    retry: int = 1000
    stream_seconds: float | None = None

    def __post_init__(self) -> None:
        if min(self.session_events, self.session_bytes, self.total_bytes, self.retry) < 0:
            raise ValueError("bounds of a Replay are 0 or more")
        if self.stream_seconds is not None and not 0 < self.stream_seconds < float("inf"):
            raise ValueError("stream_seconds is a positive number of seconds, or None")


_STANDALONE = "_GET_stream"
"""The SDK's id for the stream that belongs to no request."""
_SECONDS = "toolcast.stream_seconds"


class _Event(Struct, frozen=True):
    stream: str
    message: Any  # None for the event that tells a client from where it can go on
    size: int


class _Follower:
    """Waits for the result of a stream's request; `results` has that request's id once there is one."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.results: list[Any] = []


class _Room:
    def __init__(self, total: int) -> None:
        self.left = total


class _SessionLog:
    """The last messages of one session.

    Attributes:
        version: the revision that its client and the server agreed on; None until they did.
        requests: HTTP requests of the session that are being answered.
        used: when the last of them was served, in seconds of the monotonic clock.
    """

    def __init__(self, bounds: Replay, room: _Room, prefix: str) -> None:
        self.version: str | None = None
        self.requests = 0
        self.used = monotonic()
        self.ended = False
        self.followers: list[_Follower] = []
        self._bounds = bounds
        self._room = room
        self._prefix = prefix
        self._number = 0
        self._size = 0
        self._events: dict[str, _Event] = {}
        self._grown = asyncio.Event()

    def add(self, stream: str, message: Any, size: int) -> str:
        """Keep a message, and drop what exceeds the bounds for it. Returns its id."""
        self._number += 1
        made = f"{self._prefix}-{self._number:x}"
        fits = size <= self._bounds.session_bytes
        while (
            fits
            and self._events
            and (
                len(self._events) >= self._bounds.session_events
                or self._size + size > self._bounds.session_bytes
                or size > self._room.left
            )
        ):
            self._drop(next(iter(self._events)))
        if fits and size <= self._room.left:
            self._events[made] = _Event(stream, message, size)
            self._size += size
            self._room.left -= size
        self._grown.set()
        self._grown = asyncio.Event()
        return made

    def end(self) -> None:
        """Drop all messages, and wake those who wait for more."""
        self.ended = True
        for id in list(self._events):
            self._drop(id)
        self._grown.set()

    def _drop(self, id: str) -> None:
        size = self._events.pop(id).size
        self._size -= size
        self._room.left += size

    def stream_of(self, id: str) -> str | None:
        """Return the stream of an event; None for one that was dropped, or is another session's."""
        event = self._events.get(id)
        return None if event is None else event.stream

    def following(self, id: str, stream: str) -> list[tuple[str, Any]]:
        after = int(id.rpartition("-")[2], 16)
        return [
            (each, event.message)
            for each, event in self._events.items()
            if event.stream == stream
            and event.message is not None
            and int(each.rpartition("-")[2], 16) > after
        ]

    @property
    def grown(self) -> asyncio.Event:
        return self._grown


KEY: ContextVar[str] = ContextVar("toolcast_mcp_session_log")


class EventLog:
    """An event store of the SDK's transport (`mcp.server.streamable_http.EventStore`), for all sessions;
    `logs` has them by the keys of `KEY`.
    """

    def __init__(self, bounds: Replay) -> None:
        self.bounds = bounds
        self.logs: dict[str, _SessionLog] = {}
        self._room = _Room(bounds.total_bytes)
        types = load("mcp.types")
        self._ends = (types.JSONRPCResponse, types.JSONRPCError)
        self._error = types.JSONRPCError
        self._error_data = types.ErrorData
        self._message = load("mcp.server.streamable_http").EventMessage

    def open(self) -> str:
        """Return the key of a session that begins."""
        key = token_hex(8)
        self.logs[key] = _SessionLog(self.bounds, self._room, key)
        return key

    def close(self, key: str) -> None:
        log = self.logs.pop(key, None)
        if log is not None:
            log.end()

    async def store_event(self, stream_id: str, message: Any) -> str:
        """Keep a message that is sent to the session's client, or None for the event before the first."""
        log = self.logs.get(KEY.get(""))
        if log is None:
            return token_hex(8)  # the session has ended
        if message is None:
            return log.add(stream_id, None, 0)
        if log.version is None:
            log.version = (getattr(message, "result", None) or {}).get("protocolVersion")
        ends = isinstance(message, self._ends)
        for follower in log.followers:
            if ends and follower.stream == stream_id:
                follower.results.append(message.id)
        size = len(message.model_dump_json(by_alias=True, exclude_unset=True))
        if size > self.bounds.session_bytes and ends:
            message = self._lost(message.id, f"its {size} bytes are more than {self.bounds.session_bytes}")
            size = len(message.model_dump_json())
        return log.add(stream_id, message, size)

    def _lost(self, request: Any, why: str) -> Any:
        text = f"The connection broke before the result arrived, and the server did not keep it: {why}."
        return self._error(
            jsonrpc="2.0", id=request, error=self._error_data(code=INTERNAL_ERROR, message=text)
        )

    async def replay_events_after(
        self, last_event_id: str, send_callback: Callable[[Any], Awaitable[None]]
    ) -> str | None:
        """Send the messages after an event on its stream.

        The stream of a request is followed here until its result was sent: a result between this method's end
        and the transport's own listening would be lost. The transport goes on with the stream without a
        request.
        """
        log = self.logs.get(KEY.get(""))
        stream = log.stream_of(last_event_id) if log is not None else None
        if log is None or stream is None:
            return None
        follower = _Follower(stream)
        log.followers.append(follower)
        try:
            while True:
                grown = log.grown
                for id, message in log.following(last_event_id, stream):
                    await send_callback(self._message(message, id))
                    last_event_id = id
                    if isinstance(message, self._ends):
                        return None
                if stream == _STANDALONE:
                    return stream
                for request in follower.results:
                    lost = self._lost(request, "there was no room for it")
                    await send_callback(self._message(lost))
                    return None
                await grown.wait()
                if log.ended:
                    return None
        finally:
            log.followers.remove(follower)


class SessionLogs:
    """An ASGI middleware that sets the log of a request's session for what answers the request.

    A request's revision becomes the one that its session agreed on, if it names none or another one that has
    sessions: what the transport sends depends on what the session's client can read. Without a store nobody
    is replayed anything. `idle` are seconds without a request after which the SDK ends a session.
    """

    def __init__(self, app: Any, store: EventLog | None, idle: float) -> None:
        self._app = app
        self._store = store
        self._idle = idle
        self._keys: dict[str, str] = {}
        self._older = load("mcp_types.version").HANDSHAKE_PROTOCOL_VERSIONS

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        store = self._store
        if store is None:
            # The transport has no answer for who asks it to replay without a store.
            await self._app(_without(scope, b"last-event-id"), receive, send)
            return
        session = next(iter(header_values(scope, b"mcp-session-id")), None)
        revision = next(iter(header_values(scope, b"mcp-protocol-version")), None)
        if session is None and revision is not None and revision not in self._older:
            await self._app(scope, receive, send)  # the newest revision has no sessions
            return
        key = store.open() if session is None else self._keys.get(session, "")
        log = store.logs.get(key)
        if log is None:
            await self._app(scope, receive, send)
            return
        scope = {**scope, _SECONDS: store.bounds.stream_seconds}
        if log.version is not None and (revision is None or revision in self._older):
            scope = _without(scope, b"mcp-protocol-version")
            scope["headers"].append((b"mcp-protocol-version", log.version.encode()))
        kept, served = session is not None, False

        async def send_noting(message: Any) -> None:
            nonlocal kept, served
            if message["type"] == "http.response.start":
                served = message["status"] < 400
                opened = dict(message.get("headers", ())).get(b"mcp-session-id")
                if session is None and opened is not None and served:
                    self._sweep(store)
                    self._keys[opened.decode("latin-1")] = key
                    kept = True
                elif scope["method"] == "DELETE" and message["status"] < 300:
                    kept = False
            await send(message)

        token = KEY.set(key)
        log.requests += 1
        try:
            await self._app(scope, receive, send_noting)
        finally:
            KEY.reset(token)
            log.requests -= 1
            if served:  # a session that has ended is not kept by who asks for it
                log.used = monotonic()
            if not kept:
                store.close(key)

    def _sweep(self, store: EventLog) -> None:
        before = monotonic() - self._idle
        for key, log in list(store.logs.items()):
            if not log.requests and log.used < before:
                store.close(key)
        self._keys = {session: key for session, key in self._keys.items() if key in store.logs}


@asynccontextmanager
async def closing_stream(context: Any) -> AsyncGenerator[None]:
    """Close the stream of a call that runs for longer than `Replay.stream_seconds`."""
    close = context.close_sse_stream
    seconds = None if close is None else context.request.scope.get(_SECONDS)
    if close is None or seconds is None:
        yield
        return
    task = asyncio.create_task(_after(seconds, close))
    try:
        yield
    finally:
        task.cancel()


async def _after(seconds: float, close: Callable[[], Awaitable[None]]) -> None:
    await asyncio.sleep(seconds)
    await close()


def _without(scope: Any, name: bytes) -> dict[str, Any]:
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != name]}
