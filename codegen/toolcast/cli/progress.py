"""A bar on stderr for runs that take longer than a second, on terminals only.

It shows how many of how many are done, how many a second, and how long the rest will take.
"""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY = 1.0


class Bar:
    """Call it with (done, total); as a context manager it cleans up after itself.

    It is drawn from the caller's thread only: worker processes may be forked meanwhile.
    """

    def __init__(self, label: str = "compiling") -> None:
        self._label = label
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._progress is None:
            if not sys.stderr.isatty() or time.monotonic() - self._started < DELAY:
                return
            self._open(total)
        assert self._progress is not None
        assert self._task is not None
        rate = done / max(time.monotonic() - self._started, 1e-9)
        left = max(total - done, 0) / max(rate, 1e-9)
        rate_text = f"{rate:,.0f}/s, {_span(left)} left"
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
    """`8 s`, `3:20`, `1:02:05`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
