"""Many calls at once: nothing is lost, nothing is mixed, and nothing stays behind of those that go wrong."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult, abandoned
from toolcast.runtime.middleware.events import Event, Finished
from toolcast.runtime.middleware.policy import Policy
from toolcast_tools.workspace import Workspace

from generated.shell.bash import BASH
from tests.project.pythons import VERSIONS, python_of
from tests.runtime import threads
from tests.runtime.helpers import GOOD, ROOT, Watch
from tests.runtime.sample.files.edit import EDIT

MANY = 400


class Count:
    """Hooks that keep what each call came to, and see it begin and end."""

    def __init__(self) -> None:
        self.finished: dict[str, ToolResult] = {}
        self.inside = 0

    def on(self, event: Event) -> None:
        if isinstance(event, Finished):
            assert event.call_id not in self.finished
            self.finished[event.call_id] = event.result

    @contextlib.contextmanager
    def around(self, binding: Any, context: ToolContext) -> Iterator[None]:
        self.inside += 1
        yield
        self.inside -= 1


async def echo(params: Any, context: ToolContext) -> str:
    await asyncio.sleep(0)
    return f"{params.file_path} {context.call_id}"


def echo_plainly(params: Any, context: ToolContext) -> str:
    return f"{params.file_path} {context.call_id}"


def arguments(number: int) -> str:
    return json.dumps({**GOOD, "file_path": f"/{number}"})


def check(results: list[ToolResult], start: int = 0) -> None:
    assert [result.output for result in results] == [
        f"/{number} {number}" for number in range(start, start + len(results))
    ]


async def storm(registry: ToolRegistry, start: int = 0, count: int = MANY) -> list[ToolResult]:
    return await asyncio.gather(
        *[
            registry.execute("edit", arguments(number), context=ToolContext(call_id=str(number)))
            for number in range(start, start + count)
        ]
    )


@pytest.mark.parametrize("handler", [echo, echo_plainly])
def test_many_calls_at_once(handler: Any) -> None:
    registry = ToolRegistry()
    registry.register(EDIT, handler)
    check(asyncio.run(storm(registry)))


@pytest.mark.parametrize("handler", [echo, echo_plainly])
def test_many_guarded_calls_at_once(handler: Any) -> None:
    count = Count()
    registry = ToolRegistry(hooks=count, policy=Policy("full"), timeout=300, output_limit=50)
    registry.register(EDIT, handler)
    results = asyncio.run(storm(registry))
    check(results)
    assert count.inside == 0
    assert [count.finished[str(number)] for number in range(MANY)] == results


def test_calls_at_once_hold_their_own_secrets() -> None:
    """Each call asks for a secret of its own, and its handler gets that one."""
    seen: dict[str, str] = {}

    async def keep(params: Any, context: ToolContext) -> None:
        await asyncio.sleep(0)
        seen[context.call_id] = params.command

    async def resolve(name: str) -> str:
        await asyncio.sleep(0)
        return f"value-of-{name}"

    registry = ToolRegistry(secrets=resolve)
    registry.register(BASH, keep)

    async def calls() -> None:
        names = [f"N{number}" for number in range(200)]
        await asyncio.gather(
            *[
                registry.execute(
                    "bash", {"command": f"<secret_ref:{name}>"}, context=ToolContext(call_id=name)
                )
                for name in names
            ]
        )

    asyncio.run(calls())
    assert seen == {f"N{number}": f"value-of-N{number}" for number in range(200)}


def test_many_calls_from_many_event_loops() -> None:
    registry = ToolRegistry()
    registry.register(EDIT, echo)
    each = MANY // 8
    with ThreadPoolExecutor(8) as pool:
        started = [
            pool.submit(lambda start: asyncio.run(storm(registry, start, each)), start)
            for start in range(0, MANY, each)
        ]
        for number, future in enumerate(started):
            check(future.result(), number * each)


def test_calls_from_many_threads_are_counted_and_not_mixed() -> None:
    threads.main(800)


@pytest.mark.thorough
@pytest.mark.parametrize("version", VERSIONS)
def test_ten_thousand_calls_in_python_versions(version: str) -> None:
    """Each Python that `make pythons` has set up; in that without a GIL, no module switches it on."""
    python = python_of(version)
    if python is None:
        pytest.skip(f"no Python {version} was set up by `make pythons`")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'codegen'}{os.pathsep}{ROOT}"}
    command = [python, "-m", "tests.runtime.threads", "10000"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ("no GIL" in done.stdout) == version.endswith("t")


# --- what goes wrong leaves nothing behind

PROC = Path("/proc/self")
SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]


def open_files() -> set[str]:
    return set(os.listdir(PROC / "fd"))  # noqa: PTH208 - the folder changes while it is read


def children() -> set[str]:
    found: set[str] = set()
    for task in (PROC / "task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended meanwhile
            found.update((task / "children").read_text().split())
    return found


async def start_a_process(params: Any, context: ToolContext) -> str:
    """What cancellation must reach: else the process stays."""
    process = await asyncio.create_subprocess_exec(*SLEEP, stdout=subprocess.PIPE)
    try:
        if int(context.call_id) % 3 == 0:
            raise ValueError(context.call_id)
        await process.communicate()
    finally:
        process.kill()
        await process.wait()
    return "never"


def start_a_process_plainly(params: Any, context: ToolContext) -> str:
    with subprocess.Popen(SLEEP, stdout=subprocess.PIPE) as process:
        try:
            if int(context.call_id) % 3 == 0:
                raise ValueError(context.call_id)
            while not abandoned():
                time.sleep(0.005)
        finally:
            process.kill()
    return "never"


class HoldsAFile:
    """Leaves a workspace's file by an exception, a timeout, or a cancellation."""

    def __init__(self, root: Path) -> None:
        self._workspace = Workspace(root)

    async def __call__(self, params: Any, context: ToolContext) -> str:
        with self._workspace.open("file", "r") as file:
            if int(context.call_id) % 3 == 0:
                raise ValueError(file.read())
            await asyncio.sleep(60)
        return "never"


@pytest.mark.skipif(not (PROC / "fd").exists(), reason="counts processes and files in /proc")
@pytest.mark.parametrize("kind", ["process", "plain process", "file"])
def test_bad_calls_leave_no_task_thread_process_or_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third crashes, the rest times out, every fifth call is cancelled."""
    monkeypatch.setattr(logging.getLogger("toolcast.runtime"), "disabled", True)
    (tmp_path / "file").write_text("x")
    handlers: dict[str, Any] = {
        "process": start_a_process,
        "plain process": start_a_process_plainly,
        "file": HoldsAFile(tmp_path),
    }
    # The loop's own watcher of processes, and whatever else is made once.
    asyncio.run(asyncio.sleep(0))
    files, processes, threads = open_files(), children(), set(threading.enumerate())

    async def bad() -> list[Any]:
        registry = ToolRegistry(timeout=0.3, hooks=Watch(), secrets=lambda name: None)
        registry.register(EDIT, handlers[kind])
        tasks = [
            asyncio.create_task(registry.execute("edit", GOOD, context=ToolContext(call_id=str(number))))
            for number in range(24)
        ]
        await asyncio.sleep(0.1)
        for task in tasks[::5]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return results

    results = asyncio.run(bad())
    assert all(isinstance(result, (ToolResult, asyncio.CancelledError)) for result in results)
    assert not any(isinstance(result, ToolResult) and result.success for result in results)
    until = time.monotonic() + 60
    # Threads of plain handlers wait some seconds for another call; asyncio's may be ending.
    for thread in set(threading.enumerate()) - threads:
        thread.join(max(0.0, until - time.monotonic()))
    assert set(threading.enumerate()) <= threads
    assert children() <= processes
    assert open_files() <= files


@pytest.mark.skipif(not (PROC / "fd").exists(), reason="counts files in /proc")
def test_an_abandoned_event_loop_leaves_no_file() -> None:
    """A program that ends in the middle of calls: their handlers are cancelled, and all is closed."""
    begun: list[str] = []
    stopped: list[str] = []
    before = open_files()

    async def wait(params: Any, context: ToolContext) -> str:
        begun.append(context.call_id)
        with contextlib.ExitStack() as stack:
            stack.callback(stopped.append, context.call_id)
            await asyncio.sleep(60)
        return "never"

    async def leave() -> None:
        registry = ToolRegistry(hooks=Watch(), timeout=60)
        registry.register(EDIT, wait)
        kept = [
            asyncio.create_task(registry.execute("edit", GOOD, context=ToolContext(call_id=str(number))))
            for number in range(50)
        ]
        while len(begun) < len(kept):
            await asyncio.sleep(0.01)

    asyncio.run(leave())
    assert sorted(stopped, key=int) == [str(number) for number in range(50)]
    assert open_files() <= before
