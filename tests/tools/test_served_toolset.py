"""`toolcast serve` offers the toolset over MCP: the official client fixes a failing test with it."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import Sdk, installed, sdk

__all__ = ["installed", "sdk"]

pytestmark = pytest.mark.usefixtures("installed")

APP = """\
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy
from toolcast_tools import toolset


def tools() -> ToolRegistry:
    return toolset(".", policy=Policy("full"))
"""
# Without bytecode: an edit within a second that keeps the size would not count.
RUN_TEST = {"command": f"{sys.executable} -B test_sums.py"}
EDIT = {"file_path": "sums.py", "old_string": "a - b", "new_string": "a + b"}


def test_a_client_fixes_a_failing_test(sdk: Sdk, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP, "utf-8")
    (tmp_path / "sums.py").write_text("def add(a, b):\n    return a - b\n", "utf-8")
    (tmp_path / "test_sums.py").write_text("from sums import add\n\nassert add(2, 2) == 4\n", "utf-8")
    parameters = sdk("mcp").StdioServerParameters(
        command=sys.executable, args=["-m", "toolcast", "serve", "app:tools"], cwd=tmp_path
    )

    async def fix() -> list[Any]:
        async with asyncio.timeout(120), sdk("mcp").Client(parameters) as client:
            failing = await client.call_tool("bash", RUN_TEST)
            read = await client.call_tool("file_read", {"file_path": "sums.py"})
            edited = await client.call_tool("edit", EDIT)
            outside = await client.call_tool("file_read", {"file_path": "/etc/passwd"})
            return [failing, read, edited, outside, await client.call_tool("bash", RUN_TEST)]

    failing, read, edited, outside, passing = asyncio.run(fix())
    assert failing.structured_content["exit_code"] == 1
    assert "AssertionError" in failing.structured_content["stderr"]
    assert "return a - b" in read.structured_content["content"]
    assert edited.structured_content["replacements"] == 1
    assert outside.is_error
    assert "/etc/passwd" in outside.content[0].text
    assert passing.structured_content["exit_code"] == 0
