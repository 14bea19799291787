"""Sessions of clients of older revisions, and messages that they missed while their connection was broken.

The SDK's transport stores each message that it sends in an event store, under the id of its request
(SEP-1699, `Last-Event-ID`). One store serves all sessions, and clients number their requests alike; so each
session has a log of its own here, and an id of another session's event finds nothing.

A context variable has the key of a session's log: the SDK's tasks inherit it from the request that opened the
session, and `Sessions` sets it for every later one. It has no log itself: timers of a connection keep their
context for long after the session.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address, ip_network
from secrets import token_hex
from time import monotonic
from typing import Any

import msgspec
from msgspec import Struct

from ...jsonschema.json_values import JsonObject
from ..sdk import INTERNAL_ERROR, load
from .request_guards import App, Receive, Scope, Send, header, refuse

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
    """Waits for the result of a stream's request; `results` has its id once there is one."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.results: list[object] = []


class _Room:
    def __init__(self, total: int) -> None:
        self.left = total


class _SessionLog:
    """The last messages of one session. `version` is the revision that it agreed on; None until then."""

    def __init__(self, bounds: Replay, room: _Room, prefix: str) -> None:
        self.version: str | None = None
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
        self, last_event_id: str, send_callback: Callable[[object], Awaitable[None]]
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


class _Session(Struct):
    owner: str
    user: Any
    key: str  # of its log
    calls: int = 0  # requests with a body that are being answered
    requests: int = 0
    used: float = 0.0  # when the last of them was served, in seconds of the monotonic clock


class Sessions:
    """An ASGI middleware that bounds sessions, and sets the log of a request's session for what answers it.

    No more than `most` sessions are open, and no more than `share` of one client. One more takes the place of
    the session without a call that was used least recently: of the client itself where it has its share, else
    of the client that has most. Where each has a call, it is answered 503. A client is a principal, without
    authentication an address, of IPv6 a network of 64 bits. `idle` are seconds without a request after which
    the SDK ends a session.

    A request's revision becomes the one that its session agreed on, if it names none or another one that has
    sessions: what the transport sends depends on what the session's client can read.
    """

    def __init__(self, app: App, store: EventLog | None, most: int, share: int, idle: float) -> None:
        self._app = app
        self._store = store
        self._most = most
        self._share = share
        self._idle = idle
        self._sessions: dict[Any, _Session] = {}  # those used least recently first
        self._opening = asyncio.Lock()
        self._older = load("mcp_types.version").HANDSHAKE_PROTOCOL_VERSIONS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        id, revision = header(scope, b"mcp-session-id"), header(scope, b"mcp-protocol-version")
        if id is None and (revision is None or revision in self._older):
            await self._open(scope, receive, send)
        elif id in self._sessions:
            await self._use(id, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        id: Any = object()
        key = "" if self._store is None else self._store.open()
        session = _Session(_owner(scope), scope.get("user"), key, calls=1, requests=1)
        started = opened = False

        async def receive_then_admit() -> Scope:
            """Count a session when its request is complete: a slow client holds up nobody."""
            nonlocal started
            message = await receive()
            if not started and message["type"] == "http.request" and not message.get("more_body", False):
                started = True
                async with self._opening:
                    await self._make_room(session.owner, scope)
                    self._sessions[id] = session
            return message

        async def send_noting(message: Any) -> None:
            nonlocal id, opened
            made = dict(message.get("headers", ())).get(b"mcp-session-id")
            if message["type"] == "http.response.start" and message["status"] < 400 and made is not None:
                self._sessions.pop(id, None)
                id, opened = made.decode("latin-1"), True
                self._sessions[id] = session
            await send(message)

        try:
            await self._answer(session, scope, receive_then_admit, send_noting)
        except _NoRoomError:
            error = {"code": INTERNAL_ERROR, "message": "Too many open sessions"}
            body = msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})
            await refuse(send, 503, body, (b"content-type", b"application/json"))
        finally:
            session.calls = session.requests = 0
            session.used = monotonic()
            if not opened:
                self._forget(id, session)

    async def _use(self, id: Any, scope: Scope, receive: Receive, send: Send) -> None:
        session = self._sessions[id]
        call, served = scope["method"] == "POST", False

        async def send_noting(message: Any) -> None:
            nonlocal served
            if message["type"] == "http.response.start":
                served = message["status"] < 400
                if served and scope["method"] != "DELETE" and self._sessions.pop(id, None) is not None:
                    self._sessions[id] = session
                elif served or (message["status"] == 404 and session.owner == _owner(scope)):
                    self._forget(id, session)  # it has ended
            await send(message)

        session.calls += call
        session.requests += 1
        try:
            await self._answer(session, scope, receive, send_noting)
        finally:
            session.calls -= call
            session.requests -= 1
            if served:  # a session that has ended is not kept by who asks for it
                session.used = monotonic()

    async def _answer(self, session: _Session, scope: Scope, receive: Receive, send: Send) -> None:
        store = self._store
        log = None if store is None else store.logs.get(session.key)
        if store is None or log is None:
            await self._app(scope, receive, send)
            return
        scope = {**scope, _SECONDS: store.bounds.stream_seconds}
        revision = header(scope, b"mcp-protocol-version")
        if log.version is not None and (revision is None or revision in self._older):
            scope = _without(scope, b"mcp-protocol-version")
            scope["headers"].append((b"mcp-protocol-version", log.version.encode()))
        token = KEY.set(session.key)
        try:
            await self._app(scope, receive, send)
        finally:
            KEY.reset(token)

    async def _make_room(self, owner: str, scope: Scope) -> None:
        before = monotonic() - self._idle
        for id, session in list(self._sessions.items()):
            if not session.requests and session.used < before:
                self._forget(id, session)  # the SDK ended it
        counts = Counter(session.owner for session in self._sessions.values())
        if counts[owner] >= self._share:
            owners = [owner]
        elif len(self._sessions) >= self._most:
            owners = [each for each, count in counts.most_common() if count >= counts[owner]]
        else:
            return
        for each in owners:
            for id, session in self._sessions.items():
                if session.owner == each and not session.calls:
                    await self._end(id, session, scope)
                    return
        raise _NoRoomError

    async def _end(self, id: str, session: _Session, scope: Scope) -> None:
        self._forget(id, session)
        headers = [(b"mcp-session-id", id.encode("latin-1"))]

        async def receive() -> Scope:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Scope) -> None:
            """Nobody asked."""

        await self._app(
            {**scope, "method": "DELETE", "headers": headers, "user": session.user}, receive, send
        )

    def _forget(self, id: object, session: _Session) -> None:
        self._sessions.pop(id, None)
        if self._store is not None:
            self._store.close(session.key)


class _NoRoomError(Exception):
    pass


class WithoutReplay:
    """An ASGI middleware that takes `Last-Event-ID` from requests, which needs a store."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kept = _without(scope, b"last-event-id") if scope["type"] == "http" else scope
        await self._app(kept, receive, send)


def _owner(scope: Scope) -> str:
    if (user := scope.get("user")) is not None:
        return f"principal {user.display_name}"
    host = (scope.get("client") or ("", 0))[0]
    try:
        address = ip_address(host)
    except ValueError:
        return f"address {host}"
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return f"address {ip_network((int(address), 64), strict=False)}"
    return f"address {getattr(address, 'ipv4_mapped', None) or address}"


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


def _without(scope: Scope, name: bytes) -> JsonObject:
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != name]}
