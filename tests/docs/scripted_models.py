"""A server on loopback that answers the official clients of all providers, streamed or not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest.mock import patch

from tests.agents.dispatch import answers, streaming
from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.agents.dispatch.streaming import STREAMS
from tests.agents.dispatch.test_clients import on_the_wire

Turn = Sequence[tuple[str, Mapping[str, Any]]]
"""The calls of one answer: names and arguments. An empty turn is a final answer."""
Decide = Callable[[str, Mapping[str, Any]], tuple[Turn, str]]
"""The calls and the text that answer a request, given its provider (a key of `ANSWERS`) and its body."""
KEYS = ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL", "CO", "OLLAMA")


@dataclass(frozen=True)
class Models:
    """A running server: its address, the variables that lead clients to it, and the requests by provider."""

    url: str
    environment: dict[str, str]
    requests: dict[str, list[Any]] = field(default_factory=dict)


@contextmanager
def scripted_models(*turns: Turn, text: str = "Done.") -> Iterator[Models]:
    """Serve the same conversation to the clients of all providers, each from its first turn on.

    Args:
        turns: The calls of the first answer to each provider, of the second, and so on. After the last one,
            which is usually empty, the next conversation begins.
        text: What each answer says beside its calls.
    """
    count: dict[str, int] = {}

    def next_turn(provider: str, _: Mapping[str, Any]) -> tuple[Turn, str]:
        at = count[provider] = count.get(provider, -1) + 1
        return turns[at % len(turns)], text

    with serving_models(next_turn) as models:
        yield models


@contextmanager
def serving_models(decide: Decide) -> Iterator[Models]:
    """Serve what `decide` answers to each request, until the block ends.

    Yields:
        The server. `environment` has the variables that the official clients read addresses and keys from.
        Mistral's client reads no address: `server_url=f"{url}/mistral"`.
    """
    requests: dict[str, list[Any]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            _, provider, *_, last = self.path.split("/")
            if provider == "openai" and last == "responses":
                provider = "openai-responses"
            requests.setdefault(provider, []).append(body)
            streams = (
                body.get("stream") or "stream" in last.lower()
            )  # Gemini and Bedrock say it in the address
            sent, kind = (streamed if streams else at_once)(provider, *decide(provider, body))
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    environment = {f"{name}_API_KEY": "k" for name in KEYS} | {
        "OPENAI_BASE_URL": f"{url}/openai/v1",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "ANTHROPIC_BASE_URL": f"{url}/anthropic",
        "GOOGLE_GEMINI_BASE_URL": f"{url}/gemini",
        "CO_API_URL": f"{url}/cohere",
        "OLLAMA_HOST": f"{url}/ollama",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": f"{url}/bedrock",
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "k",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }
    try:
        yield Models(url, environment, requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def asked(provider: str, turn: Turn) -> list[Asked]:
    """The calls of a turn, with ids as the provider gives them."""
    return [
        Asked(id_for(provider, i), name, json.dumps(arguments)) for i, (name, arguments) in enumerate(turn)
    ]


def at_once(provider: str, turn: Turn, text: str) -> tuple[bytes, str]:
    """An answer in the provider's own form, and its media type."""
    with patch.object(answers, "TEXT", text):
        made = ANSWERS[provider](asked(provider, turn))
    if not turn and provider in ("openai", "mistral"):
        made["choices"][0]["finish_reason"] = "stop"
        made["choices"][0]["message"].pop("tool_calls")
    if not turn and provider == "anthropic":
        made["stop_reason"] = "end_turn"
    if not turn and provider == "bedrock":
        made["stopReason"] = "end_turn"
    if not turn and provider == "cohere":  # what it says beside calls is a plan
        message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        made = {"id": "1", "finish_reason": "COMPLETE", "message": message}
    return json.dumps(made).encode(), "application/json"


def streamed(provider: str, turn: Turn, text: str) -> tuple[bytes, str]:
    """An answer as the provider streams it, with all arguments of a call in one piece, and its media type."""
    calls = asked(provider, turn)
    if provider == "cohere" and not turn:
        return on_the_wire(provider, list(_cohere_text_events(text)))
    with patch.object(streaming, "TEXT", text):
        events = list(STREAMS[provider](calls, [[call.text] for call in calls], lambda waiting: waiting - 1))
    return on_the_wire(provider, events)


def _cohere_text_events(text: str) -> Iterator[dict[str, Any]]:
    def content(**delta: str) -> dict[str, Any]:
        return {"index": 0, "delta": {"message": {"content": delta}}}

    yield {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant", "content": []}}}
    yield {"type": "content-start", **content(type="text", text="")}
    for letter in text:
        yield {"type": "content-delta", **content(text=letter)}
    yield {"type": "content-end", "index": 0}
    yield {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}
