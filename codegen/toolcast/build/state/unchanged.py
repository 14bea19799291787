"""The way out when nothing changed: compare file states with the last run's, and import nothing for it.

This module is on the path of every `toolcast generate`; it may import only what the interpreter has
loaded already. The index (`.toolcast/index`) is written by `index.py`; its form:

    toolcast index 1                      magic
    <environment>                           `environment()` of the run that wrote it
    <configured>                            1: pyproject.toml stands in this folder; 0: defaults
    <tools>                                 number of tools; -1: not all was well, no short cut
    <inputs> <outputs>                      how many paths of each
    <path>\\0<path>…                         relative to the folder, or absolute
    <array of int64>                        four per path: mtime, ctime, size, inode

Inputs are files and folders that a build reads (followed through links, a folder's time tells of added and
removed entries); outputs are what it writes (never followed). The times of files that changed just before
the index was written cannot be trusted; `index.py` waits them out.

Where something did change, the looks are handed to the build that follows: it need not take them again.
"""

# pathlib costs as much to import as all the rest
# ruff: noqa: PTH110, PTH114, PTH118, PTH120, PTH123
import os
import stat
import sys

MAGIC = b"toolcast index 1"
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
ABSENT = (-1, -1, -1, -1)
Signature = tuple[int, int, int, int]


def environment() -> bytes:
    """What else decides the output: the interpreter and where it finds modules. One line."""
    # The first entry is the folder of the script, or the working directory: it says how we were called.
    path = sys.path if sys.flags.safe_path else sys.path[1:]
    text = "|".join((sys.version, sys.prefix, __file__, *path))
    return text.encode("utf-8", "surrogateescape").replace(b"\n", b" ").replace(b"\0", b" ")


def signature(path: bytes, *, follow: bool, folder: int | None = None) -> Signature:
    """mtime, ctime, size and inode of `path`; `ABSENT` if it cannot be looked at.

    `folder` is an open one that a relative path starts from, instead of the working directory.
    """
    try:
        state = os.stat(path, dir_fd=folder, follow_symlinks=follow)
    except (OSError, ValueError):
        return ABSENT
    return (state.st_mtime_ns, state.st_ctime_ns, state.st_size, as_inode(state.st_ino))


def as_inode(number: int) -> int:
    """The same, as a signed number of 64 bits: the index holds those, and some file systems use all bits."""
    return number if number <= 0x7FFFFFFFFFFFFFFF else number & 0x7FFFFFFFFFFFFFFF


class Looked:
    """What the index in `folder` says, and how the files that it names look now.

    Paths and rows of four numbers are in the order of the index: `inputs` paths, then outputs.
    """

    __slots__ = ("configured", "folder", "inputs", "known", "mark", "now", "paths", "tools")

    def __init__(
        self,
        folder: str,
        mark: tuple[int, ...],
        configured: bool,
        tools: int,
        inputs: int,
        paths: list[bytes],
        known: bytes,
    ) -> None:
        self.folder, self.mark, self.configured = folder, mark, configured
        self.tools, self.inputs, self.paths = tools, inputs, paths
        self.known, self.now = known, b""

    @property
    def same(self) -> bool:
        """True if nothing looks otherwise."""
        return self.known == self.now


def unchanged(start: str) -> int | None:
    """How many tools there are, if a plain `generate` in `start` would change nothing; None if it might."""
    looked = look(start)
    return looked.tools if looked is not None and looked.tools >= 0 and looked.same else None


def look(start: str) -> Looked | None:
    """Look at all files of the project in whose folder, or below, a plain `generate` starts.

    None where there is no index to go by. The looks are good for a build that follows: it reads afterwards.
    """
    folder = _folder(start)
    looked = read_index(folder)
    if looked is None or (not looked.configured and folder != start):
        return None
    looked.now = look_at(folder, looked.paths, looked.inputs)
    return looked


def read_index(folder: str) -> Looked | None:
    """What the last run in `folder` left, before any look; None where that is missing, damaged or foreign."""
    try:
        state = os.path.join(folder, ".toolcast")
        if os.path.islink(state):
            return None
        # A link is not followed, and a pipe not waited for.
        handle = os.open(os.path.join(state, "index"), _FLAGS)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            mark = identity(os.fstat(file.fileno()))
            head = file.read().split(b"\n", 6)
    except OSError:
        return None
    if len(head) != 7 or head[0] != MAGIC or head[1] != environment():
        return None
    try:
        configured, tools = int(head[2]), int(head[3])
        inputs, outputs = (int(count) for count in head[4].split(b" "))
    except ValueError:
        return None
    paths = head[5].split(b"\0") if head[5] else []
    if len(paths) != inputs + outputs or len(head[6]) != 32 * len(paths):
        return None
    return Looked(folder, mark, bool(configured), tools, inputs, paths, head[6])


def identity(state: os.stat_result) -> tuple[int, ...]:
    """Tells one index from the next, which is another file with another time."""
    return (state.st_ino, state.st_mtime_ns, state.st_size)


def _folder(start: str) -> str:
    """The nearest folder from `start` upwards with a `pyproject.toml`, or `start`."""
    folder = start
    while True:
        if os.path.exists(os.path.join(folder, "pyproject.toml")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def look_at(folder: str, paths: list[bytes], inputs: int) -> bytes:
    """How all `paths` of the index of `folder` look now, in the form of the index. Raises OSError."""
    if os.stat not in os.supports_dir_fd:
        base = os.fsencode(os.path.join(folder, ""))
        return _looks([os.path.join(base, path) for path in paths], inputs, None)
    handle = os.open(folder, os.O_RDONLY)  # short relative paths are looked up faster
    try:
        return _looks(paths, inputs, handle)
    finally:
        os.close(handle)


def _looks(paths: list[bytes], inputs: int, folder: int | None) -> bytes:
    now: list[int] = []
    extend = now.extend
    for path in paths[:inputs]:
        extend(signature(path, follow=True, folder=folder))
    count = len(now)
    try:
        # No function call per file: this runs for every file of the project.
        for path in paths[inputs:]:
            s = os.lstat(path, dir_fd=folder)
            extend((s.st_mtime_ns, s.st_ctime_ns, s.st_size, s.st_ino))
    except (OSError, ValueError):  # one is gone
        del now[count:]
        for path in paths[inputs:]:
            extend(signature(path, follow=False, folder=folder))
    return _packed(now)


def _packed(numbers: list[int]) -> bytes:
    from struct import error, pack

    try:
        return pack(f"={len(numbers)}q", *numbers)
    except error:
        return pack(f"={len(numbers)}q", *map(as_inode, numbers))
