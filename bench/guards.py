"""`python -m bench.guards`: what each part of a call adds, for docs/runtime.md. Takes ten seconds.

Processor time of one call of `edit` of the reference toolset, its arguments as JSON text. Contestants take
laps in turn; the best lap of each counts, since whatever else runs on the machine only adds to one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.middleware.secrets import EnvironmentSecrets

from generated.registry import BINDINGS

from .dispatch.calls import lap
from .dispatch.ours import Watching, handler

TEXT = msgspec.json.encode({"file_path": "/a.txt", "old_string": "a", "new_string": "b"})
COUNT = 400
ROUNDS = 60
ALONE = "msgspec decoder and `await`, alone"


def contestants() -> dict[str, Callable[[], Awaitable[Any]]]:
    """One call each, by its name in the table."""
    binding = BINDINGS["edit"]
    decode = msgspec.json.Decoder(binding.params).decode
    policy: dict[str, Any] = {"policy": Policy("full")}
    watched = {**policy, "hooks": Watching()}
    secrets = EnvironmentSecrets(prefix="BENCH_SECRET_")
    options: dict[str, dict[str, Any]] = {
        "registry": {},
        "with a policy": policy,
        "with a policy and hooks": watched,
        "with a policy, hooks, secrets, timeout and limit": {
            **watched,
            "secrets": secrets,
            "timeout": 30,
            "output_limit": 24_000,
        },
    }
    calls: dict[str, Callable[[], Awaitable[Any]]] = {ALONE: lambda: handler(decode(TEXT), None)}
    for name, given in options.items():
        registry = ToolRegistry(**given)
        registry.register(binding, handler)
        calls[name] = partial(registry.execute, "edit", TEXT, "openai")
    return calls


async def measured() -> dict[str, float]:
    """Microseconds of each."""
    calls = contestants()
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            best[name] = min(best[name], await lap(call, COUNT) / 1e3)
    return best


def main() -> None:
    """Print the table."""
    best = asyncio.run(measured())
    alone = best.pop(ALONE)
    print(f"| | µs | over decoding and awaiting alone |\n|---|---|---|\n| {ALONE} | {alone:.2f} | |")
    for name, spent in best.items():
        print(f"| {name} | {spent:.1f} | {spent - alone:.1f} |")


if __name__ == "__main__":
    main()
