"""Files in `.toolcast/`: read only where they are regular files, written whole or not at all; and the lock,
which lets one run at a time into a project."""

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags that follow no link and wait for no pipe."""


def read_plain(path: Path, limit: int = -1) -> bytes:
    """Return at most `limit` bytes of a regular file. Raises OSError for anything else."""
    handle = os.open(path, _READ)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is no regular file", str(path))
        return file.read(limit)


@contextlib.contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Yield an empty file beside `path`, which replaces it unless something is raised. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(b"")
        yield temporary
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all. Raises OSError."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


_LOCK_FLAGS = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
)  # `os.open` lets no other program inherit it
_BUSY = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK, errno.EINTR})
"""Another holds it. Any other refusal is the file system's, and waiting would not end it."""


@contextlib.contextmanager
def locked(state: Path, waiting: Callable[[str], None], *, poll: float = 0.05) -> Generator[None]:
    """Hold `.toolcast/lock`; if another run holds it, call `waiting` once and wait for its end. The lock is
    the operating system's and ends with the process that holds it; workers do not inherit it. Raises
    OSError if the file cannot be made, or the file system knows no locks.
    """
    path = state / "lock"
    announced = False
    while True:
        state.mkdir(parents=True, exist_ok=True)  # `clean` removes it with the lock
        try:
            handle = os.open(path, _LOCK_FLAGS, 0o666)
        except FileNotFoundError:
            if path.is_symlink():  # one that leads nowhere: trying again would not end
                raise
            continue
        try:
            taken = _take(handle)
        except OSError as error:
            os.close(handle)
            error.filename = str(path)
            raise
        if taken:
            if _same_file(handle, path):
                break
            os.close(handle)  # `clean` removed the file that we waited for
            continue
        os.close(handle)
        if not announced:
            waiting("toolcast: waiting for another run in this project to end")
            announced = True
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


def _take(handle: int) -> bool:
    """Return whether the lock is ours now. Raises OSError where there are no locks."""
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
