"""Carry out a plan so that every file is old or new at every instant, and the next run repairs the rest.

The order makes it so: a journal of all paths about to be touched, deletions, writes (each a temporary file
beside its target, then a rename), the manifest, and last the journal's removal. A run that finds a journal
owns what it lists.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from .index import Index, replace
from .manifest import NAME, is_inside
from .plan import Plan, Write
from .tree import TEMPORARY, remove_temporary

JOURNAL = "journal"


def publish(
    plan: Plan, root: Path, state: Path, index: Index, *, step: Callable[[str], None] = lambda _path: None
) -> None:
    """Delete and write what `plan` says below `root`. `step` is told each path just before it is touched.

    Expects a plan without errors and the project's lock. Raises OSError where the disk refuses.
    """
    if plan.empty:
        (state / JOURNAL).unlink(missing_ok=True)
        return
    touched = [delete.path for delete in plan.deletes] + [write.path for write in plan.writes]
    replace(state / JOURNAL, "\n".join([*sorted({*touched, *read_journal(state)}), ""]).encode())
    for delete in plan.deletes:
        step(delete.path)
        remove(root, delete.path)
        index.forget(root / delete.path)
    manifest_last = sorted(plan.writes, key=lambda write: (write.path == NAME, write.path))
    made: set[str] = set()
    for write in manifest_last:
        step(write.path)
        _write(f"{root}/{write.path}", write, made)
        index.witness(f"{root}/{write.path}", output=True)
    (state / JOURNAL).unlink(missing_ok=True)


def read_journal(state: Path) -> frozenset[str]:
    """Paths that a killed run was about to touch; empty if the last run came to its end."""
    try:
        lines = (state / JOURNAL).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(line for line in lines if line != NAME and is_inside(line))


def remove(root: Path, path: str) -> None:
    """Delete one output, its compiled bytecode, and the folders that this leaves empty."""
    target = root / path
    target.unlink(missing_ok=True)
    bytecode = target.parent / "__pycache__"
    if target.suffix == ".py" and bytecode.is_dir() and not bytecode.is_symlink():
        for compiled in bytecode.glob(f"{glob_safe(target.stem)}.*.pyc"):
            compiled.unlink(missing_ok=True)
        _remove_empty([bytecode])
    folders = [root / parent for parent in _parents(path)]
    _remove_empty(folders)


def glob_safe(text: str) -> str:
    """`text` as a glob pattern that matches itself only."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:  # not empty, or gone
            return


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
        rest = memoryview(write.content)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)
    os.replace(temporary, target)  # noqa: PTH105
