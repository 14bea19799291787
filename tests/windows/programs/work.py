"""Builds a project by command, calls its tools under a policy, and prints what the system is refused."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toolcast import compile as compile_specs
from toolcast.cli.main import run
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Commands, Policy, TerminalApprover
from toolcast_tools.workspace import Workspace

READ = """\
description: Reads a file of the workspace.
permission: read
secrets: []
parameters:
  type: object
  required: [path]
  properties: {path: {type: string, description: The file.}}
"""
SHELL = (
    READ.replace("read", "execute")
    .replace("Reads a file of the workspace", "Runs a command")
    .replace("path", "command")
)


def build() -> None:
    """Every command that builds or checks, in one process."""
    specs = Path("specs/files")
    specs.mkdir(parents=True)
    (specs / "read.yaml").write_bytes(READ.encode())
    (specs / "shell.yaml").write_bytes(SHELL.replace("\n", "\r\n").encode())  # as editors on Windows save
    Path("pyproject.toml").write_bytes(b'[tool.toolcast]\nproviders = ["openai", "mcp"]\n')
    for arguments in (
        ["generate"], ["generate", "--check"], ["lint"], ["verify", "--examples", "5"],
        ["show", "read", "--provider", "openai"], ["new", "files/write"],
    ):  # fmt: skip
        status = run(arguments)
        assert not status, (arguments, status)
    assert b"\r" not in b"".join(path.read_bytes() for path in Path("generated").rglob("*.py"))
    made = compile_specs({"files/read.yaml": READ.encode()}, providers=["openai"])
    assert not made.failed
    (specs / "write.yaml").unlink()
    assert not run(["generate"])
    assert not run(["clean"])
    assert not run(["generate"])


async def call() -> None:
    """Calls under a policy: one approved, one refused, one whose command the allow-list refuses."""
    sys.path.insert(0, str(Path.cwd()))
    from generated.registry import BINDINGS  # type: ignore[import-not-found]

    allowed = Commands(["git status"])

    def read(params: Any, _context: ToolContext) -> ToolResult:
        return ToolResult.ok(Path(params.path).read_text("utf-8"))

    async def shell(params: Any, _context: ToolContext) -> ToolResult:
        _, words = allowed.check(params.command)
        return ToolResult.ok(" ".join(words))

    Path("notes.txt").write_bytes(b"hello")
    registry = ToolRegistry(policy=Policy(auto_approve=["read", "shell"]))
    registry.register(BINDINGS["read"], read)
    registry.register(BINDINGS["shell"], shell)
    for tool, arguments in (
        ("read", {"path": "notes.txt"}),
        ("shell", {"command": "git status"}),
        ("shell", {"command": "git push"}),
        ("read", {}),
    ):
        result = await registry.execute(tool, json.dumps(arguments))
        print(tool, result.success, (result.output or result.error or "")[:40].replace("\n", " "))
    refusing = ToolRegistry(policy=Policy())
    refusing.register(BINDINGS["shell"], shell)
    result = await refusing.execute("shell", '{"command": "git status"}')
    print("shell", result.success)
    await serve(registry)


async def serve(registry: ToolRegistry) -> None:
    """The MCP server in this process, with a client of the SDK."""
    from mcp import Client
    from toolcast.mcp import mcp_server

    async with Client(mcp_server(registry)) as client:
        answer = await client.call_tool("shell", {"command": "git status"})
        print("served", [tool.name for tool in (await client.list_tools()).tools], answer.is_error)


def refused() -> None:
    """What Windows cannot do is told in words."""
    for make in (lambda: Workspace("."), TerminalApprover):
        try:
            make()
        except NotImplementedError as problem:
            print("refused:", problem)


assert not hasattr(os, "fork")
assert not hasattr(signal, "SIGKILL")
assert isinstance(sys.modules["msvcrt"], SimpleNamespace)
build()
asyncio.run(call())
refused()
