"""The record of a run of model and tools, and its events."""

from typing import Any, Literal

from msgspec import Struct

from ..runtime.result import ToolResult

Stop = Literal["answer", "rounds", "calls", "seconds", "repeated", "cancelled", "error"]
"""Why a loop ended: the model called no tool; the number of rounds; a call or a
moment past the budget; the same failing call once too often; cancellation; an exception of the model's or the
dispatcher's."""


class Budget(Struct, frozen=True, kw_only=True):
    """Limits of one run.

    Attributes:
        calls: calls of tools at most; None for no limit.
        seconds: seconds at most; None for no limit.
    """

    calls: int | None = None
    seconds: float | None = None


class CallRecord(Struct, frozen=True, kw_only=True):
    """One call of a run.

    Attributes:
        id: the provider's id of the call.
        name: name of the tool.
        arguments: as the model wrote them.
        result: the result.
        seconds: how long the call took.
        executed: false for a call past the budget, which was answered and not carried out.
    """

    id: str
    name: str
    arguments: Any
    result: ToolResult
    seconds: float
    executed: bool = True


class Round(Struct, frozen=True, kw_only=True):
    """One answer of the model, and its calls.

    Attributes:
        number: from 1.
        response: the model's answer.
        calls: in the order in which they ended.
        model_seconds: how long the model took.
        tool_seconds: how long all calls took, side by side.
    """

    number: int
    response: Any
    calls: tuple[CallRecord, ...]
    model_seconds: float
    tool_seconds: float


class Record(Struct, frozen=True, kw_only=True):
    """A whole run.

    Attributes:
        stopped: why the run ended: "answer", "rounds", "calls", "seconds", "repeated", "cancelled" or
            "error".
        rounds: every round.
        messages: the conversation with all that was added; it can be continued, because every call in it has
            its answer.
        seconds: how long the run took.
    """

    stopped: Stop
    rounds: tuple[Round, ...]
    messages: tuple[Any, ...]
    seconds: float

    @property
    def response(self) -> Any:
        """The model's last answer."""
        return self.rounds[-1].response if self.rounds else None

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """Every call, round by round."""
        return tuple(call for each in self.rounds for call in each.calls)


class RoundStarted(Struct, frozen=True, kw_only=True):
    """A round starts: the model is called."""

    round: int
    definitions: bytes


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


LoopEvent = RoundStarted | Called | RoundEnded | Stopped
