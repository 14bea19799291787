"""Tools compiled from a spec with `http`, and httpx, or a reason to skip."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from toolcast.runtime import ToolBinding, ToolContext

from tests.optional import load
from tests.python.compiled import package, spec

Binding = ToolBinding[Any, Any]
Bind = Callable[..., Binding]
CONTEXT = ToolContext()


@pytest.fixture(scope="session")
def httpx() -> Any:
    """httpx; without it a test is skipped, in CI it fails."""
    return load("httpx")


@pytest.fixture(scope="session")
def bind() -> Iterator[Bind]:
    """Compile one tool, once: its `http`, and the schemas of its parameters. All of them are required, unless
    `required` names some."""
    made: dict[str, Binding] = {}
    with ExitStack() as stack:

        def make(http: dict[str, Any], required: list[str] | None = None, **properties: Any) -> Binding:
            more = {key: properties.pop(key) for key in ("result",) if key in properties}
            additional = properties.pop("additional", False)
            parameters = {
                "type": "object",
                "required": sorted(properties) if required is None else required,
                "properties": properties,
                "additionalProperties": additional,
            }
            tool = spec(parameters, http=http, **more)
            key = json.dumps(tool)
            if key not in made:
                made[key] = stack.enter_context(package({"tool.json": tool}))["tool"]
            return made[key]

        yield make


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with what it read; some paths misbehave."""

    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/slow":
            self.rfile.read(1)  # until the client has gone
        if self.path in ("/slow", "/drop"):
            self.close_connection = True
            return
        headers = [[name, value] for name, value in self.headers.items()]
        seen = {
            "method": self.command,
            "path": self.path,
            "headers": headers,
            "body": content.decode("latin-1"),
        }
        body = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "seen=yes")
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - names of the standard library

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
