"""`.toolwright/journal`: what a run is about to touch, so that the next one can repair what it left.

    toolwright journal 1
    ../elsewhere/generated                  the output folder, as the state folder sees it
    1f0c0b…<TAB>files/edit.py               a file to write, with the digest of what it will hold
    -<TAB>files/old.py                      a file to delete

The digests are why a file that a killed run wrote is ours before any manifest lists it, and why one that
somebody else put at the same path is not.
"""

import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from msgspec import Struct

from .fingerprint import digest
from .index import replace
from .manifest import is_inside
from .plan import Plan
from .tree import leads_away, remove_temporary, remove_traces

FILE = "journal"
_HEAD = "toolwright journal 1"
_SAFE = "/._-+@=,~ "
_LENGTH = 32
_DELETED = "-"


class Journal(Struct, frozen=True):
    """`touched`: path below `output` → digests of what unfinished runs were about to put there."""

    output: str = ""
    touched: Mapping[str, frozenset[str]] = {}

    def wrote(self, path: str, content: bytes) -> bool:
        """True if an unfinished run was about to write just this at `path`."""
        marks = self.touched.get(path)
        return marks is not None and _mark(content) in marks


def read_journal(state: Path) -> Journal:
    """What the last run left; nothing is touched in it if that run came to its end."""
    try:
        lines = (state / FILE).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return Journal()
    if len(lines) < 2 or lines[0] != _HEAD:
        return Journal()
    touched: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines[2:]:
        mark, tab, quoted = line.partition("\t")
        if tab and is_inside(path := _unquoted(quoted)):
            touched[path].add(mark)
    return Journal(_unquoted(lines[1]), {path: frozenset(marks) for path, marks in touched.items()})


def journal_for(state: Path, root: Path) -> Journal:
    """The same, if it speaks of the output folder `root`; otherwise nothing."""
    found = read_journal(state)
    return found if found.output == _place(state, root) else Journal()


def write_journal(plan: Plan, state: Path, root: Path) -> None:
    """Write down what `plan` will touch below `root`, with what earlier unfinished runs were about to."""
    lines = {f"{_mark(write.content)}\t{_quoted(write.path)}" for write in plan.writes}
    lines |= {f"{_DELETED}\t{_quoted(delete.path)}" for delete in plan.deletes}
    for path, marks in journal_for(state, root).touched.items():
        lines |= {f"{mark}\t{_quoted(path)}" for mark in marks}
    head = [_HEAD, _quoted(_place(state, root))]
    replace(state / FILE, "\n".join([*head, *sorted(lines), ""]).encode())


def end_journal(state: Path) -> None:
    """The run came to its end."""
    (state / FILE).unlink(missing_ok=True)


def repair(state: Path) -> None:
    """Remove what a killed run left half done: temporary files, and folders that it made or emptied."""
    found = read_journal(state)
    if not found.touched:
        return
    root = Path(os.path.normpath(state / found.output))
    folders = {path.rpartition("/")[0] for path in found.touched}
    real = {folder for folder in folders if not leads_away(root, folder)}
    for folder in sorted(real):
        remove_temporary(root / folder)
    for path in sorted(found.touched, reverse=True):
        if path.rpartition("/")[0] in real and not os.path.lexists(root / path):
            remove_traces(root, path)


def _quoted(path: str) -> str:
    return quote(path, _SAFE, errors="surrogateescape")


def _unquoted(word: str) -> str:
    return unquote(word, errors="surrogateescape")


def _mark(content: bytes) -> str:
    return digest(content)[:_LENGTH]


def _place(state: Path, root: Path) -> str:
    try:
        return Path(os.path.relpath(root, state)).as_posix()
    except ValueError:  # another drive
        return root.as_posix()
