"""Removing a folder with all that is in it, by descriptor, however deep it is."""

import errno
import os
import stat

from msgspec import Struct
from toolcast.runtime.workers import abandoned

from .path_errors import system_error
from .resolution import FOLDER

_LEVELS = 64
"""Folders that are open at once. One that is deeper is moved up first."""


class _Level(Struct, frozen=True):
    name: str
    """In the level above."""
    fd: int
    names: list[str]
    """What is left to remove."""


def remove_tree(folder: int, name: str) -> None:
    """Remove a folder and what is in it. Links are removed, never followed.

    Args:
        folder: the descriptor of the folder that it is in.
        name: its name there.

    Raises:
        OSError: the system refuses to remove something, or nobody waits for the call any more; what was
            removed before stays removed.
    """
    levels = [_open_level(folder, name)]
    top = levels[0].fd
    device = os.fstat(top).st_dev
    try:
        while levels:
            if abandoned():
                raise system_error(errno.ECANCELED)
            level = levels[-1]
            if not level.names:
                os.close(levels.pop().fd)
                os.rmdir(level.name, dir_fd=levels[-1].fd if levels else folder)
                continue
            each = level.names.pop()
            if _unlinked(level.fd, each):
                continue
            if len(levels) == _LEVELS:
                moved = f"{each[:32]}.{os.urandom(8).hex()}"
                os.rename(each, moved, src_dir_fd=level.fd, dst_dir_fd=top)
                levels[0].names.append(moved)
                continue
            levels.append(_open_level(level.fd, each))
            if os.fstat(levels[-1].fd).st_dev != device:  # another file system is mounted there
                raise system_error(errno.EBUSY)
    finally:
        for level in levels:
            os.close(level.fd)


def _open_level(folder: int, name: str) -> _Level:
    fd = os.open(name, FOLDER, dir_fd=folder)
    try:
        return _Level(name, fd, os.listdir(fd))  # noqa: PTH208 - by descriptor
    except BaseException:
        os.close(fd)
        raise


def _unlinked(folder: int, name: str) -> bool:
    """Remove what is no folder. False for a folder."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except (IsADirectoryError, PermissionError):  # the system's choice for a folder
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise
        return False
    return True
