"""A page served on this machine that reloads whenever it changes.

It listens on the loopback address alone, and answers requests alone whose Host header names it: a page of
another origin could otherwise be led to this address (DNS rebinding) and read the specs.
"""

import hashlib
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from types import TracebackType
from typing import Any, Final

ADDRESS: Final = "127.0.0.1"
MOST_STREAMS: Final = 64
"""Pages that may wait for changes at once; each of them takes a thread."""
_PULSE: Final = 15.0
"""Seconds between two signs of life, by which pages that are gone are found out."""
_IDLE: Final = 30.0
"""Seconds in which a client has to send its request."""


def live_script(version: str) -> str:
    """A script that reloads the page when another version is served. The address keeps its fragment.

    Args:
        version: the version of the page that the script is part of, in hexadecimal digits.

    Returns:
        The script.
    """
    return (
        '{\n  const changes = new EventSource("/events");\n'
        f'  changes.onmessage = (event) => event.data === "{version}" || location.reload();\n}}\n'
    )


def version_of(shown: bytes) -> str:
    """The version of a page: a digest of what it shows, so that a restarted server names the same."""
    return hashlib.sha256(shown).hexdigest()[:16]


class LiveServer:
    """Serves one page, which may be replaced. Use it as a context manager: it serves inside the block."""

    def __init__(self, port: int) -> None:
        """Bind the port, and answer nothing yet.

        Args:
            port: the port; 0 for any that is free.

        Raises:
            OSError: it is taken.
        """
        self._changed = Condition()
        self._page, self._version = b"", ""
        self._streams, self._closed = 0, False
        live = self

        class Handler(_Handler):
            server_state = live

        self._server = _Server((ADDRESS, port), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.port}/"

    @property
    def port(self) -> int:
        """The port that is bound."""
        return int(self._server.server_address[1])

    def show(self, page: bytes, version: str) -> None:
        """Serve a page from now on, and let every open one reload if it has another version.

        Args:
            page: the page.
            version: its version, as its script has it.
        """
        with self._changed:
            self._page, self._version = page, version
            self._changed.notify_all()

    def shown(self) -> bytes:
        """The page as it is now."""
        with self._changed:
            return self._page

    def next_version(self, known: str) -> str | None:
        """Wait for another version than `known`; the same after a while, None once the server ends."""
        with self._changed:
            if self._version == known and not self._closed:
                self._changed.wait(_PULSE)
            return None if self._closed else self._version

    def begin_stream(self) -> bool:
        """Count a page that waits for changes; False if too many do."""
        with self._changed:
            if self._streams >= MOST_STREAMS:
                return False
            self._streams += 1
            return True

    def end_stream(self) -> None:
        """Count a page less."""
        with self._changed:
            self._streams -= 1

    def __enter__(self) -> "LiveServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # a page that waits must not keep the program from ending
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle of an answer is no fault."""


class _Handler(BaseHTTPRequestHandler):
    server_state: LiveServer
    timeout = _IDLE
    server_version = "toolcast"
    sys_version = ""

    def do_GET(self) -> None:
        live = self.server_state
        hosts = {f"{name}:{live.port}" for name in (ADDRESS, "localhost")}
        if self.headers.get_all("Host", []) not in [[host] for host in hosts]:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "This server answers to its own name alone")
        elif self.path == "/":
            self._send_page(live.shown())
        elif self.path == "/events":
            self._send_events(live)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _send_page(self, page: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self._end_headers()
        self.wfile.write(page)

    def _send_events(self, live: LiveServer) -> None:
        if not live.begin_stream():
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages wait for changes")
            return
        try:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self._end_headers()
            version: str | None = ""
            while (found := live.next_version(version or "")) is not None:
                self.wfile.write(b": alive\n\n" if found == version else f"data: {found}\n\n".encode())
                self.wfile.flush()
                version = found
        finally:
            live.end_stream()

    def _end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are nobody's concern."""
