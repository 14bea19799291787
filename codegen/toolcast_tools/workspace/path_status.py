"""What stands at a path: its kind, size and time; and which kinds a model may read and write."""

import os
import stat
from typing import Literal

from msgspec import Struct

from .path_errors import WorkspaceError, shown

Kind = Literal["file", "folder", "link", "other"]


class PathStatus(Struct, frozen=True):
    """What stands at a path.

    Attributes:
        kind: a regular file, a folder, a symbolic link, or anything else (a pipe, a socket, a device).
        size: bytes of a file; for other kinds whatever the system reports.
        modified: when the content last changed, in seconds since 1970.
        mode: the permission bits, as `chmod` takes them.
        links: how many names a file has in its file system.
    """

    kind: Kind
    size: int
    modified: float
    mode: int
    links: int


def path_status(status: os.stat_result) -> PathStatus:
    """What the system reports, as a `PathStatus`."""
    return PathStatus(
        kind=kind(status.st_mode),
        size=status.st_size,
        modified=status.st_mtime,
        mode=stat.S_IMODE(status.st_mode),
        links=status.st_nlink,
    )


def kind(mode: int) -> Kind:
    """The kind that `st_mode` states."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def check_regular(status: os.stat_result, path: str, system: int | None, *, writes: bool) -> None:
    """Raise WorkspaceError unless `status` is that of a file that may be read, or written where `writes`.

    `system` is the device of `/proc`: what is there gives access to the rest of the machine.
    """
    if stat.S_ISDIR(status.st_mode):
        raise WorkspaceError(f"{shown(path)} is a folder. Name a file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise WorkspaceError(f"{shown(path)} is no regular file. Name one that is.")
    if writes and status.st_nlink > 1:
        raise WorkspaceError(
            f"{shown(path)} has another name elsewhere (a hard link), so writing may change a file "
            "outside of the workspace. Write a new file instead."
        )
    check_system(status, path, system)


def check_system(status: os.stat_result, path: str, system: int | None) -> None:
    """Raise WorkspaceError where `status` is that of a file of `/proc`, whose device is `system`."""
    if status.st_dev == system:
        raise WorkspaceError(f"{shown(path)} belongs to the system, not to the workspace. Name another file.")
