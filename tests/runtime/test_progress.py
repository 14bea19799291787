"""A handler tells how far it is; whoever called may listen."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import logging
from typing import Any

import pytest
from msgspec.structs import replace
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


VALUES: list[Any] = [None, True, 1, 2.5, float("nan"), float("inf"), 10**400, "1", b"1", [], {}, object()]


@pytest.mark.parametrize("secrets", [None, {"KEY": "planted-value"}.get])
def test_no_value_of_another_type_ends_a_call(note: ToolBinding[Any, Any], secrets: Any) -> None:
    """Whoever listens gets numbers and texts only."""
    reported: Reports = []
    logged: list[tuple[Any, Any, Any]] = []

    def odd(params: Any, context: ToolContext) -> str:
        context.progress(1, 2, None)
        context.log("info", None, None)
        for value in VALUES:
            context.progress(value, 2, "done")
            context.progress(1, value, "total")
            context.progress(1, 2, value)
            context.log("info", "data", value)
        return "done"

    registry = ToolRegistry(secrets=secrets)
    registry.register(note if secrets is None else replace(note, secrets=("text",)), odd)
    context = ToolContext(
        report=listener(reported), receive_log=lambda level, data, name: logged.append((level, data, name))
    )
    assert execute(registry, context) == ToolResult.ok("done")
    assert (reported[0], logged[0]) == ((1, 2, ""), ("info", None, ""))
    assert [each for each in reported if each[2] == "done"] == [(n, 2, "done") for n in (True, 1, 2.5)]
    assert [each for each in reported if each[2] == "total"] == [
        (1, n, "total") for n in (None, True, 1, 2.5)
    ]
    assert {message for *_, message in reported[1:]} == {"done", "total", "", "1"}
    assert {name for *_, name in logged} == {"", "1"}
