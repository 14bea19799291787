"""Carry out a plan so that every file is old or new at every instant, and the next run repairs the rest.

The order makes it so: a journal of all paths about to be touched, deletions, writes, the manifest, and last
the removal of the journal. A run that finds a journal owns what was written according to it.
"""

import contextlib
import errno
import os
from pathlib import Path

from msgspec.structs import replace

from ...diagnostics import Diagnostic
from ..state.index import Index
from .faults import publish_failure
from .journal import end_journal, repair, write_journal
from .manifest import NAME
from .output_tree import TEMPORARY, remove_temporary, remove_traces
from .plan import Delete, Plan, Write

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def publish(
    plan: Plan, root: Path, state: Path, index: Index, *, shown_output: str
) -> tuple[Plan, tuple[Diagnostic, ...]]:
    """Repair what a killed run left below `root`, then carry out `plan` there.

    Expects a plan that is not blocked, and the project's lock. The index gets a row for each file written.
    Returns the part of the plan that was carried out, and an error if the disk refused one of its paths: then
    every file that is not in that part is as it was. Raises OSError where the disk refuses the journal: then
    nothing was touched.
    """
    repair(state, root)
    if not plan.empty:
        write_journal(plan, state, root)
    deletes: list[Delete] = []
    writes: list[Write] = []
    made: set[str] = set()  # folders
    path = ""
    try:
        for delete in sorted(plan.deletes, key=lambda delete: (delete.path == NAME, delete.path)):
            path = delete.path
            (root / path).unlink(missing_ok=True)
            remove_traces(root, path)
            deletes.append(delete)
        for write in sorted(plan.writes, key=lambda write: (write.path == NAME, write.path)):
            path = write.path
            target = f"{root}/{path}"
            before = _write(target, write.content, made, new=write.kind == "new")
            index.record_written(target, before)
            writes.append(write)
    except OSError as error:
        done = replace(plan, writes=tuple(writes), deletes=tuple(deletes))
        return done, (publish_failure(path, error, done, plan, shown_output),)
    end_journal(state, root)
    return plan, ()


def _write(target: str, content: bytes, made: set[str], *, new: bool) -> os.stat_result:
    """Write to a temporary file in the same folder, then rename; the state of the file before it was renamed.

    Paths are plain strings: a first build writes thousands of files.
    """
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
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(handle, rest) :]
            before = os.fstat(handle)
        finally:
            os.close(handle)
        if new and os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "a file has come to stand there during the run", target)
        os.replace(temporary, target)  # noqa: PTH105
    except OSError:
        with contextlib.suppress(OSError):  # it takes space on a full disk
            os.unlink(temporary)  # noqa: PTH108
        raise
    return before
