"""Scripted servers on loopback, names that lead to them, and the tools that ask them."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from toolcast.runtime import RefusalError, ToolContext
from toolcast_tools.generated.web.http_request import HttpRequestParams, HttpRequestResult
from toolcast_tools.generated.web.web_fetch import WebFetchParams, WebFetchResult
from toolcast_tools.generated.web.web_search import WebSearchParams, WebSearchResult
from toolcast_tools.web import AccessRules, Web, WebLimits

LOOPBACK = "127.0.0.0/8"
_TLS = ssl.create_default_context()
CONTEXT = ToolContext()


class Asked(msgspec.Struct, frozen=True):
    """A request as it arrived."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for each, value in self.headers if each.lower() == name), None)


Script = Callable[[Asked], "bytes | Iterator[bytes]"]


class Server:
    """Answers each request with the bytes that a script returns; an iterator writes piece by piece."""

    def __init__(
        self, script: Script, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
    ) -> None:
        self.script = script
        self.tls = tls
        self.asked: list[Asked] = []
        self.connections = 0
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family)
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self.port = int(self._listener.getsockname()[1])
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join(5)  # after it every thread has started
        for each in self._open:
            each.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as reader:
                asked = _read(reader)
                self.asked.append(asked)
                answer = self.script(asked)
                for piece in [answer] if isinstance(answer, bytes) else answer:
                    connection.sendall(piece)
        except (OSError, ValueError):
            return


def _read(reader: Any) -> Asked:
    method, target, _ = reader.readline().decode().split(" ", 2)
    headers: list[tuple[str, str]] = []
    while (line := reader.readline().decode("latin-1").rstrip("\r\n")) != "":
        name, _, value = line.partition(":")
        headers.append((name, value.strip()))
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Asked(method, target, tuple(headers), reader.read(length))


@contextmanager
def serving(
    script: Script, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    server = Server(script, host, port, tls)
    try:
        yield server
    finally:
        server.close()


def response(
    body: bytes | str = b"", status: str = "200 OK", kind: str = "text/plain", **headers: str
) -> bytes:
    """A response. Headers are written with `_` for `-`."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}"]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def redirect(location: str, status: int = 302) -> bytes:
    return response(b"moved", f"{status} Moved", Location=location)


class Names:
    """A resolver with a table. A name may have a list of answers, one for each time that it is asked for."""

    def __init__(self, **names: str | Sequence[str] | list[list[str]]) -> None:
        self.names = {name.replace("_", "."): addresses for name, addresses in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        del port
        turn = self.asked.count(host)
        self.asked.append(host)
        addresses: Any = self.names.get(host, [])
        if isinstance(addresses, str):
            return [addresses]
        if addresses and isinstance(addresses[0], list):
            return addresses[min(turn, len(addresses) - 1)]  # type: ignore[no-any-return]
        return list(addresses)


def web(names: Names | None = None, allow: Sequence[str] = (LOOPBACK,), **options: Any) -> Web:
    """Tools that may ask this machine, and ask no DNS."""
    options.setdefault("rules", AccessRules(allow_addresses=tuple(allow)))
    options.setdefault("tls", _TLS)
    options.setdefault("limits", WebLimits(extraction_seconds=120))  # a process imports, on a busy machine
    return Web(resolve=names or Names(), **options)


def request(tools: Web, url: str, **parameters: Any) -> HttpRequestResult:
    params = msgspec.convert({"url": url, **parameters}, HttpRequestParams)
    return asyncio.run(tools.http_request(params, CONTEXT))


def fetch(tools: Web, url: str, context: ToolContext = CONTEXT, **parameters: Any) -> WebFetchResult:
    params = msgspec.convert({"url": url, **parameters}, WebFetchParams)
    return asyncio.run(tools.web_fetch(params, context))


def search(tools: Web, query: str, **parameters: Any) -> WebSearchResult:
    params = msgspec.convert({"query": query, **parameters}, WebSearchParams)
    return asyncio.run(tools.web_search(params, CONTEXT))


def refusal(call: Callable[..., Any], *arguments: Any, **parameters: Any) -> str:
    """The words with which a call is refused."""
    with pytest.raises(RefusalError) as problem:
        call(*arguments, **parameters)
    return str(problem.value)
