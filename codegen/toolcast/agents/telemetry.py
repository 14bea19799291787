"""What watches a run for traces and metrics: nothing, unless a program gives `telemetry=`."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from .dispatch.answer_facts import AnswerFacts
from .record import Record


class WatchedCall(Protocol):
    """One call of the model, with all that hooks around it do."""

    def chunk(self) -> None:
        """A chunk of a stream came."""

    def answered(self, facts: AnswerFacts) -> None:
        """The answer is whole.

        Args:
            facts: what it says of itself.
        """


class WatchedRun(Protocol):
    """One run."""

    def model_call(self) -> AbstractContextManager[WatchedCall]:
        """Watch a call of the model.

        Returns:
            A context that the call runs in; it sees what the call raises.
        """
        ...

    def ended(self, record: Record) -> None:
        """The run is over.

        Args:
            record: its record.
        """


class Telemetry(Protocol):
    """Watches runs. What it raises ends the run."""

    def run(self, provider: str) -> AbstractContextManager[WatchedRun]:
        """Watch a run.

        Args:
            provider: the provider or the format that the run was given; "" where it is neither.

        Returns:
            A context that the run runs in; it sees what the run raises.
        """
        ...


class _Nothing:
    """Watches nothing."""

    @contextmanager
    def run(self, provider: str) -> Generator[WatchedRun]:
        del provider
        yield self

    @contextmanager
    def model_call(self) -> Generator[WatchedCall]:
        yield self

    def chunk(self) -> None: ...

    def answered(self, facts: AnswerFacts) -> None: ...

    def ended(self, record: Record) -> None: ...


UNWATCHED: Telemetry = _Nothing()
"""No telemetry."""
