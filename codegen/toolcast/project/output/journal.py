"""`.toolcast/journal-…`: what a run is about to touch, so that the next one can repair what it left.

    toolcast journal 1
    1f0c0b…<TAB>files/edit.py               a file to write, with the digest of what it will hold
    -<TAB>files/old.py                      a file to delete

The digests are why a file that a killed run wrote is ours before any manifest lists it, and why one that
somebody else put at the same path is not. Each output folder has a journal of its own: the configuration may
name another one before a killed run is repaired.
"""

import os
from collections import defaultdict
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from urllib.parse import quote, unquote

from msgspec import Struct

from ..state.files import read_plain, replace
from ..state.fingerprint import digest
from .manifest import is_inside, is_plain
from .output_tree import leads_away, remove_temporary, remove_traces
from .plan import Plan

PREFIX = "journal-"
_HEAD = "toolcast journal 1"
_SAFE = "/._-+@=,~ "
_LENGTH = 32
_DELETED = "-"


class Journal(Struct, frozen=True):
    """`touched`: path below the output root → digests of what unfinished runs were about to put there."""

    touched: Mapping[str, frozenset[str]] = {}

    def wrote(self, path: str, content: bytes) -> bool:
        """True if an unfinished run was about to write just this at `path`."""
        marks = self.touched.get(path)
        return marks is not None and _mark(content) in marks


def read_journal(state: Path, root: Path) -> Journal:
    """What unfinished runs left in the output folder `root`; empty if the last one came to its end."""
    try:
        lines = read_plain(_file(state, root)).decode().split("\n")
    except (OSError, UnicodeDecodeError):
        return Journal()
    touched: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines[1:] if lines[0] == _HEAD else ():
        mark, tab, quoted = line.partition("\t")
        if tab and is_inside(path := unquote(quoted)):
            touched[path].add(mark)
    return Journal({path: frozenset(marks) for path, marks in touched.items()})


def write_journal(plan: Plan, state: Path, root: Path) -> None:
    """Write down what `plan` will touch below `root`, with what earlier unfinished runs were about to."""
    lines = chain(
        (f"{_mark(write.content)}\t{_quoted(write.path)}" for write in plan.writes),
        (f"{_DELETED}\t{_quoted(delete.path)}" for delete in plan.deletes),
        (
            f"{mark}\t{_quoted(path)}"
            for path, earlier in read_journal(state, root).touched.items()
            for mark in sorted(earlier)
        ),
    )
    replace(_file(state, root), "\n".join((_HEAD, *lines, "")).encode())


def end_journal(state: Path, root: Path) -> None:
    """The run came to its end."""
    _file(state, root).unlink(missing_ok=True)


def repair(state: Path, root: Path) -> None:
    """Remove what a killed run left half done: temporary files, and folders that it made or emptied."""
    for leftover in state.glob(".*.tmp"):  # no other run writes here now
        leftover.unlink(missing_ok=True)
    touched = read_journal(state, root).touched
    folders = {path.rpartition("/")[0] for path in touched}
    real = {folder for folder in folders if not leads_away(root, folder)}
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


def _quoted(path: str) -> str:
    return path if is_plain(path) else quote(path, _SAFE)


def _mark(content: bytes) -> str:
    return digest(content)[:_LENGTH]
