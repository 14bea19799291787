"""The official SDK and public servers, or a reason to skip; and what the tests share."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.optional import load, missing

ROOT = Path(__file__).resolve().parents[2]
NODE_SERVERS = ROOT / ".mcp-servers" / "node_modules"
MODERN = "2026-07-28"
MODES = ("legacy", MODERN)
Sdk = Callable[[str], Any]


@pytest.fixture(scope="session")
def sdk() -> Sdk:
    """Import a module of the official SDK; without it a test is skipped, in CI it fails."""
    return load


@pytest.fixture
def installed(sdk: Sdk) -> None:
    """For modules of which every test needs the SDK."""
    sdk("mcp")


@pytest.fixture
def stdio(sdk: Sdk) -> Callable[..., Any]:
    """Parameters to start a command as a server, in the repository's folder."""

    def parameters(*command: str, **env: str) -> Any:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return sdk("mcp").StdioServerParameters(
            command=command[0], args=list(command[1:]), env={**kept, **env}, cwd=ROOT
        )

    return parameters


@pytest.fixture
def served(stdio: Callable[..., Any]) -> Callable[..., Any]:
    def parameters(*arguments: str, **env: str) -> Any:
        return stdio(sys.executable, "-m", "toolcast", "serve", *arguments, **env)

    return parameters


@pytest.fixture
def node_server(stdio: Callable[..., Any]) -> Callable[..., Any]:
    """Parameters to start a public server from npm."""

    def parameters(name: str, *arguments: str) -> Any:
        node = shutil.which("node")
        folder = NODE_SERVERS / (f"@modelcontextprotocol/{name}" if name.startswith("server-") else name)
        if node is None or not folder.is_dir():
            missing(f"{name} or node is not installed; `make mcp-servers` installs the servers")
        scripts = json.loads((folder / "package.json").read_text("utf-8"))["bin"]
        script = scripts if isinstance(scripts, str) else next(iter(scripts.values()))
        return stdio(str(node), str(folder / script), *arguments)

    return parameters


@pytest.fixture
def python_server(stdio: Callable[..., Any]) -> Callable[..., Any]:
    """Parameters to start a public server from PyPI."""

    def parameters(module: str, *arguments: str) -> Any:
        load(module)
        return stdio(sys.executable, "-m", module, *arguments)

    return parameters
