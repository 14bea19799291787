"""A model on loopback in the form of any provider: asks for one call, and answers once it has the result.

Programs of the documentation reach it through the variables that the official clients read.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.agents.dispatch import answers, streaming
from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.agents.dispatch.streaming import STREAMS
from tests.agents.dispatch.test_clients import on_the_wire

PLAN = "I look it up."
ANSWER = "Yes: 4 mm of rain are expected in Oslo."
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "run_code": ({}, "[4.0"),
    "forecast": ({"city": "Oslo"}, "[4.0"),
    "get_weather": ({"city": "Oslo"}, "18 degrees"),
    "convert": ({"amount": 5}, "6.00 EUR"),
}
"""The arguments for each tool that is called where it is offered, and what its result has."""
RESULT = CALLS["forecast"][1]
PROGRAM = """
import asyncio

cities = ["Oslo", "Bergen"]
answers = await asyncio.gather(*(weather.forecast(city=city, days=2) for city in cities))
for city, answer in zip(cities, answers):
    print(f"{city}: {answer['rain']}")
"""

MISTRAL = """
import sys
from importlib import abc, util


class Finder(abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "mistralai.client.sdkconfiguration":
            return None
        sys.meta_path.remove(self)
        spec = util.find_spec(name)
        load = spec.loader.exec_module

        def execute(module):
            load(module)
            module.SERVERS["global"] = "{url}/mistral"

        spec.loader.exec_module = execute
        return spec


sys.meta_path.insert(0, Finder())
"""
"""A `sitecustomize` that names our server to the client of Mistral, which reads no variable."""


def called_first(format: str, body: dict[str, Any]) -> list[Asked]:
    """One call of a tool that the request offers, unless the request has its result."""
    sent = json.dumps(body)
    name = next((each for each in CALLS if f'"name": "{each}"' in sent), "forecast")
    arguments, result = CALLS[name]
    if result in sent:
        return []
    if name == "run_code":
        arguments = {"program": PROGRAM}
    if '"days"' in sent and '"strict": true' in sent:  # strict mode: what is optional is null
        arguments = {**arguments, "days": None}
    return [Asked(id_for(format, 0), name, json.dumps(arguments))]


class ModelServer:
    """Address of the server, variables that lead clients to it, and format and body of each request."""

    def __init__(self, url: str, site: Path) -> None:
        self.url = url
        self.environment = variables(url, site)
        self.requests: list[tuple[str, dict[str, Any]]] = []


def format_of(path: str) -> str:
    provider = path.split("/")[1]
    return "openai-responses" if provider == "openai" and path.endswith("/responses") else provider


def answer(path: str, body: dict[str, Any]) -> tuple[bytes, str]:
    """The body and the media type of an answer."""
    format = format_of(path)
    calls = called_first(format, body)
    text = PLAN if calls else ANSWER
    if calls and format == "openai" and "tools" not in body:  # told in its prompt how to call
        asked = {"name": calls[0].name, "arguments": calls[0].value}
        text = f"{PLAN} <tool_call>{json.dumps(asked)}</tool_call>"
        calls = []
    streams = body.get("stream") or "stream" in path.rsplit("/", 1)[-1].lower()
    with patch.object(answers, "TEXT", text), patch.object(streaming, "TEXT", text):
        if not streams:
            made = cohere_text() if format == "cohere" and not calls else ANSWERS[format](calls)
            return json.dumps(made).encode(), "application/json"
        if format == "cohere" and not calls:
            return on_the_wire(format, cohere_text_events())
        events = STREAMS[format](calls, [[each.text] for each in calls], lambda n: n - 1)
        return on_the_wire(format, list(events))


def cohere_text() -> dict[str, Any]:
    """Cohere's answer without calls; what it says beside calls is a plan."""
    message = {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}
    return {"id": "1", "finish_reason": "COMPLETE", "message": message}


def cohere_text_events() -> list[dict[str, Any]]:
    def content(**delta: str) -> dict[str, Any]:
        return {"index": 0, "delta": {"message": {"content": delta}}}

    return [
        {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant", "content": []}}},
        {"type": "content-start", **content(type="text", text="")},
        *({"type": "content-delta", **content(text=letter)} for letter in ANSWER),
        {"type": "content-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]


@contextmanager
def serving_models(site: Path) -> Iterator[ModelServer]:
    """Serve until the block ends; `site` is a folder for a module that Python imports first."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.requests.append((format_of(self.path), body))
            content, kind = answer(self.path, body)
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = ModelServer(f"http://127.0.0.1:{server.server_port}", site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def model_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """A server that the official clients of programs ask which have its `environment`."""
    with serving_models(tmp_path_factory.mktemp("site")) as served:
        yield served


def variables(url: str, folder: Path) -> dict[str, str]:
    """What points the clients of all providers to the server."""
    (folder / "sitecustomize.py").write_text(MISTRAL.replace("{url}", url), "utf-8")
    keys = ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL", "CO")
    return {
        **{f"{name}_API_KEY": "none" for name in keys},
        "PYTHONPATH": str(folder),
        "NO_PROXY": "127.0.0.1",
        "OPENAI_BASE_URL": f"{url}/openai/v1",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "ANTHROPIC_BASE_URL": f"{url}/anthropic",
        "GOOGLE_GEMINI_BASE_URL": f"{url}/gemini",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": f"{url}/bedrock",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "CO_API_URL": f"{url}/cohere",
        "OLLAMA_HOST": f"{url}/ollama",
    }
