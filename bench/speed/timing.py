"""One process, timed from outside."""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct


class Time(Struct, frozen=True):
    """Seconds by the clock, and of processors (all processes that were started, together)."""

    wall: float
    cpu: float


class BenchError(Exception):
    """A command did not do what is measured; the message says what it said."""


def environment(folder: Path) -> dict[str, str]:
    """This process's environment, but compiled modules are kept, below `folder`: as on any user's machine.

    Where a shell forbids to write them, every run would compile its sources again, and ours more than others.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder)}


def timed(
    command: Sequence[str], folder: Path, expected: str = "", *, env: Mapping[str, str] | None = None
) -> Time:
    """Run `command` in `folder`. Raises BenchError unless it succeeds and prints `expected`."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        # wait4 reports the processor time of this child alone, with its own children.
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode != 0 or expected not in text:
        raise BenchError(
            f"{' '.join(command)}: status {process.returncode}, wanted {expected!r}:\n{text[-2000:]}"
        )
    return Time(wall, usage.ru_utime + usage.ru_stime)


def median(times: Sequence[Time]) -> Time:
    """The medians of both, each for itself."""
    return Time(statistics.median(t.wall for t in times), statistics.median(t.cpu for t in times))
