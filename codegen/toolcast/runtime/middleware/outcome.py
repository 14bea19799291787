"""How a call ended, in one word that is fit for counting."""

from .events import Cancelled, Event, Failed, Finished, Refused, TimedOut

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
