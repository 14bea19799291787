"""The record of a run of model and tools."""

from typing import Any, Literal

from msgspec import Struct

from ..runtime.result import ToolResult
from .run_state import RunState, WaitingCall
from .usage import Usage

Stop = Literal[
    "answer",
    "rounds",
    "budget",
    "refusal",
    "paused",
    "filtered",
    "malformed_call",
    "cut",
    "provider_error",
    "repeated",
    "cancelled",
    "error",
]
"""Why a run ended; docs/reference/agents.md has the table."""

Limit = Literal["calls", "seconds", "tokens", "cost"]
"""The limits of a budget."""


class CallRecord(Struct, frozen=True, kw_only=True):
    """One call of a run.

    Attributes:
        name: name of the tool; for an unknown one, as the model wrote it.
        arguments: as the model wrote them.
        seconds: how long the call took.
        executed: false where it was answered and not carried out here: past the budget, cut off, withheld, or
            decided or carried out elsewhere.
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
        calls: in the order in which they ended.
        tool_seconds: how long all calls took, side by side.
        usage: the tokens of the answer; None where it states none.
    """

    number: int
    response: Any
    calls: tuple[CallRecord, ...]
    model_seconds: float
    tool_seconds: float
    usage: Usage | None = None


class Record(Struct, frozen=True, kw_only=True):
    """A whole run; of a resumed one what happened since.

    Attributes:
        stopped: why the run ended.
        rounds: every round; the first one of a resumed run may be the rest of one.
        messages: the conversation, which can be continued: every call in it has its answer. An answer with
            calls that wait is not in it yet.
        seconds: how long the run took, with what it took before it was resumed.
        state: from where `resume` goes on.
        exceeded: the limit of the budget that was reached; None where `stopped` is not "budget".
        detail: the provider's words about the reason, or "".
        output: the parameters of the call of the tool `final`; None where the model did not call it.
        usage: the tokens of all answers that state theirs; None where none does.
        cost: what they cost by the prices of the budget; None without prices or usage.
    """

    stopped: Stop
    rounds: tuple[Round, ...]
    messages: tuple[Any, ...]
    seconds: float
    state: RunState
    exceeded: Limit | None = None
    detail: str = ""
    output: Any = None
    usage: Usage | None = None
    cost: float | None = None

    @property
    def waiting(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for a decision or a result; none unless `stopped` is "paused"."""
        return self.state.waiting

    @property
    def response(self) -> Any:
        """The model's last answer."""
        return self.rounds[-1].response if self.rounds else None

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """Every call, round by round."""
        return tuple(call for each in self.rounds for call in each.calls)


def attach_record(problem: BaseException, record: Record) -> None:
    """Put the record of a run on the exception that ended it, for `record_of`."""
    problem.record = record  # type: ignore[attr-defined]  # exceptions of clients have no such field


def record_of(problem: BaseException) -> Record | None:
    """Return the record of the run that an exception ended.

    Args:
        problem: what `run_tools` raised.

    Returns:
        The record, with every round that ended before; None for an exception of another origin.
    """
    record = getattr(problem, "record", None)
    return record if isinstance(record, Record) else None
