"""The events of a run of model and tools, and what watches it for traces and metrics."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from msgspec import Struct

from .dispatch.answer_facts import AnswerFacts
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


class _WatchedCall(Protocol):
    """One call of the model, with all that hooks around it do."""

    def chunk(self) -> None:
        """A chunk of a stream came."""

    def answered(self, facts: AnswerFacts) -> None:
        """The answer is whole; `facts` is what it says of itself."""


class WatchedRun(Protocol):
    """One run."""

    def model_call(self) -> AbstractContextManager[_WatchedCall]:
        """Return a context in which a call of the model runs; it sees what the call raises."""
        ...

    def ended(self, record: Record) -> None: ...


class Telemetry(Protocol):
    """Watches runs. What it raises ends the run."""

    def run(self, provider: str) -> AbstractContextManager[WatchedRun]:
        """Return a context in which a run takes place; it sees what the run raises.

        `provider` is the provider or the format that the run was given, or "".
        """
        ...


class _Nothing:
    def run(self, provider: str) -> AbstractContextManager[WatchedRun]:
        del provider
        return nullcontext(self)

    def model_call(self) -> AbstractContextManager[_WatchedCall]:
        return nullcontext(self)

    def chunk(self) -> None: ...

    def answered(self, facts: AnswerFacts) -> None: ...

    def ended(self, record: Record) -> None: ...


UNWATCHED: Telemetry = _Nothing()
"""No telemetry."""
