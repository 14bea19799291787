"""The size of a cache folder, and what is deleted when it grows past its bound: only files of ours."""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

from msgspec import Struct


class _Tag(Struct, frozen=True):
    name: str
    text: bytes


TAG = _Tag(
    "CACHEDIR.TAG",
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# A cache of toolcast: compiled specs that machines share. It may be deleted at any time.\n",
)
"""By it backup programs know a cache (https://bford.info/cachedir/), and we know ours."""
_SIZE = "size"  # bytes held, as the last run knew it
_ENTRY = re.compile(r"[0-9a-f]{64}")
_TEMPORARY = re.compile(r"\.(?:[0-9a-f]{64}|tag|size)\.\d+\.[0-9a-f]{8}\.tmp")
_RECOUNT = 24 * 3600
"""Seconds after which the kept size is not believed any more: several writers make it drift."""
_ABANDONED = 3600
"""Seconds after which a temporary file belongs to a run that was killed."""


class Kept(Struct, frozen=True):
    """One file of a cache."""

    used: float
    size: int
    path: str


def is_cache(folder: Path) -> bool | None:
    """True for a cache of ours, None for nothing yet, False for a folder of other things. Raises OSError."""
    if _is_tagged(folder):
        return True
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names only
    except FileNotFoundError:
        return None
    if all(_TEMPORARY.fullmatch(name) for name in names):
        return None
    return _is_tagged(folder)  # another process may have founded it since: it writes the mark first


def _is_tagged(folder: Path) -> bool:
    try:
        with (folder / TAG.name).open("rb") as file:
            return file.read(len(TAG.text)) == TAG.text
    except FileNotFoundError:
        return False


def note_stored(folder: Path, count: int, bound: int) -> None:
    """Add to the size on record; past `bound`, delete what was used longest ago. Raises OSError."""
    record = folder / _SIZE
    try:
        total = int(record.read_text("ascii")) + count
        known = time.time() - record.stat().st_mtime < _RECOUNT
    except (OSError, ValueError):
        total, known = 0, False
    if not known or total > bound:
        trim(folder, bound)
    else:
        _write(record, total, keep_time=record.stat().st_mtime)


def trim(folder: Path, bound: int) -> int:
    """Delete what was used longest ago until a tenth of `bound` is free; the bytes that are left.

    Raises OSError.
    """
    kept = sorted(entries(folder), key=lambda each: each.used)
    total = sum(each.size for each in kept)
    if total > bound:
        for each in kept:
            if total <= bound - bound // 10:
                break
            _remove(each.path)
            total -= each.size
    _write(folder / _SIZE, total)
    return total


def entries(folder: Path) -> Iterator[Kept]:
    """Every file of a cache; temporary files of killed runs are deleted on the way. Raises OSError."""
    for kind in ("ac", "cas"):
        for shard in _listed(folder / kind):
            if not shard.is_dir(follow_symlinks=False):
                continue
            for file in _listed(Path(shard.path)):
                with contextlib.suppress(FileNotFoundError):
                    state = file.stat(follow_symlinks=False)
                    if _ENTRY.fullmatch(file.name):
                        yield Kept(state.st_mtime, state.st_size, file.path)
                    elif _TEMPORARY.fullmatch(file.name) and state.st_mtime < time.time() - _ABANDONED:
                        _remove(file.path)


def clear(folder: Path, *, dry_run: bool) -> tuple[int, int]:
    """Empty a cache; how many files and bytes went, or would go. Raises OSError."""
    found = list(entries(folder))
    if not dry_run:
        for each in found:
            _remove(each.path)
        for kind in ("ac", "cas"):
            for shard in list(_listed(folder / kind)):
                _remove_folder(shard.path)
            _remove_folder(folder / kind)
        (folder / _SIZE).unlink(missing_ok=True)  # the mark stays: another run may be filling it again
    return len(found), sum(each.size for each in found)


def _listed(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            yield from found
    except (FileNotFoundError, NotADirectoryError):
        return


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108 - thousands of plain strings


def _remove_folder(path: str | Path) -> None:
    with contextlib.suppress(OSError):  # another run is filling it
        os.rmdir(path)  # noqa: PTH106


def _write(record: Path, total: int, *, keep_time: float | None = None) -> None:
    temporary = record.with_name(f".{_SIZE}.{os.getpid()}.{token_hex(4)}.tmp")
    temporary.write_text(str(total), "ascii")
    if keep_time is not None:
        os.utime(temporary, (keep_time, keep_time))
    temporary.replace(record)
