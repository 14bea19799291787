"""Times the calls of `ours` and `others`, and prints them as JSON. Runs in the environment of `make peers`.

    python -m bench.dispatch.calls FOLDER ROUNDS

FOLDER holds the compiled tools. Every round gives each contestant a lap in turn, so that noise on the machine
hits all of them; laps last about as long for each, so that none begins with caches that another filled.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
from collections.abc import Mapping
from time import perf_counter, process_time_ns
from typing import Any

import msgspec
from msgspec import Struct
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from . import ours
from .ours import Call
from .tools import CALLS

LAP = 2e6
"""Nanoseconds, about."""
AT_ONCE = 10_000


class Calls(Struct, frozen=True):
    """Nanoseconds a call, by tool and contestant; seconds by the clock for `AT_ONCE` calls together."""

    times: Mapping[str, Mapping[str, float]]
    at_once: float
    versions: Mapping[str, str]


async def lap(call: Call, count: int) -> float:
    """Nanoseconds of processor time per call: no call waits, and other work on the machine is not counted."""
    begun = process_time_ns()
    for _ in range(count):
        await call()
    return (process_time_ns() - begun) / count


async def timed(everyone: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """The median of the rounds for each."""
    counts = {}
    for name, call in everyone.items():
        await lap(call, 20)  # what is made at first use is no part of a call
        counts[name] = max(1, int(LAP / min([await lap(call, 20) for _ in range(3)])))
    spent: dict[str, list[float]] = {name: [] for name in everyone}
    for _ in range(rounds):
        for name, call in everyone.items():
            spent[name].append(await lap(call, counts[name]))
    return {name: statistics.median(times) for name, times in spent.items()}


async def at_once() -> float:
    """Seconds for many calls that are under way together. Raises where one got another one's answer."""
    from compiled.registry import BINDINGS

    async def handler(_params: Any, context: ToolContext) -> str:
        await asyncio.sleep(0)
        return context.call_id

    registry = ToolRegistry(policy=Policy("full"), hooks=ours.Watching())
    registry.register(BINDINGS["forecast"], handler)
    contexts = [ToolContext(call_id=str(number)) for number in range(AT_ONCE)]
    begun = perf_counter()
    results = await asyncio.gather(
        *(registry.execute("forecast", CALLS["forecast"], "openai", context) for context in contexts)
    )
    spent = perf_counter() - begun
    if [result.output for result in results] != [context.call_id for context in contexts]:
        raise RuntimeError("a call was lost, or got another one's result")
    return spent


async def measured(rounds: int) -> Calls:
    """Everything that is timed here."""
    from importlib.metadata import version

    from . import others

    times = {}
    for tool in CALLS:
        everyone = {**ours.contestants(tool), **await others.contestants(tool)}
        for name, call in everyone.items():
            result = await call()
            if not (ours.is_done(result) or others.is_done(result)):
                raise RuntimeError(f"{name}, {tool}: not what the handler returned: {result!r}")
        gc.collect()
        gc.freeze()  # what libraries left behind is not looked through in anyone's lap
        times[tool] = await timed(everyone, rounds)
    packages = ("msgspec", "pydantic", "openai-agents", "fastmcp", "langchain-core", "pydantic-ai-slim")
    many = statistics.median([await at_once() for _ in range(5)])
    return Calls(times, many, {package: version(package) for package in packages})


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(measured(int(sys.argv[2])))))
