"""From a path that a model wrote to an open folder and a name in it, or a regular file, by descriptor."""

import errno
import os
import threading
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from msgspec import Struct

from .path_errors import PathError, WorkspaceError, check_regular, check_system, shown, system_error


def check_spelling(folder: int, name: str, error: type[Exception]) -> None:
    """Raise `error` if `name`, which was just found in `folder`, is there under another spelling."""
    if not _is_folded(folder, name):
        return
    present = os.listdir(folder)
    if name in present:
        return
    spelt = next((other for other in present if _plain(other) == _plain(name)), None)
    raise error(
        f"{name!r} is spelt {spelt!r} there. Use that spelling."
        if spelt is not None
        else f"{name!r} is another spelling of a name there. Use the name as it is listed."
    )


def _is_folded(folder: int, name: str) -> bool:
    """Return whether the file may have been found by another spelling: its name in other letters finds it,
    too; or it has letters with several forms.
    """
    if not name.isascii():
        return True
    other = name.swapcase()
    if other == name:
        # Nothing to fold but what Windows file systems drop.
        return name.endswith((".", " "))
    try:
        found = os.stat(other, dir_fd=folder, follow_symlinks=False)
        mine = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return name.endswith((".", " "))
    return (found.st_dev, found.st_ino) == (mine.st_dev, mine.st_ino)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().rstrip(". ")


_MAX_LINKS = 40
_MAX_BYTES = 4096
"""Of a path, as Linux has it (PATH_MAX)."""
MAX_DEPTH = 200
"""Folders below the root; each holds a descriptor while a path through it is resolved."""

# `os.open` makes descriptors that other programs do not inherit. What a system lacks is no flag: `Workspace`
# refuses such a system.
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
# Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class OpenFolder:
    """A folder's descriptor, of which each call takes a duplicate. Another thread may close it while calls
    run, and the number of a closed descriptor may soon be another folder's."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()

    @contextmanager
    def duplicate(self) -> Generator[int]:
        """Hold the folder open while the `with` block lasts; raise ValueError if it is closed. The position
        of the descriptor is shared: to list the folder, open it anew."""
        with self._lock:
            if self._fd < 0:
                raise ValueError("The workspace is closed.")
            fd = os.dup(self._fd)
        try:
            yield fd
        finally:
            os.close(fd)

    def close(self) -> None:
        """Close the descriptor; running calls keep theirs."""
        with self._lock:
            fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    __del__ = close


class Root(Struct, frozen=True):
    """The folder that no path leaves.

    Attributes:
        paths: the absolute paths that lead to it: without links, and as the program wrote it.
        system: the device of `/proc`, if there is one.
    """

    folder: OpenFolder
    paths: tuple[Path, ...]
    system: int | None


class ResolvedPlace(Struct, frozen=True):
    """The end of a path.

    Attributes:
        folder: the open folder in which it ends; the caller closes nothing.
        name: the name in it; None if the path is the root.
        above: the names of the folders on the way, from the root on, none of which is a link.
    """

    folder: int
    name: str | None
    above: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names from the root on."""
        return self.above if self.name is None else (*self.above, self.name)


@contextmanager
def resolved(
    root: Root, path: str, *, follow: bool = True, parents: bool = False
) -> Generator[ResolvedPlace]:
    """Resolve a path, and hold the folder in which it ends open. The last name need not exist.

    Every name is looked up in the folder before it, by descriptor. Links are read and followed here, never by
    the system; `..` goes back to the folder that the path came through.

    Raises WorkspaceError: the path leads outside; PathError: the path is too long or too deep; OSError: a
    folder on the way does not exist, is none, or may not be entered.

    Args:
        root: the folder that the path may not leave.
        follow: follow a link at the end of the path. Otherwise a `/` at its end is ignored.
        parents: make missing folders on the way, but none for a link that leads nowhere. They are removed if
            the `with` block raises.
    """
    todo = [*_end(path if follow else ""), *names_below(root, path)[::-1]]
    written = len(todo)  # how many names of the path itself are left; what a link adds comes on top
    trail: list[_Step] = []
    links = 0
    with root.folder.duplicate() as base:
        try:
            while todo:
                folder = trail[-1].fd if trail else base
                name = todo.pop()
                from_link = len(todo) >= written
                written = min(written, len(todo))
                if name == ".":
                    continue
                if name == "..":
                    if not trail:
                        raise _outside(root, path)
                    if trail[-1].made:  # there is no way back from what did not exist
                        raise system_error(errno.ENOENT)
                    os.close(trail.pop().fd)
                    continue
                target = _link(name, folder) if follow or todo else None
                if target is not None:
                    links += 1
                    if links > _MAX_LINKS:
                        raise WorkspaceError(
                            f"{shown(path)} leads through too many links. Use a path without links."
                        )
                    todo += _follow(root, target, trail, path)
                elif todo:
                    if len(trail) == MAX_DEPTH:
                        raise PathError(
                            f"{shown(path)} is more than {MAX_DEPTH} folders deep. Use a shorter path."
                        )
                    trail.append(_enter(root, name, folder, path, parents and not from_link))
                else:
                    yield ResolvedPlace(folder, name, tuple(step.name for step in trail))
                    return
            # The root, or a path that ended in `..` or a link to a folder.
            last = trail.pop() if trail else None
            if last is not None:
                os.close(last.fd)
            yield ResolvedPlace(
                trail[-1].fd if trail else base,
                None if last is None else last.name,
                tuple(step.name for step in trail),
            )
        except BaseException:
            _undo(base, trail)
            raise
        finally:
            _close(trail)


def names_below(root: Root, path: str) -> tuple[str, ...]:
    """Return the names in a path from the root on, as it is written: with `..` and through links. Raises
    WorkspaceError for an absolute path that is not below the root, and for what is no path; OSError for one
    that is too long."""
    if not isinstance(path, str) or not path or "\0" in path:
        raise WorkspaceError("A path must be text that is not empty, without a zero byte.")
    if len(os.fsencode(path)) > _MAX_BYTES:
        raise system_error(errno.ENAMETOOLONG)
    pure = PurePosixPath(path)
    if not pure.is_absolute():
        return pure.parts
    return _below_root(root, path, path)


def _outside(root: Root, path: str) -> WorkspaceError:
    """Make the error of a path that leads out of the workspace."""
    return WorkspaceError(f"{shown(path)} is outside of the workspace. Name a path below {root.paths[0]}.")


class _Step(Struct, frozen=True):
    name: str
    fd: int
    made: bool


def _close(trail: list[_Step]) -> None:
    while trail:
        os.close(trail.pop().fd)


def _undo(base: int, trail: list[_Step]) -> None:
    """Close the folders, and remove those that were made for nothing."""
    while trail:
        step = trail.pop()
        os.close(step.fd)
        if step.made:
            with suppress(OSError):  # something is in it by now
                os.rmdir(step.name, dir_fd=trail[-1].fd if trail else base)


def _link(name: str, folder: int) -> str | None:
    """Return the target of a link; None for anything else."""
    try:
        return os.readlink(name, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as problem:
        if problem.errno == errno.EINVAL:  # it is no link
            return None
        raise


def _follow(root: Root, target: str, trail: list[_Step], path: str) -> list[str]:
    """Return the names that a link adds to the way, last first."""
    if target.startswith("/"):
        names = _below_root(root, target, path)
        _close(trail)
    else:
        names = PurePosixPath(target).parts
    return [*_end(target), *names[::-1]]


def _end(path: str) -> list[str]:
    """Return the stand-in for a `/` at the end: what is before it has to be a folder."""
    return ["."] if path.endswith(("/", "/.")) else []


def _below_root(root: Root, absolute: str, path: str) -> tuple[str, ...]:
    # "//x" is another root to PurePosixPath.
    pure = PurePosixPath("/" + absolute.lstrip("/"))
    for each in root.paths:
        if pure.is_relative_to(each):
            return pure.relative_to(each).parts
    raise _outside(root, path)


def _enter(root: Root, name: str, folder: int, path: str, parents: bool) -> _Step:
    made = False
    try:
        fd = os.open(name, FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not parents:
            raise
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
            made = True
        fd = os.open(name, FOLDER, dir_fd=folder)
    try:
        check_spelling(folder, name, WorkspaceError)
        check_system(os.fstat(fd), path, root.system)
    except BaseException:
        os.close(fd)
        raise
    return _Step(name, fd, made)


def file_name(place: ResolvedPlace, path: str) -> str:
    """Return the name of a file. Raises WorkspaceError for the root."""
    if place.name is None:
        raise WorkspaceError(f"{shown(path)} is a folder. Name a file in it.")
    return place.name


def movable_name(place: ResolvedPlace, path: str) -> str:
    """Return the name of an entry that may be renamed or removed. Raises WorkspaceError for the root."""
    if place.name is None:
        raise WorkspaceError(f"{shown(path)} is the workspace itself, which stays. Name a path in it.")
    return place.name


def present_status(place: ResolvedPlace) -> os.stat_result:
    """Return the status of an entry, of a link itself, or of the root. Raises WorkspaceError if it has
    another spelling, and OSError if there is nothing."""
    if place.name is None:
        return os.fstat(place.folder)
    status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    check_spelling(place.folder, place.name, WorkspaceError)
    return status


def status_or_none(place: ResolvedPlace) -> os.stat_result | None:
    """Return the same status; None if there is nothing."""
    try:
        return present_status(place)
    except FileNotFoundError:
        return None


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


def open_regular(place: ResolvedPlace, path: str, system: int | None, flags: int) -> int:
    """Open a regular file and return its descriptor. `path` is for errors, `system` the device of `/proc`.
    Raises WorkspaceError if it is no regular file, or is to be written and has another name elsewhere; and
    OSError."""
    name = file_name(place, path)
    fd = os.open(name, flags | FILE, 0o666, dir_fd=place.folder)
    try:
        check_spelling(place.folder, name, WorkspaceError)
        writes = flags & (os.O_WRONLY | os.O_RDWR) != 0
        check_regular(os.fstat(fd), path, system, writes=writes)
        os.set_blocking(fd, True)
    except BaseException:
        os.close(fd)
        raise
    return fd


def open_to_append(place: ResolvedPlace, path: str, system: int | None) -> tuple[int, bool]:
    """Open a regular file to write at its end; make it if it does not exist. Returns its descriptor, and
    whether it was made. Raises as `open_regular`."""
    flags = os.O_WRONLY | os.O_APPEND
    for _ in range(_TRIES):  # others may make and remove it meanwhile
        with suppress(FileNotFoundError):
            return open_regular(place, path, system, flags), False
        with suppress(FileExistsError):
            return open_regular(place, path, system, flags | os.O_CREAT | os.O_EXCL), True
    raise system_error(errno.EBUSY)
