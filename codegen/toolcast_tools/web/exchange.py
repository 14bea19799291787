"""One request and its response: redirects followed by rules, bytes and time bounded.

The rules are checked where the connection is made: a name is resolved once, all its addresses are checked,
and the connection goes to one of those, so no later answer of DNS, redirect or other name can lead elsewhere.
The name stays what the certificate, SNI and the `Host` header are about. HTTP/1.1, no proxy; no connection is
kept for another request.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeAlias, cast

import httpcore
import httpx
import msgspec
from msgspec import Struct
from toolcast.http.client import ACCEPTED, Decompressor, EncodingError
from toolcast.runtime.errors import RefusalError

from .access_rules import (
    AccessRules,
    Address,
    check_url,
    parse_address,
    read_url,
    refusal,
    same_origin,
    shown,
)

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the addresses of a name and a port, the preferred first. Raises OSError where there are none."""

_TRIED: Final = 4
"""Addresses of one name that are tried, one after the other."""
_MOST: Final = 256
"""Addresses that one name may have: each is checked."""
_CORE_ERRORS: Final = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)


class BlockedAddressError(RefusalError):
    """A host has an address that requests must not go to. Nothing was sent."""


async def system_resolve(host: str, port: int) -> list[str]:
    """Ask the system's resolver, in a thread of the event loop.

    Args:
        host: a name.
        port: a port.

    Returns:
        Its addresses, as the system orders them (RFC 6724).

    Raises:
        OSError: there are none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _checked_addresses(host: str, port: int, rules: AccessRules, resolve: Resolve) -> list[Address]:
    """Resolve a name, and check every address that it has. Returns the addresses, each once. Raises
    BlockedAddressError: at least one of them is not allowed. httpcore.ConnectError: the name has no
    address.
    """
    try:
        addresses = [parse_address(host)]
    except ValueError:
        addresses = await _resolved(host, port, resolve)
    allowed, denied = rules.allowed_networks(), rules.denied_networks()
    for address in addresses:
        if problem := refusal(address, allowed, denied):
            # The address of a name is not shown: names of private networks are not to be looked up this way.
            named = str(address) if str(address) == host else f"{shown(host)} has an address that"
            raise BlockedAddressError(
                f"{named} {problem}, so it was not asked. Only public addresses and those that the program "
                "allows can be reached; use another source, or tell the user."
            )
    return addresses


async def _resolved(host: str, port: int, resolve: Resolve) -> list[Address]:
    try:
        texts = await resolve(host, port)
        # Whatever a resolver answers is judged as a whole: one address too strange is a reason to stop.
        addresses = list(dict.fromkeys(map(parse_address, texts)))
    except (OSError, ValueError):  # UnicodeError is one: a name that cannot be encoded
        addresses = []
    if not addresses or len(addresses) > _MOST:
        raise httpcore.ConnectError(f"the name {shown(host)} has no usable address")
    return addresses


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Makes connections for httpcore, to checked addresses only."""

    def __init__(self, rules: AccessRules, resolve: Resolve) -> None:
        self._rules = rules
        self._resolve = resolve
        self._sockets = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of `host` that answers. Raises BlockedAddressError."""
        tried = (await _checked_addresses(host, port, self._rules, self._resolve))[:_TRIED]
        each = None if timeout is None else timeout / len(tried)
        for address in tried[:-1]:
            try:
                return await self._sockets.connect_tcp(
                    str(address), port, each, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._sockets.connect_tcp(str(tried[-1]), port, each, local_address, socket_options)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[object] | None = None
    ) -> NoReturn:
        """Refuse: a socket in the file system has no address to check."""
        del path, timeout, socket_options
        raise BlockedAddressError("Sockets of this machine are not asked.")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class CheckedTransport(httpx.AsyncBaseTransport):
    """A transport for `httpx.AsyncClient` that holds every request to the rules, redirects included.

    What a rule forbids raises RefusalError, which a handler can let through. A client with it can also be
    given to `toolcast.http.HttpHandler`.
    """

    def __init__(
        self,
        rules: AccessRules | None = None,
        *,
        resolve: Resolve = system_resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Make a transport; it belongs to the event loop that uses it first.

        Args:
            rules: what requests may reach; public addresses by default.
            resolve: gives the addresses of names; the system's resolver by default.
            tls: certificates that are trusted; those of httpx by default.
        """
        self._rules = rules or AccessRules()
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or httpx.create_ssl_context(),
            max_keepalive_connections=0,
            http1=True,
            http2=False,
            network_backend=CheckedBackend(self._rules, resolve),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request.

        Args:
            request: with its URL.

        Returns:
            The response, whose body is still to be read.

        Raises:
            RefusalError: a rule forbids the URL, or an address of its host.
            httpx.TransportError: there is no connection, or it broke.
        """
        check_url(request.url, self._rules)
        with _errors_of_httpx(request):
            response = await self._pool.handle_async_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response, request),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response, request: httpx.Request) -> None:
        self._response = response
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _errors_of_httpx(self._request):
            async for piece in self._response.aiter_stream():
                yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


@contextmanager
def _errors_of_httpx(request: httpx.Request) -> Generator[None]:
    """httpx has an error of the same name for each of httpcore."""
    try:
        yield
    except _CORE_ERRORS as problem:
        kind = getattr(httpx, type(problem).__name__, httpx.TransportError)
        raise kind(str(problem), request=request) from problem


_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KEPT_ELSEWHERE: Final = frozenset(
    {
        "accept",
        "accept-language",
        "user-agent",
        "range",
        "if-modified-since",
        "if-none-match",
        "cache-control",
    }
)
"""Headers that another origin gets, too: those that hold no credential. A secret may stand in any other."""
_CONNECT_SECONDS: Final = 15.0


class ConnectionSettings(Struct, frozen=True, kw_only=True):
    """Settings of connections.

    Attributes:
        rules: what requests may reach.
        resolve: gives the addresses of names.
        tls: certificates that are trusted.
        user_agent: value of `User-Agent`.
    """

    rules: AccessRules
    tls: ssl.SSLContext
    resolve: Resolve = system_resolve
    user_agent: str = "toolcast"


class Bounds(Struct, frozen=True, kw_only=True):
    """Limits of one exchange.

    Attributes:
        seconds: time for all of it, redirects included.
        content: bytes of the body that are kept, decompressed.
        redirects: how many are followed; 0 for none.
    """

    seconds: float
    content: int
    redirects: int


class WebRequest(Struct, frozen=True, kw_only=True):
    """A request.

    Attributes:
        method: in upper case.
        url: where to, as `read_url` returns it.
        headers: names and values.
        content: the body; None for none.
    """

    method: str
    url: Any
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes | None = None


class WebResponse(Struct, frozen=True, kw_only=True):
    """A response.

    Attributes:
        url: where it came from.
        headers: names in lower case and values, in order.
        content: the body, decompressed, up to the limit.
        full: whether the body has more than that, or ended too early.
        withheld: names of headers that were not sent to another origin.
        unfollowed: why a redirect was not followed; "" where none was left.
    """

    status: int
    url: Any
    headers: tuple[tuple[str, str], ...]
    content: bytes
    full: bool = False
    withheld: tuple[str, ...] = ()
    unfollowed: str = ""

    def header(self, name: str) -> str:
        """Return the first value of a header; "" where there is none. `name` is in lower case."""
        return next((value for each, value in self.headers if each == name), "")


async def exchange(settings: ConnectionSettings, request: WebRequest, bounds: Bounds) -> WebResponse:
    """Send a request, and follow redirects.

    Headers that may hold credentials stay with the origin that they were written for. A body does, too, and
    so does a method that asks for a change: there, the redirect itself is the response.

    Raises RefusalError: a rule forbids it, it took too long, there is no connection or it broke, or the
    response cannot be read; in words for the model.

    Args:
        settings: how connections are made.
        request: what to send.
        bounds: what it may take.
    """
    check_url(request.url, settings.rules)  # before any time or socket is spent
    try:
        async with asyncio.timeout(bounds.seconds):
            # Of this exchange alone: no connection, cookie or proxy of another one has a part in it.
            async with CheckedTransport(
                settings.rules, resolve=settings.resolve, tls=settings.tls
            ) as transport:
                return await _followed(transport, settings.user_agent, request, bounds)
    except (TimeoutError, httpx.TimeoutException):
        raise RefusalError(
            f"{shown(request.url)} did not answer within {bounds.seconds:g} s; the request was given up."
            f"{_effect(request, ' Ask for less, or try again later.')}"
        ) from None
    except EncodingError as problem:
        raise RefusalError(
            f"The response of {shown(request.url)} cannot be read: {problem}.{_effect(request)}"
        ) from None
    except httpx.ConnectError as problem:
        raise RefusalError(
            f"{shown(problem.request.url)} cannot be reached ({_words(problem)}). Check the host name, or go "
            f"on without it.{_effect(request) if problem.request.url != request.url else ''}"
        ) from None
    except (httpx.HTTPError, OSError) as problem:  # TLS has errors of its own, which are an OSError
        raise RefusalError(
            f"The connection to {shown(request.url)} broke ({_words(problem)}).{_effect(request)}"
        ) from None


async def _followed(
    transport: CheckedTransport, user_agent: str, request: WebRequest, bounds: Bounds
) -> WebResponse:
    withheld: tuple[str, ...] = ()
    for _ in range(bounds.redirects + 1):
        response = await _one(transport, _built(user_agent, request, bounds), request.url, bounds.content)
        location = response.header("location")
        if response.status not in _REDIRECTS or not location or not bounds.redirects:
            return msgspec.structs.replace(response, withheld=withheld)
        target = read_url(location, request.url)
        there = _redirected(request, response.status, target)
        if there is None:
            why = (
                f"it leads to another origin, {shown(target)}, which does not get a {request.method} request"
            )
            return msgspec.structs.replace(response, withheld=withheld, unfollowed=why)
        names = {name.lower() for name, _ in there.headers}
        withheld += tuple(name for name, _ in request.headers if name.lower() not in names)
        request = there
    raise RefusalError(
        f"{shown(request.url)} redirects again after {bounds.redirects} redirects, so it was given up."
    )


def _redirected(request: WebRequest, status: int, target: httpx.URL) -> WebRequest | None:
    """Return the request that a redirect asks for (RFC 9110, 15.4); None where it is not for another
    origin.
    """
    same = same_origin(request.url, target)
    becomes_get = (status == 303 and request.method not in ("GET", "HEAD")) or (
        status in (301, 302) and request.method == "POST"
    )
    method = "GET" if becomes_get else request.method
    content = None if becomes_get else request.content
    if not same and (method not in _SAFE_METHODS or content is not None):
        return None
    headers = tuple(
        (name, value)
        for name, value in request.headers
        if (same or name.lower() in _KEPT_ELSEWHERE)
        and not (becomes_get and name.lower().startswith("content-"))
    )
    return WebRequest(method=method, url=target, headers=headers, content=content)


def _built(user_agent: str, request: WebRequest, bounds: Bounds) -> httpx.Request:
    names = {name.lower() for name, _ in request.headers}
    own = (
        ("User-Agent", user_agent),
        ("Accept", "*/*"),
        ("Accept-Encoding", ACCEPTED),
        ("Connection", "close"),
    )
    headers = [*request.headers, *(pair for pair in own if pair[0].lower() not in names)]
    seconds = dict.fromkeys(("connect", "read", "write", "pool"), bounds.seconds)
    seconds["connect"] = min(bounds.seconds, _CONNECT_SECONDS)
    return httpx.Request(
        request.method,
        request.url,
        headers=[(name.encode(), value.encode()) for name, value in headers],
        content=request.content,
        extensions={"timeout": seconds},
    )


async def _one(
    transport: CheckedTransport, request: httpx.Request, url: httpx.URL, limit: int
) -> WebResponse:
    """Send a request, and read its response up to `limit` bytes."""
    response = await transport.handle_async_request(request)
    try:
        headers = tuple(
            (name.decode("latin-1").lower(), value.decode("utf-8", "replace"))
            for name, value in response.headers.raw
        )
        plain = WebResponse(status=response.status_code, url=url, headers=headers, content=b"")
        if response.status_code in _REDIRECTS and "location" in response.headers:
            return plain  # followed or not, its body is for those who cannot follow
        body = Decompressor(response.headers.get("content-encoding", ""), limit)
        async for piece in response.aiter_raw():
            body.feed(piece)
            if body.full:
                return msgspec.structs.replace(plain, content=body.content, full=True)
        return msgspec.structs.replace(plain, content=body.content, full=not body.complete)
    finally:
        await response.aclose()


def _words(problem: Exception) -> str:
    """Describe an error by the library's own text, which may repeat what the server sent."""
    return shown(f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__)


def _effect(request: WebRequest, otherwise: str = "") -> str:
    if request.method in _SAFE_METHODS:
        return otherwise
    return " It may have taken effect: look before you send it again."
