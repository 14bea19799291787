"""A cache behind HTTP, as clients of Bazel use it: `GET` and `PUT` of `ac/<key>` and `cas/<digest>`."""

import contextlib
import http.client
import ipaddress
import re
import socket
from urllib.parse import quote, urlsplit

from msgspec import Struct

from ...version import __version__
from .store import BadEntryError, Kind, ReadOnlyError, StoreError

_HEADER = re.compile(r"[\x20-\x7e]+")
_DRAIN = 64 * 1024
"""Bytes of an answer without interest that are read to keep the connection."""
_REFUSED = frozenset({401, 403, 405, 501})


class Timeouts(Struct, frozen=True):
    """Seconds to wait for a connection, and for the next bytes of an answer."""

    connect: float = 3.0
    answer: float = 5.0


class Address(Struct, frozen=True):
    """Where the cache is. `authorization` is the header's value, never shown."""

    secure: bool
    host: str
    port: int | None
    base: str
    authorization: str = ""

    @property
    def shown(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{'https' if self.secure else 'http'}://{host}{port}{self.base}"

    @property
    def loopback(self) -> bool:
        """Whether what is sent stays on this machine."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:  # a name
            return False


def read_address(url: str, authorization: str = "") -> Address:
    """Take a URL apart. Raises ValueError with a text that repeats nothing secret."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("this is no URL") from None
    if parts.username is not None or parts.password is not None:
        raise ValueError("a URL with a password in it would be shown in logs")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ValueError("a cache's URL is http(s)://host[:port][/path] and nothing more")
    if not re.fullmatch(r"[A-Za-z0-9._:-]+", host):
        raise ValueError("this host's name cannot be used")
    if authorization and not _HEADER.fullmatch(authorization):
        raise ValueError("TOOLCAST_CACHE_AUTH is no value for a header")
    base = quote(parts.path.rstrip("/"), safe="/%-._~!$&'()*+,;=:@")
    return Address(parts.scheme == "https", host, port, base, authorization)


class Remote:
    """Each session keeps one connection open."""

    threads = 16

    def __init__(self, address: Address, timeouts: Timeouts = Timeouts()) -> None:  # noqa: B008 - frozen
        self.address, self.timeouts = address, timeouts

    @property
    def shown(self) -> str:
        return self.address.shown

    def session(self) -> "Connection":
        return Connection(self.address, self.timeouts)

    def stored(self, count: int) -> None:
        """The server bounds its size itself."""


class Connection:
    """One keep-alive connection; the first request connects."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        self._address, self._time_limit = address, timeouts
        kind = http.client.HTTPSConnection if address.secure else http.client.HTTPConnection
        self._connection = kind(address.host, address.port, timeout=timeouts.connect)
        self._headers = {"User-Agent": f"toolcast/{__version__}", "Accept": "application/octet-stream"}
        if address.authorization:
            self._headers["Authorization"] = address.authorization

    def get(self, kind: Kind, key: str, limit: int) -> bytes | None:
        answer = self._ask("GET", kind, key, None)
        if answer.status == 200:
            return self._body(answer, limit)
        self._drain(answer)
        if answer.status in (404, 410):
            return None
        raise StoreError(_meaning(answer.status))

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        answer = self._ask("PUT", kind, key, data)
        self._drain(answer)
        if answer.status in _REFUSED:
            raise ReadOnlyError(_meaning(answer.status))
        if not 200 <= answer.status < 300:
            raise StoreError(_meaning(answer.status))

    def close(self) -> None:
        if (open_socket := self._connection.sock) is not None:
            with contextlib.suppress(OSError):  # wakes a thread that waits in it
                open_socket.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _ask(self, method: str, kind: Kind, key: str, data: bytes | None) -> http.client.HTTPResponse:
        """One request. If the server has ended the connection that was kept, a new one is tried once."""
        kept = self._connection.sock is not None
        try:
            try:
                return self._send(method, kind, key, data)
            except (ConnectionError, http.client.BadStatusLine):
                if not kept:
                    raise
                self._connection.close()
                return self._send(method, kind, key, data)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise StoreError(_reason(error)) from error

    def _send(self, method: str, kind: Kind, key: str, data: bytes | None) -> http.client.HTTPResponse:
        connection = self._connection
        if connection.sock is None:
            connection.connect()
            assert connection.sock is not None
            connection.sock.settimeout(self._time_limit.answer)
        headers = (
            self._headers if data is None else {**self._headers, "Content-Type": "application/octet-stream"}
        )
        connection.request(method, f"{self._address.base}/{kind}/{key}", body=data, headers=headers)
        return connection.getresponse()

    def _body(self, answer: http.client.HTTPResponse, limit: int) -> bytes:
        data = b""
        try:
            data = b"" if (answer.length or 0) > limit else answer.read(limit + 1)
            problem = "cut short" if answer.length else ""
            if len(data) > limit or (answer.length or 0) > limit:
                problem = "too large"
        except http.client.HTTPException:
            problem = "cut short"
        except OSError as error:
            self._connection.close()
            raise StoreError(_reason(error)) from error
        if problem:
            self._connection.close()
            raise BadEntryError(problem)
        if not answer.isclosed():
            self._drain(answer)
        return data

    def _drain(self, answer: http.client.HTTPResponse) -> None:
        """Read the rest of an answer, so that the connection can be kept; close it if there is too much."""
        try:
            answer.read(_DRAIN)
        except (OSError, http.client.HTTPException):
            self._connection.close()
        if not answer.isclosed():
            self._connection.close()


def _meaning(status: int) -> str:
    if status in (401, 403):
        return (
            f"it answered {status}: set TOOLCAST_CACHE to its URL, and TOOLCAST_CACHE_AUTH to the "
            "Authorization header that it wants"
        )
    return f"it answered {status}"


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"it does not speak HTTP as expected ({type(error).__name__})"
