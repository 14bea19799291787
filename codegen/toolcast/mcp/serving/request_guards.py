"""ASGI middlewares that refuse requests before the SDK sees them: those for other hosts, of other pages, too
late, or that would open a session too many.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ..sdk import INTERNAL_ERROR, load

_TEXT = b"The request did not arrive in time."
_AUTHORITY = re.compile(
    r"(?P<host>\[[0-9a-f:.]{2,45}\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(?P<port>[0-9]{1,5}|\*))?"
)
"""RFC 3986, 3.2, without user information and escapes, in lower case."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""How this machine calls itself."""


class Authority(NamedTuple):
    """A host and a port, in one spelling. `port` is None where none is stated, -1 for any."""

    host: str
    port: int | None

    @classmethod
    def of(cls, text: str) -> "Authority":
        """Read a Host header, or the part of an address between `//` and its path. Raises ValueError."""
        found = _AUTHORITY.fullmatch(text.lower()) if text.isascii() else None
        if found is None:
            raise ValueError(f"{text!r} is no host: write tools.example.com, with :8000 for a port.")
        host, stated = found["host"], found["port"]
        if host.startswith("["):
            host = f"[{IPv6Address(host[1:-1]).compressed}]"
        port = None if stated is None else -1 if stated == "*" else int(stated)
        if port is not None and port > 65535:
            raise ValueError(f"{text!r} has no port: at most 65535.")
        return cls(host.removesuffix("."), port)

    def fits(self, other: "Authority", default: Sequence[int]) -> bool:
        """Return whether a request that names `other` means this one. `default`: ports that need not be
        stated.
        """
        if self.host != other.host or self.port == other.port or self.port == -1:
            return self.host == other.host
        stated = other.port if self.port is None else self.port
        return None in (self.port, other.port) and stated in default


class Origin(NamedTuple):
    """A scheme and an authority (RFC 6454), as a browser states the origin of a page."""

    scheme: str
    authority: Authority

    @classmethod
    def of(cls, text: str) -> "Origin":
        """Read an Origin header. Raises ValueError."""
        scheme, separator, authority = text.partition("://")
        if not separator or not _SCHEME.fullmatch(scheme.lower()):
            raise ValueError(f"{text!r} is no origin: write https://tools.example.com.")
        return cls(scheme.lower(), Authority.of(authority))

    def fits(self, other: "Origin") -> bool:
        """Return whether a page of `other` is a page of this origin."""
        default = [_DEFAULT_PORTS[self.scheme]] if self.scheme in _DEFAULT_PORTS else []
        return self.scheme == other.scheme and self.authority.fits(other.authority, default)


class HostGuard:
    """Answers 421 where the Host header names another machine or port, and 403 where a page of another origin
    asks.

    A browser can be led to any address (DNS rebinding), and a page of any local port reaches this machine.
    The machine's own names count with the port that the connection came to.
    """

    def __init__(self, app: Any, hosts: Sequence[Authority], origins: Sequence[Origin]) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        port = (scope.get("server") or ("", None))[1]
        own = [] if port is None else [Authority(name, port) for name in _NAMES]
        hosts, origins = header_values(scope, b"host"), header_values(scope, b"origin")
        if not self._is_known(hosts, [*self._hosts, *own]):
            await refuse(send, 421, b"Invalid Host header")
        elif origins and not self._is_allowed(origins, [Origin(scope["scheme"], each) for each in own]):
            await refuse(send, 403, b"Invalid Origin header")
        else:
            await self._app(scope, receive, send)

    def _is_known(self, stated: list[str], known: Sequence[Authority]) -> bool:
        try:
            (host,) = map(Authority.of, stated)
        except ValueError:
            return False
        # Behind a proxy the scheme of a request is not known.
        return host.port != -1 and any(each.fits(host, (80, 443)) for each in known)

    def _is_allowed(self, stated: list[str], own: Sequence[Origin]) -> bool:
        try:
            (origin,) = map(Origin.of, stated)
        except ValueError:
            return False
        return origin.authority.port != -1 and any(each.fits(origin) for each in [*self._origins, *own])


class BodyDeadline:
    """Answers 408 where the body of a request has not arrived after so many seconds: a client that sends a
    byte now and then would hold a connection, and all that belongs to it, for ever.
    """

    def __init__(self, app: Any, seconds: float) -> None:
        if not 0 < seconds < float("inf"):
            raise ValueError("body_seconds is a positive number of seconds")
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._seconds
        complete = started = False

        async def receive_in_time() -> Any:
            nonlocal complete
            if complete:  # what follows is the end of the connection
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise _LateError from None
            complete = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def send_noting(message: Any) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive_in_time, send_noting)
        except _LateError:
            if started:
                raise
            await refuse(send, 408, _TEXT, (b"connection", b"close"))


class _LateError(Exception):
    pass


class _Session(Struct):
    owner: str
    user: Any = None
    calls: int = 0  # requests with a body that are being answered
    requests: int = 0
    used: float = 0.0


class SessionShares:
    """Opens no more than `most` sessions, and no more than `share` for one client.

    One more takes the place of the session without a call that was used least recently: of the client itself
    where it has its share, else of the client that has most. Where each has a call, it is answered 503. A
    client is a principal, without authentication an address, of IPv6 a network of 64 bits. `idle` are seconds
    without a request after which the SDK ends a session.
    """

    def __init__(self, app: Any, most: int, share: int, idle: float) -> None:
        self._app = app
        self._most = most
        self._share = share
        self._idle = idle
        self._sessions: dict[Any, _Session] = {}  # those used least recently first
        self._opening = asyncio.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        id = next(iter(header_values(scope, b"mcp-session-id")), None) if scope["type"] == "http" else ""
        if id is None and not self._is_newest(scope):
            await self._open(scope, receive, send)
        elif id is not None and id in self._sessions:
            await self._use(id, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _open(self, scope: Any, receive: Any, send: Any) -> None:
        id: Any = object()
        session = _Session(_owner(scope), scope.get("user"), calls=1, requests=1)
        started = opened = False

        async def receive_then_admit() -> Any:
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
            await self._app(scope, receive_then_admit, send_noting)
        except _NoRoomError:
            error = {"code": INTERNAL_ERROR, "message": "Too many open sessions"}
            body = msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})
            await refuse(send, 503, body, (b"content-type", b"application/json"))
        finally:
            session.calls = session.requests = 0
            session.used = monotonic()
            if not opened:
                self._sessions.pop(id, None)

    async def _use(self, id: str, scope: Any, receive: Any, send: Any) -> None:
        session = self._sessions[id]
        call = scope["method"] == "POST"

        async def send_noting(message: Any) -> None:
            if message["type"] == "http.response.start":
                if message["status"] < 400 and self._sessions.pop(id, None) is not None:
                    session.used = monotonic()
                    if scope["method"] != "DELETE":
                        self._sessions[id] = session
                elif message["status"] == 404 and session.owner == _owner(scope):
                    self._sessions.pop(id, None)  # it has ended
            await send(message)

        session.calls += call
        session.requests += 1
        try:
            await self._app(scope, receive, send_noting)
        finally:
            session.calls -= call
            session.requests -= 1

    async def _make_room(self, owner: str, scope: Any) -> None:
        """End a session where one more would be too many. Raises _NoRoomError."""
        before = monotonic() - self._idle
        for id, session in list(self._sessions.items()):
            if not session.requests and session.used < before:
                del self._sessions[id]  # the SDK ended it
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

    async def _end(self, id: str, session: _Session, scope: Any) -> None:
        """End a session as its client would."""
        del self._sessions[id]
        headers = [(b"mcp-session-id", id.encode("latin-1"))]

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Any) -> None:
            """Nobody asked."""

        await self._app(
            {**scope, "method": "DELETE", "headers": headers, "user": session.user}, receive, send
        )

    def _is_newest(self, scope: Any) -> bool:
        revision = next(iter(header_values(scope, b"mcp-protocol-version")), None)
        return revision is not None and revision not in load("mcp_types.version").HANDSHAKE_PROTOCOL_VERSIONS


class _NoRoomError(Exception):
    pass


def _owner(scope: Any) -> str:
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


def header_values(scope: Any, name: bytes) -> list[str]:
    """Return the values of a header of an ASGI request."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def refuse(send: Any, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    """Answer an ASGI request; a body without a content type is plain text."""
    plain = (b"content-type", b"text/plain")
    stated = [*headers] if any(name == plain[0] for name, _ in headers) else [plain, *headers]
    stated.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": stated})
    await send({"type": "http.response.body", "body": body})
