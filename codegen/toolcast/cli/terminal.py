"""The standard streams of a command, in any encoding, closed or on a full disk; and a bar of its progress."""

import codecs
import errno
import io
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


_NAME = "toolcast-escape"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of what is written to, for which no command is at fault."""


def write_anything() -> None:
    r"""Let stdout and stderr write what their encoding lacks as `\uXXXX`, which JSON reads back."""
    _open_closed()
    codecs.register_error(_NAME, _escape)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _open_closed() -> None:
    """Give stdout and stderr a place where Python found them closed (`>&-`)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the end
            setattr(sys, name, nowhere)


def end_unwritten(error: OSError) -> NoReturn:
    """End the process where output cannot be written; else raise the error.

    A reader that has gone, such as `head`, is no fault: the exit status is 0. A full disk is one: 1.
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


_DELAY = 1.0


class Bar:
    """Shows progress on stderr: call it with (done, total), as a context manager.

    Nothing is drawn within the first second, nor where stderr is no terminal; never from another thread,
    since worker processes may be forked meanwhile.
    """

    def __init__(self, label: str = "compiling") -> None:
        self._label = label
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._progress is None:
            if not sys.stderr.isatty() or time.monotonic() - self._started < _DELAY:
                return
            self._open(total)
        assert self._progress is not None
        assert self._task is not None
        rate = done / max(time.monotonic() - self._started, 1e-9)
        left = max(total - done, 0) / max(rate, 1e-9)
        rate_text = f"{rate:,.0f}/s, {_span(left)} left" if done else ""
        self._progress.update(self._task, completed=done, total=total, rate_text=rate_text)
        self._progress.refresh()

    def _open(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn(self._label),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate_text]}"),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
        self._task = self._progress.add_task(self._label, total=total, rate_text="")
        self._progress.start()

    def __enter__(self) -> "Bar":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def _span(seconds: float) -> str:
    """Format `8 s`, `3:20`, `1:02:05`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


COMPILER = ("black", "jinja2", "yaml")
"""Libraries of the extra `build` that `mcp`, which brings click, lacks."""


def lacks_compiler() -> bool:
    """Return whether what compiles specs is not installed."""
    return any(find_spec(name) is None for name in COMPILER)


def refuse_compiler() -> int:
    """Print which extra to install; return the exit status."""
    sys.stderr.write("toolcast: the compiler is not installed; run: pip install 'toolcast[build]'\n")
    return 2
