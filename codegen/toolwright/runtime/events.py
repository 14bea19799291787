"""What happens in a call, step by step, for whoever watches.

A call gives Decoded, Approved, Started, Finished, in this order, as far as it comes. Refused, Failed or
TimedOut say why it came no further, and Finished follows; after Cancelled nothing does. No event holds the
value of a secret: parameters are those with references, and results are redacted.
"""

from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from .result import ToolResult

Stage = Literal["lookup", "arguments", "secrets", "precheck", "policy", "handler"]


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


class Hooks(Protocol):
    """Whoever wants to know. `on` is called in the event loop and must not block; what it raises is logged
    and changes nothing."""

    def on(self, event: Event, /) -> object:
        """Take notice of one event."""
        ...
