"""The events of a run of model and tools."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from .dispatch.call import Piece
from .record import CallRecord, Record, Round


class RoundStarted(Struct, frozen=True, kw_only=True):
    """A round starts: the model is asked, with the JSON array `definitions`."""

    round: int
    definitions: bytes


class Calling(Struct, frozen=True, kw_only=True):
    """A call is carried out now; `Called` follows with its result, unless the call waits."""

    round: int
    id: str
    name: str
    arguments: Any


class Called(Struct, frozen=True, kw_only=True):
    """A call ended."""

    round: int
    call: CallRecord


class RoundEnded(Struct, frozen=True, kw_only=True):
    """A round ended."""

    round: Round


class Stopped(Struct, frozen=True, kw_only=True):
    """The run ended, in whatever way: also where `run_tools` raises, and returns no record."""

    record: Record


LoopEvent = RoundStarted | Piece | Calling | Called | RoundEnded | Stopped
"""An event of a run. The pieces of an answer (`toolcast.agents.dispatch`) come where the
model streams it, between `RoundStarted` and the calls."""

Observer = Callable[[LoopEvent], Awaitable[None] | None]
"""Receives the events of a run. The run waits for an async one."""
