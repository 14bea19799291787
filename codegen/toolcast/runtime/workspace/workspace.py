"""Files inside one folder, and none outside of it, whatever changes meanwhile."""

import os
import stat
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from .path_errors import PathError, path_errors, shown

_LINKS = 40
_MODES = {
    "r": os.O_RDONLY,
    "r+": os.O_RDWR,
    "w": os.O_WRONLY | os.O_CREAT,
    "w+": os.O_RDWR | os.O_CREAT,
    "a": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
    "a+": os.O_RDWR | os.O_CREAT | os.O_APPEND,
    "x": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
    "x+": os.O_RDWR | os.O_CREAT | os.O_EXCL,
}
# `os.open` makes descriptors that other programs do not inherit. What a system lacks is no flag: `Workspace`
# refuses such a system.
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
# Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class WorkspaceError(PathError):
    """A path that leads out of the workspace, or to no regular file; the text states why."""


class Workspace:
    """A folder that paths of a model may not leave.

    Every step of a path is opened relative to the one before, by descriptor, and no step follows a link by
    itself: links are read, and followed while they stay inside. So a link, or a folder, that is replaced
    between a check and its use leads nowhere else: there is no check apart from the use. POSIX only.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Open a folder.

        Args:
            root: path of the folder.

        Raises:
            NotImplementedError: the system cannot open files relative to folders.
            ValueError: `root` is the root of the file system, or no folder.
        """
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            raise NotImplementedError(
                "Workspace needs a system that opens files relative to folders, as POSIX does. On Windows "
                "run the tools that touch files in a container or in WSL."
            )
        self.root = Path(root).resolve()
        self._unresolved_root = Path(os.path.abspath(root))  # noqa: PTH100 - links are to stay
        if not self.root.is_dir():
            raise ValueError(f"The workspace {self.root} is no folder.")
        if self.root.parent == self.root:
            raise ValueError("The root of the file system cannot be a workspace: nothing is outside of it.")
        self._fd = os.open(self.root, _FOLDER)
        try:
            self._proc: int | None = Path("/proc").stat().st_dev
        except OSError:
            self._proc = None

    def close(self) -> None:
        """Close the folder's descriptor."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def open(
        self,
        path: str,
        mode: str = "r",
        *,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]:
        """Open a regular file inside, as the builtin `open` does.

        Errors of later reads and writes are for `path_errors` around all of the work.

        Args:
            path: the path that the model wrote: relative to the root, or absolute and below it.
            mode: as for `open`.
            encoding: of text; UTF-8 by default.
            errors: as for `open`.
            newline: as for `open`.

        Returns:
            The open file.

        Raises:
            WorkspaceError: the path is outside or no regular file; or it is to be written and has another
                name elsewhere (a hard link), which may be outside.
            PathError: the operating system refuses the path.
            ValueError: the mode does not exist.
        """
        kind = mode.replace("b", "").replace("t", "")
        if kind not in _MODES or len(mode) - len(kind) > 1:
            raise ValueError(f"There is no mode {mode!r}.")
        flags = _MODES[kind]
        with path_errors(path), self._walk(path) as (folder, name, _):
            if name is None:
                raise WorkspaceError(f"{shown(path)} is a folder. Name a file in it.")
            fd = os.open(name, flags | _FILE, 0o666, dir_fd=folder)
            try:
                check_spelling(folder, name, WorkspaceError)
                self._check_status(os.fstat(fd), path, writes=kind != "r")
                if kind.startswith("w"):  # only now: an open that is refused must change nothing
                    os.ftruncate(fd, 0)
                os.set_blocking(fd, True)
                if "b" in mode:
                    return os.fdopen(fd, mode)
                return os.fdopen(fd, mode, encoding=encoding or "utf-8", errors=errors, newline=newline)
            except BaseException:
                os.close(fd)
                raise

    def resolve(self, path: str) -> Path:
        """Resolve the links of a path, to show or compare it. Its last part need not exist.

        It may lead elsewhere a moment later: read and write with `open`.

        Args:
            path: the path that the model wrote.

        Returns:
            The absolute path, inside, without links.

        Raises:
            WorkspaceError: the path is outside.
            PathError: a folder on the way does not exist.
        """
        with path_errors(path), self._walk(path) as (_, name, parts):
            return self.root.joinpath(*parts, *([] if name is None else [name]))

    def names(self, path: str = ".") -> list[str]:
        """List a folder inside.

        Args:
            path: the path that the model wrote.

        Returns:
            The names in it, sorted.

        Raises:
            WorkspaceError: the path is outside.
            PathError: the path is no folder.
        """
        with path_errors(path), self._walk(path) as (folder, name, _):
            if name is None:
                return sorted(os.listdir(folder))  # noqa: PTH208 - by descriptor
            entered = self._enter(name, folder, path)
            try:
                return sorted(os.listdir(entered))  # noqa: PTH208 - the same
            finally:
                os.close(entered)

    def _check_status(self, status: os.stat_result, path: str, writes: bool) -> None:
        if stat.S_ISDIR(status.st_mode):
            raise WorkspaceError(f"{shown(path)} is a folder. Name a file in it.")
        if not stat.S_ISREG(status.st_mode):
            raise WorkspaceError(f"{shown(path)} is no regular file. Name one that is.")
        if writes and status.st_nlink > 1:
            raise WorkspaceError(
                f"{shown(path)} has another name elsewhere (a hard link), so writing may change a file "
                "outside of the workspace. Write a new file instead."
            )
        if status.st_dev == self._proc:
            raise WorkspaceError(
                f"{shown(path)} belongs to the system, not to the workspace. Name another file."
            )

    def _parts(self, path: str) -> list[str]:
        """The names in a path, from the root on."""
        if not isinstance(path, str) or not path or "\0" in path:
            raise WorkspaceError("A path must be text that is not empty, without a zero byte.")
        pure = PurePosixPath(path)
        if ".." in pure.parts:
            raise WorkspaceError(
                f"{shown(path)} steps upwards with '..'. Write it from the workspace's root."
            )
        if not pure.is_absolute():
            return list(pure.parts)
        # "//x" is another root to PurePosixPath.
        pure = PurePosixPath("/" + path.lstrip("/"))
        for root in (self.root, self._unresolved_root):
            if pure.is_relative_to(root):
                return list(pure.relative_to(root).parts)
        raise self._outside(path)

    def _outside(self, path: str) -> WorkspaceError:
        return WorkspaceError(f"{shown(path)} is outside of the workspace. Name a path below {self.root}.")

    @contextmanager
    def _walk(self, path: str) -> Generator[tuple[int, str | None, list[str]], None, None]:
        """The folder in which `path` ends, open; the last name in it, which is no link (None for the root);
        and the names of the folders on the way."""
        todo = self._parts(path)[::-1]
        trail: list[tuple[str, int]] = []
        links = 0
        try:
            while True:
                folder = trail[-1][1] if trail else self._fd
                if not todo:
                    name = None
                    if trail:
                        # A path that ended in a link to a folder, or in `..` of a link.
                        name, last = trail.pop()
                        os.close(last)
                    yield (trail[-1][1] if trail else self._fd), name, [part for part, _ in trail]
                    return
                name = todo.pop()
                if name == "..":  # only links have them
                    if not trail:
                        raise self._outside(path)
                    os.close(trail.pop()[1])
                    continue
                target = _link(name, folder)
                if target is not None:
                    links += 1
                    if links > _LINKS:
                        raise WorkspaceError(
                            f"{shown(path)} leads through too many links. Use a path without links."
                        )
                    todo += self._follow(target, trail, path)
                elif todo:
                    trail.append((name, self._enter(name, folder, path)))
                else:
                    yield folder, name, [part for part, _ in trail]
                    return
        finally:
            for _, fd in trail:
                os.close(fd)

    def _follow(self, target: str, trail: list[tuple[str, int]], path: str) -> list[str]:
        """What a link adds to the way, last first."""
        if not target.startswith("/"):
            return [part for part in target.split("/") if part not in ("", ".")][::-1]
        pure = PurePosixPath(os.path.normpath("/" + target.lstrip("/")))
        root = next((root for root in (self.root, self._unresolved_root) if pure.is_relative_to(root)), None)
        if root is None:
            raise self._outside(path)
        while trail:
            os.close(trail.pop()[1])
        return list(pure.relative_to(root).parts)[::-1]

    def _enter(self, name: str, folder: int, path: str) -> int:
        fd = os.open(name, _FOLDER, dir_fd=folder)
        try:
            check_spelling(folder, name, WorkspaceError)
            if os.fstat(fd).st_dev == self._proc:
                raise WorkspaceError(
                    f"{shown(path)} belongs to the system, not to the workspace. Name another file."
                )
        except BaseException:
            os.close(fd)
            raise
        return fd


def _link(name: str, folder: int) -> str | None:
    """Where a link leads; None for what is none, or not there."""
    try:
        return os.readlink(name, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as problem:
        if problem.errno == 22:  # EINVAL: it is no link
            return None
        raise


def check_spelling(folder: int, name: str, error: type[Exception]) -> None:
    """Raise `error` where `name`, which was just opened in `folder`, is there under another spelling."""
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
    """Whether the file may have been found by another spelling: its name in other letters finds it, too; or
    it has letters that have several forms."""
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
