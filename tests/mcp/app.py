"""A program with a registry of its own, as `toolcast serve` finds it: all kinds of handlers and results."""

# ruff: noqa: ARG001, ARG002 - a handler's signature is fixed, whatever it uses

import asyncio
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
from toolcast.runtime import Content, RefusalError, ToolContext, ToolRegistry, ToolResult, abandoned

from generated._types.process_state import ProcessState
from generated.files.edit import EDIT
from generated.files.file_read import FILE_READ
from generated.files.glob import GLOB, GlobParams, GlobResult
from generated.files.grep import GREP
from generated.memory.memory_store import MEMORY_STORE
from generated.shell.bash import BASH, BashParams
from generated.web.http_request import HTTP_REQUEST
from generated.web.web_fetch import WEB_FETCH
from generated.web.web_search import WEB_SEARCH

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
NOTES = Path(os.environ.get("TOOLCAST_TEST_NOTES", os.devnull))


def note(text: str) -> None:
    """Something that a test in another process waits for."""
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


def glob(params: GlobParams, context: ToolContext) -> GlobResult:
    """A typed result from a worker thread; what it prints must not reach the protocol."""
    print("a handler prints")
    subprocess.run(["echo", "a child prints"], check=True)
    context.progress(1, 3, "looking")
    context.progress(1, 3, "not more than before")
    context.progress(2, 3)
    context.progress(3, 3, "done")
    return GlobResult(paths=[f"/{params.pattern}"], total=1)


async def edit(params: Any, context: ToolContext) -> Any:
    raise RefusalError("old_string does not occur; read the file first.")


async def file_read(params: Any, context: ToolContext) -> Any:
    raise KeyError("a bug with a path in it: /home/somebody")


async def grep(params: Any, context: ToolContext) -> Any:
    """A text where the spec promises data."""
    return "three matches"


async def memory_store(params: Any, context: ToolContext) -> Any:
    """A failure in the tool's own words."""
    return ToolResult.failed("nothing was stored")


async def bash(params: BashParams, context: ToolContext) -> Any:
    """Runs until it is cancelled, unless told otherwise."""
    if params.command == "pictures":
        content = (Content.image(PNG, "image/png"), Content.audio(b"RIFF", "audio/wav"))
        file = Content.file(b"%PDF", "application/pdf", "a report.pdf")
        state = ProcessState(process_id="p1", status="exited", exit_code=0, stdout="", stderr="")
        return ToolResult.ok("three pieces", state, (*content, file, Content.of("and a text")))
    context.progress(0.5, None, f"call {context.call_id}")
    note("started")
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        note("cancelled")
        raise
    return "slept"


def web_fetch(params: Any, context: ToolContext) -> Any:
    """Runs in a thread until nobody waits for it."""
    note("started")
    for _ in range(6000):
        if abandoned():
            note(f"abandoned in {threading.current_thread() is not threading.main_thread()}")
            return "given up"
        time.sleep(0.01)
    return "slept"


class Search:
    """A handler that holds something, and brings another tool when it is called."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry

    async def __call__(self, params: Any, context: ToolContext) -> Any:
        self._registry.register(HTTP_REQUEST, edit)
        return ToolResult.failed("no network")

    async def aclose(self) -> None:
        note("closed")


def make() -> ToolRegistry:
    made = ToolRegistry()
    made.register(
        msgspec.structs.replace(GLOB, scopes=("files:read",)), glob
    )  # without a principal, of no effect
    made.register(EDIT, edit)
    made.register(FILE_READ, file_read)
    made.register(GREP, grep)
    made.register(MEMORY_STORE, memory_store)
    made.register(BASH, bash)
    made.register(WEB_FETCH, web_fetch)
    made.register(WEB_SEARCH, Search(made))
    return made


async def make_later() -> ToolRegistry:
    print("a factory prints")
    await asyncio.sleep(0)
    return make()


def tasking() -> ToolRegistry:
    """A tool whose calls may be tasks."""
    made = ToolRegistry()
    made.register(msgspec.structs.replace(BASH, task_support="optional"), bash)
    return made


def broken() -> ToolRegistry:
    raise OSError("the database is down")


def nothing() -> None:
    return None


print("a module prints")
registry = make()
NUMBER = 5
