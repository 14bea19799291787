"""Exceptions that are no `Exception` pass through a call from outside, and are results from a handler."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import coroutine
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.agents.dispatch import Dispatcher
from toolcast.agents.text_calls import TextDispatcher
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT

ROOT = Path(__file__).resolve().parents[2]


class Custom(BaseException):
    """Of no kind that anything knows."""


KINDS: list[type[BaseException]] = [
    asyncio.CancelledError,
    KeyboardInterrupt,
    SystemExit,
    GeneratorExit,
    Custom,
]
OPTIONS: list[dict[str, Any]] = [{}, {"timeout": 5}, {"secrets": lambda name: None, "output_limit": 10_000}]


def raising(kind: type[BaseException], awaited: bool) -> Callable[[Any, ToolContext], Any]:
    """A handler that raises in calls whose `old_string` is "1"."""

    def plain(params: Any, context: ToolContext) -> str:
        if params.old_string == "1":
            raise kind("of its own")
        return "done"

    async def later(params: Any, context: ToolContext) -> str:
        await asyncio.sleep(0)
        return plain(params, context)

    return later if awaited else plain


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("awaited", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_handler_raises_is_a_result_and_its_siblings_keep_theirs(
    kind: type[BaseException], awaited: bool, options: dict[str, Any]
) -> None:
    registry = ToolRegistry(check_results=False, **options)
    registry.register(EDIT, raising(kind, awaited))
    sent = [f'{{"file_path":"/a","old_string":"{i}","new_string":"y"}}' for i in range(3)]
    asked = [Asked(id_for("openai", i), "edit", sent[i]) for i in range(3)]
    messages = asyncio.run(Dispatcher(registry, "openai").run(ANSWERS["openai"](asked)))
    assert [message["content"] == "done" for message in messages] == [True, False, True]
    assert f"internal error {kind.__name__}" in messages[1]["content"]
    assert "of its own" not in messages[1]["content"]
    text = "".join(f'<tool_call>{{"name":"edit","arguments":{each}}}</tool_call>' for each in sent)
    outcome = asyncio.run(TextDispatcher(registry).run(text))
    assert [result.success for result in outcome.results] == [True, False, True]


@pytest.mark.parametrize("kind", KINDS)
def test_a_precheck_and_hooks_cannot_end_a_call_otherwise(kind: type[BaseException]) -> None:
    class Handler:
        precheck_raises = True

        async def precheck(self, params: Any, context: Any) -> None:
            if self.precheck_raises:
                raise kind

        async def __call__(self, params: Any, context: Any) -> str:
            return "done"

    class Hooks:
        def on(self, event: Any) -> None:
            raise kind

    handler = Handler()
    registry = ToolRegistry(hooks=Hooks())
    registry.register(EDIT, handler)
    assert f"internal error {kind.__name__}" in asyncio.run(registry.execute("edit", GOOD)).error
    handler.precheck_raises = False
    assert asyncio.run(registry.execute("edit", GOOD)).output == "done"


class Walked(dict[str, Any]):
    """Data that raises where it is walked."""

    kind: type[BaseException] = ValueError

    def items(self) -> Any:
        raise self.kind


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["approver", "resolver", "around", "left", "data", "injected", "channels"])
def test_nothing_that_the_program_brings_ends_a_call_otherwise(place: str, kind: type[BaseException]) -> None:
    def raises(*_: Any) -> Any:
        raise kind

    class Hooks:
        def on(self, event: Any) -> None: ...

        @contextmanager
        def around(self, binding: Any, context: Any) -> Generator[None]:
            if place == "around":
                raise kind
            yield
            if place == "left":
                raise kind

    class User:
        id = property(raises)

    async def handler(params: Any, context: ToolContext) -> ToolResult:
        context.progress(1, 2, "half")
        context.log("info", "half")
        data = Walked(a="\ud800") if place == "data" else None
        return ToolResult.ok("done", data)

    Walked.kind = kind
    options: dict[str, dict[str, Any]] = {
        "approver": {"policy": Policy(approver=raises)},
        "resolver": {"secrets": raises},
        "around": {"hooks": Hooks()},
        "left": {"hooks": Hooks()},
    }
    registry = ToolRegistry(**options.get(place, {}), check_results=False)
    binding = replace(EDIT, secrets=("new_string",)) if place == "resolver" else EDIT
    registry.register(
        replace(binding, inject={"new_string": "context.user.id"}) if place == "injected" else binding,
        handler,
    )
    context = ToolContext(
        extra={"user": User()},
        report=raises if place == "channels" else None,
        receive_log=raises if place == "channels" else None,
    )
    sent = {name: "<secret_ref:A>" for name in GOOD if place != "injected" or name != "new_string"}
    result = asyncio.run(registry.execute("edit", sent, context=context))
    assert result.success is (place in ("around", "left", "data", "channels"))


@pytest.mark.parametrize("stage", ["handler", "precheck", "approver"])
def test_a_closed_call_ends_and_gives_no_result(stage: str) -> None:
    """`GeneratorExit` from outside, which is raised where the call waits."""
    closed: list[str] = []

    @coroutine
    def stops() -> Any:
        try:
            yield
        finally:
            closed.append(stage)

    class Handler:
        async def precheck(self, params: Any, context: Any) -> None:
            if stage == "precheck":
                await stops()

        async def __call__(self, params: Any, context: Any) -> str:
            if stage == "handler":
                await stops()
            return "done"

    async def approver(request: Any) -> Any:
        if stage == "approver":
            await stops()
        return "yes"

    registry = ToolRegistry(policy=Policy(approver=approver))
    registry.register(EDIT, Handler())
    call: Any = registry.execute("edit", GOOD)
    call.send(None)
    call.close()
    assert closed == [stage]


@pytest.mark.parametrize("kind", KINDS)
def test_closing_tries_every_handler(kind: type[BaseException]) -> None:
    closed: list[str] = []

    class Handler:
        def __init__(self, name: str) -> None:
            self.name = name

        def __call__(self, params: Any, context: Any) -> str:
            return "done"

        async def aclose(self) -> None:
            closed.append(self.name)
            if self.name == "edit2":
                raise kind

    from tests.runtime.middleware.policy.test_policy import like

    registry = ToolRegistry()
    for name in ("edit1", "edit2", "edit3"):
        registry.register(like(name=name), Handler(name))
    with pytest.raises(ExceptionGroup):
        asyncio.run(registry.aclose())
    assert closed == ["edit3", "edit2", "edit1"]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("awaited", [True, False])
def test_a_cancellation_that_was_asked_for_passes(awaited: bool, options: dict[str, Any]) -> None:
    entered, free = threading.Event(), threading.Event()

    def plain(params: Any, context: Any) -> str:
        entered.set()
        free.wait(10)
        return "late"

    async def later(params: Any, context: Any) -> str:
        entered.set()
        await asyncio.sleep(60)
        return "late"

    registry = ToolRegistry(**options)
    registry.register(EDIT, later if awaited else plain)

    async def cancel() -> bool:
        task = asyncio.create_task(registry.execute("edit", GOOD))
        while not entered.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    assert asyncio.run(cancel())
    free.set()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("timeout", [None, 5])
def test_a_call_cancelled_where_it_first_waits_warns_of_nothing(timeout: float | None) -> None:
    """Its handler sees the cancellation there, and may go on waiting."""
    seen: list[str] = []

    async def handler(params: Any, context: Any) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            await asyncio.sleep(0)
            seen.append("cleaned")
            raise
        return "late"

    registry = ToolRegistry(timeout=timeout)
    registry.register(EDIT, handler)

    async def cancelled() -> bool:
        task = asyncio.create_task(registry.execute("edit", GOOD))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        return task.cancelled()

    unraised: list[Any] = []
    hook, sys.unraisablehook = sys.unraisablehook, unraised.append
    try:
        assert asyncio.run(cancelled())
    finally:
        sys.unraisablehook = hook
    assert (seen, unraised) == (["cancelled", "cleaned"], [])


def test_a_group_that_is_cancelled_from_above_ends() -> None:
    """A TaskGroup, a timeout and a scope of anyio ask as `Task.cancel` does."""
    registry = ToolRegistry()

    async def wait(params: Any, context: Any) -> str:
        await asyncio.sleep(60)
        return "late"

    registry.register(EDIT, wait)

    async def beside_one_that_fails() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(registry.execute("edit", GOOD))
            await asyncio.sleep(0.01)
            raise ValueError("the other")

    async def use() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await registry.execute("edit", GOOD)
        with pytest.raises(ExceptionGroup):
            await beside_one_that_fails()
        anyio = pytest.importorskip("anyio")
        with anyio.move_on_after(0.02) as scope:
            await registry.execute("edit", GOOD)
        assert scope.cancelled_caught

    asyncio.run(asyncio.wait_for(use(), 60))


PROGRAM = """
import asyncio, sys, time
from toolcast.runtime import ToolRegistry
from tests.runtime.sample.files.edit import EDIT

async def later(params, context):
    print("begun", flush=True)
    {wait}

registry = ToolRegistry()
registry.register(EDIT, later)
work = registry.execute("edit", {{"file_path": "/a", "old_string": "x", "new_string": "y"}})
try:
    {run}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("wait", ["await asyncio.sleep(60)", "time.sleep(60)"])
@pytest.mark.parametrize("run", ["asyncio.run(work)", "asyncio.new_event_loop().run_until_complete(work)"])
def test_ctrl_c_ends_the_program(wait: str, run: str) -> None:
    """Also where the loop is blocked: then asyncio raises at the second one."""
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(wait=wait, run=run)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "begun\n"
    os.kill(program.pid, signal.SIGINT)
    if run.startswith("asyncio.run") and wait.startswith("time"):
        try:
            program.wait(0.5)
        except subprocess.TimeoutExpired:
            os.kill(program.pid, signal.SIGINT)
    out, _ = program.communicate(timeout=60)
    assert out == "interrupted\n"
