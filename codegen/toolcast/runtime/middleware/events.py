"""The events of a call, step by step, for hooks.

A call gives Decoded, Approved, Started, Finished, in this order, as far as it comes. Refused, Failed or
TimedOut state why it ended, and Finished follows; after Cancelled or Deferred nothing does. No event holds a
secret: parameters have references, and results are redacted.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from ..binding import AnyBinding
from ..repairs.repair import Repair
from ..result import ToolResult

if TYPE_CHECKING:
    from ...jsonschema.validator_errors import Violation
    from ..context import ToolContext


Stage = Literal["lookup", "loading", "closing", "arguments", "secrets", "precheck", "policy", "handler"]


class _Event(Struct, frozen=True):
    """The common part of all events.

    Attributes:
        tool: name of the tool; "" for a name that is no text.
        call_id: the provider's id of the call.
        provider: id of the provider whose wire form the arguments have, or None.
    """

    tool: str
    call_id: str
    provider: str | None


class Written(Struct, frozen=True):
    """Arguments as the model wrote them.

    Attributes:
        arguments: JSON text or parsed data, with marks in place of secrets.
        redacted: whether there are marks.
    """

    arguments: Any
    redacted: bool = False


class Decoded(_Event, frozen=True):
    """The arguments are decoded.

    Attributes:
        params: typed parameters, with references in place of secrets.
        repairs: corrections of the tool's name, and by guesses in the arguments, redacted; at most 50.
        written: the arguments before, if a hook of the registry has a true `wants_arguments`.
    """

    params: Any
    repairs: tuple[Repair, ...] = ()
    written: Written | None = None


class Approved(_Event, frozen=True):
    """The policy lets the call run.

    Attributes:
        by: the rule that decided.
        remembered: the later calls that the approval covers; "" for none.
    """

    by: str
    remembered: str = ""


class Started(_Event, frozen=True):
    """The handler is about to be called."""


class Refused(_Event, frozen=True):
    """The call does not run, or the handler refused it.

    Attributes:
        stage: the step that refused it.
        error: the text for the model.
        written: as of Decoded, at the stage `arguments` alone.
        violations: what is wrong with the arguments, redacted, without what was expected.
    """

    stage: Stage
    error: str
    written: Written | None = None
    violations: "tuple[Violation, ...]" = ()


class Failed(_Event, frozen=True):
    """A bug.

    Attributes:
        stage: the step that failed.
        kind: class name of the exception.
        number: id under which its traceback was logged.
    """

    stage: str
    kind: str
    number: str


class TimedOut(_Event, frozen=True):
    """A step took too long.

    Attributes:
        stage: the step.
        seconds: the limit.
        runs_on: whether a plain handler's thread could not be stopped.
    """

    stage: str
    seconds: float
    runs_on: bool


class Cancelled(_Event, frozen=True):
    """The caller stopped waiting.

    Attributes:
        stage: the step that was cancelled.
    """

    stage: str


class Deferred(_Event, frozen=True):
    """The framework that made the call defers or interrupts it: a call with the same id may follow.

    Attributes:
        stage: the current step.
        kind: class name of the framework's exception.
    """

    stage: str
    kind: str


class Finished(_Event, frozen=True):
    """The call is over.

    Attributes:
        result: its result, redacted.
        seconds: duration of the whole call.
    """

    result: ToolResult
    seconds: float


Event: TypeAlias = (
    Decoded | Approved | Started | Refused | Failed | TimedOut | Cancelled | Deferred | Finished
)


Observer: TypeAlias = Callable[[Event], object]


class Hooks(Protocol):
    """An object that observes calls. With a true attribute `wants_arguments`, events have the arguments as
    the model wrote them."""

    def on(self, event: Event, /) -> object:
        """Take notice of one event. Called in the event loop; it must not block. What it raises is logged and
        changes nothing.

        Returns:
            Anything; it is ignored.
        """
        ...


class CallHooks(Hooks, Protocol):
    """Hooks that also surround each call, for traces and for counters per call."""

    def around(
        self, binding: "AnyBinding", context: "ToolContext", /
    ) -> AbstractContextManager[Observer | None]:
        """Make a context manager that is entered before the first step of a call and left after its last
        event, in the task of the call.

        A context variable that it sets holds for every step, also in a worker thread. How the call ended is
        in its events; no exception is passed. What this raises is logged and changes nothing.

        Args:
            binding: binding of the tool.
            context: circumstances of the call.

        Returns:
            A context manager. The observer that it gives, unless it is None, is called with each event of
            this call in place of `on`, which still gets calls that reach no tool.
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
    """The sum of a call's events.

    `error_type` is None after a success, else a value of REFUSALS, `timeout`, `cancelled`, `tool_error` if
    the tool itself says that it failed, or the class of a bug's exception. `error_id` is the number of a bug
    in the log. `deferred`: a framework interrupted the call, which is no error.
    """

    __slots__ = ("deferred", "error_id", "error_type", "finished")

    def __init__(self) -> None:
        self.deferred = False
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
        elif isinstance(event, Deferred):
            self.deferred = True
        elif isinstance(event, Finished):
            self.finished = event
            if not event.result.success and self.error_type is None:
                self.error_type = "tool_error"

    def end(self) -> None:
        """End the outcome. Without a Finished event, the call was cancelled, or deferred."""
        if self.finished is None and not self.deferred:
            self.error_type = "cancelled"
