"""Observers of a run for traces and metrics: none, unless a program gives `telemetry=`."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from .dispatch.answer_facts import AnswerFacts
from .record import Record


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
    @contextmanager
    def run(self, provider: str) -> Generator[WatchedRun]:
        del provider
        yield self

    @contextmanager
    def model_call(self) -> Generator[_WatchedCall]:
        yield self

    def chunk(self) -> None: ...

    def answered(self, facts: AnswerFacts) -> None: ...

    def ended(self, record: Record) -> None: ...


UNWATCHED: Telemetry = _Nothing()
"""No telemetry."""
