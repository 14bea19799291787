"""What a handler may know of the call it serves, beside its parameters."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from .unicode_text import is_encodable, replaced

Report: TypeAlias = Callable[[float, float | None, str], object]
"""Whoever listens to progress: how much is done, of how much (None where nobody knows), and words. Called
from whatever thread the handler runs in; it must not block."""


class ToolContext(Struct, frozen=True, kw_only=True):
    """The circumstances of one call.

    The registry fills in `tool` and `provider` where the caller left them empty. `extra` is the program's
    own: a session, a user, a working directory. The runtime never reads it. `report` hears of progress.
    """

    tool: str = ""
    call_id: str = ""
    provider: str | None = None
    extra: Mapping[str, Any] = {}
    report: Report | None = None

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Say how far the call is; nothing where nobody listens. For sync and async handlers alike.

        `done` should grow from one report to the next. What a listener raises is logged and changes nothing.
        """
        if self.report is None:
            return
        try:
            self.report(done, total, message if is_encodable(message) else replaced(message))
        except Exception as problem:
            from .log_records import WARNING, log

            # The kind alone: its text may repeat the message.
            kind = type(problem).__name__
            log(
                WARNING,
                "Progress of tool %r was not reported: %s.",
                self.tool,
                kind,
                event="progress_failed",
                tool=self.tool,
                call_id=self.call_id,
                error_type=kind,
            )
