"""What a handler gets of its call and its caller: without secrets, and questions stop the timeout."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from .context import LogLevel, ToolContext

if TYPE_CHECKING:
    from asyncio import Timeout

    from .elicitation import ElicitationRequest
    from .middleware.secrets.secrets import Secrets
    from .sampling import SamplingRequest


def redacted_context(context: ToolContext, secrets: "Secrets") -> ToolContext:
    """`context` without values of secrets: in the call id, which a model may write and a handler may log, and
    in what a handler reports, logs and asks."""
    call_id = secrets.redact_text(context.call_id) if context.call_id else ""
    channels = _redacted_channels(context, secrets)
    if not channels and call_id == context.call_id:
        return context
    return msgspec.structs.replace(context, call_id=call_id, **channels)


def _redacted_channels(context: ToolContext, secrets: "Secrets") -> dict[str, Any]:
    """The channels that `context` has, each without values of secrets."""
    report, receive_log, asker, sampler = context.report, context.receive_log, context.asker, context.sampler
    channels: dict[str, Any] = {}
    if report is not None:

        def redacted_report(done: float, total: float | None, message: str) -> None:
            report(done, total, secrets.redact_text(message))

        channels["report"] = redacted_report
    if receive_log is not None:

        def redacted_log(level: LogLevel, data: Any, logger: str) -> None:
            receive_log(level, secrets.redact(data), secrets.redact_text(logger))

        channels["receive_log"] = redacted_log
    if asker is not None:

        def redacted_question(request: "ElicitationRequest") -> Any:
            return asker(secrets.redact(request))

        channels["asker"] = redacted_question
    if sampler is not None:

        def redacted_sampling(request: "SamplingRequest") -> Any:
            return sampler(secrets.redact(request))

        channels["sampler"] = redacted_sampling
    return channels


class Waiting:
    """The questions of one call that have no answer yet. While there is one, its timeout does not run."""

    __slots__ = ("_left", "_open", "scope")

    def __init__(self) -> None:
        self.scope: Timeout | None = None  # the timeout that runs, set by the call
        self._open = 0
        self._left = 0.0

    def stopping_time(self, context: ToolContext) -> ToolContext:
        """`context`, whose questions stop the time."""
        channels: dict[str, Any] = {}
        for name in ("asker", "sampler"):
            if (channel := getattr(context, name)) is not None:
                channels[name] = self._stopping(channel)
        return msgspec.structs.replace(context, **channels)

    def _stopping(self, channel: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
        async def ask(request: Any) -> Any:
            self._stop()
            try:
                outcome = channel(request)
                return await outcome if isinstance(outcome, Awaitable) else outcome
            finally:
                self._go_on()

        return ask

    def _stop(self) -> None:
        self._open += 1
        when = None if self.scope is None else self.scope.when()
        if self._open == 1 and when is not None:
            self._left = when - _now()
            self._reschedule(None)

    def _go_on(self) -> None:
        self._open -= 1
        if self._open == 0 and self.scope is not None and self.scope.when() is None:
            self._reschedule(_now() + self._left)

    def _reschedule(self, when: float | None) -> None:
        assert self.scope is not None
        with suppress(RuntimeError):  # the handler has ended, and a task of its own still asks
            self.scope.reschedule(when)


def _now() -> float:
    import asyncio

    return asyncio.get_running_loop().time()
