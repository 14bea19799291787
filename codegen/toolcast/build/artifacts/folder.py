"""A cache in a folder, which may lie on a shared disk. `ac/ab/<key>` and `cas/cd/<digest>`."""

import contextlib
import errno
import os
import stat
from pathlib import Path

from .store import BadEntryError, Kind, ReadOnlyError, StoreError
from .trim import TAG, is_cache, note_stored

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_READ_ONLY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


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
            handle = os.open(path, _READ)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise BadEntryError("a link or a pipe") from error
            raise _failure(error) from error
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadEntryError("no file")
            with os.fdopen(handle, "rb", closefd=False) as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise _failure(error) from error
        finally:
            os.close(handle)
        if len(data) > limit:
            raise BadEntryError("too large")
        with contextlib.suppress(OSError):  # what is used is kept longest; on a read-only disk nothing is
            os.utime(path)
        return data

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        path = self._place(kind, key)
        temporary = path.with_name(f".{key}.{os.getpid()}.{_token()}.tmp")
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
            note_stored(self.path, count, self._bound)
        except OSError as error:
            raise _failure(error) from error

    def _place(self, kind: Kind, key: str) -> Path:
        return self.path / kind / key[:2] / key

    def _found(self) -> None:
        """Make the folder, with the mark that lets us delete in it."""
        tag = self.path / TAG.name
        if tag.exists():
            return
        self.path.mkdir(parents=True, exist_ok=True)
        temporary = tag.with_name(f".tag.{os.getpid()}.{_token()}.tmp")
        temporary.write_bytes(TAG.text)
        temporary.replace(tag)


def _failure(error: OSError) -> StoreError:
    text = error.strerror or str(error)
    return ReadOnlyError(text) if error.errno in _READ_ONLY else StoreError(text)


def _token() -> str:
    return os.urandom(4).hex()
