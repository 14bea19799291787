"""Log records of the runtime, which a program can read, too."""

from collections.abc import Callable
from typing import Final, Required, TypedDict, Unpack

from .unicode_text import escape_control

__all__ = ["ERROR", "FIELDS", "LOGGER", "WARNING", "log"]

WARNING: Final = 30
ERROR: Final = 40
"""Levels, as `logging` has them: importing the runtime does not import `logging`."""

LOGGER = "toolcast.runtime"
"""The logger of every record."""


class _Fields(TypedDict, total=False):
    event: Required[str]
    tool: str | None
    call_id: str | None
    error_id: str | None
    error_type: str | None
    seconds: float | None


FIELDS: tuple[str, ...] = tuple(_Fields.__annotations__)
"""Attributes that every record has; None where they do not apply."""


def log(
    level: int,
    message: str,
    *args: object,
    problem: BaseException | None = None,
    redact: Callable[[str], str] | None = None,
    **stated: Unpack[_Fields],
) -> None:
    """Write one record, with FIELDS, the message, and the traceback of `problem`. Control characters in a
    traceback, which may end with text of a model, are escaped. With `redact` only its redacted text is kept:
    the variables of its frames may hold secrets."""
    import logging
    import traceback

    logger = logging.getLogger(LOGGER)
    if not logger.isEnabledFor(level):
        return
    call_id, error_type = stated.get("call_id"), stated.get("error_type")
    if problem is not None and error_type is None:
        error_type = type(problem).__name__
    if redact is not None:
        # A library may make the classes of its exceptions of what a server sent.
        call_id = redact(call_id) if call_id else call_id
        error_type = redact(error_type) if error_type else error_type
    known = {**stated, "call_id": call_id or None, "error_type": error_type}
    fields: dict[str, object] = {name: known.get(name) for name in FIELDS}
    kept = None if problem is None or redact is not None else (type(problem), problem, problem.__traceback__)
    path, line, function, _ = logger.findCaller(stacklevel=2)
    record = logger.makeRecord(LOGGER, level, path, line, message, args, kept, function, fields)
    if problem is not None:
        text = "".join(traceback.format_exception(problem)).rstrip("\n")
        record.exc_text = escape_control(text if redact is None else redact(text), keep="\n\t")
    logger.handle(record)
