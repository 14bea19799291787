"""A call by raw msgspec, and by a registry: bare, and with everything around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct
from toolcast.runtime import ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy

from . import names
from .tools import CALLS, SENT

Call = Callable[[], Awaitable[Any]]
"""One call from its text to its result."""


class Forecast(Struct, frozen=True, forbid_unknown_fields=True):
    city: Annotated[str, Meta(min_length=1)]
    days: Literal[1, 3, 7]


class Customer(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    sku: str
    quantity: Annotated[int, Meta(ge=1)]
    price: Annotated[float, Meta(ge=0)]


class Card(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="card"):
    kind: ClassVar[str] = "card"
    number: str


class Transfer(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="transfer"):
    kind: ClassVar[str] = "transfer"
    iban: str


class Order(Struct, frozen=True, forbid_unknown_fields=True):
    customer: Customer
    lines: list[Line]
    payment: Card | Transfer
    labels: dict[str, str]
    note: str | None = None


TYPES: dict[str, type] = {"forecast": Forecast, "order": Order}


async def handler(_params: Any, _context: Any) -> str:
    """Does nothing: what is timed is the way to it and back."""
    return "done"


class Watching:
    """Hooks that count events."""

    def __init__(self) -> None:
        self.seen = 0

    def on(self, _event: Any) -> None:
        self.seen += 1


def raw(tool: str) -> Call:
    """Decode with types written by hand, and await the handler."""
    decode, text = msgspec.json.Decoder(TYPES[tool]).decode, CALLS[tool]
    return lambda: handler(decode(text), None)


def registries() -> tuple[ToolRegistry, ToolRegistry]:
    """One without, and one with policy and hooks, of the compiled tools (`compiled` must be on the path)."""
    from compiled.registry import BINDINGS

    bare, guarded = ToolRegistry(), ToolRegistry(policy=Policy("full"), hooks=Watching())
    for binding in BINDINGS.values():
        bare.register(binding, handler)
        guarded.register(binding, handler)
    return bare, guarded


def contestants(tool: str) -> dict[str, Call]:
    """Raw and ours, by name."""
    bare, guarded = registries()
    text, openai, gemini = CALLS[tool], SENT["openai", tool], SENT["gemini", tool]
    return {
        names.RAW: raw(tool),
        names.BARE: lambda: bare.execute(tool, text),
        names.AROUND: lambda: guarded.execute(tool, text),
        names.OPENAI: lambda: guarded.execute(tool, openai, "openai"),
        names.GEMINI: lambda: guarded.execute(tool, gemini, "gemini"),
    }


def is_done(result: Any) -> bool:
    """Whether the handler's text came back."""
    return (result.output if isinstance(result, ToolResult) else result) == "done"
