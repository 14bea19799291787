"""The entries below a folder, in order, without a link followed or a descriptor held between two entries."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, Generic, TypeVar

from msgspec import Struct
from toolcast.runtime.workers import abandoned

from .path_errors import Kind, PathError, check_regular, shown, system_error
from .resolution import FILE, FOLDER, MAX_DEPTH, Root

S = TypeVar("S")
Step = Callable[[S, str], tuple[bool, S | None]]
"""For a state and a name: whether it is yielded, and the state for what is in it (None: not entered)."""
_PASSED_OVER = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.EPERM})
"""It disappeared, or is something else by now, or may not be read."""


class Entry(Struct, frozen=True):
    """A file, folder, link or something else below a folder.

    Attributes:
        path: its path from the workspace's root, with `/`, without links.
        kind: a regular file, a folder, a symbolic link, or anything else.
        size: bytes of a file.
        modified: the last change of the content, in seconds since 1970.
        opener: called by `open` with the path.
    """

    path: str
    kind: Kind
    size: int
    modified: float
    opener: Callable[[str], IO[bytes]]

    def open(self) -> IO[bytes]:
        """Return the file, open to read its bytes, also after the walk has ended. No link is followed.

        Raises:
            PathError: it is no regular file, or the operating system refuses it.
        """
        return self.opener(self.path)


class WalkLimits(Struct, frozen=True):
    """The bounds of a walk. `path` is for errors; names of `skip` are neither yielded nor entered; `depth` is
    the levels to go down, None for all; `entries` the most names to look at."""

    path: str
    skip: Callable[[str], bool]
    depth: int | None
    entries: int


class _Found(Struct, Generic[S], frozen=True):
    name: str
    status: os.stat_result
    yields: bool
    state: S | None


def walk_tree(
    root: Root, start: tuple[str, ...], state: S, step: Step[S], limits: WalkLimits
) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
    """Walk the folders below `start`, by name, each folder before its entries; yield names from the root on,
    and the status. Skipped is what disappears meanwhile, and folders below `start` that may not be read.
    `state` is that of the entries of `start`, `step` decides what is yielded and entered. Raises PathError
    for more entries or levels than allowed; OSError if the system refuses the first folder, or fails, or
    nobody waits for the call any more."""
    seen, found = _listed(root, start, state, step, limits)
    pending = [(start, found)]
    while pending:
        folder, found = pending[-1]
        if not found:
            pending.pop()
            continue
        each = found.pop()
        names = (*folder, each.name)
        if each.yields:
            yield names, each.status
        if each.state is None or len(names) - len(start) == limits.depth:
            continue
        if not stat.S_ISDIR(each.status.st_mode) or each.status.st_dev == root.system:
            continue
        if len(names) > MAX_DEPTH:
            raise PathError(
                f"{shown('/'.join(names))} is more than {MAX_DEPTH} folders deep. Name a folder beside it, "
                "or remove it."
            )
        try:
            count, found = _listed(root, names, each.state, step, limits, seen)
        except OSError as problem:
            if problem.errno not in _PASSED_OVER:
                raise
            continue
        seen += count
        pending.append((names, found))


def _open_below(root: Root, names: tuple[str, ...], flags: int) -> int:
    """Open `names` below the root, none of which may be a link, and return a descriptor; no names are the
    root. Raises OSError."""
    with root.folder.duplicate() as base:
        fd = os.open(".", FOLDER if names else flags, dir_fd=base)
    for position, name in enumerate(names, 1):
        try:
            inner = os.open(name, FOLDER if position < len(names) else flags, dir_fd=fd)
        finally:
            os.close(fd)
        fd = inner
    return fd


def open_entry(root: Root, path: str) -> IO[bytes]:
    """Open a regular file to read its bytes, by a path that a walk yielded. Raises PathError if it is no
    regular file, and OSError."""
    fd = _open_below(root, tuple(path.split("/")), os.O_RDONLY | FILE)
    try:
        check_regular(os.fstat(fd), path, root.system, writes=False)
        os.set_blocking(fd, True)
        return os.fdopen(fd, "rb")
    except BaseException:
        os.close(fd)
        raise


def _listed(
    root: Root, folder: tuple[str, ...], state: S, step: Step[S], limits: WalkLimits, seen: int = 0
) -> tuple[int, list[_Found[S]]]:
    """Return how many names a folder has, and those to yield or enter, the last first."""
    if abandoned():
        raise system_error(errno.ECANCELED)
    found: list[_Found[S]] = []
    count = 0
    fd = _open_below(root, folder, FOLDER)
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                count += 1
                if seen + count > limits.entries:
                    raise PathError(
                        f"{shown(limits.path)} has more than {limits.entries} files and folders in it. "
                        "Name a folder in it."
                    )
                if limits.skip(entry.name):
                    continue
                yields, inner = step(state, entry.name)
                if not yields and (inner is None or not entry.is_dir(follow_symlinks=False)):
                    continue
                with suppress(FileNotFoundError):
                    # Only now: the entry knows the folder by its descriptor.
                    status = entry.stat(follow_symlinks=False)
                    found.append(_Found(entry.name, status, yields, inner))
    finally:
        os.close(fd)
    found.sort(key=lambda each: each.name, reverse=True)
    return count, found


_LEVELS = 64
"""Folders that are open at once. One that is deeper is moved up first."""


class _Level(Struct, frozen=True):
    name: str
    """In the level above."""
    fd: int
    names: list[str]
    """The files that are left to remove."""


def remove_tree(folder: int, name: str) -> None:
    """Remove a folder and its contents. Links are removed, never followed. Raises OSError if the system
    refuses, or nobody waits for the call any more; what was removed before stays removed."""
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
    """Remove an entry. False for a folder."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except (IsADirectoryError, PermissionError):  # the system's choice for a folder
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise
        return False
    return True
