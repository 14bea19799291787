"""Whole rounds through the official clients: a server on loopback asks for calls, and gets their results.

The server speaks the wire format only; what it receives is what the client made of our messages.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from toolcast.agents.dispatch import Assembler, Content, Dispatcher, assistant_messages
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.agents.dispatch.streaming import STREAMS, event_stream
from tests.clients.conftest import Client
from tests.runtime.sample.files.edit import EDIT, EditParams

PNG = Content.image(b"\x89PNG\r\n\x1a\n", "image/png")
ASK: dict[str, Any] = {"role": "user", "content": "edit them"}


def calls(format: str) -> list[Asked]:
    def text(i: int) -> str:
        return json.dumps({"file_path": f"/é{i}", "old_string": "a", "new_string": "b"})

    last = Asked(id_for(format, 2), "edit", '{"file_path": 5}')
    return [*(Asked(id_for(format, i), "edit", text(i)) for i in range(2)), last]


def handler(params: EditParams, _: ToolContext) -> ToolResult:
    content = (PNG,) if params.file_path == "/é0" else ()
    return ToolResult.ok(f"edited {params.file_path}", content=content)


class Served:
    """What the server got, and what it answers with: `later` first, while there is any."""

    def __init__(self, body: bytes, kind: str) -> None:
        self.requests: list[Any] = []
        self.later: list[bytes] = []
        self.body, self.kind, self.status = body, kind, 200
        self.url = ""


@contextmanager
def serving(body: bytes, kind: str) -> Iterator[Served]:
    served = Served(body, kind)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = self.rfile.read(int(self.headers["content-length"]))
            served.requests.append(json.loads(given))
            body = served.later.pop(0) if served.later else served.body
            self.send_response(served.status)
            self.send_header("content-type", served.kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


Ask = Callable[[list[Any], bool], Any]
"""Sends a history, streamed or not, and returns the answer or the events."""


def openai(load: Client, url: str) -> Ask:
    made = load("openai").OpenAI(base_url=url, api_key="k", max_retries=0)
    return lambda history, stream: made.chat.completions.create(model="m", messages=history, stream=stream)


def openai_responses(load: Client, url: str) -> Ask:
    made = load("openai").OpenAI(base_url=url, api_key="k", max_retries=0)
    return lambda history, stream: made.responses.create(model="m", input=history, stream=stream)


def anthropic(load: Client, url: str) -> Ask:
    made = load("anthropic").Anthropic(base_url=url, api_key="k", max_retries=0)
    return lambda history, stream: made.messages.create(
        model="m", max_tokens=9, messages=history, stream=stream
    )


def gemini(load: Client, url: str) -> Ask:
    genai = load("google.genai")
    made = genai.Client(api_key="k", http_options={"base_url": url})

    def ask(history: list[Any], stream: bool) -> Any:
        contents = [{"role": "user", "parts": [{"text": m["content"]}]} if m is ASK else m for m in history]
        method = made.models.generate_content_stream if stream else made.models.generate_content
        return method(model="m", contents=contents)

    return ask


def bedrock(load: Client, url: str) -> Ask:
    session = load("botocore.session").get_session()
    made = session.create_client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id="k",
        aws_secret_access_key="k",
    )

    def ask(history: list[Any], stream: bool) -> Any:
        messages = [{"role": "user", "content": [{"text": m["content"]}]} if m is ASK else m for m in history]
        if stream:
            return made.converse_stream(modelId="m", messages=messages)["stream"]
        return made.converse(modelId="m", messages=messages)

    return ask


def mistral(load: Client, url: str) -> Ask:
    made = load("mistralai.client").Mistral(api_key="k", server_url=url)

    def ask(history: list[Any], stream: bool) -> Any:
        return (made.chat.stream if stream else made.chat.complete)(model="m", messages=history)

    return ask


def cohere(load: Client, url: str) -> Ask:
    made = load("cohere").ClientV2(api_key="k", base_url=url)

    def ask(history: list[Any], stream: bool) -> Any:
        return (made.chat_stream if stream else made.chat)(model="m", messages=history)

    return ask


def ollama(load: Client, url: str) -> Ask:
    made = load("ollama").Client(host=url)
    return lambda history, stream: made.chat(model="m", messages=history, stream=stream)


CLIENTS = {
    "openai": openai, "openai-responses": openai_responses, "anthropic": anthropic, "gemini": gemini,
    "bedrock": bedrock, "mistral": mistral, "cohere": cohere, "ollama": ollama,
}  # fmt: skip


def as_stream(format: str) -> tuple[bytes, str]:
    asked = calls(format)
    pieces = [[call.text[i : i + 5] for i in range(0, len(call.text), 5)] for call in asked]
    return on_the_wire(format, list(STREAMS[format](asked, pieces, lambda n: n - 1)))


def on_the_wire(format: str, events: list[dict[str, Any]]) -> tuple[bytes, str]:
    if format == "bedrock":
        return event_stream(events), "application/vnd.amazon.eventstream"
    if format == "ollama":
        return b"".join(
            json.dumps({"model": "m", **event}).encode() + b"\n" for event in events
        ), "application/x-ndjson"
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if "type" in event else ""
        lines.append(f"{name}data: {json.dumps(event)}\n\n")
    end = "data: [DONE]\n\n" if format in ("openai", "mistral") else ""
    return ("".join(lines) + end).encode(), "text/event-stream"


def round_trip(format: str, load: Client, stream: bool) -> tuple[list[Any], Any]:
    """Our messages, and the request that the client made of the history with them."""
    registry = ToolRegistry()
    registry.register(EDIT, handler)
    body, kind = (json.dumps(ANSWERS[format](calls(format))).encode(), "application/json")
    if stream:
        body, kind = as_stream(format)
    with serving(body, kind) as served:
        ask = CLIENTS[format](load, served.url)
        answer = ask([ASK], stream)
        if stream:
            whole = Assembler(format)
            for event in answer:
                whole.feed(event)
            answer = whole.response()
        results = asyncio.run(Dispatcher(registry, format, provider="openai").run(answer))
        history = [ASK, *assistant_messages(answer, format), *results]
        again = ask(history, stream)
        if stream:
            list(again)
    return history, served.requests[1]


ROUNDS = [(format, stream) for format in CLIENTS for stream in (False, True)]


@pytest.mark.parametrize(("format", "stream"), ROUNDS)
def test_a_round(format: str, stream: bool, client: Client) -> None:
    _, sent = round_trip(format, client, stream)
    text = json.dumps(sent, ensure_ascii=False)
    # The model's turn, with every call; then the results, with what was wrong.
    assert "I will look that up." in text
    assert text.count("edited /é") == 2
    assert "file_path` must be a string" in text
    if format != "ollama":  # its client knows no ids
        for call in calls(format):
            assert text.count(f'"{call.id}"') == 2
    if format == "gemini":
        assert "thoughtSignature" in text
    if format in ("anthropic", "bedrock"):
        assert '"c2ln"' in text
    if format not in ("openai", "cohere"):
        assert PNG.base64 in text


@pytest.mark.parametrize("format", ["openai", "openai-responses", "anthropic", "bedrock"])
def test_the_client_sends_what_we_made(format: str, client: Client) -> None:
    history, sent = round_trip(format, client, False)
    received = sent.get("messages") or sent["input"]
    if format == "bedrock":  # bytes are base64 on the wire
        image = history[-1]["content"][0]["toolResult"]["content"][1]["image"]
        image["source"]["bytes"] = PNG.base64
    assert received[1:] == history[1:]
