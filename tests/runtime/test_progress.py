"""A handler tells how far it is; whoever called may listen."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import logging
from typing import Any

import pytest
from toolcast.runtime import ToolBinding, ToolContext, ToolRegistry, ToolResult

Reports = list[tuple[float, float | None, str]]


def listener(reported: Reports) -> Any:
    return lambda done, total, message: reported.append((done, total, message))


def execute(registry: ToolRegistry, context: ToolContext | None) -> ToolResult:
    return asyncio.run(registry.execute("note", {"text": "<secret_ref:KEY>"}, context=context))


def plain(params: Any, context: ToolContext) -> str:
    context.progress(1, 2, "half")
    context.progress(2)
    return "done"


async def awaited(params: Any, context: ToolContext) -> str:
    return plain(params, context)


@pytest.mark.parametrize("handler", [plain, awaited])
@pytest.mark.parametrize("given", [{}, {"output_limit": 100}])
def test_reports_arrive_in_order(handler: Any, given: dict[str, Any], note: ToolBinding[Any, Any]) -> None:
    reported: Reports = []
    registry = ToolRegistry(**given)
    registry.register(note, handler)
    assert execute(registry, ToolContext(report=listener(reported))) == ToolResult.ok("done")
    assert reported == [(1, 2, "half"), (2, None, "")]


def test_nobody_needs_to_listen(note: ToolBinding[Any, Any]) -> None:
    registry = ToolRegistry()
    registry.register(note, plain)
    assert execute(registry, None) == ToolResult.ok("done")
    assert execute(registry, ToolContext(call_id="1")) == ToolResult.ok("done")


def test_a_listener_that_fails_changes_nothing(
    note: ToolBinding[Any, Any], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(done: float, total: float | None, message: str) -> None:
        raise RuntimeError(f"cannot show {message}")

    registry = ToolRegistry()
    registry.register(note, plain)
    with caplog.at_level(logging.WARNING):
        assert execute(registry, ToolContext(report=broken)) == ToolResult.ok("done")
    assert "RuntimeError" in caplog.text
    assert "half" not in caplog.text


def test_no_report_holds_the_value_of_a_secret(note: ToolBinding[Any, Any]) -> None:
    from msgspec.structs import replace

    def telling(params: Any, context: ToolContext) -> str:
        context.progress(1, None, f"using {params.text}")
        return "done"

    reported: Reports = []
    registry = ToolRegistry(secrets={"KEY": "planted-value"}.get)
    registry.register(replace(note, secrets=("text",)), telling)
    assert execute(registry, ToolContext(report=listener(reported))).success
    assert reported == [(1, None, "using [redacted:KEY]")]
