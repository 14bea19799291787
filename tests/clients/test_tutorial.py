"""docs/tutorial/existing-server.md, word for word: a FastMCP server becomes a checked, served build with
five commands."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import Client

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tutorial/existing-server.md").read_text("utf-8")
PYTHON, COMMANDS, LATER = re.findall(r"^```(?:python)?\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)
QUIET = {"FASTMCP_SHOW_SERVER_BANNER": "false", "FASTMCP_CHECK_FOR_UPDATES": "off"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_notes", {}),
    ("write_note", {"title": "plan", "text": "Buy milk.\nWrite home."}),
    ("write_note", {"title": "plan", "text": "\nSleep.", "mode": "append"}),
    ("search", {"text": "write"}),
    ("search", {"text": "WRITE", "limit": 1}),
    ("summarise", {}),
    ("tag_notes", {"tags": {"plan": ["a", "b"], "none": ["c"]}}),
    ("rename_note", {"old": "plan", "new": "welcome"}),
    ("rename_note", {"old": "plan", "new": "done"}),
    ("read_note", {"title": "done"}),
    ("delete_note", {"title": "done"}),
    ("list_notes", {}),
]


def run(line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    program, *arguments = shlex.split(line)
    assert program == "toolcast"
    return subprocess.run(
        [sys.executable, "-m", "toolcast", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


async def answers(client: Client, folder: Path, *arguments: str) -> tuple[dict[str, Any], list[Any]]:
    """The tools that a server on stdio lists, and what it answers to `CALLS`."""
    transport = client("fastmcp.client.transports").StdioTransport(
        sys.executable, list(arguments), cwd=str(folder), env={**os.environ, **QUIET}
    )
    async with asyncio.timeout(90), client("fastmcp").Client(transport) as session:
        tools = {tool.name: tool for tool in await session.list_tools()}
        results = [await session.call_tool(name, values, raise_on_error=False) for name, values in CALLS]
        texts = [[getattr(block, "text", None) for block in result.content] for result in results]
        return tools, [
            (result.is_error, result.structured_content, text)
            for result, text in zip(results, texts, strict=True)
        ]


def test_five_commands_to_a_checked_served_build(client: Client, tmp_path: Path) -> None:
    client("fastmcp")
    (tmp_path / "server.py").write_text(PYTHON, "utf-8")
    lines = COMMANDS.splitlines()
    assert len(lines) == 5
    done = [(line, run(line, tmp_path)) for line in lines[:-1]]
    assert [(line, each.stderr) for line, each in done if each.returncode] == []
    assert "8 tools: 4 warnings" in done[-1][1].stdout  # of lint, as the page says
    _, *served = shlex.split(lines[-1])

    async def both() -> tuple[Any, Any]:
        old = answers(client, tmp_path, "server.py")
        new = answers(client, tmp_path, "-m", "toolcast", *served)
        return await asyncio.gather(old, new)

    (tools, expected), (offered, found) = asyncio.run(both())
    assert offered.keys() == tools.keys()
    assert len(offered) == 8
    for name, tool in tools.items():
        assert offered[name].description == tool.description
        assert set(offered[name].input_schema["properties"]) == set(tool.input_schema["properties"])
    assert found == expected
    assert not any(failed for failed, *_ in expected)


@pytest.mark.thorough
def test_a_changed_server_is_merged(client: Client, tmp_path: Path) -> None:
    """The second block of the page, after an edit of the server and a decision of a person."""
    client("fastmcp")
    folder = tmp_path
    (folder / "server.py").write_text(PYTHON, "utf-8")
    for line in COMMANDS.splitlines()[:2]:
        assert run(line, folder).returncode == 0
    check, again, generated = LATER.splitlines()
    assert run(check, folder).returncode == 0
    assert run(generated, folder).returncode == 0
    server, spec = folder / "server.py", folder / "specs/search.yaml"
    server.write_text(server.read_text("utf-8").replace("le=50", "le=99"), "utf-8")
    spec.write_text(
        spec.read_text("utf-8").replace("permission: read", "permission: network  # mine"), "utf-8"
    )
    told = run(check, folder)
    assert told.returncode == 1
    assert "search" in told.stdout + told.stderr
    done = run(again, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    text = spec.read_text("utf-8")
    assert "maximum: 99" in text
    assert "permission: network  # mine" in text
    assert run(generated, folder).returncode == 1
