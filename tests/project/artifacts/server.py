"""A small server that speaks the HTTP cache protocol, and misbehaves on demand."""

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_PATH = re.compile(r"/(?:base/)?(ac|cas)/([0-9a-f]{64})")


class Server:
    """What it holds, what it was asked, and how it answers. `fault` may take a request over."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], bytes] = {}
        self.asked: list[str] = []
        self.headers: list[str | None] = []
        self.connections = 0
        self.fault: Callable[[BaseHTTPRequestHandler], bool] = lambda _request: False
        self.url = ""

    @property
    def puts(self) -> list[str]:
        return [line for line in self.asked if line.startswith("PUT")]


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """A server on loopback; it ends with the block."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            state.connections += 1
            super().setup()

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def _asked(self) -> tuple[str, str] | None:
            state.asked.append(f"{self.command} {self.path}")
            state.headers.append(self.headers.get("Authorization"))
            if state.fault(self):
                return None
            found = _PATH.fullmatch(self.path)
            if found is None:
                self.answer(400, b"")
                return None
            return found[1], found[2]

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            if (key := self._asked()) is not None:
                body = state.held.get(key)
                self.answer(200 if body is not None else 404, body or b"")

        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if (key := self._asked()) is not None:
                state.held[key] = body
                self.answer(200, b"")

    class Threads(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_args: object) -> None:
            """A client went away."""

    server = Threads(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/base"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def silent() -> Iterator[str]:
    """A server that takes connections and never says anything."""
    listener = socket.create_server(("127.0.0.1", 0))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


@contextlib.contextmanager
def refusing() -> Iterator[str]:
    """A URL where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # or another test may listen there
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def status(code: int) -> Callable[[BaseHTTPRequestHandler], bool]:
    """Answer everything so."""

    def fault(request: BaseHTTPRequestHandler) -> bool:
        request.answer(code, b"no")  # type: ignore[attr-defined]
        return True

    return fault


def trickling(request: BaseHTTPRequestHandler) -> bool:
    """Send a byte now and then."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    with contextlib.suppress(OSError):
        for _ in range(1000):
            request.wfile.write(b"x")
            time.sleep(0.05)
    request.close_connection = True
    return True


def cut_short(request: BaseHTTPRequestHandler) -> bool:
    """Promise more than is sent."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    request.close_connection = True
    return True
