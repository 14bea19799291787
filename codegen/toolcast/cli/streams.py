"""Standard output and standard error: in any encoding, closed, or on a full disk."""

import codecs
import errno
import io
import os
import sys
from pathlib import Path
from typing import NoReturn

_NAME = "toolcast-escape"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of what is written to, for which no command is at fault."""


def write_anything() -> None:
    """Let stdout and stderr write what their encoding lacks as `\\uXXXX`, which JSON reads back; where one is
    closed, drop what is written to it.
    """
    open_closed()
    codecs.register_error(_NAME, _escape)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def open_closed() -> None:
    """Give stdout and stderr a place where Python found them closed (`>&-`)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the end
            setattr(sys, name, nowhere)


def end_unwritten(error: OSError) -> NoReturn:
    """End the process where output cannot be written; else raise the error.

    A reader that has gone, such as `head`, is no fault: the exit status is 0. A full disk is one: 1.

    Args:
        error: what ended a command.

    Raises:
        OSError: `error`, where it is another one.
    """
    if isinstance(error, BrokenPipeError):
        os._exit(0)
    if error.errno not in _FULL:
        raise error
    sys.stderr.write(f"toolcast: cannot write: {os.strerror(error.errno).lower()}\n")
    sys.stderr.flush()
    os._exit(1)  # an orderly end would try to write once more


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    words = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    return "".join(f"\\u{word}" for word in words), error.end
