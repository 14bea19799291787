"""Carry out a plan so that every file is old or new at every instant, and the next run repairs the rest.

The order makes it so: a journal of all paths about to be touched, deletions, writes (`share`), the manifest,
and last the journal's removal. A run that finds a journal owns what it says was written.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..state.index import Index
from .content import Stored
from .journal import end_journal, write_journal
from .manifest import NAME
from .plan import Plan, Write
from .share import Done, carry_out
from .tree import remove_traces

Hands = Callable[[str, Sequence[Write]], Iterable[tuple[Sequence[Write], Done]]]
"""Carries out writes below a root, in shares; what became of each."""
_MANY = 256
"""From this number of stored files on, others are asked to help."""


class PublishError(Exception):
    """The disk refused one path. What was dealt with before is done, and the rest stands as it did."""

    def __init__(self, path: str, error: OSError, done: frozenset[str]) -> None:
        super().__init__(path)
        self.path, self.error, self.done = path, error, done


def publish(
    plan: Plan,
    root: Path,
    state: Path,
    index: Index,
    *,
    hands: Hands | None = None,
    step: Callable[[str], None] = lambda _path: None,
) -> None:
    """Delete and write what `plan` says below `root`. `step` is told each path just before it is touched.

    With many files to write, those that are stored on the disk are left to `hands`. Expects a plan that is
    not blocked, and the project's lock. Raises PublishError where the disk refuses a path of the plan, and
    OSError where it refuses the journal: then nothing was touched.
    """
    if plan.empty:
        end_journal(state, root)
        return
    write_journal(plan, state, root)
    done: list[str] = []
    _delete(plan, root, index, done, step)
    writes = sorted(plan.writes, key=lambda write: (write.path == NAME, write.path))
    theirs = [write for write in writes if isinstance(write.content, Stored)] if hands is not None else []
    if hands is not None and len(theirs) >= _MANY:
        _settle(hands(str(root), theirs), root, index, done)
        writes = [write for write in writes if not isinstance(write.content, Stored)]
    _settle([(writes, carry_out(str(root), writes, step=step))], root, index, done)
    end_journal(state, root)


def _delete(plan: Plan, root: Path, index: Index, done: list[str], step: Callable[[str], None]) -> None:
    for delete in sorted(plan.deletes, key=lambda delete: (delete.path == NAME, delete.path)):
        path = delete.path
        step(path)
        try:
            (root / path).unlink(missing_ok=True)
            remove_traces(root, path)
        except OSError as error:
            raise PublishError(path, error, frozenset(done)) from error
        index.forget(root / path)
        done.append(path)


def _settle(
    shares: Iterable[tuple[Sequence[Write], Done]], root: Path, index: Index, done: list[str]
) -> None:
    """Note what was written. Raises PublishError, if one share was stopped, when all have ended."""
    stopped: tuple[str, OSError] | None = None
    for writes, share in shares:
        paths = [write.path for write in writes[: share.count]]
        index.take_outputs(root, paths, share.seen)
        done += paths
        if share.error is not None and stopped is None:
            stopped = (writes[share.count].path, share.error)
    if stopped is not None:
        raise PublishError(*stopped, frozenset(done)) from stopped[1]
