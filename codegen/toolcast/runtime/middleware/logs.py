"""Log records of the start and the end of each call."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter

from ..binding import AnyBinding
from ..context import ToolContext
from ..log_records import FIELDS, LOGGER, log
from .events import REFUSALS, Event, Observer, Outcome, Refused, Started

__all__ = ["FIELDS", "LOGGER", "CallLog"]


class CallLog:
    """Hooks that write a log record when a handler is called, and one when the call ends.

    The first has the event `execute_start`, at the level INFO: a call that is refused before has none. The
    second has the event `call`, the seconds, and the error type if the call failed; its level is INFO after a
    success, WARNING otherwise. Both have the tool and the id of the call, and neither arguments nor results.
    """

    def on(self, event: Event) -> None:
        """Log an `event` of a call that reaches no tool; `around` logs other calls."""
        if isinstance(event, Refused):
            log(
                logging.WARNING,
                "A call was not carried out: %s",
                REFUSALS[event.stage],
                event="call",
                tool=event.tool,
                call_id=event.call_id,
                error_type=REFUSALS[event.stage],
                seconds=0.0,
            )

    @contextmanager
    def around(self, binding: AnyBinding, context: ToolContext) -> Generator[Observer]:
        """Yield the observer of one call of `binding` in its `context`, which logs the call of its handler
        and its end."""
        outcome, begun = Outcome(), perf_counter()

        def observe(event: Event) -> None:
            if isinstance(event, Started):
                log(
                    logging.INFO,
                    "Tool %r: started",
                    binding.name,
                    event="execute_start",
                    tool=binding.name,
                    call_id=context.call_id,
                )
            outcome.see(event)

        try:
            yield observe
        finally:
            outcome.end()
            seconds = perf_counter() - begun
            how = outcome.error_type or ("deferred" if outcome.deferred else "ok")
            log(
                logging.INFO if outcome.error_type is None else logging.WARNING,
                "Tool %r: %s after %.3f s",
                binding.name,
                how,
                seconds,
                event="call",
                tool=binding.name,
                call_id=context.call_id,
                error_id=outcome.error_id,
                error_type=outcome.error_type,
                seconds=seconds,
            )
