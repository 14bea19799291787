"""Hooks that stand around calls."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.events import CallHooks, Event, Observer
from toolcast.runtime.middleware.policy import Policy

from tests.runtime.helpers import GOOD, Watch, cancel_a_call
from tests.runtime.sample.files.edit import EDIT

place: ContextVar[str] = ContextVar("place", default="outside")


class Around:
    """Notes what it is told: by `on`, by the observer of a call, at its beginning and its end."""

    def __init__(self, name: str, notes: list[str], observes: bool = True) -> None:
        self.name = name
        self.notes = notes
        self.observes = observes

    def on(self, event: Event) -> None:
        self.notes.append(f"{self.name} on {type(event).__name__}")

    @contextmanager
    def around(self, binding: Any, context: ToolContext) -> Generator[Observer | None]:
        self.notes.append(f"{self.name} enters {binding.name} {context.call_id}")
        token = place.set(self.name)
        yield self._observe if self.observes else None
        place.reset(token)
        self.notes.append(f"{self.name} leaves")

    def _observe(self, event: Event) -> None:
        self.notes.append(f"{self.name} sees {type(event).__name__}")


def run(hooks: Any, handler: Any, name: str = "edit", **options: Any) -> ToolResult:
    registry = ToolRegistry(check_results=False, hooks=hooks, **options)
    registry.register(EDIT, handler)
    return asyncio.run(registry.execute(name, GOOD, context=ToolContext(call_id="7")))


async def where(params: Any, context: Any) -> str:
    return place.get()


def where_plainly(params: Any, context: Any) -> str:
    return place.get()


def test_entered_in_order_and_left_in_reverse() -> None:
    notes: list[str] = []
    first: CallHooks = Around("a", notes)
    run([first, Around("b", notes, observes=False)], where)
    assert notes == [
        "a enters edit 7",
        "b enters edit 7",
        *(f"{who} {what}" for what in ("Decoded", "Started", "Finished") for who in ("a sees", "b on")),
        "b leaves",
        "a leaves",
    ]


@pytest.mark.parametrize("handler", [where, where_plainly])
@pytest.mark.parametrize(
    "options", [{}, {"timeout": 9, "policy": Policy("full"), "secrets": lambda name: None}]
)
def test_what_it_sets_holds_in_the_handler_and_not_after(handler: Any, options: Any) -> None:
    notes: list[str] = []

    async def call() -> tuple[str, str]:
        registry = ToolRegistry(hooks=Around("here", notes), **options)
        registry.register(EDIT, handler)
        result = await registry.execute("edit", GOOD)
        return result.output, place.get()

    assert asyncio.run(call()) == ("here", "outside")


def test_a_call_of_an_unknown_tool_is_reported_to_on() -> None:
    notes: list[str] = []
    run(Around("a", notes), where, name="gone")
    assert notes == ["a on Refused", "a on Finished"]


def test_it_is_left_after_a_cancellation_too() -> None:
    notes: list[str] = []

    def registry_with(handler: Any) -> ToolRegistry:
        registry = ToolRegistry(hooks=Around("a", notes))
        registry.register(EDIT, handler)
        return registry

    cancel_a_call(registry_with)
    assert notes[-2:] == ["a sees Cancelled", "a leaves"]


class Bad:
    """Raises where it is told to."""

    def __init__(self, step: str) -> None:
        self.step = step

    def on(self, event: Event) -> None:
        if self.step == "on":
            raise ZeroDivisionError

    def around(self, binding: Any, context: Any) -> Any:
        if self.step == "around":
            raise ZeroDivisionError
        return self

    def __enter__(self) -> Any:
        if self.step == "enter":
            raise ZeroDivisionError

    def __exit__(self, *_: object) -> None:
        if self.step == "exit":
            raise ZeroDivisionError


@pytest.mark.parametrize("step", ["on", "around", "enter", "exit"])
def test_what_it_raises_changes_nothing(step: str, caplog: pytest.LogCaptureFixture) -> None:
    notes: list[str] = []
    watch = Watch()
    assert run([Around("a", notes), Bad(step), watch], where) == ToolResult.ok("a")
    assert notes[-1] == "a leaves"
    assert watch.kinds == ["Decoded", "Started", "Finished"]
    assert len(caplog.records) == (3 if step == "on" else 1)
    assert all("ZeroDivisionError" in (record.exc_text or "") for record in caplog.records)


def test_several_hooks_that_are_none_are_refused() -> None:
    with pytest.raises(TypeError, match="on"):
        ToolRegistry(hooks=[Watch(), print])  # type: ignore[list-item]


def test_no_hooks_in_a_list_are_no_hooks() -> None:
    assert run([], where).output == "outside"
