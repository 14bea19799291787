"""One run at a time in one project."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path


@contextlib.contextmanager
def locked(state: Path, waiting: Callable[[str], None], *, poll: float = 0.05) -> Generator[None]:
    """Hold `.toolwright/lock`. If another run does, say so once through `waiting`, and wait for its end.

    The lock is the operating system's, so it ends with the process that holds it, however that ends.
    Raises OSError if the file cannot be made.
    """
    state.mkdir(parents=True, exist_ok=True)
    path = state / "lock"
    told = False
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        if _take(handle):
            if _same_file(handle, path):
                break
            os.close(handle)  # `clean` removed the file that we waited for
            continue
        os.close(handle)
        if not told:
            waiting("toolwright: waiting for another run in this project to end")
            told = True
        time.sleep(poll)
    try:
        yield
    finally:
        os.close(handle)


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
