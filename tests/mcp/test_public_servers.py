"""Servers that others wrote and publish, as tools of a registry."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from toolcast.mcp import McpTools, mcp_server, mcp_tools
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from tests.languages import SENT_AS_JSON
from tests.mcp.conftest import Sdk
from tests.mcp.scripted import connected
from tests.providers.rules import CHECKS

Server = Callable[..., Any]


def use(
    sdk: Sdk, server: Any, *calls: tuple[str, dict[str, Any]], **options: Any
) -> tuple[ToolRegistry, Any]:
    """A registry with all tools of a server, and the results of calls through it."""
    registry = ToolRegistry()

    async def session(client: Any) -> list[ToolResult]:
        tools = await mcp_tools(client, registry, server="it", **options)
        assert tools.refused == ()
        return [await registry.execute(f"it__{name}", arguments) for name, arguments in calls]

    return registry, connected(sdk, server, session, "auto")


def judge(registry: ToolRegistry) -> None:
    """Every tool for every provider, by rules and validators that are not ours."""
    for provider in SENT_AS_JSON:
        for tool in registry.definition_objects(provider):
            assert CHECKS[provider](tool) == [] if provider in CHECKS else tool
    for tool in registry.definition_objects("mcp"):
        for key in ("inputSchema", "outputSchema"):
            if key in tool:
                jsonschema_rs.Draft202012Validator(tool[key])


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_git(python_server: Server, sdk: Sdk, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("one\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "First")
    (tmp_path / "a.txt").write_text("two\n")
    repo = {"repo_path": str(tmp_path)}
    registry, (status, log, wrong, failed) = use(
        sdk,
        python_server("mcp_server_git"),
        ("git_status", repo),
        ("git_log", {**repo, "max_count": 1}),
        ("git_log", {**repo, "max_count": "many"}),
        ("git_status", {"repo_path": str(tmp_path / "none")}),
    )
    judge(registry)
    assert "it__git_commit" in registry
    assert registry.get("it__git_status").binding.permission == "execute"
    assert "a.txt" in status.output
    assert "First" in log.output
    assert "max_count" in wrong.error  # our judge: nothing was sent
    assert not failed.success
    assert failed.error


@pytest.mark.thorough
def test_time(python_server: Server, sdk: Sdk) -> None:
    conversion = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    registry, (now, converted, refused) = use(
        sdk,
        python_server("mcp_server_time", "--local-timezone", "UTC"),
        ("get_current_time", {"timezone": "Europe/Berlin"}),
        ("convert_time", conversion),
        ("convert_time", {**conversion, "time": "noon"}),
        permission="read",
    )
    judge(registry)
    assert registry.select(permission="read").names == registry.names
    assert "Europe/Berlin" in now.output
    assert "21:00" in converted.output
    assert not refused.success


@pytest.mark.thorough
def test_filesystem(node_server: Server, sdk: Sdk, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "secret.txt").write_text("keep out")
    registry, (read, listed, outside, wrong) = use(
        sdk,
        node_server("server-filesystem", str(root)),
        ("read_text_file", {"path": str(root / "a.txt"), "head": 1}),
        ("list_directory", {"path": str(root)}),
        ("read_text_file", {"path": str(tmp_path / "secret.txt")}),
        ("edit_file", {"path": str(root / "a.txt"), "edits": [{"oldText": "one"}]}),
    )
    judge(registry)
    assert read.output.strip() == "one"
    assert "a.txt" in listed.output
    assert not outside.success
    assert "keep out" not in outside.error
    assert "newText" in wrong.error
    assert (root / "a.txt").read_text() == "one\ntwo\n"


def test_everything(node_server: Server, sdk: Sdk) -> None:
    """The reference server for every feature of the protocol."""
    reported: list[float] = []
    registry = ToolRegistry()

    async def session(client: Any) -> dict[str, ToolResult]:
        tools: McpTools = await mcp_tools(client, registry, server="it")
        assert tools.refused == ()
        context = ToolContext(report=lambda done, _total, _message: reported.append(done))
        calls: list[tuple[str, dict[str, Any]]] = [
            ("echo", {"message": "hello"}),
            ("get-sum", {"a": 2, "b": 3}),
            ("get-sum", {"a": "2"}),
            ("get-tiny-image", {}),
            ("get-structured-content", {"location": "Chicago"}),
            ("get-resource-links", {"count": 2}),
            ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}),
            ("trigger-long-running-operation", {"duration": 1, "steps": 4}),
        ]
        results = {}
        for name, arguments in calls:
            results[f"{name} {json.dumps(arguments)}"] = await registry.execute(
                f"it__{name}", arguments, context=context
            )
        return results

    results = connected(sdk, node_server("server-everything", "stdio"), session, "auto")
    judge(registry)
    echo, total, wrong, image, data, links, reference, long = results.values()
    assert "hello" in echo.output
    assert "5" in total.output
    assert "`b`" in wrong.error
    assert [piece.media_type for piece in image.content if piece.kind == "image"] == ["image/png"]
    assert data.data["temperature"]
    assert links.success
    assert sum("[link: " in piece.text for piece in links.content) == 2
    assert any(piece.uri and b"resource" in piece.data for piece in reference.content)
    assert long.success
    assert reported == sorted(reported)
    assert reported[-1] == 4


def test_a_public_server_behind_ours(node_server: Server, sdk: Sdk) -> None:
    """Served again, every definition and structured result passes the official client's own checks."""
    registry = ToolRegistry()

    async def session(client: Any) -> tuple[list[str], Any]:
        await mcp_tools(client, registry, server="it", names=["echo", "get-structured-content"])
        async with sdk("mcp").Client(mcp_server(registry)) as outer:
            names = [tool.name for tool in (await outer.list_tools()).tools]
            return names, await outer.call_tool("it__get-structured-content", {"location": "Chicago"})

    names, result = connected(sdk, node_server("server-everything", "stdio"), session, "auto")
    assert names == ["it__echo", "it__get-structured-content"]
    assert result.structured_content["temperature"]


@pytest.mark.parametrize("name", ["server-everything", "server-filesystem"])
def test_versions_are_the_pinned_ones(name: str, node_server: Server) -> None:
    from tests.mcp.conftest import NODE_SERVERS, ROOT

    node_server(name)
    pinned = json.loads((ROOT / "tests" / "mcp" / "servers" / "package.json").read_text())["dependencies"]
    installed = json.loads((NODE_SERVERS / "@modelcontextprotocol" / name / "package.json").read_text())
    assert installed["version"] == pinned[installed["name"]]


def test_the_lock_names_no_registry() -> None:
    """Packages are found wherever npm is told to look, and held to their digests."""
    from tests.mcp.conftest import ROOT

    lock = json.loads((ROOT / "tests" / "mcp" / "servers" / "package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert all("resolved" not in package and package["integrity"] for package in packages.values())
