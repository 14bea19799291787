"""The tools that the conformance suite asks of servers for the extension of tasks."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from toolcast.runtime import RefusalError, ToolContext, ToolResult


class Confirmation(Struct):
    confirm: bool


class Name(Struct):
    name: str


async def greet(params: Any, context: ToolContext) -> ToolResult:
    return ToolResult.ok(f"Hello, {params.name}!")


async def slow_compute(params: Any, context: ToolContext) -> ToolResult:
    await asyncio.sleep(params.seconds)
    return ToolResult.ok(f"Computed for {params.seconds} s.")


async def failing_job(params: Any, context: ToolContext) -> ToolResult:
    await asyncio.sleep(0.2)
    raise RefusalError("This job fails.")


async def protocol_error_job(params: Any, context: ToolContext) -> ToolResult:
    return ToolResult.ok("x" * 2_000_000)  # a result that no task may have


async def confirm_delete(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.ask(f"Delete {params.filename}?", Confirmation)
    return ToolResult.ok(f"{answer.action} {answer.data}")


async def multi_input(params: Any, context: ToolContext) -> ToolResult:
    answers = await asyncio.gather(context.ask("First?", Name), context.ask("Second?", Name))
    return ToolResult.ok(" ".join(answer.action for answer in answers))


def of(**properties: str) -> dict[str, Any]:
    types = {name: {"type": type_} for name, type_ in properties.items()}
    return {"type": "object", "properties": types, "required": [*properties][:1]}


TOOLS: Mapping[str, tuple[Mapping[str, Any], str, Callable[..., Any]]] = {
    "greet": (of(name="string"), "forbidden", greet),
    "slow_compute": (of(seconds="number", label="string"), "optional", slow_compute),
    "failing_job": (of(), "required", failing_job),
    "protocol_error_job": (of(), "optional", protocol_error_job),
    "confirm_delete": (of(filename="string"), "optional", confirm_delete),
    "multi_input": (of(), "optional", multi_input),
}
