"""Refusals by the operating system of a path that a model wrote, as refusals that it can act on."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct
from toolcast.runtime.errors import RefusalError

_LONGEST = 200
"""Characters of a path that an error repeats."""

_LIST = "Check how it is spelt, or list the folder that it should be in."
_OTHER = "Use another path, or tell the user."
_FULL = "Tell the user; nothing can be written until there is room."
_FAILS = "Tell the user; the disk or its connection may be defective."
_LATER = "Try again later, or use another path."
_REASONS: dict[str, str] = {
    "ENOENT": f"does not exist, or a folder on the way does not. {_LIST}",
    "EISDIR": "is a folder. Name a file in it.",
    "ENOTDIR": f"is not a folder, or leads through something that is not a folder. {_LIST}",
    "EACCES": f"cannot be used: permission is denied. {_OTHER}",
    "EPERM": f"cannot be used: permission is denied. {_OTHER}",
    "EEXIST": "exists already. Use another name, or change what is there.",
    "ENAMETOOLONG": "is too long, or a name in it is. Use a shorter one.",
    "ELOOP": "leads through too many links. Use a path without links.",
    "ENOTEMPTY": "is a folder that is not empty. Remove what is in it first.",
    "EROFS": f"cannot be changed: the file system is read-only. {_OTHER}",
    "ENOSPC": f"cannot be written: there is no space left. {_FULL}",
    "EDQUOT": f"cannot be written: the quota is used up. {_FULL}",
    "EFBIG": "cannot be written: it would be too large. Write less to one file.",
    "EINVAL": f"is refused as invalid. {_OTHER}",
    "EILSEQ": f"is refused as invalid. {_OTHER}",
    "EXDEV": "cannot be moved there: that is another file system. Copy it, and remove it then.",
    "EBUSY": f"is in use. {_LATER}",
    "ETXTBSY": f"is in use. {_LATER}",
    "EAGAIN": f"is in use. {_LATER}",
    "EWOULDBLOCK": f"is in use. {_LATER}",
    "EDEADLK": f"is in use. {_LATER}",
    "ETIMEDOUT": f"is in use, or does not answer. {_LATER}",
    "ECANCELED": "was not worked through to the end: the call was cancelled. Try again with less.",
    "ENXIO": "is no regular file. Name one that is.",
    "ENODEV": "is no regular file. Name one that is.",
    "ESPIPE": "is no regular file. Name one that is.",
    "EMLINK": f"cannot have another link. {_OTHER}",
    "EOVERFLOW": "is too large to be opened. Use another file, or tell the user.",
    "EMFILE": "cannot be opened: too many files are open. Try again later, or tell the user.",
    "ENFILE": "cannot be opened: too many files are open. Try again later, or tell the user.",
    "ENOMEM": "cannot be used: the system has no memory left. Try again later, or tell the user.",
    "ENOBUFS": "cannot be used: the system has no memory left. Try again later, or tell the user.",
    "ENOLCK": f"cannot be locked there. {_OTHER}",
    "EOPNOTSUPP": f"cannot be used in this way: its file system does not support it. {_OTHER}",
    "ENOTSUP": f"cannot be used in this way: its file system does not support it. {_OTHER}",
    "ENOSYS": f"cannot be used in this way: its file system does not support it. {_OTHER}",
    "ENOKEY": f"cannot be used: it is encrypted, and the key is missing. {_OTHER}",
    "EKEYEXPIRED": f"cannot be used: it is encrypted, and the key is missing. {_OTHER}",
    "EKEYREVOKED": f"cannot be used: it is encrypted, and the key is missing. {_OTHER}",
    "EIO": f"cannot be used: its file system reports an error. {_FAILS}",
    "EREMOTEIO": f"cannot be used: its file system reports an error. {_FAILS}",
    "EUCLEAN": f"cannot be used: its file system reports an error. {_FAILS}",
    "EBADMSG": f"cannot be used: its file system reports an error. {_FAILS}",
    "ESTALE": f"cannot be used: its file system reports an error. {_FAILS}",
    "ENOTCONN": f"cannot be used: its file system is not connected. {_FAILS}",
    "EHOSTDOWN": f"cannot be used: its file system is not connected. {_FAILS}",
    "ENOLINK": f"cannot be used: its file system is not connected. {_FAILS}",
}
_BY_NUMBER = {getattr(errno, name): reason for name, reason in _REASONS.items() if hasattr(errno, name)}
"""By what `OSError.errno` holds. No system has them all."""


class PathError(RefusalError):
    """A path cannot be used as requested; the text states why."""


class WorkspaceError(PathError):
    """A path leads out of the workspace, or to no regular file; the text states why."""


@contextmanager
def path_errors(path: str | os.PathLike[str]) -> Generator[None]:
    """Turn errors of the operating system inside a `with` block into a refusal of `path`, for handlers.

    Args:
        path: the path that the model wrote; the text repeats it, and no other path that the error may name.

    Raises:
        PathError: the path does not exist, is of the wrong kind, may not be used, or is no path; the disk is
            full; a file that is read as text is none. Any other exception passes: it is a bug.
    """
    try:
        yield
    except OSError as problem:
        reason = _BY_NUMBER.get(problem.errno or 0)
        if reason is None:
            raise
        raise PathError(f"{shown(path)} {reason}") from problem
    except UnicodeDecodeError as problem:
        raise PathError(
            f"{shown(path)} is no text in {problem.encoding}. Name a text file, or tell the user."
        ) from problem
    except ValueError as problem:
        if _is_name(os.fspath(path)):
            raise
        raise PathError(
            f"{shown(path)} is no file name. Leave out characters that names cannot have."
        ) from problem


def system_error(number: int) -> OSError:
    """Return the error of the operating system that has a number."""
    return OSError(number, os.strerror(number))


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path for an error: quoted, control characters escaped, and cut if it is long."""
    text = os.fspath(path)
    return repr(text) if len(text) <= _LONGEST else f"{text[:_LONGEST]!r}…"


def _is_name(path: str) -> bool:
    """Return whether the operating system takes `path`."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


Kind = Literal["file", "folder", "link", "other"]


class PathStatus(Struct, frozen=True):
    """The status of a path.

    Attributes:
        kind: a regular file, a folder, a symbolic link, or anything else (a pipe, a socket, a device).
        size: bytes of a file; for other kinds whatever the system reports.
        modified: the last change of the content, in seconds since 1970.
        mode: the permission bits, as `chmod` takes them.
        links: the number of names that a file has in its file system.
    """

    kind: Kind
    size: int
    modified: float
    mode: int
    links: int


def path_status(status: os.stat_result) -> PathStatus:
    """Convert what the system reports."""
    return PathStatus(
        kind=kind(status.st_mode),
        size=status.st_size,
        modified=status.st_mtime,
        mode=stat.S_IMODE(status.st_mode),
        links=status.st_nlink,
    )


def kind(mode: int) -> Kind:
    """Return the kind that `st_mode` states."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def check_regular(status: os.stat_result, path: str, system: int | None, *, writes: bool) -> None:
    """Raise WorkspaceError unless `status` is that of a file that may be read, or written if `writes`.
    `system` is the device of `/proc`, which gives access to the rest of the machine."""
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
    """Raise WorkspaceError if `status` is that of a file of `/proc`, of device `system`."""
    if status.st_dev == system:
        raise WorkspaceError(f"{shown(path)} belongs to the system, not to the workspace. Name another file.")
