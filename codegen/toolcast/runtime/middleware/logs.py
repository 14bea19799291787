"""Logs for machines: records of the start and the end of each call, and one line of JSON for each record."""

import json
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import perf_counter

from ...jsonschema.json_values import JsonObject
from ..binding import AnyBinding
from ..context import ToolContext
from ..log_records import FIELDS, LOGGER, log
from .events import REFUSALS, Event, Observer, Outcome, Refused, Started

__all__ = ["FIELDS", "LOGGER", "CallLog", "JsonLines"]

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


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


class JsonLines(logging.Formatter):
    """A formatter that writes each record as one line of JSON, in ASCII.

    `time` is in UTC (RFC 3339), `level`, `logger` and `message` are the record's; `exception` is a traceback.
    Other attributes of a record (`extra`, and so FIELDS) follow under their own names; None is left out.
    """

    def __init__(self, redact: Callable[[str], str] | None = None) -> None:
        """Make a formatter.

        Args:
            redact: applied to every text: `Secrets.redact_text`, for what handlers log themselves.
        """
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """Return one record as a line, without a line break."""
        whole: JsonObject = {
            "time": _time(record.created),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            whole["exception"] = record.exc_text
        if record.stack_info:
            whole["stack"] = record.stack_info
        for name, value in vars(record).items():
            if name not in _STANDARD and name not in whole and value is not None:
                whole[name] = value
        return json.dumps(self._clean(whole), allow_nan=False)

    def _clean(self, value: object) -> object:
        """Return plain data for JSON; what has no form in it is shown as `repr` shows it."""
        if isinstance(value, dict):
            return {self._text(str(key)): self._clean(item) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self._clean(item) for item in value]
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, (int, float)) and abs(value) < 2**63 and self._text(str(value)) == str(value):
            return value  # neither NaN nor infinite, nor a secret
        return self._text(value if isinstance(value, str) else repr(value))

    def _text(self, text: str) -> str:
        return text if self._redact is None else self._redact(text)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
