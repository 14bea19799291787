"""A cache in a folder, which may be on a shared disk: `ac/ab/<key>` and `cas/cd/<digest>`.

Past the bound of its size, what was used longest ago is deleted: only files of ours.
"""

import contextlib
import errno
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

from msgspec import Struct

from ..state.files import read_plain
from .store import BadEntryError, Kind, ReadOnlyError, StoreError

_READ_ONLY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_NO_FILE = frozenset({errno.ELOOP, errno.ENXIO, errno.EINVAL})
TAG = "CACHEDIR.TAG"
TAG_TEXT = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# A cache of toolcast: compiled specs that machines share. It may be deleted at any time.\n"
)
"""By the tag backup programs know a cache (https://bford.info/cachedir/), and we know ours."""
_SIZE = "size"  # bytes held, as the last run knew it
_ENTRY = re.compile(r"[0-9a-f]{64}")
_TEMPORARY = re.compile(r"\.(?:[0-9a-f]{64}|tag|size)\.\d+\.[0-9a-f]{8}\.tmp")
_RECOUNT = 24 * 3600
"""Seconds after which the recorded size is counted anew: several writers make it drift."""
_ABANDONED = 3600
"""Seconds after which a temporary file belongs to a run that was killed."""


class Folder:
    """Is also its own session: files need no connection. `bound`: bytes it may hold."""

    threads = 4

    def __init__(self, path: Path, shown: str, bound: int) -> None:
        self.path, self.shown, self._bound = path, shown, bound

    def session(self) -> "Folder":
        try:
            if is_cache(self.path) is False:
                raise StoreError("this folder holds other things; name one that is empty or not there yet")
        except OSError as error:
            raise _failure(error) from error
        return self

    def get(self, kind: Kind, key: str, limit: int) -> bytes | None:
        path = self._place(kind, key)
        try:
            data = read_plain(path, limit + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in _NO_FILE:
                raise BadEntryError("a link, a pipe or a folder") from error
            raise _failure(error) from error
        if len(data) > limit:
            raise BadEntryError("too large")
        with contextlib.suppress(OSError):  # what is used is kept longest; on a read-only disk nothing is
            os.utime(path)
        return data

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        path = self._place(kind, key)
        temporary = _temporary(path, key)
        try:
            try:
                temporary.write_bytes(data)
            except FileNotFoundError:  # the first one here
                self._found()
                path.parent.mkdir(parents=True, exist_ok=True)
                temporary.write_bytes(data)
            temporary.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise _failure(error) from error

    def close(self) -> None:
        """Nothing is open."""

    def stored(self, count: int) -> None:
        try:
            add_stored_size(self.path, count, self._bound)
        except OSError as error:
            raise _failure(error) from error

    def _place(self, kind: Kind, key: str) -> Path:
        return self.path / kind / key[:2] / key

    def _found(self) -> None:
        """Make the folder, with the tag that lets us delete in it."""
        tag = self.path / TAG
        if not tag.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            temporary = _temporary(tag, "tag")
            temporary.write_bytes(TAG_TEXT)
            temporary.replace(tag)


def _failure(error: OSError) -> StoreError:
    text = error.strerror or str(error)
    return ReadOnlyError(text) if error.errno in _READ_ONLY else StoreError(text)


def _temporary(path: Path, name: str) -> Path:
    return path.with_name(f".{name}.{os.getpid()}.{token_hex(4)}.tmp")


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
        with (folder / TAG).open("rb") as file:
            return file.read(len(TAG_TEXT)) == TAG_TEXT
    except FileNotFoundError:
        return False


def add_stored_size(folder: Path, count: int, bound: int) -> None:
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
    temporary = _temporary(record, _SIZE)
    temporary.write_text(str(total), "ascii")
    if keep_time is not None:
        os.utime(temporary, (keep_time, keep_time))
    temporary.replace(record)
