"""Frameworks that are there, or a reason to skip; and the tools that the tests bridge."""

# ruff: noqa: ARG002 - a handler's signature is fixed, whatever it uses

import asyncio
import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from toolcast.runtime import Content, RefusalError, ToolContext, ToolRegistry, ToolResult

from generated._types.process_state import ProcessState
from generated.files.edit import EDIT, EditResult
from generated.files.file_read import FILE_READ
from generated.files.glob import GLOB, GlobParams, GlobResult
from generated.files.grep import GREP
from generated.memory.memory_store import MEMORY_STORE
from generated.registry import BINDINGS
from generated.shell.bash import BASH, BashParams
from generated.web.web_fetch import WEB_FETCH
from tests.optional import load

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
EDITED = {"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": None}
"""Arguments of `edit` as a strict provider's model sends them: what is optional is null."""
BASHED = {
    "command": "make",
    "description": None,
    "timeout": None,
    "run_in_background": None,
    "env": [{"key": "A", "value": "1"}, {"key": "B", "value": "2"}],
}
"""Arguments of `bash`: a map is a list of pairs."""


class Handlers:
    """Handlers of every kind, and what they got."""

    def __init__(self) -> None:
        self.params: list[Any] = []
        self.contexts: list[ToolContext] = []
        self.cancelled = asyncio.Event()
        self.started = asyncio.Event()
        self.raises: BaseException | None = None

    def edit(self, params: Any, context: ToolContext) -> Any:
        self.params.append(params)
        self.contexts.append(context)
        if self.raises is not None:
            raise self.raises
        return EditResult(replacements=1, snippet=f"edited {params.file_path}")

    def store(self, params: Any, context: ToolContext) -> Any:
        """A failure in the tool's own words."""
        return ToolResult.failed("nothing was stored")

    async def bash(self, params: BashParams, context: ToolContext) -> Any:
        self.params.append(params)
        state = ProcessState(process_id="p1", status="exited", exit_code=0, stdout="out", stderr="")
        if params.command == "pictures":
            audio, file = (
                Content.audio(b"RIFF", "audio/wav"),
                Content.file(b"%PDF", "application/pdf", "a.pdf"),
            )
            return ToolResult.ok("pieces", state, (Content.image(PNG, "image/png"), audio, file))
        return state

    def glob(self, params: GlobParams, context: ToolContext) -> GlobResult:
        context.progress(1, 2, "half")
        return GlobResult(paths=[f"/{params.pattern}"], total=1)

    async def grep(self, params: Any, context: ToolContext) -> Any:
        self.started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    def file_read(self, params: Any, context: ToolContext) -> Any:
        raise RefusalError("no such file; list the folder first")

    def web_fetch(self, params: Any, context: ToolContext) -> Any:
        raise KeyError("a bug with a path in it: /home/somebody")


@pytest.fixture
def handlers() -> Handlers:
    return Handlers()


@pytest.fixture
def registry(handlers: Handlers) -> ToolRegistry:
    return make(handlers)


def make(handlers: Handlers, **options: Any) -> ToolRegistry:
    made = ToolRegistry(**options)
    made.register(EDIT, handlers.edit)
    made.register(BASH, handlers.bash)
    made.register(GLOB, handlers.glob)
    made.register(GREP, handlers.grep)
    made.register(FILE_READ, handlers.file_read)
    made.register(WEB_FETCH, handlers.web_fetch)
    made.register(MEMORY_STORE, handlers.store)
    return made


@pytest.fixture
def everything() -> ToolRegistry:
    made = ToolRegistry()
    for binding in BINDINGS.values():
        made.register(binding, ready)
    return made


def ready(params: Any, context: ToolContext) -> str:  # noqa: ARG001
    return "ok"


@pytest.fixture(scope="session")
def framework() -> Callable[[str], Any]:
    """Import a module of a framework, or a bridge to it; without it a test is skipped, in CI it fails."""
    return load


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Clients that nobody closes are collected here: their finalizers start tasks in a loop that runs."""
    yield
    gc.collect()
