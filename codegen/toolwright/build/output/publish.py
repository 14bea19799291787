"""Carry out a plan so that every file is old or new at every instant, and the next run repairs the rest.

The order makes it so: a journal of all paths about to be touched, deletions, writes (each a temporary file
beside its target, then a rename), the manifest, and last the journal's removal. A run that finds a journal
owns what it says was written.
"""

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path

from ..state.index import Index
from .journal import end_journal, write_journal
from .manifest import NAME
from .plan import Plan, Write
from .tree import TEMPORARY, remove_temporary, remove_traces


class PublishError(Exception):
    """The disk refused one path. What was dealt with before is done, and the rest stands as it did."""

    def __init__(self, path: str, error: OSError, done: frozenset[str]) -> None:
        super().__init__(path)
        self.path, self.error, self.done = path, error, done


def publish(
    plan: Plan, root: Path, state: Path, index: Index, *, step: Callable[[str], None] = lambda _path: None
) -> None:
    """Delete and write what `plan` says below `root`. `step` is told each path just before it is touched.

    Expects a plan that is not blocked, and the project's lock. Raises PublishError where the disk refuses a
    path of the plan, and OSError where it refuses the journal: then nothing was touched.
    """
    if plan.empty:
        end_journal(state, root)
        return
    write_journal(plan, state, root)
    path, done = "", set[str]()
    try:
        for delete in sorted(plan.deletes, key=lambda delete: (delete.path == NAME, delete.path)):
            path = delete.path
            step(path)
            (root / path).unlink(missing_ok=True)
            remove_traces(root, path)
            index.forget(root / path)
            done.add(path)
        made: set[str] = set()
        for write in sorted(plan.writes, key=lambda write: (write.path == NAME, write.path)):
            path = write.path
            step(path)
            _write(f"{root}/{path}", write, made)
            index.witness_output(f"{root}/{path}")
            done.add(path)
    except OSError as error:
        raise PublishError(path, error, frozenset(done)) from error
    end_journal(state, root)


_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def _write(target: str, write: Write, made: set[str]) -> None:
    """Write beside `target`, then rename. Plain strings: a first build does this for thousands of files."""
    folder = target.rpartition("/")[0]
    if folder not in made:
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        remove_temporary(place)
        made.add(folder)
    temporary = f"{folder}/{TEMPORARY}"
    handle = os.open(temporary, _FLAGS, 0o666)
    try:
        try:
            rest = memoryview(write.content)
            while rest:
                rest = rest[os.write(handle, rest) :]
        finally:
            os.close(handle)
        if write.kind == "new" and os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "a file has come to stand there during the run", target)
        os.replace(temporary, target)  # noqa: PTH105
    except OSError:
        with contextlib.suppress(OSError):  # it would take room on a full disk
            os.unlink(temporary)  # noqa: PTH108
        raise
