"""Public servers as specs: imported, edited by hand, imported again, compiled, and run against the server."""

import importlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import toolcast
from click.testing import CliRunner
from toolcast.cli.main import cli
from toolcast.mcp import McpHandler, register_mcp
from toolcast.runtime import ToolBinding, ToolRegistry, ToolResult

from tests.mcp.conftest import Sdk
from tests.mcp.scripted import connected

Server = Callable[..., Any]
Bindings = Mapping[str, ToolBinding[Any, Any]]


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def imported(folder: Path, server: Any, renamed: str, monkeypatch: pytest.MonkeyPatch) -> Bindings:
    """Import a server twice, with an edit in between; compile; the bindings. The tool `renamed` is called
    `mine` in its spec."""
    monkeypatch.chdir(folder)
    command = ["import", "mcp", "--into", "specs", "--trust-hints", "--", server.command, *server.args]
    run(*command)
    file = folder / "specs" / f"{renamed}.yaml"
    text = file.read_text(encoding="utf-8")
    edited = text.replace(f"name: {renamed}\n", "# Ours.\nname: mine  # shorter\nsummary: Ours.\n", 1)
    assert edited != text
    file.write_text(edited, encoding="utf-8")
    run("import", "decide", "--permission", "execute", "--secrets", "none")
    decided = file.read_bytes()
    assert b"# Ours.\nname: mine  # shorter\nsummary: Ours.\n" in decided
    assert "0 specs written" in run(*command)
    assert file.read_bytes() == decided
    check = command.index("--trust-hints")
    assert run(*command[:check], "--check", *command[check:]) == "the source is as it was imported\n"

    specs = {path.name: path.read_bytes() for path in (folder / "specs").glob("*.yaml")}
    made = toolcast.compile(specs, providers=("mcp",))
    package = f"from_{folder.name}"
    for name, content in made.files.items():
        target = folder / package / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    bindings: Bindings = importlib.import_module(f"{package}.registry").BINDINGS
    assert bindings["mine"].summary == "Ours."
    return bindings


def use(sdk: Sdk, server: Any, bindings: Bindings, *calls: tuple[str, Any]) -> list[ToolResult]:
    async def session(client: Any) -> list[ToolResult]:
        registry = ToolRegistry()
        assert set(register_mcp(registry, bindings, client)) == set(bindings)
        return [await registry.execute(name, arguments) for name, arguments in calls]

    results: list[ToolResult] = connected(sdk, server, session, "auto")
    return results


@pytest.mark.thorough
def test_git(python_server: Server, sdk: Sdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.mcp.test_public_servers import git

    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / "a.txt").write_text("one\n")
    server = python_server("mcp_server_git")
    bindings = imported(tmp_path, server, "git_status", monkeypatch)
    status, failed = use(
        sdk,
        server,
        bindings,
        ("mine", {"repo_path": str(repository)}),
        ("git_log", {"repo_path": str(tmp_path / "none"), "max_count": 1}),
    )
    assert "a.txt" in status.output
    assert not failed.success


def test_everything(node_server: Server, sdk: Sdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = node_server("server-everything", "stdio")
    bindings = imported(tmp_path, server, "get-sum", monkeypatch)
    total, data = use(
        sdk, server, bindings, ("mine", {"a": 2, "b": 3}), ("get-structured-content", {"location": "Chicago"})
    )
    assert "5" in total.output
    assert data.data["temperature"]
    with pytest.raises(ValueError, match="No spec was imported from the MCP server 'other'"):
        register_mcp(ToolRegistry(), bindings, None, source="other")
    with pytest.raises(ValueError, match="timeout must be positive"):
        McpHandler(bindings["mine"], None, timeout=0)


def test_tools_of_several_servers_and_of_none() -> None:
    files = toolcast.compile(
        {f"{name}.yaml": _spec(name, source).encode() for name, source in (("a", "x"), ("b", "y"), ("c", ""))}
    ).files
    assert b'source={"kind": "mcp", "name": "a", "from": "x"}' in files["a.py"]
    assert b"source=" not in files["c.py"]


def _spec(name: str, source: str) -> str:
    spec: dict[str, Any] = {"description": "Does it.", "permission": "read", "secrets": []}
    if source:
        spec["source"] = {"kind": "mcp", "name": name, "from": source}
    return json.dumps(spec)


def test_which_server_has_to_be_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = {
        f"{name}.yaml": _spec(name, source).encode() for name, source in (("a", "x"), ("b", "y"), ("c", ""))
    }
    for name, content in toolcast.compile(specs).files.items():
        target = tmp_path / "of_several" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    bindings: Bindings = importlib.import_module("of_several.registry").BINDINGS
    registry = ToolRegistry()
    with pytest.raises(ValueError, match="come from 2 servers: give source=, one of 'x', 'y'"):
        register_mcp(registry, bindings, None)
    assert register_mcp(registry, bindings, None, source="y") == ("b",)
    with pytest.raises(ValueError, match="'c' was not imported from an MCP server"):
        McpHandler(bindings["c"], None)
    assert "of_several.a" not in sys.modules or bindings["a"].source == {
        "kind": "mcp",
        "name": "a",
        "from": "x",
    }
