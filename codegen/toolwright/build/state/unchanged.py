"""The way out when nothing changed: compare file states with the last run's, and import nothing for it.

This module is on the path of every `toolwright generate`; it may import only what the interpreter has
loaded already. The index (`.toolwright/index`) is written by `index.py`; its form:

    toolwright index 1                      magic
    <environment>                           `environment()` of the run that wrote it
    <configured>                            1: pyproject.toml stands in this folder; 0: defaults
    <tools>                                 number of tools; -1: not all was well, no short cut
    <inputs> <outputs>                      how many paths of each
    <path>\\0<path>…                         relative to the folder, or absolute
    <array of int64>                        four per path: mtime, ctime, size, inode

Inputs are files and folders that a build reads (followed through links, a folder's time tells of added and
removed entries); outputs are what it writes (never followed). The times of files that changed just before
the index was written cannot be trusted; `index.py` waits them out.
"""

# pathlib costs as much to import as all the rest
# ruff: noqa: PTH109, PTH110, PTH116, PTH118, PTH120, PTH123
import os
import sys

MAGIC = b"toolwright index 1"
ABSENT = (-1, -1, -1, -1)
Signature = tuple[int, int, int, int]


def environment() -> bytes:
    """What else decides the output: the interpreter and where it finds modules. One line."""
    # The first entry is the folder of the script, or the working directory: it says how we were called.
    path = sys.path if sys.flags.safe_path else sys.path[1:]
    text = "|".join((sys.version, sys.prefix, __file__, *path))
    return text.encode("utf-8", "surrogateescape").replace(b"\n", b" ").replace(b"\0", b" ")


def signature(path: bytes, *, follow: bool) -> Signature:
    """mtime, ctime, size and inode of `path`; `ABSENT` if it cannot be looked at."""
    try:
        state = os.stat(path) if follow else os.lstat(path)
    except (OSError, ValueError):
        return ABSENT
    return (state.st_mtime_ns, state.st_ctime_ns, state.st_size, _inode(state.st_ino))


def _inode(number: int) -> int:
    # Some file systems use all 64 bits; the index holds signed numbers.
    return number if number <= 0x7FFFFFFFFFFFFFFF else number & 0x7FFFFFFFFFFFFFFF


def unchanged(start: str) -> int | None:
    """How many tools there are, if a plain `generate` in `start` would change nothing; None if it might."""
    folder = _folder(start)
    try:
        with open(os.path.join(folder, ".toolwright", "index"), "rb") as file:
            raw = file.read()
    except OSError:
        return None
    head = raw.split(b"\n", 6)
    if len(head) != 7 or head[0] != MAGIC or head[1] != environment():
        return None
    try:
        configured, tools = int(head[2]), int(head[3])
        inputs, outputs = (int(count) for count in head[4].split(b" "))
    except ValueError:
        return None
    if tools < 0 or (not configured and folder != start):
        return None
    paths = head[5].split(b"\0") if head[5] else []
    if len(paths) != inputs + outputs or len(head[6]) != 32 * len(paths):
        return None
    here = os.getcwd()
    os.chdir(folder)  # short relative paths are looked up faster
    try:
        return tools if _same(paths, inputs, head[6]) else None
    finally:
        os.chdir(here)


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


def _same(paths: list[bytes], inputs: int, recorded: bytes) -> bool:
    now: list[int] = []
    extend = now.extend
    for path in paths[:inputs]:
        extend(signature(path, follow=True))
    packed = _packed(now)
    if not recorded.startswith(packed):  # nearly always a spec: no need to look at the outputs
        return False
    now.clear()
    try:
        # No function call per file: this runs for every file of the project.
        for s in map(os.lstat, paths[inputs:]):
            extend((s.st_mtime_ns, s.st_ctime_ns, s.st_size, s.st_ino))
    except OSError:
        return False
    return recorded == packed + _packed(now)


def _packed(numbers: list[int]) -> bytes:
    from struct import error, pack

    try:
        return pack(f"={len(numbers)}q", *numbers)
    except error:
        return pack(f"={len(numbers)}q", *map(_inode, numbers))
