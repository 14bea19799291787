"""`.toolcast/spill-…/`: where a run of many specs keeps its outputs until they are published.

Each process appends what it compiles to a file of its own. A run that writes nothing keeps them in the
system's folder for temporary files. The folder goes at the end of the run, or when the next one begins.
"""

import contextlib
import os
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

from .output.content import Files, held_files, stored_files
from .state.lock import locked

PREFIX = "spill-"
_SHARE = "share-"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Spill:
    """One process's file in `folder`; it is made for the first bytes, and closed with the process."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file = ""
        self._handle = -1
        self._end = 0

    def keep(self, files: Mapping[str, bytes]) -> Files:
        """Append the bytes of `files`; where they stand now. Raises OSError with the file's name."""
        if not files:
            return held_files(files)
        start = self._begin()
        kept = stored_files(files, self._file, start)
        rest = memoryview(b"".join(files.values()))
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError as error:
            self.close()  # half of it stands there
            error.filename = self._file
            raise
        self._end = start + sum(map(len, files.values()))
        return kept

    def close(self) -> None:
        """Close the file; the next bytes begin another."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _begin(self) -> int:
        if self._handle < 0:
            number = 0
            while self._handle < 0:
                self._file = f"{self._folder}/{os.getpid()}-{number}"
                number += 1
                with contextlib.suppress(FileExistsError):  # of a process that had our number before
                    self._handle = os.open(self._file, _FLAGS, 0o600)
            self._end = 0
        return self._end


class Room:
    """The folder of one run. It is made when it is first asked for."""

    def __init__(self, state: Path | None) -> None:
        self._state = state
        self._folder: str | None = None

    @property
    def folder(self) -> str:
        """Where it is. Raises OSError if it cannot be made."""
        if self._folder is None:
            if self._state is None:
                import tempfile  # for a run that writes nothing only

                self._folder = tempfile.mkdtemp(prefix="toolcast-")
            else:  # a name of its own: the next run may have begun when this one removes it
                made = self._state / f"{PREFIX}{os.getpid()}-{time.time_ns():x}"
                made.mkdir()
                self._folder = str(made)
        return self._folder

    def leave(self) -> None:
        """Remove it."""
        if self._folder is not None:
            _remove(Path(self._folder))
            self._folder = None


@contextlib.contextmanager
def room(state: Path | None) -> Generator[Room]:
    """A run's folder below `state`, or a temporary one; it is removed at the end."""
    made = Room(state)
    try:
        yield made
    finally:
        made.leave()


@contextlib.contextmanager
def at_work(folder: str, number: int) -> Generator[None]:
    """Tell whoever comes next that a process works on share `number`, even if its run is killed."""
    with locked(Path(folder) / f"{_SHARE}{number}", lambda _message: None):
        yield


def sweep(state: Path, waiting: Callable[[str], None]) -> None:
    """Remove what killed runs left, once none of their processes publishes any more: one may outlive its run
    for a moment. Expects the project's lock. Raises OSError.
    """
    for folder in sorted(state.glob(f"{PREFIX}*")):
        if folder.is_symlink():
            folder.unlink()  # none of ours
            continue
        for share in sorted(folder.glob(f"{_SHARE}*")):
            if share.is_symlink():
                continue
            with locked(share, waiting):
                """Nobody works on it any more."""
        _remove(folder)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
