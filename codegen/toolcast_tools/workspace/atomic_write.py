"""A file's content replaced at once: a reader sees the former content or the new one, and never a part.

The new content goes to a file beside, which then takes the name. That file is named after the target and
locked while it is written: a killed process leaves one at most, and the next write of the target removes it.
"""

import errno
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b

from .path_errors import PathError, system_error
from .resolution import FILE, ResolvedPlace, status_or_none

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
"""The file system, or its rules, have no second name for a file."""


def move(origin: ResolvedPlace, moved: os.stat_result, target: ResolvedPlace, *, replace: bool) -> None:
    """Rename an entry, of status `moved`; neither place may be the root. `replace` replaces a file, link or
    empty folder. Raises FileExistsError if the target exists otherwise, and OSError."""
    assert origin.name is not None
    assert target.name is not None
    present = status_or_none(target)
    if present is None or not replace:
        _move_to_new_name(origin.folder, origin.name, target.folder, target.name)
    elif not os.path.samestat(present, moved):
        os.replace(origin.name, target.name, src_dir_fd=origin.folder, dst_dir_fd=target.folder)
    elif origin.names != target.names:  # two names of one file, of which the system would keep both
        os.unlink(origin.name, dir_fd=origin.folder)


def _move_to_new_name(source_folder: int, source: str, target_folder: int, target: str) -> None:
    """Rename a name in one open folder to a new one in another. A file gets the second name, which fails if
    that exists, and then loses the first one. A folder takes the place of an empty one, which is made before
    and fails in the same way; so does a file if the file system has no second names. Raises FileExistsError
    if the target exists, and OSError."""
    status = os.stat(source, dir_fd=source_folder, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        os.mkdir(target, 0o700, dir_fd=target_folder)
        _replace(source_folder, source, target_folder, target, os.rmdir)
        return
    try:
        os.link(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder, follow_symlinks=False)
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        os.close(os.open(target, flags, 0o600, dir_fd=target_folder))
        _replace(source_folder, source, target_folder, target, os.unlink)
        return
    # A file that took the source's place meanwhile stays.
    if os.path.samestat(status, os.stat(source, dir_fd=source_folder, follow_symlinks=False)):
        os.unlink(source, dir_fd=source_folder)


def _replace(
    source_folder: int, source: str, target_folder: int, target: str, undo: Callable[..., None]
) -> None:
    """Rename over what was made just now, and remove that if it fails."""
    try:
        os.replace(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)
    except BaseException:
        with suppress(OSError):
            undo(target, dir_fd=target_folder)
        raise


_PATIENCE = 10.0
"""Seconds to wait for another process that writes the same file."""
_PREFIX, _SUFFIX = ".toolcast-", ".tmp"
_POLL = 0.005


def write_atomically(
    folder: int, name: str, data: bytes, *, replaced: os.stat_result | None, mode: int | None
) -> None:
    """Write a file beside, and give it the name.

    Raises FileExistsError: `replaced` is None, and the name exists by now; OSError: the system refuses;
    nothing is left then; PathError: a folder has the name of the file beside; TimeoutError: another process
    writes the file for more than 10 s.

    Args:
        replaced: the status of the file to replace; None if there must be none.
        mode: permission bits; None for those of the replaced file, or the process's default.
    """
    if mode is None and replaced is not None:
        # Without set-user-id and its like, which a system takes away from written files, too.
        mode = stat.S_IMODE(replaced.st_mode) & 0o777
    beside = temporary_name(name)
    fd = _create(folder, beside, 0o666 if mode is None else 0o600)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(fd, left) :]
            if replaced is not None:
                _keep_owner(fd, replaced)
            if mode is not None:
                os.fchmod(fd, mode)
            os.fsync(fd)
            if replaced is None:
                _move_to_new_name(folder, beside, folder, name)
            else:
                os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise
    finally:
        os.close(fd)  # and with it the lock


def remove_second_name(folder: int, name: str) -> None:
    """Remove the name beside from a file that has both names: a process that was killed after it named a new
    file leaves it so. Raises OSError."""
    beside = temporary_name(name)
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and _is_same(folder, name, beside):
        if not _remove_left_over(folder, beside):
            time.sleep(_POLL)  # its process is alive, and removes it


def _is_same(folder: int, first: str, second: str) -> bool:
    """Return whether two names stand for one regular file."""
    try:
        found = [os.stat(name, dir_fd=folder, follow_symlinks=False) for name in (first, second)]
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found[0].st_mode) and os.path.samestat(*found)


def append_all(fd: int, data: bytes) -> None:
    """Append to an open file; on failure take back what was written, unless another process has added more
    behind it. Raises OSError."""
    size = os.fstat(fd).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(fd, left) :]
    except BaseException:
        with suppress(OSError):
            if os.fstat(fd).st_size == size + len(data) - len(left):
                os.ftruncate(fd, size)
        raise


def temporary_name(name: str) -> str:
    """Return the name of the file in which the next content of `name` is written."""
    digest = blake2b(os.fsencode(name), digest_size=12).hexdigest()
    return f"{_PREFIX}{digest}{_SUFFIX}"


def is_temporary(name: str) -> bool:
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def _keep_owner(fd: int, replaced: os.stat_result) -> None:
    """Return the new file to the owner of the former one if the system permits it, as it does to root."""
    mine = os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (replaced.st_uid, replaced.st_gid):
        with suppress(PermissionError):
            os.fchown(fd, replaced.st_uid, replaced.st_gid)


def _create(folder: int, name: str, mode: int) -> int:
    """Make the file beside, locked. Remove what a killed process left under its name."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FILE, mode, dir_fd=folder)
        except FileExistsError:
            if not _remove_left_over(folder, name):
                time.sleep(_POLL)
            continue
        kept = False  # unless another process takes it for one that was left
        try:
            kept = _lock(fd) and _is_still(folder, name, fd)
        except BaseException:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
            raise
        finally:
            if not kept:
                os.close(fd)
        if kept:
            return fd
    raise system_error(errno.ETIMEDOUT)


def _remove_left_over(folder: int, name: str) -> bool:
    """Remove `name` unless a process writes it. True if it is gone."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            raise PathError(f"The folder {name!r} is in the way of writing beside it. Remove it.")
        if not stat.S_ISREG(mode):  # which no write makes
            os.unlink(name, dir_fd=folder)
            return True
        fd = os.open(name, os.O_RDONLY | FILE, dir_fd=folder)
    except FileNotFoundError:
        return True
    try:
        if not _lock(fd):
            return False
        if _is_still(folder, name, fd):
            os.unlink(name, dir_fd=folder)
        return True
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    """Lock an open file. False if another process has it locked."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still(folder: int, name: str, fd: int) -> bool:
    """Return whether `name` is the file that is open as `fd`."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(fd))
    except FileNotFoundError:
        return False
