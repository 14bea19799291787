"""Helpers: calls of a shell, and the processes that are left."""

import asyncio
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolContext
from toolcast_tools.generated.shell.bash import BashParams, BashResult
from toolcast_tools.generated.shell.bash_process import BashProcessParams
from toolcast_tools.shell import Shell

CONTEXT = ToolContext(tool="bash")

bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap (bwrap) is not installed")
linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc, as Linux has it")


def run(shell: Shell, command: str, **more: Any) -> BashResult:
    return asyncio.run(start(shell, command, **more))


async def start(shell: Shell, command: str, **more: Any) -> BashResult:
    return await shell.bash(BashParams(command=command, **more), CONTEXT)


async def follow(shell: Shell, process_id: str, **more: Any) -> BashResult:
    return await shell.bash_process(BashProcessParams(process_id=process_id, **more), CONTEXT)


def new_token() -> str:
    """A number of seconds, for `sleep`, by which a process can be found."""
    return f"{random.randint(3000, 9000)}.{random.randrange(10**9):09}"


def with_token(token: str) -> list[int]:
    """Processes that have `token` in their command line or their environment, without those that are dead."""
    found: list[int] = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - names alone
        if name.isdecimal() and int(name) != os.getpid():
            try:
                text = Path(f"/proc/{name}/cmdline").read_bytes() + Path(f"/proc/{name}/environ").read_bytes()
            except OSError:
                continue
            if token.encode() in text:
                found.append(int(name))
    return found


def no_zombie() -> bool:
    """Whether every child of this process that ended was collected. What other tests left may run on."""
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return True


def eventually(condition: Callable[[], bool], seconds: float = 60) -> bool:
    until = time.monotonic() + seconds
    while not (fulfilled := condition()) and time.monotonic() < until:
        time.sleep(0.01)
    return fulfilled


def gone(token: str) -> bool:
    return eventually(lambda: not with_token(token))
