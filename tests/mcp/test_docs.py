"""The examples of docs/reference/mcp.md, with the official client and a public server."""

import asyncio
import inspect
import re
import sys
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.diff.projects import toolcast
from tests.mcp.conftest import ROOT, Sdk

DOC = ROOT / "docs" / "reference" / "mcp.md"


def test_every_example_runs_in_its_order(
    sdk: Sdk, python_server: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sdk("mcp")
    python_server("mcp_server_time")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 7
    locked = toolcast("lock", "--", sys.executable, "-m", "mcp_server_time")
    assert locked.exit_code == 0, locked.output

    async def main() -> None:
        names: dict[str, Any] = {}
        for block in blocks:
            code = compile(block, str(DOC), "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT)
            result = eval(code, names)
            if inspect.isawaitable(result):
                await result

    asyncio.run(asyncio.wait_for(main(), 120))


def test_the_commands_in_the_text_are_commands() -> None:
    from toolcast.cli.lock import command as lock
    from toolcast.cli.serve import command

    options = {option for parameter in (*command.params, *lock.params) for option in parameter.opts}
    written = set(re.findall(r"--[a-z][a-z-]*", DOC.read_text("utf-8")))
    assert written <= options
