"""Every handler that must be accepted. Checked by mypy and pyright, never run."""

# ruff: noqa: ARG001, ARG002 - a handler's signature is fixed, whatever it uses

from typing import Any, assert_type

from toolcast.runtime import ToolBinding, ToolContext, ToolRegistry, ToolResult, adapt

from tests.runtime.sample.files.edit import EDIT, EditHandler, EditParams, EditResult
from tests.runtime.sample.misc.note import NOTE, NoteParams
from tests.runtime.sample.misc.shapes import SHAPES, ShapesParams
from tests.runtime.sample.registry import BINDINGS


def plain(params: EditParams, context: ToolContext) -> EditResult:
    return EditResult(replaced=len(params.old_string))


async def awaited(params: EditParams, context: ToolContext) -> EditResult:
    return EditResult(replaced=len(params.old_string))


def text(params: EditParams, context: ToolContext) -> str:
    return context.tool


async def finished(params: EditParams, context: ToolContext) -> ToolResult:
    return ToolResult.failed("no")


def mixed(params: EditParams, context: ToolContext) -> EditResult | ToolResult | str:
    return "x"


async def mixed_awaited(params: EditParams, context: ToolContext) -> EditResult | ToolResult:
    return ToolResult.ok()


def other_names(arguments: EditParams, _: ToolContext) -> str:
    return arguments.file_path


class Callable:
    def precheck(self, params: EditParams, context: ToolContext) -> str | None:
        return None

    def __call__(self, params: EditParams, context: ToolContext) -> EditResult:
        return EditResult(replaced=1)


class AsyncCallable:
    async def __call__(self, params: EditParams, context: ToolContext) -> EditResult:
        return EditResult(replaced=1)

    async def method(self, params: EditParams, context: ToolContext) -> str:
        return ""


def check(params: EditParams, context: ToolContext) -> str | None:
    return None if params.file_path else context.tool


async def check_awaited(params: EditParams, context: ToolContext) -> str | None:
    return None


def nothing(params: NoteParams, context: ToolContext) -> None:
    params.extra.clear()


async def nothing_awaited(params: NoteParams, context: ToolContext) -> None:
    params.extra.clear()


def anything(params: ShapesParams, context: ToolContext) -> dict[str, int]:
    return dict.fromkeys(params.tags, 1)


def existing(file_path: str, old_string: str, new_string: str) -> int:
    return len(file_path)


def explicit(handler: EditHandler) -> EditHandler:
    return handler


registry = ToolRegistry()
registry.register(EDIT, plain)
registry.register(EDIT, awaited)
registry.register(EDIT, text)
registry.register(EDIT, finished)
registry.register(EDIT, mixed)
registry.register(EDIT, mixed_awaited)
registry.register(EDIT, other_names)
registry.register(EDIT, Callable())
registry.register(EDIT, AsyncCallable())
registry.register(EDIT, AsyncCallable().method)
registry.register(EDIT, AsyncCallable().method, precheck=check)
registry.register(EDIT, plain, precheck=check_awaited)
registry.replace(EDIT, plain, precheck=Callable().precheck)
registry.register(EDIT, explicit(plain))
registry.register(EDIT, adapt(existing, EDIT))
registry.register(BINDINGS["edit"], adapt(existing, BINDINGS["edit"]))
registry.register(NOTE, nothing)
registry.register(NOTE, nothing_awaited)
registry.register(SHAPES, anything)
registry.register(BINDINGS["edit"], plain)
registry.register(EDIT, lambda params, context: params.file_path + context.tool)

assert_type(EDIT.decode(b"{}"), EditParams)
assert_type(EDIT.params, type[EditParams])
assert_type(BINDINGS["edit"], ToolBinding[Any, Any])
assert_type(EDIT.definition("openai", level="brief"), bytes)


async def run() -> None:
    assert_type(await registry.execute("edit", {"file_path": "/a"}), ToolResult)
