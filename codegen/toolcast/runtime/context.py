"""The circumstances of a call, for its handler."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from .unicode_text import is_encodable, replace_surrogates

Report: TypeAlias = Callable[[float, float | None, str], object]
"""A receiver of progress: work done, total work (None where it is unknown), and a message. Called
from whatever thread the handler runs in; it must not block."""


class Framework(Struct, frozen=True, kw_only=True):
    """What a framework that makes a call decides itself; `toolcast.bridges` sets it. Handlers do not get it:
    an approval is for one call, not for what its handler calls.

    Attributes:
        approved: whether a person approved the call, through the framework. The policy asks nobody then; what
            it forbids stays forbidden.
        approver: asked where the policy has no approver of its own. What it raises passes through where
            `passes` has it.
        passes: exceptions that pass through `execute` when a handler, a precheck or the approver raises them:
            the framework's own, for calls that it defers or interrupts.
    """

    approved: bool = False
    approver: Callable[..., Any] | None = None
    passes: tuple[type[BaseException], ...] = ()


class ToolContext(Struct, frozen=True, kw_only=True):
    """The circumstances of one call, for its handler.

    The registry fills in `tool` and `provider` where the caller left them empty.

    Attributes:
        tool: name of the tool.
        call_id: the provider's id of the call, or "".
        provider: id of the provider whose wire form the arguments have; None for the contract's own form.
        extra: the program's own values: a session, a user, a working directory. The runtime never reads them.
        report: a function that receives progress: work done, total work or None, and a message.
        framework: what a framework that makes the call decides itself; None in a handler's own context.
    """

    tool: str = ""
    call_id: str = ""
    provider: str | None = None
    extra: Mapping[str, Any] = {}
    report: Report | None = None
    framework: Framework | None = None

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report progress of the call; does nothing without a `report` function. For sync and async handlers.

        What `report` raises is logged and changes nothing.

        Args:
            done: work done so far; should grow from one report to the next.
            total: all work, in the same unit; None where it is not known.
            message: text for a person.
        """
        if self.report is None:
            return
        try:
            self.report(done, total, message if is_encodable(message) else replace_surrogates(message))
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
