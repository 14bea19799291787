"""Machine-local files are read only where they are files: no link is followed, and no pipe waited for."""

import errno
import os
import stat
from pathlib import Path

_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


def read_plain(path: Path) -> bytes:
    """The bytes of a regular file. Raises OSError for anything else that stands there."""
    handle = os.open(path, _FLAGS)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is no regular file", str(path))
        return file.read()
