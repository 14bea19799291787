"""The files that a build read and wrote, with their states: whether anything changed since.

This module is on the path of every `toolcast generate`; it may import only what the interpreter has loaded
already. `.toolcast/index` is written at the end of a build:

    toolcast index 3                      magic
    <environment>                           the interpreter, and where it finds modules
    <configured>                            1: pyproject.toml is in this folder; 0: defaults
    <tools>                                 number of tools; -1: the next run has to look again
    <inputs> <outputs>                      how many paths of each
    <path>\\0<path>…                         relative to the folder, or absolute
    <folder>                                working directory that the warnings were printed in
    <rows>                                  four int64 per path: mtime, ctime, size, inode
    <warnings>                              their text, coloured

Inputs are files and folders that a build reads (links are followed; the time of a folder shows added and
removed entries). Outputs are what it writes (links are not followed).

A build takes the row of a file before it reads the file: a later edit can only change the row. Times are
coarse: an edit within one tick of the file system's clock may leave the row as it is. Such files are *racy*,
as in git: their row matches nothing, and the next run reads them again.
"""

# pathlib costs as much to import as all the rest
# ruff: noqa: PTH110, PTH114, PTH116, PTH118, PTH120, PTH123
import os
import stat
import struct
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # `collections.abc` is not loaded yet
    from collections.abc import Iterable, Mapping

_MAGIC = b"toolcast index 3"
_TICK = 20_000_000
"""Nanoseconds that a file system's clock may stand still."""
_COARSE_TICK = 2_000_000_000
"""The same for file systems that keep whole seconds only (FAT keeps two)."""
_POLL = 0.0005
_ROW = struct.Struct("=4q")
_INODE = 0x7FFFFFFFFFFFFFFF  # some file systems use all 64 bits
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_ABSENT = _ROW.pack(-1, -1, -1, -1)
_RACY = _ROW.pack(-2, -2, -2, -2)


class _Recorded:
    """The content of an index file: 32 bytes of `rows` for each of `paths`, inputs first, then outputs."""

    __slots__ = ("configured", "inputs", "paths", "rows", "tools", "warned_in", "warnings")

    def __init__(self, lines: list[bytes]) -> None:
        """Take the lines after the environment. Raises ValueError for one that is damaged."""
        configured, tools, counts, paths, self.warned_in, rest = lines
        self.configured, self.tools = bool(int(configured)), int(tools)
        self.inputs, outputs = (int(count) for count in counts.split(b" "))
        self.paths = paths.split(b"\0") if paths else []
        size = _ROW.size * len(self.paths)
        self.rows, self.warnings = rest[:size], rest[size:]
        if len(self.paths) != self.inputs + outputs or len(self.rows) != size:
            raise ValueError


def up_to_date(start: str) -> tuple[int, str] | None:
    """Return the number of tools and the warnings if a plain `generate` in `start` would change nothing; None
    if it might."""
    folder = _project_folder(start)
    recorded = _read_index(folder)
    if recorded is None or recorded.tools < 0 or (not recorded.configured and folder != start):
        return None
    if recorded.warnings and recorded.warned_in != os.fsencode(start):
        return None  # they name files as seen from another folder
    if _rows(folder, recorded) != recorded.rows:
        return None
    return recorded.tools, recorded.warnings.decode("utf-8", "replace")


def _read_index(folder: str) -> _Recorded | None:
    """Read the index of a project; None where it is missing, damaged or of another environment."""
    try:
        state = os.path.join(folder, ".toolcast")
        if os.path.islink(state):
            return None
        with open(os.open(os.path.join(state, "index"), _READ), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            head = file.read().split(b"\n", 7)
    except OSError:
        return None
    if len(head) != 8 or head[0] != _MAGIC or head[1] != _environment():
        return None
    try:
        return _Recorded(head[2:])
    except ValueError:
        return None


def _environment() -> bytes:
    """Return in one line what else decides the output: the interpreter and where it finds modules."""
    # The first entry is the folder of the script, or the working directory: it depends on how we were called.
    path = sys.path if sys.flags.safe_path else sys.path[1:]
    text = "|".join((sys.version, sys.prefix, __file__, *path))
    return text.encode("utf-8", "surrogateescape").replace(b"\n", b" ").replace(b"\0", b" ")


def _project_folder(start: str) -> str:
    """Return the nearest folder upwards with a `pyproject.toml`, or `start`."""
    folder = start
    while not os.path.exists(os.path.join(folder, "pyproject.toml")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent
    return folder


def _rows(folder: str, recorded: _Recorded) -> bytes:
    """Return the present rows of all recorded paths; no call per file, there are thousands."""
    base = os.fsencode(os.path.join(folder, ""))
    numbers: list[int] = []
    inputs, outputs = recorded.paths[: recorded.inputs], recorded.paths[recorded.inputs :]
    for paths, look in ((inputs, os.stat), (outputs, os.lstat)):
        for path in paths:
            try:
                s = look(os.path.join(base, path) if path[:1] in b"/\\" or path[1:2] == b":" else base + path)
            except (OSError, ValueError):
                numbers += (-1, -1, -1, -1)
                continue
            numbers += (s.st_mtime_ns, s.st_ctime_ns, s.st_size, s.st_ino & _INODE)
    return struct.pack(f"={len(numbers)}q", *numbers)


def _row_of(state: os.stat_result) -> bytes:
    return _ROW.pack(state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino & _INODE)


class Index:
    """The rows that the last run recorded, and those that this run takes."""

    def __init__(self, base: str | os.PathLike[str], *, load: bool = True) -> None:
        """`base` is the project's folder; without `load`, nothing counts as recorded."""
        self.base = os.fspath(base)
        self._prefix = os.path.join(self.base, "")
        self._recorded_inputs: dict[bytes, bytes] = {}
        self._recorded_outputs: dict[bytes, bytes] = {}
        self._inputs: dict[bytes, bytes] = {}
        self._outputs: dict[bytes, bytes] = {}
        if load and (recorded := _read_index(self.base)) is not None:
            size = _ROW.size
            rows = [recorded.rows[at : at + size] for at in range(0, len(recorded.rows), size)]
            pairs = list(zip(recorded.paths, rows, strict=True))
            self._recorded_inputs = dict(pairs[: recorded.inputs])
            self._recorded_outputs = dict(pairs[recorded.inputs :])

    @property
    def file(self) -> str:
        return os.path.join(self.base, ".toolcast", "index")

    def input_unchanged(self, path: str | os.PathLike[str]) -> bool:
        """Take the row of an input before it is read; return whether it is as recorded. The first row of a
        run counts, as it belongs to the content that is used.
        """
        key = self.key(path)
        row = self._inputs.get(key)
        if row is None:
            row = self._inputs[key] = _row_at(path, follow=True)
        return row != _ABSENT and self._recorded_inputs.get(key) == row

    def output_unchanged(self, path: str | os.PathLike[str]) -> bool:
        """Take the row of an output before it is read; return whether it is as recorded."""
        key = self.key(path)
        row = self._outputs[key] = _row_at(path, follow=False)
        return row != _ABSENT and self._recorded_outputs.get(key) == row

    def input_changed(self, path: str | os.PathLike[str]) -> bool:
        """Return whether an input's row has changed since it was taken."""
        return self._inputs.get(self.key(path)) != _row_at(path, follow=True)

    def record_written(self, path: str, before: os.stat_result) -> None:
        """Take the row of an output that was just renamed; `before` is its state before."""
        row = _row_at(path, follow=False)
        mtime, _, size, inode = _ROW.unpack(row)
        same = (mtime, size, inode) == (before.st_mtime_ns, before.st_size, before.st_ino & _INODE)
        self._outputs[self.key(path)] = row if same else _RACY  # somebody has changed it since

    def key(self, path: str | os.PathLike[str]) -> bytes:
        """Return the path as the index writes it: relative below the base, else absolute."""
        return os.fsencode(os.fspath(path).removeprefix(self._prefix))

    def save(
        self, outputs: "Iterable[str]", *, configured: bool, tools: int | None, warnings: str = ""
    ) -> None:
        """Write the index of a run that left `outputs` as they should be. Raises OSError. Without `tools` the
        next run has to look again; with them it prints the same `warnings`.
        """
        from pathlib import Path

        from .files import replacing

        kept = {key: row for path in outputs if (row := self._outputs.get(key := self.key(path)))}
        with replacing(Path(self.file)) as temporary:
            changed = [
                *_changed(self._inputs, self._recorded_inputs),
                *_changed(kept, self._recorded_outputs),
            ]
            now = _wait_past(max(map(_changed_at, changed), default=0), temporary)
            racy = {row for row in changed if _is_racy(row, now)}
            paths = b"\0".join((*self._inputs, *kept))
            folder = os.fsencode(os.getcwd()) if warnings else b""  # noqa: PTH109
            if b"\n" in paths or b"\n" in folder:
                return  # an empty index counts as none
            head = (
                _MAGIC,
                _environment(),
                b"%d" % configured,
                b"%d" % (-1 if tools is None else tools),
                b"%d %d" % (len(self._inputs), len(kept)),
                paths,
                folder,
                b"".join(_RACY if row in racy else row for row in (*self._inputs.values(), *kept.values()))
                + warnings.encode("utf-8", "replace"),
            )
            temporary.write_bytes(b"\n".join(head))


def _row_at(path: str | os.PathLike[str], *, follow: bool) -> bytes:
    try:
        return _row_of(os.stat(path, follow_symlinks=follow))
    except (OSError, ValueError):
        return _ABSENT


def _changed(rows: "Mapping[bytes, bytes]", recorded: "Mapping[bytes, bytes]") -> "Iterable[bytes]":
    """Return the rows that were not recorded before; the others are not racy."""
    return (row for path, row in rows.items() if recorded.get(path) != row)


def _changed_at(row: bytes) -> int:
    """Return the ctime, which nobody can set by hand; on Windows, where it is creation, the mtime."""
    times = _ROW.unpack(row)  # mtime, ctime, …
    return int(times[0 if os.name == "nt" else 1])


def _is_racy(row: bytes, now: int) -> bool:
    """Return whether a file may be edited from `now` on and still have this row."""
    at = _changed_at(row)
    return at >= now - (_COARSE_TICK if at % 1_000_000_000 == 0 else 0)


def _wait_past(newest: int, probe: str | os.PathLike[str]) -> int:
    """Return the time of the file system's clock, found by touching `probe`; later than `newest` if possible.
    Recent kernels give a later time at once, others after a tick (4 ms on Linux, 16 ms on Windows).
    """
    start = time.monotonic_ns()
    while True:
        os.utime(probe)
        now = _changed_at(_row_at(probe, follow=False))
        if now > newest or time.monotonic_ns() - start > _TICK:
            return now
        time.sleep(_POLL)
