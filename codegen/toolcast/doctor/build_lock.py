"""Who is building a project right now."""

import os
from pathlib import Path

from ..project.state import lock


def holder(state: Path) -> int | None:
    """The process that holds a project's lock; None for nobody, 0 for one whose number cannot be known.

    Raises OSError where the file system knows no locks.
    """
    try:
        handle = os.open(state / "lock", os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:  # never built, or not ours to open: then nobody of us builds
        return None
    try:
        if lock._take(handle):  # given back at once, when the file is closed
            return None
        return _process(os.fstat(handle).st_ino)
    finally:
        os.close(handle)


def _process(inode: int) -> int:
    """Linux lists its locks: `1: FLOCK  ADVISORY  WRITE 4711 08:01:815 0 EOF`."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return 0
    for line in lines:
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5].rpartition(":")[2] == str(inode):
            return int(words[4])
    return 0
