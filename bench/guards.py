"""`python -m bench.guards`: what each part of a call adds, for docs/reference/runtime.md. Takes ten seconds.

Processor time of one call of `edit` of the reference toolset, its arguments as JSON text; and of calls of
`http_request`, whose arguments are nested and may refer to secrets. Contestants take laps in turn; the best
lap of each counts, since whatever else runs on the machine only adds to one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.middleware.secrets import EnvironmentSecrets, Secrets

from generated.registry import BINDINGS

from .dispatch.calls import lap
from .dispatch.ours import Watching, handler

TEXT = msgspec.json.encode({"file_path": "/a.txt", "old_string": "a", "new_string": "b"})
COUNT = 400
_REQUEST: dict[str, Any] = {
    "url": "https://example.org/orders",
    "method": "POST",
    "headers": {"Accept": "application/json", "Authorization": "Bearer none"},
    "body": {
        "kind": "json",
        "value": {
            "customer": {"id": "c-1017", "name": "Ada Lovelace"},
            "lines": [
                {"sku": "A-100", "quantity": 2, "price": 9.5},
                {"sku": "B-200", "quantity": 1, "price": 24.25},
                {"sku": "C-300", "quantity": 12, "price": 0.75},
            ],
            "labels": {"source": "chat", "priority": "high"},
        },
    },
}
NESTED = msgspec.json.encode(_REQUEST)
REFERRING = msgspec.json.encode({**_REQUEST, "headers": {"Authorization": "Bearer <secret_ref:TOKEN>"}})
ROUNDS = 60
ALONE = "msgspec decoder and `await`, alone"


Call = Callable[[], Awaitable[Any]]


class Table(Struct, frozen=True):
    """Calls by their names in the table; the others are compared with `base`."""

    base: str
    heading: str
    calls: dict[str, Call]


def parts() -> Table:
    """What each part of the middleware adds."""
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
    calls: dict[str, Call] = {ALONE: lambda: handler(decode(TEXT), None)}
    for name, given in options.items():
        registry = ToolRegistry(**given, check_results=False)
        registry.register(binding, handler)
        calls[name] = partial(registry.execute, "edit", TEXT, "openai")
    return Table(ALONE, "over decoding and awaiting alone", calls)


def nested() -> Table:
    """What secrets add to a call with nested arguments, of a tool that lists two of its parameters."""
    binding = BINDINGS["http_request"]
    unlisted = msgspec.structs.replace(binding, secrets=())
    base = "registry without secrets"
    known = Secrets({"TOKEN": "a token of some 30 characters"}.get)
    known.hide("TOKEN", "a token of some 30 characters")

    def call(tool: Any, text: bytes, secrets: Secrets | None) -> Call:
        registry = ToolRegistry(secrets=secrets, check_results=False)
        registry.register(tool, handler)
        return partial(registry.execute, "http_request", text)

    calls = {
        base: call(binding, NESTED, None),
        "secrets; the tool lists none": call(unlisted, NESTED, Secrets(lambda _: None)),
        "secrets; the tool lists two parameters": call(binding, NESTED, Secrets(lambda _: None)),
        "the same, after a value became known": call(binding, NESTED, known),
        "the same, with a reference": call(binding, REFERRING, known),
    }
    return Table(base, "over that without secrets", calls)


async def measured(calls: dict[str, Call]) -> dict[str, float]:
    """Microseconds of each."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            best[name] = min(best[name], await lap(call, COUNT) / 1e3)
    return best


def main() -> None:
    """Print the tables."""
    for table in (parts(), nested()):
        best = asyncio.run(measured(table.calls))
        base = best.pop(table.base)
        print(f"| | µs | {table.heading} | ratio |\n|---|---|---|---|\n| {table.base} | {base:.2f} | | |")
        for name, spent in best.items():
            print(f"| {name} | {spent:.1f} | {spent - base:.1f} | {spent / base:.2f} |")
        print()


if __name__ == "__main__":
    main()
