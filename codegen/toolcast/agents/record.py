"""What a loop of model and tools did, and what it tells while it does it."""

from typing import Any, Literal

from msgspec import Struct

from ..runtime.result import ToolResult

Stop = Literal["answer", "rounds", "calls", "seconds", "repeated", "cancelled", "error"]
"""Why a loop ended: the model asked for no tool any more; it had as many rounds as allowed; a call or a
moment past the budget; the same failing call once too often; cancellation; an exception of the model's or the
dispatcher's."""


class Budget(Struct, frozen=True, kw_only=True):
    """How many calls of tools, and seconds, one run may take; None for no limit."""

    calls: int | None = None
    seconds: float | None = None


class CallRecord(Struct, frozen=True, kw_only=True):
    """One call: what was asked, what it came to, how many seconds it took. `executed` is false for a call
    that the budget had no room for."""

    id: str
    name: str
    arguments: Any
    result: ToolResult
    seconds: float
    executed: bool = True


class Round(Struct, frozen=True, kw_only=True):
    """One answer of the model, and what was done for it. `calls` are in the order in which they ended.

    `model_seconds` is the time that the model took, `tool_seconds` that of all its calls, side by side.
    """

    number: int
    response: Any
    calls: tuple[CallRecord, ...]
    model_seconds: float
    tool_seconds: float


class Record(Struct, frozen=True, kw_only=True):
    """A whole run. `messages` is the conversation with all that was added, fit to be continued: every call
    in it has its answer. `response` is the model's last one, None where there was none."""

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


class Asked(Struct, frozen=True, kw_only=True):
    """The model is asked."""

    round: int
    definitions: bytes


class Called(Struct, frozen=True, kw_only=True):
    """A call ended."""

    round: int
    call: CallRecord


class Ended(Struct, frozen=True, kw_only=True):
    """A round ended."""

    round: Round


class Stopped(Struct, frozen=True, kw_only=True):
    """The run ended, in whatever way: also where `run_tools` raises, and returns no record."""

    record: Record


LoopEvent = Asked | Called | Ended | Stopped
