"""A transport for httpx that connects to checked addresses only.

The check stands where the connection is made: a name is resolved once, all its addresses are checked, and
the connection goes to one of those, so no later answer of DNS, redirect or other name can lead elsewhere. The
name stays what the certificate, SNI and the `Host` header are about. HTTP/1.1, no proxy; no connection is
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

from ...runtime.errors import RefusalError
from .access_rules import AccessRules
from .addresses import Address, parse_address, refusal
from .urls import check_url, shown

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


async def checked_addresses(host: str, port: int, rules: AccessRules, resolve: Resolve) -> list[Address]:
    """Resolve a name, and check every address that it has.

    Args:
        host: a name, or an address.
        port: a port.
        rules: the program's rules.
        resolve: resolves names.

    Returns:
        The addresses, each once.

    Raises:
        BlockedAddressError: at least one of them is not allowed.
        httpcore.ConnectError: the name has no address.
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
        self._sockets = cast(httpcore.AsyncNetworkBackend, httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of `host` that answers. Raises BlockedAddressError."""
        tried = (await checked_addresses(host, port, self._rules, self._resolve))[:_TRIED]
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
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
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
