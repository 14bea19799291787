"""The tutorials, executed as a reader does."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.clients.conftest import Client
from tests.docs.pages import DOCS, blocks, run_page, served
from tests.docs.scripted_models import scripted_models

EXISTING = DOCS / "tutorial/existing-server.md"
QUIET = {"FASTMCP_SHOW_SERVER_BANNER": "false", "FASTMCP_CHECK_FOR_UPDATES": "off"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_notes", {}),
    ("write_note", {"title": "plan", "text": "Buy milk.\nWrite home."}),
    ("write_note", {"title": "plan", "text": "\nSleep.", "mode": "append"}),
    ("search", {"text": "write"}),
    ("search", {"text": "WRITE", "limit": 1}),
    ("delete_note", {"title": "plan"}),
    ("list_notes", {}),
]
ASKED = ("search_notes", {"text": "milk", "limit": None})


def function(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool object without OpenAI's envelope."""
    return tool.get("function", tool)


def test_two_models_call_the_first_tool(client: Client, tmp_path: Path) -> None:
    client("openai")
    client("anthropic")
    with scripted_models([ASKED], [], text="Two notes mention milk: it is to be bought.") as models:
        run_page(DOCS / "tutorial/first-tool.md", tmp_path / "home", environment=models.environment)
    assert sorted(models.requests) == ["anthropic", "openai"]
    for first, second in models.requests.values():
        sent = json.dumps(second["messages"])
        assert "Milk the cow at six" in sent
        assert "Buy milk" in sent
        assert len(first["messages"]) == 1
        assert [tool["name"] for tool in map(function, first["tools"])] == ["search_notes"]


async def answers(client: Client, folder: Path, server: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """The tools that a server on stdio lists, started in a folder, and what it answers to `CALLS`."""
    environment = {**os.environ, **QUIET, **server.get("env", {})}
    transport = client("fastmcp.client.transports").StdioTransport(
        server["command"], server["args"], cwd=str(folder), env=environment
    )
    async with asyncio.timeout(90), client("fastmcp").Client(transport) as session:
        tools = {tool.name: tool for tool in await session.list_tools()}
        results = [await session.call_tool(name, values, raise_on_error=False) for name, values in CALLS]
        texts = [[getattr(block, "text", None) for block in result.content] for result in results]
        return tools, [
            (result.is_error, result.structured_content, text)
            for result, text in zip(results, texts, strict=True)
        ]


def test_an_existing_server_is_checked_and_answers_as_before(client: Client, tmp_path: Path) -> None:
    client("fastmcp")
    client("mcp_server_time")
    run_page(EXISTING, tmp_path)
    for spec in (tmp_path / "clock/specs/time").glob("*.yaml"):
        assert "permission: read" in spec.read_text("utf-8")
    [configuration] = [block for block in blocks(EXISTING) if block.language == "json"]
    folder = tmp_path / "notes-server"

    async def both() -> tuple[Any, Any]:
        old = answers(client, folder, {"command": sys.executable, "args": ["server.py"]})
        # A client starts the server in a folder of its own choice.
        new = answers(client, tmp_path, served(configuration.text, folder))
        return await asyncio.gather(old, new)

    (tools, expected), (offered, found) = asyncio.run(both())
    assert offered.keys() == tools.keys()
    assert len(offered) == 4
    for name, tool in tools.items():
        assert offered[name].description == tool.description
        assert set(offered[name].input_schema["properties"]) == set(tool.input_schema["properties"])
    assert found == expected
    assert not any(failed for failed, *_ in expected)
