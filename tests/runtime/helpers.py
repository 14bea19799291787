"""Parts that tests of calls share: arguments, hooks that remember, waiting, cancelling, another process."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.events import Event

ROOT = Path(__file__).resolve().parents[2]
GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}
"""Arguments that `edit` of the sample package takes."""


class Watch:
    """Hooks that remember."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        self.events.append(event)

    @property
    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


def wait_for(condition: Callable[[], object]) -> bool:
    """Wait up to a minute; whether the condition holds."""
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.005)
    return bool(condition())


def cancel_a_call(registry_with: Callable[[Any], ToolRegistry]) -> None:
    """Cancel a call of `edit` whose handler waits."""
    begun = asyncio.Event()

    async def wait(params: Any, context: Any) -> str:
        begun.set()
        await asyncio.sleep(60)
        return "late"

    async def cancel() -> None:
        task = asyncio.create_task(registry_with(wait).execute("edit", GOOD))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())


def python(code: str) -> str:
    """Run `code` in a Python process in the repository's folder, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()
