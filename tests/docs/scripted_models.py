"""A server on loopback that answers the official clients of all providers with calls stated beforehand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.dispatch.answers import ANSWERS, TEXT, Asked, id_for
from tests.agents.dispatch.streaming import STREAMS

Turn = Sequence[tuple[str, Mapping[str, Any]]]
"""The calls of one answer: names and arguments. An empty turn is the final answer."""
KEYS = ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL", "CO", "OLLAMA")


@dataclass(frozen=True)
class Scripted:
    """A running server: its address, the variables that lead clients to it, and the requests by provider."""

    url: str
    environment: dict[str, str]
    requests: dict[str, list[Any]] = field(default_factory=dict)


def answer(provider: str, turn: Turn, text: str) -> dict[str, Any]:
    """One answer in the provider's own form.

    Args:
        provider: A key of `ANSWERS`.
        turn: Its calls.
        text: What it says beside them.
    """
    asked = [
        Asked(id_for(provider, i), name, json.dumps(arguments)) for i, (name, arguments) in enumerate(turn)
    ]
    made = ANSWERS[provider](asked)
    if not turn and provider in ("openai", "mistral"):
        made["choices"][0]["finish_reason"] = "stop"
        made["choices"][0]["message"].pop("tool_calls")
    if not turn and provider == "anthropic":
        made["stop_reason"] = "end_turn"
    if not turn and provider == "bedrock":
        made["stopReason"] = "end_turn"
    if not turn and provider == "cohere":  # what it says beside calls is a plan
        made["finish_reason"] = "COMPLETE"
        made["message"] = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return _with_text(made, text)


def _with_text(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_text(each, text) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_text(each, text) for each in value]
    return text if value == TEXT else value


def stream(provider: str, turn: Turn) -> bytes:
    """One answer as server-sent events, with all arguments of a call in one piece."""
    asked = [
        Asked(id_for(provider, i), name, json.dumps(arguments)) for i, (name, arguments) in enumerate(turn)
    ]
    events = STREAMS[provider](asked, [[call.text] for call in asked], lambda waiting: waiting - 1)
    lines = "".join(
        (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n"
        for event in events
    )
    return (lines + ("data: [DONE]\n\n" if provider in ("openai", "mistral") else "")).encode()


@contextmanager
def scripted_models(*turns: Turn, text: str = "Done.") -> Iterator[Scripted]:
    """Serve the same conversation to the clients of all providers, each from its first turn on.

    Args:
        turns: The calls of the first answer to each provider, of the second, and so on. After the last one,
            which is usually empty, the next conversation begins.
        text: What each answer says beside its calls. Streamed answers have a text of their own.

    Yields:
        The server. `environment` has the variables that the official clients read addresses and keys from.
        Mistral's client reads no address: `server_url=f"{url}/mistral"`.
    """
    requests: dict[str, list[Any]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            provider = self.path.split("/")[1]
            if provider == "openai" and self.path.endswith("/responses"):
                provider = "openai-responses"
            listed = requests.setdefault(provider, [])
            turn = turns[len(listed) % len(turns)]
            listed.append(body)
            streams = bool(body.get("stream")) and provider != "ollama"
            sent = stream(provider, turn) if streams else json.dumps(answer(provider, turn, text)).encode()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if streams else "application/json")
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
        "ANTHROPIC_BASE_URL": f"{url}/anthropic",
        "GOOGLE_GEMINI_BASE_URL": f"{url}/gemini",
        "CO_API_URL": f"{url}/cohere",
        "OLLAMA_HOST": f"{url}/ollama",
        "AWS_ENDPOINT_URL": f"{url}/bedrock",
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "k",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }
    try:
        yield Scripted(url, environment, requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
