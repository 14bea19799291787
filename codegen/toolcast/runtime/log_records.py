"""Log records of the runtime, which a program can read, too."""

from collections.abc import Callable
from typing import Final

from .unicode_text import escape_control

__all__ = ["ERROR", "FIELDS", "LOGGER", "WARNING", "log"]

WARNING: Final = 30
ERROR: Final = 40
"""Levels, as `logging` has them: importing the runtime does not import `logging`."""

LOGGER = "toolcast.runtime"
"""The logger of every record."""

FIELDS: tuple[str, ...] = ("event", "tool", "call_id", "error_id", "error_type", "seconds")
"""Attributes that every record has; None where they do not apply."""


def log(
    level: int,
    message: str,
    *args: object,
    event: str,
    tool: str | None = None,
    call_id: str | None = None,
    error_id: str | None = None,
    error_type: str | None = None,
    seconds: float | None = None,
    problem: BaseException | None = None,
    redact: Callable[[str], str] | None = None,
) -> None:
    """Write one record, with FIELDS, the message, and the traceback of `problem`. Control characters in a
    traceback, which may end with text of a model, are escaped. With `redact` only its redacted text is kept:
    the variables of its frames may hold secrets."""
    import logging
    import traceback

    logger = logging.getLogger(LOGGER)
    if not logger.isEnabledFor(level):
        return
    if problem is not None and error_type is None:
        error_type = type(problem).__name__
    if redact is not None:
        # A library may make the classes of its exceptions of what a server sent.
        call_id = redact(call_id) if call_id else call_id
        error_type = redact(error_type) if error_type else error_type
    values = (event, tool, call_id or None, error_id, error_type, seconds)
    fields: dict[str, object] = dict(zip(FIELDS, values, strict=True))
    kept = None if problem is None or redact is not None else (type(problem), problem, problem.__traceback__)
    path, line, function, _ = logger.findCaller(stacklevel=2)
    record = logger.makeRecord(LOGGER, level, path, line, message, args, kept, function, fields)
    if problem is not None:
        text = "".join(traceback.format_exception(problem)).rstrip("\n")
        record.exc_text = escape_control(text if redact is None else redact(text), keep="\n\t")
    logger.handle(record)
