"""One request and its response: redirects followed by rules, bytes and time bounded."""

import asyncio
import ssl
from typing import Any, Final

import httpx
import msgspec
from msgspec import Struct

from ...http.decompression import ACCEPTED, Decompressor, EncodingError
from ...runtime.errors import RefusalError
from .access_rules import AccessRules
from .transport import CheckedTransport, Resolve, system_resolve
from .urls import check_url, read_url, same_origin, shown

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
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
    """How connections are made.

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
    """What one exchange may take.

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
        status: its status.
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
        """The first value of a header; "" where there is none. `name` is in lower case."""
        return next((value for each, value in self.headers if each == name), "")


async def exchange(settings: ConnectionSettings, request: WebRequest, bounds: Bounds) -> WebResponse:
    """Send a request, and follow redirects.

    Headers that may hold credentials stay with the origin that they were written for. A body does, too, and
    so does a method that asks for a change: there, the redirect itself is the response.

    Args:
        settings: how connections are made.
        request: what to send.
        bounds: what it may take.

    Returns:
        The last response.

    Raises:
        RefusalError: a rule forbids it, it took too long, there is no connection or it broke, or the response
            cannot be read; in words for the model.
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
    """The request that a redirect asks for (RFC 9110, 15.4); None where it is not for another origin."""
    same = same_origin(request.url, target)
    becomes_get = (status == 303 and request.method not in ("GET", "HEAD")) or (
        status in (301, 302) and request.method == "POST"
    )
    method = "GET" if becomes_get else request.method
    content = None if becomes_get else request.content
    if not same and (method not in SAFE_METHODS or content is not None):
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
    """What went wrong, with the library's own text, which may repeat what the server sent."""
    return shown(f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__)


def _effect(request: WebRequest, otherwise: str = "") -> str:
    if request.method in SAFE_METHODS:
        return otherwise
    return " It may have taken effect: look before you send it again."
