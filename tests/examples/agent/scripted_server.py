"""A server on loopback that streams a script's answers as a provider does, and keeps every byte it gets."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.agents.dispatch.answers import TEXT, Asked, id_for
from tests.agents.dispatch.streaming import STREAMS
from tests.agents.dispatch.test_clients import on_the_wire

PROVIDERS = (*STREAMS, "text")
ENVIRONMENT = {
    "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k", "MISTRAL_API_KEY": "k",
    "CO_API_KEY": "k", "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "k",
    "AWS_DEFAULT_REGION": "us-east-1", "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "NO_PROXY": "127.0.0.1",
}  # fmt: skip
CLIENTS = {
    "openai": "openai", "openai-responses": "openai", "anthropic": "anthropic", "gemini": "google.genai",
    "bedrock": "boto3", "mistral": "mistralai.client", "cohere": "cohere", "ollama": "ollama",
    "text": "openai",
}  # fmt: skip
"""The module of each provider's client."""


class Call(NamedTuple):
    tool: str
    arguments: dict[str, Any]


Turn = Sequence[Call]
"""The calls of one answer; an answer without calls ends a run."""


def answer(provider: str, turn: Turn) -> tuple[bytes, str]:
    """An answer with the calls of a turn, as the provider streams it, and its content type."""
    if provider == "text":
        written = [
            f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"
            for tool, arguments in turn
        ]
        return on_the_wire("openai", [_chunk("\n".join([TEXT, *written])), _chunk("", "stop")])
    calls = [Asked(id_for(provider, i), tool, json.dumps(given)) for i, (tool, given) in enumerate(turn)]
    pieces = [[call.text[i : i + 7] for i in range(0, len(call.text), 7)] for call in calls]
    return on_the_wire(provider, list(STREAMS[provider](calls, pieces, lambda n: n - 1)))


def _chunk(text: str, reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


class Served:
    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[bytes] = []
        self.heads: list[str] = []
        self.arrived = threading.Event()

    @property
    def bytes(self) -> bytes:
        return b"\n".join([*self.bodies, *(head.encode() for head in self.heads)])

    def text(self, index: int) -> str:
        """A request's body; what is escaped in it stands there as text."""
        return json.dumps(json.loads(self.bodies[index]), ensure_ascii=False)


@contextmanager
def serving(provider: str, turns: Sequence[Turn], hold: Sequence[int] = ()) -> Iterator[Served]:
    """Serve the turns one after another, then answers without calls.

    `hold` has the numbers of requests, from 0, that are never answered.
    """
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            number = len(served.bodies)
            served.heads.append(f"{self.path}\n{self.headers}")
            served.bodies.append(body)
            if number in hold:
                served.arrived.set()
                released.wait()
                return
            content, kind = answer(provider, turns[number] if number < len(turns) else ())
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Served(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        released.set()
        server.shutdown()
        thread.join()
        server.server_close()
