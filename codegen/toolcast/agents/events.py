"""The events of a run of model and tools."""

from msgspec import Struct

from .record import CallRecord, Record, Round


class RoundStarted(Struct, frozen=True, kw_only=True):
    """A round starts: the model is called.

    Attributes:
        round: number of the round, from 1.
        definitions: the JSON array of definitions that the model gets.
    """

    round: int
    definitions: bytes


class Called(Struct, frozen=True, kw_only=True):
    """A call ended.

    Attributes:
        round: number of the round.
        call: the call and its result.
    """

    round: int
    call: CallRecord


class RoundEnded(Struct, frozen=True, kw_only=True):
    """A round ended.

    Attributes:
        round: the round.
    """

    round: Round


class Stopped(Struct, frozen=True, kw_only=True):
    """The run ended, in whatever way: also where `run_tools` raises, and returns no record.

    Attributes:
        record: the record of the run.
    """

    record: Record


LoopEvent = RoundStarted | Called | RoundEnded | Stopped
