"""The how-to pages of moving to toolcast: the program before, the import, the program after, the proof."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import Client
from tests.docs.model_server import ModelServer
from tests.docs.pages import DOCS, blocks, run_page, terminal
from tests.sampled import sampled

HOW_TO = DOCS / "how-to"


@pytest.mark.thorough
def test_from_fastmcp(client: Client, tmp_path: Path) -> None:
    client("fastmcp")
    run_page(HOW_TO / "migrate-from-fastmcp.md", tmp_path)
    listed = json.loads((tmp_path / "tools.json").read_text("utf-8"))["tools"]
    assert {tool["name"] for tool in listed} == {"search", "borrow"}


MOVED = {
    "migrate-from-json": ("openai", "chat.py"),
    "migrate-from-langchain": ("langchain_openai", "agent.py"),
}


@pytest.mark.parametrize("page", sampled(MOVED, ("migrate-from-json",)))
def test_the_program_answers_as_before(
    page: str, client: Client, tmp_path: Path, model_server: ModelServer
) -> None:
    """The page's program, as it was and as it is: the model gets the same result."""
    module, program = MOVED[page]
    client(module)
    path = HOW_TO / f"{page}.md"
    before, after = tmp_path / "before", tmp_path / "after"
    for block in blocks(path):
        if block.title is not None and not (before / block.title).exists() and block.language == "python":
            before.mkdir(exist_ok=True)
            (before / block.title).write_text(block.text, "utf-8")
    run_page(path, after)
    outcomes = []
    for folder in (before, after):
        with terminal(folder, model_server.environment, frozenset(("python",))) as reader:
            reader.run(f"python {program} 'Does it rain in Oslo today?'", "")
            outcomes.append((reader.ran[-1].status, reader.ran[-1].output))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 0
    results = [
        [message["content"] for message in body["messages"] if message["role"] == "tool"]
        for _, body in model_server.requests
    ]
    assert len(results) == 4
    assert results[0] == results[2] == []
    assert results[1] == results[3] != []


def test_a_list_is_sent_as_it_was_without_strict_mode(tmp_path: Path) -> None:
    """What the page about hand-written JSON says of `openai-nonstrict`."""
    run_page(HOW_TO / "migrate-from-json.md", tmp_path)
    config = tmp_path / "pyproject.toml"
    config.write_text(config.read_text("utf-8").replace('"openai"', '"openai-nonstrict"'), "utf-8")
    with terminal(tmp_path, {}, frozenset(("toolcast",))) as reader:
        reader.run("toolcast generate", "")
    (tool,) = json.loads((tmp_path / "tools.json").read_text("utf-8"))
    sent = tmp_path / f"generated/schemas/openai-nonstrict/{tool['function']['name']}.json"
    assert json.loads(sent.read_text("utf-8")) == tool


class Shop(BaseHTTPRequestHandler):
    """The API of the page, as its document declares it."""

    def do_GET(self) -> None:
        self.answer({"id": int(self.path.removeprefix("/orders/")), "state": "sent"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.answer({"id": 8, "state": "new"} if body == {"item": "tea", "count": 2} else {})

    def answer(self, value: dict[str, Any]) -> None:
        content = json.dumps(value).encode()
        self.send_response(200 if self.headers["authorization"] == "Bearer opensesame" else 401)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def shop() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_from_openapi(shop: str, tmp_path: Path) -> None:
    run_page(
        HOW_TO / "migrate-from-openapi.md", tmp_path, environment={"SHOP_URL": shop, "SHOP_KEY": "opensesame"}
    )
