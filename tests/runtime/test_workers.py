"""Plain handlers that hang: their calls end, others go on, and the program ends."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult, Workers

from tests.runtime.helpers import GOOD, python, wait_for
from tests.runtime.middleware.policy.test_policy import like
from tests.runtime.sample.files.edit import EDIT


@pytest.fixture
def free() -> Iterator[threading.Event]:
    """What handlers that hang wait for, so that no test leaves a thread behind."""
    event = threading.Event()
    yield event
    event.set()


def tools(free: threading.Event, **options: Any) -> ToolRegistry:
    """`hang` waits for `free`; `work` returns at once; both are plain."""
    registry = ToolRegistry(check_results=False, **options)

    def hang(params: Any, context: Any) -> str:
        free.wait(600)
        return "late"

    registry.register(like(name="hang"), hang)
    registry.register(like(name="work"), lambda params, context: context.call_id)
    return registry


def test_calls_that_time_out_leave_their_threads_to_others(free: threading.Event) -> None:
    workers = Workers(2, limit=100)
    registry = tools(free, timeout={"hang": 0.05}, workers=workers)

    async def use() -> list[ToolResult]:
        hung = await asyncio.gather(*[registry.execute("hang", GOOD) for _ in range(12)])
        assert all("did not finish within" in result.error for result in hung)
        return await asyncio.gather(*[registry.execute("work", GOOD) for _ in range(20)])

    assert all(result.success for result in asyncio.run(asyncio.wait_for(use(), 60)))
    assert workers.stuck == workers.running > 0
    free.set()
    assert wait_for(lambda: workers.running == 0)


def test_calls_that_nobody_limits_give_way_after_a_while(
    free: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    """As many as there are threads never return, and nothing bounds them: other calls are answered."""
    registry = tools(free, workers=Workers(2, patience=0.2))

    async def use() -> ToolResult:
        hung = [asyncio.create_task(registry.execute("hang", GOOD)) for _ in range(2)]
        await asyncio.sleep(0.01)
        result = await registry.execute("work", GOOD, context=ToolContext(call_id="c"))
        free.set()
        assert [each.output for each in await asyncio.gather(*hung)] == ["late", "late"]
        return result

    with caplog.at_level(logging.WARNING, "toolcast.runtime"):
        assert asyncio.run(asyncio.wait_for(use(), 60)).output == "c"
    events = [getattr(record, "event", None) for record in caplog.records]
    # Threads of another test may end only now; of these, one that began much later is not overdue.
    assert {*events} - {"ran_on"} == {"overdue"}


def test_no_more_threads_than_the_limit_and_an_error_that_says_so(
    free: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    workers = Workers(2, limit=3, patience=60)
    registry = tools(free, timeout=0.05, workers=workers)

    async def use() -> list[ToolResult]:
        results = [await registry.execute("hang", GOOD) for _ in range(6)]
        return [*results, await registry.execute("work", GOOD)]

    before = threading.active_count()
    with caplog.at_level(logging.ERROR, "toolcast.runtime"):
        results = asyncio.run(asyncio.wait_for(use(), 60))
    assert threading.active_count() - before <= 3
    assert ["did not finish" in result.error for result in results] == [True] * 3 + [False] * 4
    for result in results[3:]:
        assert not result.success
        assert "3 earlier calls of tools of this program did not return" in result.error
    assert "workers_exhausted" in [getattr(record, "event", None) for record in caplog.records]
    free.set()
    assert wait_for(lambda: workers.running == 0)
    registry = tools(free, workers=workers)
    assert asyncio.run(registry.execute("work", GOOD)).success


def test_calls_that_wait_are_refused_when_hope_is_gone(free: threading.Event) -> None:
    registry = tools(free, workers=Workers(1, limit=2, patience=0.05))

    async def use() -> int:
        tasks = [asyncio.create_task(registry.execute("hang", GOOD)) for _ in range(5)]
        done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        while len(done) < 3:
            more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            done |= more
        assert all("did not return" in task.result().error for task in done)
        free.set()
        assert all(result.success for result in await asyncio.gather(*waiting))
        return len(waiting)

    assert asyncio.run(asyncio.wait_for(use(), 60)) == 2


def test_a_registry_has_threads_of_its_own(free: threading.Event) -> None:
    hanging, other = tools(free), tools(free)

    async def use() -> ToolResult:
        tasks = [asyncio.create_task(hanging.execute("hang", GOOD)) for _ in range(100)]
        await asyncio.sleep(0.05)
        result = await other.execute("work", GOOD)
        free.set()
        await asyncio.gather(*tasks)
        return result

    assert asyncio.run(asyncio.wait_for(use(), 60)).success
    assert hanging.workers is not other.workers


def test_at_most_so_many_work_at_once() -> None:
    at_work, most, lock = [0], [0], threading.Lock()

    def handler(params: Any, context: Any) -> str:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        time.sleep(0.002)
        with lock:
            at_work[0] -= 1
        return str(context.call_id)

    registry = ToolRegistry(workers=Workers(3))
    registry.register(EDIT, handler)

    async def many() -> list[ToolResult]:
        contexts = [ToolContext(call_id=str(number)) for number in range(60)]
        return await asyncio.gather(*[registry.execute("edit", GOOD, context=each) for each in contexts])

    assert [result.output for result in asyncio.run(many())] == [str(number) for number in range(60)]
    assert most[0] == 3


def test_questions_take_no_thread_from_handlers(free: threading.Event) -> None:
    """A person who does not answer keeps calls of other tools from nothing."""
    from toolcast.runtime.middleware.policy import Policy

    def approve(request: Any) -> str:
        free.wait(600)
        return "yes"

    registry = tools(
        free, policy=Policy(approver=approve, auto_approve=["work"]), workers=Workers(1, patience=60)
    )

    async def use() -> ToolResult:
        asked = [asyncio.create_task(registry.execute("hang", GOOD)) for _ in range(10)]
        await asyncio.sleep(0.05)
        result = await registry.execute("work", GOOD)
        free.set()
        await asyncio.gather(*asked)
        return result

    assert asyncio.run(asyncio.wait_for(use(), 60)).success


PROGRAM = """
import asyncio, threading
from toolcast.runtime import ToolRegistry
from tests.runtime.sample.files.edit import EDIT

registry = ToolRegistry(timeout=0.05)
registry.register(EDIT, lambda params, context: threading.Event().wait())
arguments = {"file_path": "/a", "old_string": "x", "new_string": "y"}
print(asyncio.run(registry.execute("edit", arguments)).error)
"""


def test_the_program_ends_although_a_handler_does_not() -> None:
    assert "may still take effect" in python(PROGRAM)


def test_calls_leave_no_garbage_that_only_a_collector_finds() -> None:
    """A call's parameters are gone when it is over, whether it returned or raised."""
    import gc
    import weakref

    class Marker:
        pass

    markers: list[weakref.ref[Marker]] = []

    def handler(params: Any, context: ToolContext) -> str:
        markers.append(weakref.ref(context.extra["marker"]))
        if context.call_id == "1":
            raise ValueError(context)
        return "done"

    registry = ToolRegistry()
    registry.register(EDIT, handler)
    gc.collect()
    gc.disable()
    try:
        for number in range(2):
            context = ToolContext(call_id=str(number), extra={"marker": Marker()})
            asyncio.run(registry.execute("edit", GOOD, context=context))
            del context
        assert wait_for(lambda: registry.workers.running == 0)
        assert markers[0]() is None
    finally:
        gc.enable()


def test_context_variables_of_the_caller_are_seen_and_not_changed() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="")

    def handler(params: Any, context: Any) -> str:
        before = variable.get()
        variable.set("changed")
        return before

    registry = ToolRegistry()
    registry.register(EDIT, handler)

    async def use() -> tuple[str, str]:
        variable.set("mine")
        return (await registry.execute("edit", GOOD)).output, variable.get()

    assert asyncio.run(use()) == ("mine", "mine")


@pytest.mark.parametrize("options", [{"size": 0}, {"limit": 0}, {"patience": 0}, {"patience": float("nan")}])
def test_bounds_that_are_none_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Workers(**options)


def test_a_thread_that_is_done_serves_the_next_call() -> None:
    workers = Workers(4)

    async def use() -> set[int]:
        return {await workers.run(threading.get_ident) for _ in range(20)}

    assert len(asyncio.run(use())) == 1
