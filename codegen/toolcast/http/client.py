"""Sending a request with httpx: bounded in time and size, redirected within one server only.

httpx is imported here, at the first request, and nowhere else.
"""

import asyncio
import logging
from copy import copy
from functools import cache
from http.cookiejar import CookieJar
from importlib import import_module
from typing import Any, Final

import msgspec
from msgspec import Struct

from .credentials import added_credentials
from .decompression import ACCEPTED, Decompressor, EncodingError
from .http_request import HttpRequest
from .styles import joined

_REMEDY: Final = "run: pip install 'toolcast[http]' (httpx 0.28 or newer)"
_REDIRECTS: Final = 5
_REDIRECTING: Final = (301, 302, 303, 307, 308)
_LOCATIONS: Final = "toolcast.locations"
_ACCEPT: Final = (b"Accept", b"application/json, */*;q=0.8")
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "QUERY", "TRACE"})
"""Methods that ask for no change."""


class HttpxMissingError(ImportError):
    """httpx is not installed."""


class OversizedError(Exception):
    """An answer with more bytes than are taken."""


class UnreachableError(Exception):
    """No connection, or one that broke. `sent` says whether the server may have got the request."""

    def __init__(self, kind: str, sent: bool) -> None:
        super().__init__(kind)
        self.kind = kind
        self.sent = sent


class Answer(Struct, frozen=True, kw_only=True):
    """A whole answer.

    Attributes:
        status: its status.
        headers: by name in lower case; the last of several.
        content: its bytes, decompressed.
        location: where a redirect leads that was not followed; "" otherwise.
        problem: why `location` is no place to go to, as a clause; "" for a URL of another server.
        credentials: values that the client added to its requests, which nobody may read.
    """

    status: int
    headers: dict[str, str]
    content: bytes
    location: str = ""
    problem: str = ""
    credentials: tuple[str, ...] = ()


def load_httpx() -> Any:
    """The library. Raises HttpxMissingError, with the remedy."""
    try:
        return import_module("httpx")
    except ModuleNotFoundError as missing:
        if missing.name != "httpx":
            raise HttpxMissingError(
                f"httpx needs {missing.name}, which is not installed; {_REMEDY}"
            ) from missing
        raise HttpxMissingError(f"httpx is not installed; {_REMEDY}") from missing


@cache
def _ssl_context() -> Any:
    """Certificates are read once: a connection for each call would read them each time."""
    return load_httpx().create_ssl_context()


def own_client() -> Any:
    """A client for one call: nothing of it outlives the event loop, and no cookie reaches another call."""
    return load_httpx().AsyncClient(verify=_ssl_context())


class HiddenQuery(Struct, frozen=True):
    """A filter of httpx's own log, which writes URLs: the value of one name in a query is left out."""

    name: str

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the URLs of a record. Every record passes."""
        url = load_httpx().URL
        if isinstance(record.args, tuple):
            record.args = tuple(self._hidden(each) if isinstance(each, url) else each for each in record.args)
        return True

    def _hidden(self, url: Any) -> Any:
        return url.copy_set_param(self.name, "[redacted]") if self.name in url.params else url


def hide_in_log(name: str) -> None:
    """Keep a key in the query out of httpx's log, which has every URL at level INFO."""
    logging.getLogger("httpx").addFilter(HiddenQuery(name))  # an equal filter is not added twice


async def send(
    client: Any, server: str, request: HttpRequest, seconds: float, limit: int, jar: CookieJar | None = None
) -> Answer:
    """Send a request and read the whole answer.

    Args:
        client: an `httpx.AsyncClient`; None for one of this call alone.
        server: URL of the server.
        request: with its credentials.
        seconds: time for all of it.
        limit: bytes that an answer may have.
        jar: cookies that are sent, and that answers add to; None for those of the client, and for what the
            answers of this call set.

    Returns:
        The answer; a redirect to another server is one.

    Raises:
        TimeoutError: it took too long.
        UnreachableError: there is no connection, or it broke.
        OversizedError: the answer has too many bytes.
        EncodingError: the answer is encoded as was not asked for, or is broken.
        HttpxMissingError: httpx is not installed.
    """
    async with asyncio.timeout(seconds):
        if client is not None:
            return await _send(_of_one_call(client, jar), server, request, seconds, limit)
        async with own_client() as own:
            return await _send(_of_one_call(own, jar), server, request, seconds, limit)


def _of_one_call(client: Any, jar: CookieJar | None) -> Any:
    """A client with the connections and settings of another one, and cookies of its own: those of one call
    are not sent with another, nor with one that runs at the same time. Where answers redirect, it lets nobody
    read `Location`: httpx raises errors of several kinds for what is no URL."""
    own = copy(client)
    own.cookies = client.cookies if jar is None else jar
    hooks = client.event_hooks
    own.event_hooks = {**hooks, "response": [*hooks["response"], _take_locations]}
    return own


async def _take_locations(response: Any) -> None:
    if response.status_code in _REDIRECTING:
        response.extensions[_LOCATIONS] = response.headers.get_list("location")
        response.headers.pop("location", None)


async def _send(client: Any, server: str, request: HttpRequest, seconds: float, limit: int) -> Answer:
    httpx = load_httpx()
    query = f"?{joined(request.query)}" if request.query else ""
    url = httpx.URL(f"{server.rstrip('/')}{request.path}{query}")
    method, content, parts = request.method, request.content, request.parts
    # A client of the program may want something else.
    accept = [_ACCEPT] if client.headers.get("accept", "*/*") == "*/*" else []
    credentials = dict.fromkeys(client.params.values())
    for _ in range(_REDIRECTS + 1):
        built = client.build_request(
            method,
            url,
            headers=_headers(request, content is not None) + accept,
            content=content,
            files=None if parts is None else [_file(part) for part in parts],
            timeout=seconds,
        )
        try:
            response = await client.send(built, stream=True, follow_redirects=False)
            try:
                answer = await _read(response, limit)
            finally:
                await response.aclose()
        except (httpx.ReadTimeout, httpx.WriteTimeout):
            raise TimeoutError from None
        except httpx.HTTPError as problem:
            sent = not isinstance(problem, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
            # Its text may hold the URL with a key in it.
            raise UnreachableError(type(problem).__name__, sent) from None
        credentials |= dict.fromkeys(added_credentials(response.request.headers.multi_items(), request))
        answer = msgspec.structs.replace(answer, credentials=tuple(credentials))
        locations = response.extensions.get(_LOCATIONS)
        if not locations:
            return answer
        target, reason = _target(httpx, url, locations)
        preserved = answer.status in (307, 308)
        followed = preserved or method in SAFE_METHODS or answer.status == 303
        if reason or not followed or not _same_origin(url, target):
            return msgspec.structs.replace(answer, location=str(target), problem=reason)
        url = target
        if answer.status == 303 and method != "HEAD":
            method, content, parts = "GET", None, None
    raise UnreachableError("TooManyRedirects", True)


def _headers(request: HttpRequest, has_content: bool) -> list[tuple[bytes, bytes]]:
    headers = [(name.encode(), value.encode()) for name, value in request.headers]
    headers.append((b"Accept-Encoding", ACCEPTED.encode()))  # no other one can be read within a limit
    if has_content and request.media_type:
        headers.append((b"Content-Type", request.media_type.encode()))
    if request.cookies:
        headers.append((b"Cookie", "; ".join(f"{name}={value}" for name, value in request.cookies).encode()))
    return headers


def _file(part: Any) -> tuple[str, tuple[str | None, bytes, str | None]]:
    return part.name, (part.filename or None, part.content, part.media_type or None)


async def _read(response: Any, limit: int) -> Answer:
    """Read no more than `limit` bytes, and nothing of a redirect. Raises OversizedError and EncodingError."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    plain = Answer(status=response.status_code, headers=headers, content=b"")
    if response.extensions.get(_LOCATIONS):
        return plain
    body = Decompressor(headers.get("content-encoding", ""), limit)
    if response.is_stream_consumed:  # a hook or transport of the program's has read and decoded it
        content = await response.aread()
        if len(content) > limit:
            raise OversizedError
        return msgspec.structs.replace(plain, content=content)
    async for piece in response.aiter_raw():
        body.feed(piece)
        if body.full:
            raise OversizedError
    if not body.complete:
        raise EncodingError("it ends before its encoding does")
    return msgspec.structs.replace(plain, content=body.content)


def _target(httpx: Any, url: Any, locations: list[str]) -> tuple[Any, str]:
    """Where a redirect leads, and why nobody can go there; "" where one can."""
    location = locations[0]
    if len(locations) > 1:
        return location, "states several addresses"
    try:
        target = url.join(location)
    except (httpx.InvalidURL, ValueError):
        return location, "states what is no URL"
    if target.scheme not in ("http", "https") or not target.host or "%" in target.host:
        return location, "states no address of http or https"
    if target.port is not None and not 0 < target.port < 65_536:
        return location, "states no port"
    return (location, "states a user") if target.userinfo else (target, "")


def _same_origin(one: Any, other: Any) -> bool:
    return bool((one.scheme, one.host, one.port) == (other.scheme, other.host, other.port))
