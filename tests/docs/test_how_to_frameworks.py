"""The how-to pages of frameworks, servers and other ways to call tools."""

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import Any

import pytest

from tests.clients.conftest import Client
from tests.docs.model_server import RESULT, ModelServer
from tests.docs.pages import DOCS, ROOT, blocks, run_page, served
from tests.docs.scripted_models import Turn, serving_models
from tests.grammars.xgrammar_engine import XEngine, load
from tests.runtime.code.processes import bubblewrap
from tests.sampled import sampled
from tests.typescript.tools import missing, node

HOW_TO = DOCS / "how-to"


def test_a_model_without_tool_calling(client: Client, project: Path, model_server: ModelServer) -> None:
    client("openai")
    run_page(HOW_TO / "models-without-tool-calling.md", project, environment=model_server.environment)
    bodies = [body for _, body in model_server.requests]
    assert len(bodies) == 4  # the program runs twice
    assert all("tools" not in body and "forecast" in body["messages"][0]["content"] for body in bodies)
    assert [RESULT in json.dumps(body) for body in bodies] == [False, True, False, True]


WANTED = """I look it up.
<tool_call>
<function=forecast>
<parameter=city>
Oslo
</parameter>
<parameter=days>
many
</parameter>
</function>
</tool_call>"""


def test_a_model_that_a_grammar_constrains(client: Client, project: Path) -> None:
    """The server writes what its model wants, and in place of a byte that the engine does not let it write
    one of those that it does."""
    client("openai")
    try:
        engine = XEngine(load())
    except ImportError:
        pytest.skip("needs xgrammar (make engines)")
    written: list[str] = []

    def decide(_: str, body: Mapping[str, Any]) -> tuple[Turn, str]:
        grammar = engine.compile_text(body["structured_outputs"]["grammar"])
        state, out = grammar.start(), bytearray()
        for byte in WANTED.encode():
            if state.take(byte):
                out.append(byte)
            elif byte == ord("m"):
                out.append(min(state.allowed(), key=lambda each: abs(each - ord("3"))))
                assert state.take(out[-1])
        written.append(out.decode())
        assert grammar.refuses(written[-1]) is None
        return [], written[-1]

    with serving_models(decide) as models:
        run_page(HOW_TO / "local-engines.md", project, environment=models.environment)
    assert written == [WANTED.replace("many", "3")]


FRAMEWORKS = {
    "pydantic-ai": ("pydantic_ai.models.openai", "openai"),
    "openai-agents": ("agents", "openai-responses"),
    "langchain": ("langchain_openai", "openai"),
}


@pytest.mark.parametrize("page", sampled(FRAMEWORKS, ("pydantic-ai",)))
def test_an_agent_of_a_framework_calls_the_tool(
    page: str, client: Client, project: Path, model_server: ModelServer
) -> None:
    module, format = FRAMEWORKS[page]
    client(module)
    run_page(HOW_TO / f"{page}.md", project, environment=model_server.environment)
    assert [sent for sent, _ in model_server.requests] == [format] * 4
    bodies = [json.dumps(body) for _, body in model_server.requests]
    assert [RESULT in body for body in bodies] == [False, True, False, True]


@pytest.mark.parametrize(
    ("page", "module"), [("fastmcp", "fastmcp"), ("mcp-server", "mcp"), ("pack-an-mcp-bundle", "mcp")]
)
def test_a_server_offers_the_tool(
    page: str, module: str, client: Client, project: Path, tmp_path: Path
) -> None:
    client(module)
    page_copy = moved(HOW_TO / f"{page}.md", tmp_path)
    run_page(page_copy, project, environment={"FASTMCP_CHECK_FOR_UPDATES": "off"})


def test_an_http_api_offers_the_tool(client: Client, project: Path, tmp_path: Path) -> None:
    client("openapi_python_client")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where its formatter is
    page = moved(HOW_TO / "http-api.md", tmp_path)
    run_page(page, project, environment={"PATH": programs}, programs=["openapi-python-client"])


def test_a_lock_tells_what_a_server_changed(client: Client, tmp_path: Path) -> None:
    client("fastmcp")
    run_page(HOW_TO / "lock-a-server.md", tmp_path, environment={"FASTMCP_CHECK_FOR_UPDATES": "off"})


def test_a_client_starts_the_server_from_another_folder(
    client: Client, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    mcp = client("mcp")
    [configuration] = [each for each in blocks(HOW_TO / "mcp-server.md") if each.title == "mcp.json"]
    server = served(configuration.text, project)
    parameters = mcp.StdioServerParameters(**server, cwd=tmp_path_factory.mktemp("elsewhere"))

    async def names() -> list[str]:
        async with asyncio.timeout(90), mcp.Client(parameters) as session:
            return [tool.name for tool in (await session.list_tools()).tools]

    assert asyncio.run(names()) == ["forecast"]


def test_a_program_of_a_model_calls_the_tool(
    client: Client, project: Path, model_server: ModelServer
) -> None:
    client("openai")
    bubblewrap()
    run_page(HOW_TO / "code-mode.md", project, environment=model_server.environment)
    first, second = (body for _, body in model_server.requests)
    assert [tool["function"]["name"] for tool in first["tools"]] == ["run_code"]
    assert "async def forecast(" in first["messages"][0]["content"]
    assert "Bergen: [4.0, 4.0]" in json.dumps(second)


SUBMIT = """
<script type="module">
  const form = document.querySelector("form");
  form.elements.days.value = "%s";
  form.elements.city.value = "%s";
  form.requestSubmit();
</script>
"""
NODE_MODULES = ROOT / ".mcp-servers/node_modules"


def test_javascript_uses_the_same_tools(project: Path, tmp_path: Path) -> None:
    node()
    if not (NODE_MODULES / "@modelcontextprotocol/sdk").is_dir():
        missing("the MCP servers are not installed; `make mcp-servers` installs them")
    (project / "node_modules").symlink_to(NODE_MODULES)
    run_page(moved(HOW_TO / "typescript.md", tmp_path), project, programs=["node"])


@pytest.mark.parametrize(
    ("days", "city", "shown"),
    [
        ("9", "Oslo", "`days` must be an integer &gt;= 1 and &lt;= 7, got 9"),
        ("", "Oslo", '{"city":"Oslo","days":1}'),
        ("2", "", "missing required property `city` (string: Name of the city, such as Oslo.)"),
    ],
)
def test_a_form_checks_what_is_typed(days: str, city: str, shown: str, project: Path, tmp_path: Path) -> None:
    """The page's form in a browser: what it shows once the button is pressed."""
    browser = shutil.which("chromium") or missing("chromium is not installed")
    (html,) = (block.text for block in blocks(HOW_TO / "typescript.md") if block.title == "index.html")
    (project / "index.html").write_text(html + SUBMIT % (days, city), "utf-8")
    handler = partial(QuietFiles, directory=str(project))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
            "--virtual-time-budget=5000", "--dump-dom", f"http://127.0.0.1:{server.server_port}/",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        server.shutdown()
    assert f"<pre>{shown}</pre>" in done.stdout, done.stderr
    assert 'placeholder="1"' in done.stdout


class QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


def moved(page: Path, folder: Path) -> Path:
    """The page with a free port in place of 8000."""
    copy = folder / page.name
    copy.write_text(page.read_text("utf-8").replace("8000", str(free_port())), "utf-8")
    return copy


def free_port() -> int:
    """A port that nobody has, and that the system gives nobody: those that it gives are above."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
