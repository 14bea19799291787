"""Retry hints are counted by run and tool, until a call of the tool succeeds."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
from collections.abc import Sequence
from typing import Any

from toolcast.agents import Record, run_tools
from toolcast.runtime import RetryError, RetryHint, ToolContext, ToolRegistry

from generated.files.edit import EDIT
from generated.files.glob import GLOB
from tests.agents.test_loop import asks, tool_texts

USER = [{"role": "user", "content": "Edit it."}]


def edit(path: str) -> tuple[str, dict[str, Any]]:
    return "edit", {"file_path": path, "old_string": "x", "new_string": "y"}


def tools(seen: list[int | None] | None = None, **options: Any) -> ToolRegistry:
    """`edit` asks for another call where the path begins with /bad, `glob` always."""

    async def handle(params: Any, context: ToolContext) -> str:
        if seen is not None:
            seen.append(context.attempt)
        if getattr(params, "file_path", "/bad").startswith("/bad"):
            raise RetryError("Take /good.")
        return "done"

    registry = ToolRegistry(check_results=False, **options)
    registry.register(EDIT, handle)
    registry.register(GLOB, handle)
    return registry


def run(registry: ToolRegistry, *answers: Sequence[tuple[str, Any]]) -> Record:
    """A run in which the model gives these answers, and then ends."""
    script = iter([*answers, ()])

    async def model(messages: Any, definitions: Any) -> Any:
        return asks(*next(script))

    return asyncio.run(run_tools(model, registry, USER, format="openai", max_rounds=20))


def attempts(record: Record) -> list[int | None]:
    """The attempt of each call that asked for another; 0 for others."""
    return [
        call.result.data.attempt if isinstance(call.result.data, RetryHint) else 0 for call in record.calls
    ]


def test_each_tool_has_its_own_count_which_a_success_ends() -> None:
    seen: list[int | None] = []
    bad, good, glob = edit("/bad"), edit("/good"), ("glob", {"pattern": "*"})
    record = run(tools(seen), [edit("/bad1")], [glob], [edit("/bad2")], [good], [bad], [glob])
    assert attempts(record) == [1, 1, 2, 0, 1, 2]
    assert seen == [1, 1, 2, 3, 1, 2]


def test_the_model_is_told_to_stop_after_the_last_attempt() -> None:
    record = run(tools(max_attempts=2), *[[edit(f"/bad{number}")] for number in range(3)])
    told = tool_texts(record)
    assert "attempt 1 of 2" in told[0]
    assert "Call 'edit' again accordingly" in told[0]
    assert "attempt 2 of 2. Do not call 'edit' again" in told[1]
    assert "attempt 3, and 2 were allowed. Do not call" in told[2]


def test_calls_of_one_answer_are_one_attempt() -> None:
    """The model has read no hint between them. One that succeeds beside them ends no count."""
    for answer in ([edit("/bad1"), edit("/good")], [edit("/good"), edit("/bad1")]):
        record = run(tools(), [edit("/bad1"), edit("/bad2"), edit("/bad3")], answer, [edit("/bad4")])
        assert [number for number in attempts(record) if number] == [1, 1, 1, 2, 3]


def test_other_failures_and_unknown_tools_count_as_nothing() -> None:
    wrong: tuple[str, dict[str, Any]] = ("edit", {"file_path": 1})
    record = run(tools(), [edit("/bad1")], [wrong], [("nothing", {})], [edit("/bad2")])
    assert attempts(record) == [1, 0, 0, 2]


def test_a_name_as_models_garble_it_is_the_same_tool() -> None:
    name, arguments = edit("/bad2")
    record = run(tools(), [edit("/bad1")], [(f"functions.{name}", arguments)])
    assert attempts(record) == [1, 2]


def test_what_another_tool_asked_for_is_not_counted() -> None:
    """A handler may return what a tool that it calls answered."""
    registry = ToolRegistry()

    async def outer(params: Any, context: ToolContext) -> Any:
        return await registry.execute("glob", {"pattern": "*"}, context=context)

    async def inner(params: Any, context: ToolContext) -> Any:
        raise RetryError("no")

    registry.register(EDIT, outer)
    registry.register(GLOB, inner)
    record = run(registry, [edit("/a")], [edit("/b")])
    assert attempts(record) == [None, None]


def test_a_run_begins_anew() -> None:
    registry = tools()
    for _ in range(2):
        assert attempts(run(registry, [edit("/bad")])) == [1]
