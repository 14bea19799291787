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


@pytest.mark.parametrize(
    "change",
    [pytest.param(name, marks=[pytest.mark.thorough] * bool(at % 5)) for at, name in enumerate(CHANGES)],
)
def test_each_change_of_a_public_server_is_told(
    change: str, python_server: Callable[..., Any], tmp_path: Path
) -> None:
    server = python_server("mcp_server_git")
    command = [server.command, *server.args]
    file = tmp_path / "tools.lock"
    result = toolcast("lock", "--into", str(file), "--", *command)
    assert result.exit_code == 0, result.output
    changes = check([sys.executable, PROXY, change, "git_checkout", *command], file, 1)
    assert CHANGES[change][1] in [each["rule"] for each in changes], changes
    for each in changes:
        assert each["tool"] in ("git_checkout", "zz_new") or "'git_checkout'" in each["message"]


@pytest.mark.parametrize("name", ["server-filesystem", "server-everything"])
def test_a_public_server_differs_in_nothing_from_its_lock(
    name: str, node_server: Callable[..., Any], tmp_path: Path
) -> None:
    server = node_server(name, *([str(tmp_path)] if name == "server-filesystem" else []))
    file = tmp_path / "tools.lock"
    assert toolcast("lock", "--into", str(file), "--", server.command, *server.args).exit_code == 0
    assert check([server.command, *server.args], file, 0) == []
