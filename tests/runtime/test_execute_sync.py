"""Calls from programs without an event loop."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.executor import LoopThread

from tests.runtime.helpers import GOOD
from tests.runtime.sample.files.edit import EDIT, EditParams
from tests.runtime.sample.misc.note import NOTE
from tests.runtime.sample.misc.shapes import SHAPES

ROOT = Path(__file__).resolve().parents[2]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def of_three() -> ToolRegistry:
    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, lambda params, context: params.file_path)
    registry.register(NOTE, later)
    registry.register(SHAPES, failing)
    return registry


async def later(params: Any, context: ToolContext) -> str:
    await asyncio.sleep(0)
    return repr(params)


async def failing(params: Any, context: ToolContext) -> str:
    raise ValueError("a bug")


@given(
    name=st.sampled_from(["edit", "note", "shapes", "edti"]),
    arguments=st.one_of(st.just(GOOD), st.dictionaries(st.sampled_from([*GOOD, "text", "more"]), JSON)),
)
def test_the_result_is_that_of_execute(name: str, arguments: dict[str, Any]) -> None:
    with of_three() as registry:
        sync = registry.execute_sync(name, arguments)
        awaited = asyncio.run(registry.execute(name, arguments))
    if "error id" in sync.error:  # a number of its own each time
        assert awaited.error.partition("error id")[0] == sync.error.partition("error id")[0]
    else:
        assert sync == awaited


def test_calls_from_threads_run_at_the_same_time() -> None:
    both = threading.Barrier(4, timeout=60)
    loops: set[asyncio.AbstractEventLoop] = set()

    async def meet(params: EditParams, context: ToolContext) -> str:
        loops.add(asyncio.get_running_loop())
        await asyncio.to_thread(both.wait)
        return params.file_path

    with ToolRegistry() as registry:
        registry.register(EDIT, meet)
        paths = [f"/{number}" for number in range(4)]
        with ThreadPoolExecutor(4) as pool:
            calls = [
                pool.submit(registry.execute_sync, "edit", {**GOOD, "file_path": path}) for path in paths
            ]
            assert [call.result().output for call in calls] == paths
        assert registry.select(names="edit").execute_sync("edit", "{}").error
    assert len(loops) == 1, "what a handler keeps belongs to one event loop"


def test_a_running_event_loop_is_refused_in_words() -> None:
    registry = of_three()

    async def inside() -> None:
        with pytest.raises(RuntimeError, match=r"An event loop runs .* execute\(…\)"):
            registry.execute_sync("edit", GOOD)
        with pytest.raises(RuntimeError, match=r"aclose\(\)"):
            registry.close()

    asyncio.run(inside())


def test_a_plain_handler_may_call_another_tool() -> None:
    with ToolRegistry(check_results=False) as registry:
        registry.register(EDIT, lambda params, context: registry.execute_sync("note", {"text": "n"}))
        registry.register(NOTE, later)
        expected = registry.execute_sync("note", {"text": "n"})
        assert registry.execute_sync("edit", GOOD) == expected


def test_context_variables_of_the_caller_hold() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")

    async def who(params: Any, context: ToolContext) -> str:
        return user.get()

    with ToolRegistry() as registry:
        registry.register(EDIT, who)
        user.set("ann")
        assert registry.execute_sync("edit", GOOD).output == "ann"
        contextvars.copy_context().run(user.set, "bob")
        assert registry.execute_sync("edit", GOOD).output == "ann"


def test_close_releases_handlers_in_the_loop_of_their_calls() -> None:
    seen: list[asyncio.AbstractEventLoop] = []

    class Holder:
        async def __call__(self, params: Any, context: ToolContext) -> str:
            seen.append(asyncio.get_running_loop())
            return "ok"

        async def aclose(self) -> None:
            seen.append(asyncio.get_running_loop())

    before = set(threading.enumerate())
    registry = ToolRegistry(check_results=False)
    registry.register(EDIT, Holder())
    with registry:
        assert registry.execute_sync("edit", GOOD).success
    assert seen[0] is seen[1]
    assert seen[0].is_closed()
    assert set(threading.enumerate()) <= before  # those of other tests may end meanwhile
    assert "closing" in registry.execute_sync("edit", GOOD).error


def test_a_forgotten_registry_leaves_no_thread() -> None:
    threads = {thread for thread in threading.enumerate() if thread.name == "toolcast-loop"}
    registry = ToolRegistry()
    registry.register(NOTE, later)
    assert registry.execute_sync("note", {"text": "n"}).success
    (mine,) = {thread for thread in threading.enumerate() if thread.name == "toolcast-loop"} - threads
    del registry
    mine.join(60)
    assert not mine.is_alive()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_cancels_the_call_and_passes() -> None:
    code = """if True:
        import asyncio
        from toolcast.runtime import ToolRegistry
        from tests.runtime.sample.files.edit import EDIT

        async def wait(params, context):
            print("started", flush=True)
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                print("cancelled", flush=True)
                raise

        registry = ToolRegistry()
        registry.register(EDIT, wait)
        try:
            registry.execute_sync("edit", {"file_path": "/a", "old_string": "x", "new_string": "y"})
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "cancelled\ninterrupted\n"
        assert process.returncode == 0


def test_an_interrupt_between_any_two_steps_ends_the_call() -> None:
    """The interrupt is raised at each line of `LoopThread.run` in turn, as a signal may."""

    async def wait() -> str:
        running.append(True)
        try:
            await asyncio.sleep(0.2)
        finally:
            running.pop()
        return "ended"

    running: list[bool] = []
    code = LoopThread.run.__code__
    interrupted = 0
    thread = LoopThread()
    for line in sorted({line for _, _, line in code.co_lines() if line}):

        def trace(frame: FrameType, event: str, _: object, line: int = line) -> Any:
            if frame.f_code is not code:
                return None
            if event == "line" and frame.f_lineno == line:
                sys.settrace(None)
                raise KeyboardInterrupt
            return trace

        work = wait()
        sys.settrace(trace)
        try:
            assert thread.run(work) == "ended"
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(None)
        thread.run(asyncio.sleep(0))  # the loop has begun whatever it was told to begin
        assert running == [], line
        work.close()  # where the interrupt came before the loop was told anything
    thread.stop()
    assert interrupted > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_has_a_thread_of_its_own() -> None:
    code = """if True:
        import os
        from toolcast.runtime import ToolRegistry
        from tests.runtime.sample.files.edit import EDIT

        good = {"file_path": "/a", "old_string": "x", "new_string": "y"}
        registry = ToolRegistry()
        registry.register(EDIT, lambda params, context: "ok")
        print(registry.execute_sync("edit", good).output, flush=True)
        child = os.fork()
        if not child:
            print(registry.execute_sync("edit", good).output, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "ok\nok\n"
