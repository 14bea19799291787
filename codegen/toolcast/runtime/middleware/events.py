"""What happens in a call, step by step, for whoever watches.

A call gives Decoded, Approved, Started, Finished, in this order, as far as it comes. Refused, Failed or
TimedOut say why it came no further, and Finished follows; after Cancelled nothing does. No event holds the
value of a secret: parameters are those with references, and results are redacted.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from ..result import ToolResult

if TYPE_CHECKING:
    from ..binding import ToolBinding
    from ..context import ToolContext


Stage = Literal["lookup", "loading", "closing", "arguments", "secrets", "precheck", "policy", "handler"]


class _Event(Struct, frozen=True):
    tool: str
    call_id: str
    provider: str | None


class Decoded(_Event, frozen=True):
    """The arguments are the tool's typed parameters."""

    params: Any


class Approved(_Event, frozen=True):
    """The policy lets the call run: `by` says which of its rules; `remembered` what was approved for
    later calls, too, empty where nothing was."""

    by: str
    remembered: str = ""


class Started(_Event, frozen=True):
    """The handler is about to be called."""


class Refused(_Event, frozen=True):
    """The call does not run, or the handler would not do it; `error` is what the model reads."""

    stage: Stage
    error: str


class Failed(_Event, frozen=True):
    """A bug: the exception's class, and the number under which its traceback was logged."""

    stage: str
    kind: str
    number: str


class TimedOut(_Event, frozen=True):
    """A step took too long. `runs_on` says that a plain handler's thread could not be stopped."""

    stage: str
    seconds: float
    runs_on: bool


class Cancelled(_Event, frozen=True):
    """Whoever called waits no longer."""

    stage: str


class Finished(_Event, frozen=True):
    """The call is over, after so many seconds in all."""

    result: ToolResult
    seconds: float


Event: TypeAlias = Decoded | Approved | Started | Refused | Failed | TimedOut | Cancelled | Finished


Observer: TypeAlias = Callable[[Event], object]


class Hooks(Protocol):
    """Whoever wants to know. `on` is called in the event loop and must not block; what it raises is logged
    and changes nothing."""

    def on(self, event: Event, /) -> object:
        """Take notice of one event."""
        ...


class CallHooks(Hooks, Protocol):
    """Hooks that stand around each call, too: what a trace needs, and whatever counts per call."""

    def around(
        self, binding: "ToolBinding[Any, Any]", context: "ToolContext", /
    ) -> AbstractContextManager[Observer | None]:
        """A context manager that is entered before the first step of a call and left after its last event,
        both in the task of the call. So a context variable that it sets holds for every step: for the
        resolver, the precheck, the approver, and the handler, also in a worker thread.

        What `with … as` gives is called with each event of this call in the place of `on`, unless it is None.
        `on` is left with calls that no tool takes. How the call ended stands in its events; no exception is
        shown. What this raises is logged and changes nothing.
        """
        ...


REFUSALS = {
    "lookup": "unknown_tool",
    "loading": "not_loaded",
    "closing": "closing",
    "arguments": "invalid_arguments",
    "secrets": "secret_refused",
    "precheck": "precheck_refused",
    "policy": "denied",
}
"""The error type of a refusal, by its stage."""


class Outcome:
    """What a call's events come to. `error_type` is None after a success, else a value of REFUSALS,
    `timeout`, `cancelled`, `tool_error` where the tool itself says that it failed, or the class of the
    exception that was a bug. `error_id` is the number of a bug in the log."""

    __slots__ = ("error_id", "error_type", "finished")

    def __init__(self) -> None:
        self.error_type: str | None = None
        self.error_id: str | None = None
        self.finished: Finished | None = None

    def see(self, event: Event) -> None:
        """Take an event into account; they come in order."""
        if isinstance(event, Refused):
            self.error_type = REFUSALS.get(event.stage, "tool_error")
        elif isinstance(event, Failed):
            self.error_type, self.error_id = event.kind, event.number
        elif isinstance(event, TimedOut):
            self.error_type = "timeout"
        elif isinstance(event, Cancelled):
            self.error_type = "cancelled"
        elif isinstance(event, Finished):
            self.finished = event
            if not event.result.success and self.error_type is None:
                self.error_type = "tool_error"

    def end(self) -> None:
        """No further event will come. Without the last one, nobody waited for the call any more."""
        if self.finished is None:
            self.error_type = "cancelled"
