"""Calls recorded in a file, one JSON line each, for `toolcast diff --calls` and `toolcast lint --calls`."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import time_ns
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ...jsonschema.validator_errors import Violation
from ..log_records import ERROR, log
from ..repairs.repair import Repair
from .events import Decoded, Event, Refused, Written

__all__ = ["RecordedLine", "record_calls"]

MAX_ARGUMENTS: Final = 32 * 1024
"""Bytes of arguments, as JSON, that are recorded whole."""
_SHOWN: Final = 1000
_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_encode: Final = msgspec.json.encode


class RecordedLine(Struct, frozen=True, kw_only=True):
    """One recorded call.

    Attributes:
        time: when its arguments were decoded or refused, in UTC, by RFC 3339.
        tool: its name.
        provider: id of the provider whose wire form the arguments have, or None.
        arguments: JSON text, or parsed data, as the model wrote them; with marks in place of secrets.
        verdict: "accepted", or what was wrong.
        repairs: corrections by guesses.
        redacted: whether `arguments` have marks.
        cut: the bytes that the arguments had, where they are the beginning alone.
    """

    time: str
    tool: str
    provider: str | None = None
    arguments: Any = None
    verdict: Literal["accepted"] | tuple[Violation, ...]
    repairs: tuple[Repair, ...] = ()
    redacted: bool | UnsetType = UNSET
    cut: int | UnsetType = UNSET


class CallRecorder:
    """Hooks that append a line to a file for each call whose arguments were decoded or refused; made by
    `record_calls`."""

    wants_arguments = True

    def __init__(self, path: Path, share: float, max_bytes: int, files: int) -> None:
        self._path = path
        self._share = share
        self._max_bytes = max_bytes
        self._older = files - 1
        self._names = re.compile(rf"{re.escape(path.name)}\.[0-9]{{20}}-[0-9]+")
        self._random = Random()
        self._failed = False
        self._torn = False

    def on(self, event: Event) -> None:
        """Record the call of an `event` that has arguments. A failure of the disk is logged once."""
        if not isinstance(event, (Decoded, Refused)) or event.written is None:
            return
        if self._share < 1 and self._random.random() >= self._share:
            return
        try:
            self._append(_line(event, event.written))
        except OSError as problem:
            if not self._failed:
                self._failed = True
                log(
                    ERROR,
                    "Calls cannot be recorded in %s: %s. Further failures are not logged.",
                    self._path,
                    problem.strerror,
                    event="record_failed",
                    tool=event.tool,
                    error_type=type(problem).__name__,
                )

    def _append(self, line: bytes) -> None:
        """Write a line at once. The file is opened for each: threads, forked processes and other programs
        append to it and rotate it without a lock."""
        file = os.open(self._path, _FLAGS, 0o600)
        try:
            size = os.fstat(file).st_size
            if size and size + len(line) > self._max_bytes:
                number = os.fstat(file).st_ino
                os.close(file)
                file = -1
                self._rotate(number)
                file = os.open(self._path, _FLAGS, 0o600)
            data = b"\n" + line if self._torn else line  # a disk that was full took a part of a line
            self._torn = os.write(file, data) < len(data)
        finally:
            if file >= 0:
                os.close(file)

    def _rotate(self, number: int) -> None:
        """Give the file another name, unless another process did, and remove the oldest ones."""
        folder = self._path.parent
        try:
            if self._path.stat().st_ino == number:
                self._path.rename(folder / f"{self._path.name}.{time_ns():020d}-{os.getpid()}")
        except FileNotFoundError:
            pass
        older = sorted(each.name for each in os.scandir(folder) if self._names.fullmatch(each.name))
        for name in older[: len(older) - self._older]:
            (folder / name).unlink(missing_ok=True)


def record_calls(
    path: str | os.PathLike[str], *, share: float = 1.0, max_bytes: int = 64 * 1024 * 1024, files: int = 5
) -> CallRecorder:
    """Record calls in a file, one JSON line each (`RecordedLine`), with secrets redacted.

    Args:
        path: the file, made where it is missing, for its owner alone; its folder exists.
        share: the part of the calls that is recorded, chosen by chance: above 0, at most 1.
        max_bytes: size past which the file gets another name, with the time, and a new one begins.
        files: how many files are kept, the current one included.

    Returns:
        Hooks for `ToolRegistry(hooks=…)`.

    Raises:
        ValueError: a number is out of range.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, not {share!r}.")
    if max_bytes < 1 or files < 1:
        raise ValueError(f"max_bytes and files must be at least 1, not {max_bytes!r} and {files!r}.")
    return CallRecorder(Path(path).absolute(), share, max_bytes, files)


def _line(event: Decoded | Refused, written: Written) -> bytes:
    arguments, text, cut = written.arguments, b"", False
    if isinstance(arguments, (bytes, bytearray, memoryview)):
        arguments = bytes(arguments).decode("utf-8", "replace")
    try:
        text = _encode(arguments)
    except (TypeError, ValueError, RecursionError):  # no JSON: refused, or an object of a client's library
        text, cut = f"{arguments!r:.{_SHOWN}}".encode("utf-8", "replace"), True
    if cut or len(text) > MAX_ARGUMENTS:
        arguments, cut = text[:_SHOWN].decode("utf-8", "replace"), True
    line = RecordedLine(
        time=datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        tool=event.tool,
        provider=event.provider,
        arguments=arguments if cut else msgspec.Raw(text),
        verdict="accepted" if isinstance(event, Decoded) else tuple(map(_bounded, event.violations)),
        repairs=event.repairs if isinstance(event, Decoded) else (),
        redacted=written.redacted or UNSET,
        cut=len(text) if cut else UNSET,
    )
    return _encode(line) + b"\n"


def _bounded(found: Violation) -> Violation:
    return Violation(found.path[:_SHOWN], found.message[:_SHOWN], found.keyword)
