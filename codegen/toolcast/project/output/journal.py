"""`.toolcast/journal-…`: what a run is about to touch, so that the next one can repair what it left.

JSON: each path below the output root, with the digests of what unfinished runs were about to put there; none
for a file to delete. The digests are why a file that a killed run wrote is ours before any manifest lists it,
and why one that somebody else put at the same path is not. Each output folder has a journal of its own: the
configuration may name another one before a killed run is repaired.
"""

import os
from pathlib import Path

import msgspec

from ..state.files import read_plain, replace
from ..state.fingerprint import digest
from .manifest import is_inside
from .output_tree import crosses_link, remove_temporary, remove_traces
from .plan import Plan

PREFIX = "journal-"

Journal = dict[str, list[str]]
"""Path below the output root → digests of what unfinished runs were about to put there."""


def read_journal(state: Path, root: Path) -> Journal:
    """What unfinished runs left in the output folder `root`; empty if the last one came to its end."""
    try:
        touched = msgspec.json.decode(read_plain(_file(state, root)), type=Journal)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    return {path: digests for path, digests in touched.items() if is_inside(path)}


def write_journal(plan: Plan, state: Path, root: Path) -> None:
    """Write down what `plan` will touch below `root`, with what earlier unfinished runs were about to.

    Raises OSError.
    """
    touched = read_journal(state, root)
    for delete in plan.deletes:
        touched.setdefault(delete.path, [])
    for write in plan.writes:
        known = touched.setdefault(write.path, [])
        if (made := digest(write.content)) not in known:
            known.append(made)
    replace(_file(state, root), msgspec.json.encode(touched))


def end_journal(state: Path, root: Path) -> None:
    """The run came to its end. Raises OSError."""
    _file(state, root).unlink(missing_ok=True)


def repair(state: Path, root: Path) -> None:
    """Remove what a killed run left half done: temporary files, and folders that it made or emptied."""
    for leftover in state.glob(".*.tmp"):  # no other run writes here now
        leftover.unlink(missing_ok=True)
    touched = read_journal(state, root)
    folders = {path.rpartition("/")[0] for path in touched}
    real = {folder for folder in folders if not crosses_link(root, folder)}
    for folder in sorted(real):
        remove_temporary(root / folder)
    for path in sorted(touched, reverse=True):
        if path.rpartition("/")[0] in real and not os.path.lexists(root / path):
            remove_traces(root, path)


def _file(state: Path, root: Path) -> Path:
    try:
        place = Path(os.path.relpath(root, state)).as_posix()  # the project may be moved
    except ValueError:  # another drive
        place = root.as_posix()
    return state / f"{PREFIX}{digest(os.fsencode(place))[:8]}"
