"""Calls of one answer: side by side, but those of tools with `parallel: false`, each of which runs alone."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.agents.dispatch import Dispatcher
from toolcast.agents.run_side_by_side import run_side_by_side, runs_alone
from toolcast.agents.text_calls import TextDispatcher
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.support import LazyBindings

from generated.files.edit import EDIT
from generated.files.glob import GLOB
from tests.agents.dispatch.answers import ANSWERS, Asked, id_for


class Log:
    """When each call began and ended, by the order of the answer."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int]] = []

    async def call(self, number: int) -> ToolResult:
        self.steps.append(("begin", number))
        for _ in range(3):
            await asyncio.sleep(0)
        self.steps.append(("end", number))
        return ToolResult.ok(str(number))

    def overlapping(self) -> set[tuple[int, int]]:
        """Pairs of calls that ran at the same time."""
        running: set[int] = set()
        found: set[tuple[int, int]] = set()
        for step, number in self.steps:
            if step == "begin":
                found |= {(other, number) for other in running}
                running.add(number)
            else:
                running.remove(number)
        return found


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 13))
def test_who_runs_beside_whom(alone: list[bool], limit: int) -> None:
    log = Log()
    numbers = range(len(alone))
    work = run_side_by_side(numbers, log.call, lambda number: alone[number], limit)
    results = asyncio.run(work)
    assert [result.output for result in results] == [str(number) for number in numbers]
    begun = [number for step, number in log.steps if step == "begin"]
    assert begun == [*numbers]
    together = log.overlapping()
    for first in numbers:
        for second in numbers[first + 1 :]:
            apart = any(alone[first : second + 1])
            assert not (apart and (first, second) in together)
            if not apart and limit == len(alone):
                assert (first, second) in together


def test_cancelling_reaches_the_calls_that_run_and_begins_no_other() -> None:
    begun: list[int] = []
    ended: list[int] = []

    async def forever(number: int) -> ToolResult:
        begun.append(number)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)
        return ToolResult.ok()

    async def whole() -> None:
        work = run_side_by_side([0, 1, 2, 3], forever, lambda number: number == 2, 8)
        task = asyncio.create_task(work)
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(whole())
    assert begun == [0, 1]
    assert sorted(ended) == [0, 1]


def editing(log: list[str]) -> ToolRegistry:
    """`edit` runs alone, `glob` does not."""

    async def handler(params: Any, context: ToolContext) -> str:
        log.append(f"begin {context.call_id}")
        for _ in range(20):
            await asyncio.sleep(0)
        log.append(f"end {context.call_id}")
        return context.tool

    registry = ToolRegistry(check_results=False)
    registry.register(replace(EDIT, parallel=False), handler)
    registry.register(GLOB, handler)
    return registry


ARGUMENTS = {
    "edit": '{"file_path": "/a", "old_string": "x", "new_string": "y"}',
    "glob": '{"pattern": "*.py"}',
    "nothing": "{}",
}
ASKED = ("glob", "glob", "edit", "glob", "nothing", "glob", "edit")
ORDER = [["0", "1"], ["2"], ["3", "5"], ["6"]]
"""The calls that run side by side, one after the other. There is no tool `nothing`."""


def batches(log: Sequence[str], names: Sequence[str]) -> list[list[str]]:
    """The calls that ran side by side, by their position in the answer."""
    found: list[list[str]] = [[]]
    running: set[str] = set()
    for step in log:
        word, id = step.split()
        if word == "begin":
            if not running and found[-1]:
                found.append([])
            running.add(id)
            found[-1].append(str(names.index(id)))
        else:
            running.remove(id)
    return found


def test_calls_of_a_provider() -> None:
    log: list[str] = []
    ids = [id_for("anthropic", number) for number in range(len(ASKED))]
    calls = [Asked(id, name, ARGUMENTS[name]) for id, name in zip(ids, ASKED, strict=True)]
    answer = ANSWERS["anthropic"](calls)
    (message,) = asyncio.run(Dispatcher(editing(log), "anthropic").run(answer))
    assert batches(log, ids) == ORDER
    assert [block["tool_use_id"] for block in message["content"]] == ids
    assert [bool(block.get("is_error")) for block in message["content"]] == [n == "nothing" for n in ASKED]


def test_calls_in_a_text() -> None:
    log: list[str] = []
    ids = [f"c{number}" for number in range(len(ASKED))]
    text = "\n".join(
        f'<tool_call>{{"id": "{id}", "name": "{name}", "arguments": {ARGUMENTS[name]}}}</tool_call>'
        for id, name in zip(ids, ASKED, strict=True)
    )
    outcome = asyncio.run(TextDispatcher(editing(log)).run(text))
    assert [result.success for result in outcome.results] == [name != "nothing" for name in ASKED]
    assert batches(log, ids) == ORDER


def test_which_tools_run_alone() -> None:
    registry = editing([])
    assert [runs_alone(registry, name) for name in ("edit", "glob", "nothing")] == [True, False, False]
    assert runs_alone(registry, "functions.edit")
    assert runs_alone(registry.select(names="edit"), "edit")
    assert not runs_alone(registry.select(names="glob"), "edit")


def test_a_module_that_cannot_be_loaded_fails_at_its_call() -> None:
    registry = ToolRegistry()
    broken: Any = LazyBindings("tests.no_such_package", {"move": ".move:MOVE"})
    registry.register_later(broken, "move", lambda params, context: "x")
    assert not runs_alone(registry, "move")
