"""The end of a command whose supervisor was killed: what is left of it is found and killed."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from .supervisor import descendants, send, statuses

MARK = "TOOLCAST_COMMAND"
"""Variable whose value tells the processes of one command from all others."""
_SECONDS = 5.0
_LOOKS = 3
"""How often at least to look: while a process begins a program, its environment is empty for a moment."""
_PAUSE = 0.01


def kill_remaining(group: int | None, marker: str) -> None:
    """Kill all processes of a session, all that have the marker in their environment, and all below these.

    A process that has left the session, has another environment and no parent among the others is not found:
    a program that does all of this on purpose can only be held in a sandbox.

    Args:
        group: id of the command's process group and session; None where it did not begin.
        marker: the value of `MARK`.
    """
    if not Path("/proc/self/stat").exists():
        if group is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        return
    deadline = time.monotonic() + _SECONDS
    looks = _LOOKS
    while looks > 0 and time.monotonic() < deadline:
        found = _members(group, f"{MARK}={marker}".encode())
        looks = _LOOKS if found else looks - 1
        # As the supervisor does: what is stopped cannot fork.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in found:
                send(process, number)
        time.sleep(_PAUSE)


def _members(group: int | None, mark: bytes) -> list[int]:
    found: dict[int, None] = {}
    for process, (state, _, _, session) in statuses():
        if state not in "ZX" and process != os.getpid() and (session == group or _has(process, mark)):
            found.update(dict.fromkeys((process, *descendants(process))))
    found.pop(os.getpid(), None)
    return [*found]


def _has(process: int, mark: bytes) -> bool:
    try:
        return mark in _environment(process).split(b"\0")
    except OSError:  # it has ended, or is another user's
        return False


def _environment(process: int) -> bytes:
    """The variables of a process. Raises OSError."""
    return Path(f"/proc/{process}/environ").read_bytes()
