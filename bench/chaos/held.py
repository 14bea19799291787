"""What a process holds: descriptors, processes, tasks, threads, temporary files, locks and memory."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from toolcast_tools.shell.supervisor import descendants, statuses
from toolcast_tools.workspace.atomic_write import is_temporary

WORKER = "toolcast"
"""Name of the threads in which plain handlers run. They are kept for some seconds when they are free, and the
registry says how many are at work."""


class Memory(Struct, frozen=True):
    """Memory of this process: bytes that are resident, and blocks that Python has allocated."""

    resident: int
    blocks: int

    @classmethod
    def now(cls) -> Memory:
        """Measure, after a collection of garbage."""
        gc.collect()
        with suppress(OSError, AttributeError):  # another C library than GNU's
            # What was freed goes back to the system: it else depends on the order in which threads freed it.
            ctypes.CDLL(None).malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(pages * os.sysconf("SC_PAGE_SIZE"), sys.getallocatedblocks())


class Held(Struct, frozen=True):
    """What this process holds, each in words that tell it from others."""

    descriptors: frozenset[str]
    processes: frozenset[str]
    tasks: frozenset[str]
    threads: frozenset[str]
    files: frozenset[str]
    locks: frozenset[str]

    def beyond(self, before: Held) -> dict[str, list[str]]:
        """What is held and was not before, by its kind."""
        kinds = {name: getattr(self, name) - getattr(before, name) for name in self.__struct_fields__}
        return {name: sorted(new) for name, new in kinds.items() if new}


def held(temporary: Path, workspace: Path, known: Sequence[int] = ()) -> Held:
    """Look what this process holds.

    Args:
        temporary: the folder of temporary files, which no other process uses: processes that have it in
            their environment are ours, whatever their parent.
        workspace: the folder of the files that calls work on.
        known: processes that belong here.
    """
    return Held(
        descriptors=frozenset(_descriptors()),
        processes=frozenset(_processes(temporary, known)),
        tasks=frozenset(
            f"{task.get_name()}: {task.get_coro()!r:.80}"
            for task in asyncio.all_tasks()
            if task is not asyncio.current_task()
        ),
        threads=frozenset(
            f"{thread.name} {thread.ident}" for thread in threading.enumerate() if not _is_free(thread)
        ),
        files=frozenset(_files(temporary, workspace)),
        locks=frozenset(_locks()),
    )


def _is_free(thread: threading.Thread) -> bool:
    return thread.name == WORKER


def _descriptors() -> Iterator[str]:
    for path in [*Path("/proc/self/fd").iterdir()]:
        with suppress(FileNotFoundError):  # the folder itself
            yield f"{path.name} {path.readlink()}"


def _processes(temporary: Path, known: Sequence[int]) -> Iterator[str]:
    mark = f"TMPDIR={temporary}".encode()
    below = set(descendants(os.getpid()))
    for process, (state, *_) in statuses():
        if process == os.getpid() or process in known:
            continue
        with suppress(OSError):
            if process in below or mark in Path(f"/proc/{process}/environ").read_bytes().split(b"\0"):
                words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ")
                yield f"{process} {state} {words.decode('utf-8', 'replace'):.80}"


def _files(temporary: Path, workspace: Path) -> Iterator[str]:
    yield from (str(path) for path in temporary.rglob("*"))
    for folder, _, names in os.walk(workspace):
        yield from (str(Path(folder) / name) for name in names if is_temporary(name))


def _locks() -> Iterator[str]:
    with suppress(OSError):
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if str(os.getpid()) in words[4:6]:
                yield " ".join(words[1:])


def slope(values: Sequence[float], each: int) -> float:
    """The growth of values per call, by least squares over their second half, of `each` calls each."""
    half = values[len(values) // 2 :]
    if len(half) < 2:
        return 0.0
    middle, mean = (len(half) - 1) / 2, sum(half) / len(half)
    above = sum((place - middle) * (value - mean) for place, value in enumerate(half))
    return above / sum((place - middle) ** 2 for place in range(len(half))) / each
