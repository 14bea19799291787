"""Faults of the system, each for some milliseconds, under calls that run."""

# ruff: noqa: ARG001 - a fault has one signature, whatever it uses

from __future__ import annotations

import asyncio
import os
import random
import resource
import shutil
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from toolcast_tools.shell.supervisor import descendants

from .ground import Ground

Fault = Callable[[Ground, random.Random], Awaitable[bool]]
"""Makes a fault, waits, and takes it back. False where there was nothing to break."""


def _moment(rng: random.Random) -> float:
    return 10 ** rng.uniform(-3, -1.2)


def _processes(ground: Ground) -> list[int]:
    return [each for each in descendants(os.getpid()) if each != ground.server.pid]


async def kill(ground: Ground, rng: random.Random) -> bool:
    """Kill a process of a call: a command, its supervisor, an analysis, a search."""
    found = _processes(ground)
    if found:
        with suppress(ProcessLookupError):
            os.kill(rng.choice(found), signal.SIGKILL)
    return bool(found)


async def stop(ground: Ground, rng: random.Random) -> bool:
    """Stop such a process for a moment."""
    found = _processes(ground)
    if not found:
        return False
    process = rng.choice(found)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGSTOP)
    await asyncio.sleep(_moment(rng))
    if process in _processes(ground):  # the id may belong to another process by now
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)
    return True


async def fill(ground: Ground, rng: random.Random) -> bool:
    """Take all space of the disk, or all but a few kilobytes."""
    if not ground.own_disk:
        return False
    ballast = ground.folder / "ballast"
    free = os.statvfs(ground.folder)
    left = rng.choice((0, 0, 4096, 65536))
    try:
        with ballast.open("wb") as file, suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, max(1, free.f_bavail * free.f_frsize - left))
        await asyncio.sleep(_moment(rng))
    finally:
        ballast.unlink(missing_ok=True)
    return True


@contextmanager
def _limit(kind: int, value: int) -> Iterator[None]:
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, before)


async def short_files(ground: Ground, rng: random.Random) -> bool:
    """Let no file grow beyond a few kilobytes, as a quota does."""
    with _limit(resource.RLIMIT_FSIZE, rng.choice((0, 100, 4096, 40_000))):
        await asyncio.sleep(_moment(rng))
    return True


async def no_descriptors(ground: Ground, rng: random.Random) -> bool:
    """Let this process open a few more files at most."""
    most = max(map(int, (path.name for path in Path("/proc/self/fd").iterdir())))
    with _limit(resource.RLIMIT_NOFILE, most + 1 + rng.randrange(4)):
        await asyncio.sleep(_moment(rng) / 2)
    return True


async def no_processes(ground: Ground, rng: random.Random) -> bool:
    """Let this user start no process and no thread."""
    if os.getuid() == 0:
        return False  # to whom the limit does not apply
    with _limit(resource.RLIMIT_NPROC, 1):
        await asyncio.sleep(_moment(rng) / 2)
    return True


def _some_path(ground: Ground, rng: random.Random) -> Path | None:
    names = ("a.txt", "b.txt", "folder/c.txt", "folder", "folder/deep", "long.txt", "table.csv", ".")
    path = ground.workspace / rng.choice(names)
    return path if os.path.lexists(path) else None


async def deny(ground: Ground, rng: random.Random) -> bool:
    """Take all permissions from a file or folder."""
    if os.getuid() == 0 and not ground.own_disk:
        return False  # who may do all, unless isolated
    others = (*ground.databases, ground.documents, ground.documents / "sky.md", ground.temporary)
    path = rng.choice(others) if rng.random() < 0.3 else _some_path(ground, rng)
    if path is None or not path.exists():
        return False
    try:
        before = path.stat().st_mode & 0o777 or 0o700
        path.chmod(rng.choice((0, 0o400, 0o100)))
        await asyncio.sleep(_moment(rng))
    except OSError:
        return False
    finally:
        with suppress(OSError, UnboundLocalError):
            path.chmod(before)
    return True


def _remove(path: Path) -> None:
    """Remove what has this name, where the system permits it."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:  # never opened: it may be a pipe
            path.unlink(missing_ok=True)


async def replace(ground: Ground, rng: random.Random) -> bool:
    """Put something else in the place of a file or folder: nothing, a folder, a link, a pipe, a copy."""
    path = _some_path(ground, rng)
    if path is None or path == ground.workspace:
        return False
    aside = ground.folder / "aside"
    try:
        path.rename(aside)
    except OSError:
        return False
    try:
        with suppress(OSError):
            kind = rng.randrange(5)
            if kind == 1:
                path.mkdir()
            elif kind == 2:
                path.symlink_to("/etc/passwd")
            elif kind == 3:
                os.mkfifo(path)
            elif kind == 4 and aside.is_file():
                shutil.copyfile(aside, path)
        await asyncio.sleep(_moment(rng))
    finally:
        _remove(path)
        with suppress(OSError):
            aside.rename(path)
        _remove(aside)
    return True


async def lock(ground: Ground, rng: random.Random) -> bool:
    """Write in a database for a while, from another connection."""
    database, seconds = rng.choice(ground.databases), 4 * _moment(rng)
    try:
        with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            await asyncio.sleep(seconds)
            connection.rollback()
    except sqlite3.Error:
        return False
    return True


async def corrupt(ground: Ground, rng: random.Random) -> bool:
    """Overwrite a part of a database: what a failing disk does. It stays damaged."""
    try:
        with rng.choice(ground.databases).open("r+b") as file:
            file.seek(rng.randrange(max(1, file.seek(0, os.SEEK_END))))
            file.write(rng.randbytes(2000))
    except OSError:
        return False
    return True


FAULTS: Mapping[str, tuple[float, Fault]] = {
    "process killed": (12, kill),
    "process stopped": (2, stop),
    "disk full": (12, fill),
    "file size limited": (8, short_files),
    "permission denied": (16, deny),
    "file or folder replaced": (16, replace),
    "no descriptor left": (6, no_descriptors),
    "no process or thread left": (3, no_processes),
    "database locked": (8, lock),
    "database damaged": (0.1, corrupt),
}
"""How often each of them comes about."""
