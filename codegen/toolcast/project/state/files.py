"""Machine-local files: read only where they are regular files, written whole or not at all."""

import contextlib
import errno
import os
import stat
from collections.abc import Generator
from pathlib import Path

READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags that follow no link and wait for no pipe."""


def read_plain(path: Path, limit: int = -1) -> bytes:
    """The bytes of a regular file, at most `limit` of them. Raises OSError for anything else at `path`."""
    handle = os.open(path, READ)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is no regular file", str(path))
        return file.read(limit)


@contextlib.contextmanager
def replacing(path: Path) -> Generator[Path]:
    """An empty file in the folder of `path`, to be filled; it replaces `path` unless something is raised.

    Raises OSError.
    """
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
    """Write `content` to `path`. Raises OSError."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)
