"""Calls in rounds: one registry each, with faults under them; and what is left when it is closed."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import sys
import threading
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
from toolcast.analysis.instances.oracle import Oracle
from toolcast.runtime import RefusalError, ToolRegistry, ToolResult
from toolcast.runtime.log_records import LOGGER
from toolcast_tools.workspace import Workspace
from toolcast_tools.workspace.atomic_write import is_temporary, temporary_name

from .arguments import TOOLS, Arguments, Known, contract
from .faults import FAULTS
from .ground import LONGEST, Ground, make_accessible
from .held import Held, Memory, held

AT_ONCE = 24
FAULTS_AT_ONCE = 3
ROUND = 2_500
_HUNG = LONGEST + 40
_SETTLE = 20.0
_SHORTEST = 12
"""Characters of an error: fewer are no words."""


class Finding(msgspec.Struct, frozen=True):
    """Something that must not be: where it was seen, what it is, and the traceback where there is one."""

    where: str
    what: str
    trace: str = ""


class Tally(msgspec.Struct):
    """What happened."""

    calls: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    findings: list[Finding] = msgspec.field(default_factory=list)
    memory: list[Memory] = msgspec.field(default_factory=list)
    peak: int = 0
    removed: int = 0
    """Files of writes that could not remove them, in a folder that denied it; the next writes did."""
    refused: int = 0
    """Registries that could not be made: their database was damaged."""


class Judge:
    """Whether a result is one that a model may get."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._results = {name: Oracle(contract(name), "/result") for name in TOOLS}

    def outcome(self, where: str, name: str, result: ToolResult) -> str:
        """How a call ended, in a word; what is wrong with it is noted."""
        if not result.success:
            if "internal error" in result.error:
                self._name(where, result.error)
            elif len(result.error) < _SHORTEST:
                self.note(where, f"an error without words: {result.error!r}")
            return "timed out" if "did not finish within" in result.error else "refused"
        value = msgspec.to_builtins(result.data, enc_hook=lambda data: data.__dict__)
        if not self._results[name].accepts(value):
            self.note(where, f"a result beside its contract: {value!r:.400}")
        return "succeeded"

    def _name(self, where: str, error: str) -> None:
        """Say which call the last findings are about, which the log does not."""
        findings = self._tally.findings
        for place in range(len(findings) - 1, max(-1, len(findings) - 50), -1):
            number = findings[place].what.rpartition("[")[2].rstrip("]")
            if number and number in error:
                findings[place] = msgspec.structs.replace(findings[place], where=where)
                return
        self.note(where, error)

    def note(self, where: str, what: str) -> None:
        """Note a finding."""
        self._tally.findings.append(Finding(where, what))


class Noticed(logging.Handler):
    """Notes what is reported past the results: the records of bugs, of the event loop, and of threads."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(logging.WARNING)
        self._tally = tally
        self.where = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Note a record of a bug."""
        if str(record.msg).startswith("Unknown child process pid"):
            return  # of Python's before 3.13 (gh-87744): a process that ends while it is killed
        if record.name == LOGGER and getattr(record, "event", "") not in ("failed", "result_mismatch"):
            return
        trace = record.exc_text or ""
        if not trace and record.exc_info:
            trace = logging.Formatter().formatException(record.exc_info)
        self._tally.findings.append(Finding(self.where, record.getMessage(), trace))

    def start(self) -> None:
        """Listen to all that reports."""
        for name in (LOGGER, "asyncio"):
            logger = logging.getLogger(name)
            logger.addHandler(self)
            logger.propagate = False
        warnings.simplefilter("always", ResourceWarning)
        warnings.showwarning = lambda message, *_, **__: self.note("a warning", message)
        sys.unraisablehook = lambda raised: self.note(f"unraisable: {raised.err_msg}", raised.exc_value)
        threading.excepthook = lambda raised: self.note("a thread ended", raised.exc_value)

    def note(self, what: str, problem: Any) -> None:
        """Note an exception or a warning."""
        trace = ""
        if isinstance(problem, Exception) and not isinstance(problem, Warning):
            trace = logging.Formatter().formatException((type(problem), problem, problem.__traceback__))
        self._tally.findings.append(Finding(self.where, f"{what}: {problem!r:.300}", trace))


async def run(
    ground: Ground,
    *,
    seed: str,
    calls: int,
    start: int = 0,
    each: int = ROUND,
    told: Callable[[Tally], None] | None = None,
) -> Tally:
    """Make calls.

    Args:
        ground: where.
        seed: what calls and faults follow from, together with the number of the round.
        calls: how many.
        start: the number of the first round.
        each: calls of a round.
        told: hears of the tally after each round.
    """
    tally = Tally()
    noticed = Noticed(tally)
    noticed.start()
    known = Known(ground.port)
    arguments = Arguments(known)
    judge = Judge(tally)
    ground.reset()
    before = held(ground.temporary, ground.workspace, [ground.server.pid])
    for number in range(start, start - (-calls // each)):
        rng = random.Random(f"{seed}:{number}")
        noticed.where = f"round {number}"
        ground.reset()
        known.forget()
        count = min(each, calls - (number - start) * each)
        await _round(ground, rng, Calls(arguments, known, judge, tally, noticed.where), count)
        tally.removed += remove_by_writing(ground, known.files)
        left = await _left(ground, before)
        tally.findings += [Finding(noticed.where, f"left: {kind}: {what}") for kind, what in left.items()]
        tally.memory.append(Memory.now())
        if told is not None:
            told(tally)
    return tally


class Calls(msgspec.Struct, frozen=True):
    """What makes calls of one round, and judges them."""

    arguments: Arguments
    known: Known
    judge: Judge
    tally: Tally
    where: str

    async def make(self, registry: ToolRegistry, rng: random.Random) -> None:
        """Make one call, which may be cancelled."""
        name, arguments = self.arguments.call(rng)
        self.known.learn_files(arguments)
        call = asyncio.ensure_future(registry.execute(name, arguments))
        if rng.random() < 0.06:
            asyncio.get_running_loop().call_later(10 ** rng.uniform(-4, -0.5), call.cancel)
        done, _ = await asyncio.wait({call}, timeout=_HUNG)
        if not done:
            call.cancel()
            self.judge.note(self.where, f"{name} hangs: {arguments!r:.300}")
            outcome = "hung"
        elif call.cancelled():
            outcome = "cancelled"
        elif (problem := call.exception()) is not None:
            self.judge.note(self.where, f"{name} raised {problem!r:.300} for {arguments!r:.300}")
            outcome = "raised"
        else:
            outcome = self.judge.outcome(f"{self.where}: {name} {arguments!r:.300}", name, call.result())
            self.known.learn(call.result().data)
        self.tally.calls[name, outcome] += 1


async def _round(ground: Ground, rng: random.Random, calls: Calls, count: int) -> None:
    """The calls of one registry, and its end."""
    loop = asyncio.get_running_loop()
    executor = ThreadPoolExecutor(8)
    loop.set_default_executor(executor)
    if rng.random() < 0.1:
        ground.databases[0].write_bytes(b"SQLite format 3\0" + rng.randbytes(5000))
    try:
        registry, workspace = ground.registry(rng)
    except RefusalError:
        calls.tally.refused += 1
        ground.reset()
        registry, workspace = ground.registry(rng)
    for name in TOOLS:  # contracts are read with the first call, which no other file replaces
        await registry.execute(name, {"": None})
    numbers = iter(range(count))
    locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # a fault is not made twice at once
    closes_early = rng.random() < 0.3
    try:
        breaking = [
            asyncio.ensure_future(_break(ground, rng, calls.tally, locks)) for _ in range(FAULTS_AT_ONCE)
        ]
        workers = [asyncio.ensure_future(_work(numbers, registry, rng, calls)) for _ in range(AT_ONCE)]
        if closes_early:  # the last calls run while the registry is closed
            await asyncio.wait(workers, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.gather(*workers)
        for task in breaking:
            task.cancel()
        await asyncio.gather(*breaking, return_exceptions=True)
        calls.tally.peak = max(calls.tally.peak, _descriptors())
    finally:
        async with asyncio.timeout(_HUNG):
            await registry.aclose()
        await asyncio.gather(*workers)
        await registry.aclose()
        workspace.close()
        executor.shutdown()


def remove_by_writing(ground: Ground, written: AbstractSet[str]) -> int:
    """Write anew what a write has left a file of, and count these. A write to a folder that loses its
    permissions meanwhile cannot remove its file; the next write of the same name does. `written` has the
    names that calls wrote to, among others."""
    removed = 0
    make_accessible(ground.workspace)
    with closing(Workspace(ground.workspace)) as workspace:
        for folder, _, names in os.walk(ground.workspace):
            for left in filter(is_temporary, names):
                for name in written | {*names}:
                    if _is_beside(left, name):
                        path = Path(folder, name).relative_to(ground.workspace)
                        with suppress(RefusalError):
                            workspace.write(str(path), b"")
                removed += not Path(folder, left).exists()
    return removed


def _is_beside(left: str, name: str) -> bool:
    try:
        return temporary_name(name) == left
    except UnicodeEncodeError:  # no name of a file
        return False


def _descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def _work(numbers: Iterator[int], registry: ToolRegistry, rng: random.Random, calls: Calls) -> None:
    for _ in numbers:
        await calls.make(registry, rng)


async def _break(ground: Ground, rng: random.Random, tally: Tally, locks: Mapping[str, asyncio.Lock]) -> None:
    """Make one fault after the other, until cancelled."""
    while True:
        await asyncio.sleep(rng.random() / 100)
        name = rng.choices([*FAULTS], [weight for weight, _ in FAULTS.values()])[0]
        async with locks[name]:
            if await FAULTS[name][1](ground, rng):
                tally.faults[name] += 1


async def _left(ground: Ground, before: Held) -> dict[str, list[str]]:
    """What is held beyond `before`, once that which ends by itself has had its time."""
    until = time.monotonic() + _SETTLE
    while True:
        gc.collect()
        left = held(ground.temporary, ground.workspace, [ground.server.pid]).beyond(before)
        if not left or time.monotonic() > until:
            return left
        await asyncio.sleep(0.05)
