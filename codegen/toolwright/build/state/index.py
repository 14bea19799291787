"""What a run saw of each file, saved so that the next run need not read it again.

A run *witnesses* a path: it takes the signature first and reads the content after, so that a later edit
can only make the signature differ. Only what was witnessed stands in the index. Times are coarse: a file
that is edited twice within one tick of the file system's clock shows one time; what changed within the
last tick is waited out and looked at again, or left out.
"""

import os
import sys
import time
from array import array
from itertools import chain
from pathlib import Path

from .unchanged import ABSENT, MAGIC, Signature, environment, signature

_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
TICK = 20_000_000
"""Nanoseconds that a file system's clock may stand still: 4 ms on Linux, 16 ms on Windows."""
COARSE_TICK = 2_000_000_000
"""The same for file systems that keep whole seconds only (FAT keeps two)."""


_WIDEST = 0x7FFFFFFFFFFFFFFF


class Index:
    """Signatures by path. `inputs` are followed through links, `outputs` are not."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._prefix = f"{base}{os.sep}".replace(os.sep * 2, os.sep)
        self._root = os.fsencode(self._prefix)
        self._known: dict[bytes, Signature] = {}
        self._settled: dict[bytes, Signature] = {}  # outputs that look as the last run left them
        self._inputs: dict[bytes, Signature] = {}
        self._outputs: dict[bytes, Signature] = {}

    @property
    def file(self) -> Path:
        return self.base / ".toolwright" / "index"

    def load(self) -> None:
        """Take in what the last run witnessed; a missing or damaged index counts as empty."""
        try:
            head = self.file.read_bytes().split(b"\n", 6)
            paths = head[5].split(b"\0")
            numbers = array("q", head[6]).tolist()
        except (OSError, ValueError, IndexError):
            return
        if head[0] != MAGIC or head[1] != environment() or len(numbers) != 4 * len(paths):
            return
        rows = list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4], strict=True))
        self._known = dict(zip(paths, rows, strict=True))
        inputs = int(head[4].partition(b" ")[0])
        self._look(paths[inputs:], rows[inputs:], numbers[4 * inputs :])

    def _look(self, paths: list[bytes], rows: list[Signature], numbers: list[int]) -> None:
        """Look at all known outputs at once: one by one, the calls would take longer than the looks."""
        root = self._root
        places = [path if path.startswith(b"/") or path[1:2] == b":" else root + path for path in paths]
        seen: list[int] = []
        extend = seen.extend
        try:
            for s in map(os.lstat, places):
                extend((s.st_mtime_ns, s.st_ctime_ns, s.st_size, s.st_ino))
        except (OSError, ValueError):  # one is gone: each is looked at when it is asked for
            return
        if seen == numbers:
            self._settled = dict(zip(paths, rows, strict=True))

    def witness(self, path: Path | str, *, output: bool = False) -> bool:
        """Look at `path`, before reading it; True if it is there and looks as the last run left it."""
        key = self.key(path)
        now = signature(self._place(key), follow=not output)
        (self._outputs if output else self._inputs)[key] = now
        return now != ABSENT and self._known.get(key) == now

    def witness_output(self, path: str) -> bool:
        """`witness` for one of thousands of outputs: the same, with fewer calls."""
        key = (path.removeprefix(self._prefix)).encode(_ENCODING, _ERRORS)
        known = self._known.get(key)
        try:
            state = os.lstat(path)
        except (OSError, ValueError):
            self._outputs[key] = ABSENT
            return False
        if state.st_ino > _WIDEST:
            return self.witness(path, output=True)
        now = (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)
        self._outputs[key] = now
        return now == known

    def settled_below(self, folder: str) -> list[str]:
        """Witness all outputs below `folder` (which ends with a slash) that look as the last run left them.

        Paths below it. None at all where one of the last run's outputs looks otherwise.
        """
        start = self.key(folder)
        if os.sep != "/" or not all(path.startswith(start) for path in self._settled):
            return []
        self._outputs.update(self._settled)
        length = len(start)
        return [path[length:].decode(_ENCODING, _ERRORS) for path in self._settled]

    def present(self, path: Path | str) -> bool:
        """True if the path was witnessed in this run and was there."""
        key = self.key(path)
        return (self._outputs.get(key) or self._inputs.get(key) or ABSENT) != ABSENT

    def moved(self, path: Path | str) -> bool:
        """True if an input no longer looks as it was witnessed."""
        key = self.key(path)
        return self._inputs.get(key) != signature(self._place(key), follow=True)

    def forget(self, path: Path | str) -> None:
        """Drop an output that no longer belongs to the project."""
        self._outputs.pop(self.key(path), None)

    def key(self, path: Path | str) -> bytes:
        """The path as the index writes it: relative below the base, else absolute."""
        text = os.fspath(path)
        return os.fsencode(text[len(self._prefix) :] if text.startswith(self._prefix) else text)

    def _place(self, key: bytes) -> bytes:
        return key if key.startswith(b"/") or key[1:2] == b":" else self._root + key

    def save(self, *, configured: bool, tools: int | None) -> None:
        """Write the index. `tools` None says that not all was well: the next run must look closer."""
        settled_in, all_in = self._settle(self._inputs, follow=True)
        settled_out, all_out = self._settle(self._outputs, follow=False)
        sound = tools is not None and all_in and all_out
        paths = b"\0".join((*settled_in, *settled_out))
        if b"\n" in paths:
            self.file.unlink(missing_ok=True)
            return
        numbers = array("q", list(chain.from_iterable((*settled_in.values(), *settled_out.values()))))
        head = [
            MAGIC,
            environment(),
            b"1" if configured else b"0",
            str(tools if sound else -1).encode(),
            f"{len(settled_in)} {len(settled_out)}".encode(),
            paths,
            numbers.tobytes(),
        ]
        replace(self.file, b"\n".join(head))

    def _settle(self, seen: dict[bytes, Signature], *, follow: bool) -> tuple[dict[bytes, Signature], bool]:
        """The signatures that a later edit must change, and whether those are all."""
        settled = dict(seen)
        doubtful = time.time_ns() - COARSE_TICK
        fresh = [path for path, state in seen.items() if _changed(state) >= doubtful and _waits(state)]
        if fresh:
            newest = max(_changed(settled[path]) for path in fresh)
            time.sleep(min(max(newest + TICK - time.time_ns(), 0) + 1, TICK) / 1e9)
        for path in fresh:
            state = settled[path]
            if _waits(state) or signature(self._place(path), follow=follow) != state:
                del settled[path]
        return settled, len(settled) == len(seen)


def replace(path: Path, content: bytes) -> None:
    """Write a machine-local file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _waits(state: Signature) -> bool:
    """True while an edit made now could leave the same times behind."""
    if state == ABSENT:
        return False
    changed = _changed(state)
    tick = COARSE_TICK if changed % 1_000_000_000 == 0 else TICK
    return changed >= time.time_ns() - tick


def _changed(state: Signature) -> int:
    # A file's ctime cannot be set by hand; on Windows it is the time of creation, so mtime must serve.
    return state[0] if os.name == "nt" else state[1]
