"""Files inside one folder, and none outside of it, whatever changes meanwhile."""

import errno
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

from .atomic_write import append_all, move, remove_second_name, write_atomically
from .glob_pattern import parse_glob
from .path_errors import (
    PathError,
    PathStatus,
    WorkspaceError,
    check_regular,
    check_system,
    kind,
    path_errors,
    path_status,
    shown,
    system_error,
)
from .resolution import (
    FOLDER,
    OpenFolder,
    Root,
    check_spelling,
    file_name,
    movable_name,
    names_below,
    open_flags,
    open_regular,
    open_to_append,
    present_status,
    resolved,
    status_or_none,
)
from .tree_walk import Entry, Step, WalkLimits, open_entry, remove_tree, walk_tree

_MAX_ENTRIES = 100_000
S = TypeVar("S")


class Workspace:
    """A folder that paths of a model may not leave.

    A path is relative to the folder, or absolute and below it; `..` may step up within it. Every step is
    opened relative to the one before, by descriptor; links are read, and followed while they stay inside. So
    a link or folder that is replaced between a check and its use leads nowhere else: no check is apart from
    the use. POSIX only.

    Every method takes a path that the model wrote. It raises WorkspaceError if the path leads outside, and
    PathError if the operating system refuses it.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Open the folder `root`.

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
        if not self.root.is_dir():
            raise ValueError(f"The workspace {self.root} is no folder.")
        if self.root.parent == self.root:
            raise ValueError("The root of the file system cannot be a workspace: nothing is outside of it.")
        try:
            system: int | None = Path("/proc").stat().st_dev
        except OSError:
            system = None
        unresolved = Path(os.path.abspath(root))  # noqa: PTH100 - links are to stay
        folder = OpenFolder(os.open(self.root, FOLDER))
        self._root = Root(folder, (self.root, unresolved), system)

    def close(self) -> None:
        """Close the folder's descriptor. Running calls end with one of their own."""
        self._root.folder.close()

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
        """Return a regular file inside, opened as by the builtin `open`: `path`, `mode`, `encoding` (UTF-8 by
        default), `errors` and `newline` are its arguments.

        `path_errors` around all of the work handles errors of later reads and writes.

        Raises:
            WorkspaceError: also if it is no regular file, or is to be written and has another name elsewhere
                (a hard link), which may be outside.
            ValueError: the mode does not exist.
        """
        flags = open_flags(mode)
        with path_errors(path), resolved(self._root, path) as place:
            fd = open_regular(place, path, self._root.system, flags)
            try:
                if "w" in mode:  # only now: an open that is refused must change nothing
                    os.ftruncate(fd, 0)
                if "b" in mode:
                    return os.fdopen(fd, mode)
                return os.fdopen(fd, mode, encoding=encoding or "utf-8", errors=errors, newline=newline)
            except BaseException:
                os.close(fd)
                raise

    def write(
        self,
        path: str,
        data: bytes,
        *,
        create_only: bool = False,
        mode: int | None = None,
        parents: bool = False,
    ) -> bool:
        """Write a whole file: its content is the former or the new one at any time, and never a part.

        The content goes to a file beside, `.toolcast-….tmp`, which then takes the name. A killed process
        leaves one at most, and the next write of the same path removes it.

        Args:
            path: the path that the model wrote.
            data: the content.
            create_only: refuse a file that exists.
            mode: permission bits; by default those of the replaced file, or the process's default.
            parents: make missing folders on the way.

        Returns:
            True if the file is new.

        Raises:
            WorkspaceError: also if it is no regular file, or has another name elsewhere.
            PathError: the file is as it was.
        """
        with path_errors(path), resolved(self._root, path, parents=parents) as place:
            name = file_name(place, path)
            replaced = status_or_none(place)
            if replaced is not None and replaced.st_nlink > 1:  # as a file has that another call names now
                remove_second_name(place.folder, name)
                replaced = status_or_none(place)
            if replaced is not None:
                check_regular(replaced, path, self._root.system, writes=True)
                if create_only:
                    raise system_error(errno.EEXIST)
            write_atomically(place.folder, name, data, replaced=replaced, mode=mode)
        return replaced is None

    def append(self, path: str, data: bytes, *, parents: bool = False, mode: int | None = None) -> bool:
        """Write at the end of a file, which is made if it does not exist.

        Args:
            path: the path that the model wrote.
            data: the bytes to add.
            parents: make missing folders on the way.
            mode: permission bits of a new file; the process's default by default.

        Returns:
            True if the file is new.

        Raises:
            WorkspaceError: also if it is no regular file, or has another name elsewhere.
            PathError: the file is as it was.
        """
        with path_errors(path), resolved(self._root, path, parents=parents) as place:
            remove_second_name(place.folder, file_name(place, path))
            fd, created = open_to_append(place, path, self._root.system)
            try:
                if created and mode is not None:
                    os.fchmod(fd, mode)
                append_all(fd, data)
            except BaseException:
                if created and os.fstat(fd).st_size == 0:
                    os.unlink(file_name(place, path), dir_fd=place.folder)
                raise
            finally:
                os.close(fd)
        return created

    def resolve(self, path: str) -> Path:
        """Return the absolute path, inside, without links, to show or compare it. Its last part need not
        exist.

        It may lead elsewhere a moment later: read and write with `open`.
        """
        with path_errors(path), resolved(self._root, path) as place:
            status_or_none(place)  # refuses another spelling of what is there
            return self.root.joinpath(*place.names)

    def relative(self, path: str) -> str:
        """Return the path from the root, with `/`, to show it; `.` for the root.

        Links stay in it; only those before a `..` are resolved, since it steps up from where they lead.
        """
        with path_errors(path):
            names = names_below(self._root, path)
            if ".." in names:
                with resolved(self._root, path) as place:
                    names = place.names
            return "/".join(names) or "."

    def names(self, path: str = ".", *, max_entries: int = _MAX_ENTRIES) -> list[str]:
        """Return the sorted names in the folder at `path`. Raises PathError for more than `max_entries`."""
        with self.folder(path) as fd, os.scandir(fd) as entries:
            names = [entry.name for entry in islice(entries, max_entries + 1)]
        if len(names) > max_entries:
            raise PathError(
                f"{shown(path)} has more than {max_entries} files and folders in it. Search for some of them."
            )
        return sorted(names)

    @contextmanager
    def folder(self, path: str = ".") -> Generator[int]:
        """Yield the descriptor of the folder at `path`, open in the `with` block: for the current folder of a
        process, say."""
        with path_errors(path), resolved(self._root, path) as place:
            fd = os.open("." if place.name is None else place.name, FOLDER, dir_fd=place.folder)
            try:
                if place.name is not None:
                    check_spelling(place.folder, place.name, WorkspaceError)
                check_system(os.fstat(fd), path, self._root.system)
            except BaseException:
                os.close(fd)
                raise
        try:
            yield fd
        finally:
            os.close(fd)

    def stat(self, path: str, *, follow: bool = True) -> PathStatus:
        """Return kind, size and time of a path. `follow` follows a link at its end."""
        with path_errors(path), resolved(self._root, path, follow=follow) as place:
            return path_status(present_status(place))

    def exists(self, path: str) -> bool:
        """Tell whether something is at a path, or at the target of a link at its end."""
        with path_errors(path):
            try:
                with resolved(self._root, path) as place:
                    return status_or_none(place) is not None
            except (FileNotFoundError, NotADirectoryError):
                return False

    def mkdir(self, path: str, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a folder.

        Args:
            path: the path that the model wrote.
            parents: make missing folders on the way.
            exist_ok: accept a folder that exists.
        """
        with path_errors(path), resolved(self._root, path, follow=False, parents=parents) as place:
            try:
                if place.name is None:
                    raise system_error(errno.EEXIST)
                os.mkdir(place.name, dir_fd=place.folder)
            except FileExistsError:
                if not exist_ok or self.stat(path).kind != "folder":
                    raise

    def rename(self, source: str, target: str, *, replace: bool = False) -> None:
        """Rename a file, folder or link, or move it to another folder. A link itself is renamed.

        Args:
            source: the path that the model wrote; not the root.
            target: the new path; the folders on the way exist.
            replace: replace a file, link or empty folder; otherwise an existing target is a PathError.
        """
        with (
            path_errors(source),
            resolved(self._root, source, follow=False) as origin,
            path_errors(target),
            resolved(self._root, target, follow=False) as place,
        ):
            with path_errors(source):
                movable_name(origin, source)
                moved = present_status(origin)
            try:
                movable_name(place, target)
                move(origin, moved, place, replace=replace)
            except FileNotFoundError as problem:
                raise PathError(f"{shown(source)} does not exist any more. List its folder.") from problem
            except OSError as problem:
                if problem.errno == errno.EXDEV:
                    with path_errors(source):
                        raise
                if problem.errno == errno.EINVAL:
                    raise PathError(
                        f"{shown(source)} cannot be moved into itself. Use another target."
                    ) from problem
                raise

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, link or folder, but not the root. Of a link only the link itself is removed.

        Args:
            path: the path that the model wrote.
            recursive: remove a folder with its contents, of which a PathError may leave a part. Otherwise it
                must be empty.
        """
        with path_errors(path), resolved(self._root, path, follow=False) as place:
            name = movable_name(place, path)
            if kind(present_status(place).st_mode) != "folder":
                os.unlink(name, dir_fd=place.folder)
            elif recursive:
                remove_tree(place.folder, name)
            else:
                os.rmdir(name, dir_fd=place.folder)

    def walk(
        self,
        path: str = ".",
        *,
        skip: Callable[[str], bool] | None = None,
        max_depth: int | None = None,
        max_entries: int = _MAX_ENTRIES,
    ) -> Iterator[Entry]:
        """Yield all that is below a folder by name, each folder before its entries.

        No link below the folder is followed. Skipped is what disappears meanwhile, and folders below that may
        not be read. No descriptor is open between two entries.

        Args:
            path: the path that the model wrote.
            skip: whether a name is neither yielded nor entered.
            max_depth: levels to go down, 1 for the folder alone; None for all.
            max_entries: names to look at.

        Raises:
            PathError: also for more than `max_entries` names, folders more than 200 levels below the root, or
                if nobody waits for the call any more.
        """
        limits = WalkLimits(path, skip or _nothing, max_depth, max_entries)
        yield from self._entries(path, (), lambda _state, _name: (True, ()), limits)

    def glob(
        self,
        pattern: str,
        path: str = ".",
        *,
        skip: Callable[[str], bool] | None = None,
        include_hidden: bool = False,
        max_depth: int | None = None,
        max_entries: int = _MAX_ENTRIES,
    ) -> Iterator[Entry]:
        """Yield what matches a pattern, in the order of `walk`, entering only folders that can have it.

        `*` stands for any characters of a name, `?` for one, `[a-z]` and `[!a-z]` for one of a set, `{a,b}`
        for either, `**` between slashes for any folders; a backslash takes the meaning from the next
        character. A `/` at the end matches folders only. Case matters. Links are followed in `path` and in
        the folders before the first special character, and nowhere else.

        Args:
            pattern: the pattern that the model wrote: relative to `path`, or absolute.
            path: the path that the model wrote.
            skip: whether a name is neither yielded nor entered.
            include_hidden: match names that begin with a dot, too, if the pattern has none there.
            max_depth: levels to go down from the folder in which special characters begin; None for all.
            max_entries: names to look at.

        Raises:
            PathError: as for `walk`, of the folder in which special characters begin; or the pattern is none,
                or has too many alternatives.
        """
        parsed = parse_glob(pattern)
        start = _joined(path, parsed.prefix)
        limits = WalkLimits(start, skip or _nothing, max_depth, max_entries)
        step = partial(parsed.step, include_hidden=include_hidden)
        for entry in self._entries(start, parsed.start(), step, limits):
            if entry.kind == "folder" or not parsed.folders_only:
                yield entry

    def _entries(self, path: str, state: S, step: Step[S], limits: WalkLimits) -> Iterator[Entry]:
        with path_errors(path):
            with resolved(self._root, path) as place:
                status_or_none(place)  # refuses another spelling of what is there
                start = place.names
            for names, status in walk_tree(self._root, start, state, step, limits):
                yield Entry(
                    path="/".join(names),
                    kind=kind(status.st_mode),
                    size=status.st_size,
                    modified=status.st_mtime,
                    opener=self._open_entry,
                )

    def _open_entry(self, path: str) -> IO[bytes]:
        with path_errors(path):
            return open_entry(self._root, path)


def _nothing(_: str) -> bool:
    return False


def _joined(path: str, further: str) -> str:
    """Return a path in a folder; `further` alone if it is absolute."""
    if not further:
        return path
    return further if path == "." or further.startswith("/") else f"{path}/{further}"
