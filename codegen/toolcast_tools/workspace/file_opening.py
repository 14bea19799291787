"""Regular files opened at the end of a path: by descriptor, no link followed, checked once they are open."""

import errno
import os
from contextlib import suppress

from .path_errors import WorkspaceError, check_regular, system_error
from .resolution import FILE, Place, check_spelling, file_name

_FLAGS = {
    "r": os.O_RDONLY,
    "r+": os.O_RDWR,
    "w": os.O_WRONLY | os.O_CREAT,
    "w+": os.O_RDWR | os.O_CREAT,
    "a": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "a+": os.O_RDWR | os.O_CREAT | os.O_APPEND,
    "x": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
    "x+": os.O_RDWR | os.O_CREAT | os.O_EXCL,
}
_TRIES = 10


def open_flags(mode: str) -> int:
    """Return the flags of `os.open` for a mode of `open`. "w" does not truncate: that happens once the file
    is checked. Raises ValueError for an unknown mode."""
    kind = mode.replace("b", "").replace("t", "")
    if kind not in _FLAGS or len(mode) - len(kind) > 1:
        raise ValueError(f"There is no mode {mode!r}.")
    return _FLAGS[kind]


def open_regular(place: Place, path: str, system: int | None, flags: int, mode: int = 0o666) -> int:
    """Open a regular file and return its descriptor. `path` is for errors, `system` the device of `/proc`,
    `mode` the permission bits of a new file. Raises WorkspaceError if it is no regular file, or is to be
    written and has another name elsewhere; and OSError."""
    name = file_name(place, path)
    fd = os.open(name, flags | FILE, mode, dir_fd=place.folder)
    try:
        check_spelling(place.folder, name, WorkspaceError)
        writes = flags & (os.O_WRONLY | os.O_RDWR) != 0
        check_regular(os.fstat(fd), path, system, writes=writes)
        os.set_blocking(fd, True)
    except BaseException:
        os.close(fd)
        raise
    return fd


def open_to_append(place: Place, path: str, system: int | None) -> tuple[int, bool]:
    """Open a regular file to write at its end; make it if it does not exist. Returns its descriptor, and
    whether it was made. Raises as `open_regular`."""
    flags = os.O_WRONLY | os.O_APPEND
    for _ in range(_TRIES):  # others may make and remove it meanwhile
        with suppress(FileNotFoundError):
            return open_regular(place, path, system, flags), False
        with suppress(FileExistsError):
            return open_regular(place, path, system, flags | os.O_CREAT | os.O_EXCL), True
    raise system_error(errno.EBUSY)
