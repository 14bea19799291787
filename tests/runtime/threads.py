"""Calls from many threads at once, with and without the GIL: `python -m tests.runtime.threads 10000`.

It needs the runtime and nothing else, so that `make pythons` runs it in every Python. Each round begins
with a new registry, whose tools are imported, made ready and warned of by the first calls, all at once.
"""

import asyncio
import contextlib
import importlib
import json
import logging
import pkgutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import toolcast.agents
import toolcast.runtime
from msgspec.structs import replace
from toolcast.runtime import Guesses, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.events import Event, Finished
from toolcast.runtime.middleware.policy import Policy, RateLimit
from toolcast.runtime.middleware.record import record_calls

from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.registry import BINDINGS

THREADS = 16
ROUNDS = 5
"""Registries, each of which gets the same part of the calls."""
NAMES = ("old", "edit", "limited", "edit", "edit")
"""The tools that each thread calls in turn."""
ALLOWED = 10
"""Calls of `limited` that the policy lets run in each round."""


class Finishes:
    """Hooks that keep the identifier of each call that ended."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def on(self, event: Event) -> None:
        if isinstance(event, Finished):
            self.ended.append(event.call_id)


class Warned(logging.Handler):
    """Counts the warnings of deprecated tools."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += getattr(record, "event", "") == "deprecated"


async def echo(params: Any, context: ToolContext) -> str:
    await asyncio.sleep(0)
    return f"{params.file_path} {context.call_id}"


def echo_plainly(params: Any, context: ToolContext) -> str:
    return f"{params.file_path} {context.call_id}"


def at_once(work: Callable[[int], None]) -> None:
    """Do `work` in `THREADS` threads that begin together. Raises ExceptionGroup with what they raise."""
    problems: list[Exception] = []
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        barrier.wait()
        try:
            work(number)
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if problems:
        raise ExceptionGroup("in threads", problems)


def call_all(each: int, recorded: Path) -> None:
    """Make `each` calls in each thread, of one new registry; hold results and counters to what was called."""
    hooks, warned, guesses = Finishes(), Warned(), Guesses("all")
    policy = Policy("full", rate_limits={"limited": RateLimit(ALLOWED, seconds=1e9)})
    registry = ToolRegistry(
        hooks=[hooks, record_calls(recorded)], guesses=guesses, policy=policy, check_results=False
    )
    registry.register_later(BINDINGS, "edit", echo)
    registry.register(replace(EDIT, name="old", deprecated={"use": "edit"}), echo_plainly)
    registry.register(replace(EDIT, name="limited"), echo)
    results: dict[str, ToolResult] = {}

    def arguments(id: str) -> str:
        text = json.dumps({"file_path": f"/{id}", "old_string": "x", "new_string": "y"})
        return text[:-1] + ",}"  # a comma too many, which a guess corrects

    async def of_own_loop(thread: int) -> None:
        async def one(number: int) -> None:
            id = f"{thread}-{number}"
            name = NAMES[number % len(NAMES)]
            results[id] = await registry.execute(name, arguments(id), context=ToolContext(call_id=id))

        await asyncio.gather(*map(one, range(each - 1)))

    def work(thread: int) -> None:
        asyncio.run(of_own_loop(thread))
        registry.register(replace(EDIT, name=f"more_{thread}"), echo)
        (edit,) = json.loads(registry.select(names=["edit"]).definitions("anthropic"))
        assert edit["name"] == "edit"
        id = f"{thread}-last"
        results[id] = registry.execute_sync("edit", arguments(id), context=ToolContext(call_id=id))

    log = logging.getLogger("toolcast.runtime")
    log.addHandler(warned)
    try:
        with registry:
            at_once(work)
    finally:
        log.removeHandler(warned)
    ran = {id: result for id, result in results.items() if result.success}
    assert len(results) == each * THREADS
    assert {id: result.output for id, result in ran.items()} == {id: f"/{id} {id}" for id in ran}
    limited = [NAMES[number % len(NAMES)] for number in range(each - 1)].count("limited") * THREADS
    assert len(results) - len(ran) == limited - min(limited, ALLOWED)
    assert all("too often" in result.error for result in results.values() if not result.success)
    assert sorted(hooks.ended) == sorted(results)
    assert warned.count == 1
    assert guesses.counts["trailing-comma"] == len(results)
    lines = recorded.read_text("utf-8").splitlines()
    assert len(lines) == len(results)
    assert all(json.loads(line)["verdict"] == "accepted" for line in lines)
    assert len(registry.snapshot().entries) == 3 + THREADS


def import_all() -> int:
    """Import each module of the runtime and of agents whose libraries are there; their number."""
    found = 0
    for package in (toolcast.runtime, toolcast.agents):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with contextlib.suppress(ImportError):
                importlib.import_module(each.name)
                found += 1
    return found


def _without_gil() -> bool:
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


def main(calls: int) -> None:
    """Raises AssertionError or ExceptionGroup where a call is lost, mixed up or counted wrongly."""
    free, each = _without_gil(), calls // ROUNDS // THREADS
    modules = import_all()
    began, processor = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            call_all(each, Path(folder) / str(number))
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    assert free == _without_gil(), "a module switched the GIL on"
    calls, build = each * THREADS * ROUNDS, "no GIL" if free else "GIL"
    print(f"{sys.version.split()[0]}, {build}: {modules} modules, {calls} calls from {THREADS} threads")
    print(f"in {seconds:.1f} s, with {processor:.1f} s of processor time")


if __name__ == "__main__":
    main(int(sys.argv[1]))
