"""`toolcast lock` of servers that others wrote, and of such that change."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.diff.projects import toolcast
from tests.mcp.changing_proxy import CHANGES

PROXY = str(Path(__file__).parent / "changing_proxy.py")
pytestmark = pytest.mark.usefixtures("installed")

PYTHON_SERVERS = {"mcp_server_git": (), "mcp_server_time": ()}
NODE_SERVERS: dict[str, tuple[str, ...]] = {
    "server-everything": (),
    "server-filesystem": (".",),
    "server-memory": (),
    "server-sequential-thinking": (),
    "@agent-infra/mcp-server-commands": (),
    "@antv/mcp-server-chart": (),
    "@coo-quack/calc-mcp": (),
    "@notionhq/notion-mcp-server": (),
    "@playwright/mcp": (),
    "@upstash/context7-mcp": (),
    "chrome-devtools-mcp": ("--no-usage-statistics",),
    "tavily-mcp": (),
}
"""Public servers that list their tools without a network and an account, with their arguments."""


@pytest.fixture
def command(python_server: Callable[..., Any], node_server: Callable[..., Any]) -> Callable[[str], list[str]]:
    def of(name: str) -> list[str]:
        made = python_server(name) if name in PYTHON_SERVERS else node_server(name, *NODE_SERVERS[name])
        return [made.command, *made.args]

    return of


def locked(command: list[str], file: Path) -> list[dict[str, Any]]:
    """Lock a server; return its tools."""
    result = toolcast("lock", "--into", str(file), "--", *command)
    assert result.exit_code == 0, result.output
    tools: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["tools"]
    return tools


def check(command: list[str], file: Path, status: int) -> list[dict[str, Any]]:
    """The changes of a server, as another lock's file says how to start it."""
    lock = json.loads(file.read_text("utf-8"))
    (source,) = lock["sources"].values()
    source["words"] = command
    other = file.with_name("other.lock")
    other.write_text(json.dumps(lock), encoding="utf-8")
    result = toolcast("lock", "--check", "--into", str(other), "--format", "json")
    assert result.exit_code == status, result.output
    changes: list[dict[str, Any]] = json.loads(result.stdout)["changes"]
    return changes


def is_changeable(tool: dict[str, Any]) -> bool:
    """Each change of the proxy is one for a tool whose first required parameter is any text."""
    inputs = tool["inputSchema"]
    first = inputs["properties"][inputs["required"][0]] if inputs.get("required") else {}
    return first.get("type") == "string" and not {"enum", "const", "pattern", "format"} & first.keys()


def told(change: str, tool: dict[str, Any], command: list[str], file: Path) -> None:
    changes = check([sys.executable, PROXY, change, tool["name"], *command], file, 1)
    assert {*CHANGES[change][1]} & {each["rule"] for each in changes}, (change, tool["name"], changes)
    for each in changes:
        assert each["tool"] in (tool["name"], "zz_new") or repr(tool["name"]) in each["message"]


def test_changes_of_a_public_server_are_told(command: Callable[[str], list[str]], tmp_path: Path) -> None:
    words = command("mcp_server_git")
    tools = locked(words, tmp_path / "tools.lock")
    tool = next(each for each in tools if each["name"] == "git_checkout")
    for change in list(CHANGES)[::5]:
        told(change, tool, words, tmp_path / "tools.lock")


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*PYTHON_SERVERS, *NODE_SERVERS])
def test_twenty_changes_of_each_public_server_are_told(
    name: str, command: Callable[[str], list[str]], tmp_path: Path
) -> None:
    words = command(name)
    tools = locked(words, tmp_path / "tools.lock")
    assert check(words, tmp_path / "tools.lock", 0) == []
    tool = next(each for each in tools if is_changeable(each))
    assert len(CHANGES) == 20
    for change in CHANGES:
        told(change, tool, words, tmp_path / "tools.lock")


@pytest.mark.parametrize("name", ["server-filesystem", "server-everything"])
def test_a_public_server_differs_in_nothing_from_its_lock(
    name: str, command: Callable[[str], list[str]], tmp_path: Path
) -> None:
    words = command(name)
    assert locked(words, tmp_path / "tools.lock")
    assert check(words, tmp_path / "tools.lock", 0) == []
