"""ASGI middlewares that refuse requests before the SDK sees them: wrong hosts and origins, late bodies."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv6Address
from typing import Any, NamedTuple, TypeAlias

Scope: TypeAlias = dict[str, Any]
"""A connection, and each message of it, as ASGI has them."""

Receive: TypeAlias = Callable[[], Awaitable[Scope]]
Send: TypeAlias = Callable[[Scope], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

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

    def __init__(self, app: App, hosts: Sequence[Authority], origins: Sequence[Origin]) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        port = (scope.get("server") or ("", None))[1]
        own = [] if port is None else [Authority(name, port) for name in _NAMES]
        hosts, origins = _header_values(scope, b"host"), _header_values(scope, b"origin")
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

    def __init__(self, app: App, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._seconds
        complete = started = False

        async def receive_in_time() -> Scope:
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


def header(scope: Scope, name: bytes) -> str | None:
    """Return the first value of a header of an ASGI request."""
    return next(iter(_header_values(scope, name)), None)


def _header_values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def refuse(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    """Answer an ASGI request; a body without a content type is plain text."""
    plain = (b"content-type", b"text/plain")
    stated = [*headers] if any(name == plain[0] for name, _ in headers) else [plain, *headers]
    stated.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": stated})
    await send({"type": "http.response.body", "body": body})
