"""A cache on loopback that speaks the protocol of Bazel's HTTP caches: GET and PUT below /ac/ and /cas/."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Blobs = dict[str, bytes]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    blobs: Blobs

    def do_GET(self) -> None:
        content = self.blobs.get(self.path)
        self._answer(404 if content is None else 200, content or b"")

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        kind, _, name = self.path.strip("/").partition("/")
        if kind == "cas" and hashlib.sha256(content).hexdigest() != name:
            self._answer(400, b"")
            return
        self.blobs[self.path] = content
        self._answer(204, b"")

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def http_cache() -> Iterator[tuple[str, Blobs]]:
    """Its address, and what it holds."""
    blobs: Blobs = {}
    handler = type("Handler", (_Handler,), {"blobs": blobs})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", blobs
        finally:
            server.shutdown()
            thread.join()
