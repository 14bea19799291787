"""When the file system's clock has gone on, so that an edit from now on shows another time.

The clock is asked, not guessed: a file beside the index is touched until it gets a later time than the file
in question. Recent kernels give one at once, others after a tick (4 ms on Linux, 16 ms on Windows).
"""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from .unchanged import Signature

TICK = 20_000_000
"""Nanoseconds that a file system's clock may stand still."""
COARSE_TICK = 2_000_000_000
"""The same for file systems that keep whole seconds only (FAT keeps two)."""
_POLL = 0.0005
"""Seconds between two looks at the clock."""


def changed(state: Signature) -> int:
    """When a file was changed, in nanoseconds."""
    # A file's ctime cannot be set by hand; on Windows it is the time of creation, so mtime must serve.
    return state[0] if os.name == "nt" else state[1]


def doubtful(times: Iterable[tuple[bytes, int]], probe: Path, place: Callable[[bytes], bytes]) -> set[bytes]:
    """Which files an edit made from now on might leave with the time that they have.

    `times`: when each was changed. `probe`: a file to touch. `place`: where a file is. Waits for the clock,
    but no longer than a tick. Raises OSError.
    """
    start = time.time_ns()
    fresh = {path: at for path, at in times if at >= start - COARSE_TICK and _waits(at, start)}
    if not fresh:  # of thousands that a first run wrote, few are so young
        return set()
    device = probe.stat().st_dev
    beside = {path for path in fresh if _device(place(path)) == device}
    apart = fresh.keys() - beside  # another clock, which cannot be asked
    now = wait_past(max((fresh[path] for path in beside), default=0), probe)
    if apart:
        newest = max(fresh[path] for path in apart)
        time.sleep(min(max(newest + TICK - time.time_ns(), 0) + 1, TICK) / 1e9)
    end = time.time_ns()
    return {path for path in beside if fresh[path] >= now} | {
        path for path in apart if _waits(fresh[path], end)
    }


def wait_past(newest: int, probe: Path) -> int:
    """The time that `probe` gets when it is touched, later than `newest` if that comes within a tick."""
    start = time.monotonic_ns()
    while True:
        os.utime(probe)
        state = probe.stat()
        now = state.st_mtime_ns if os.name == "nt" else state.st_ctime_ns
        if now > newest or time.monotonic_ns() - start > TICK:
            return now
        time.sleep(_POLL)


def _waits(at: int, now: int) -> bool:
    tick = COARSE_TICK if at % 1_000_000_000 == 0 else TICK
    return at >= now - tick


def _device(path: bytes) -> int | None:
    try:
        return os.stat(path).st_dev  # noqa: PTH116 - a first run asks for thousands
    except (OSError, ValueError):
        return None
