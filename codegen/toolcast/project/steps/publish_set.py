"""An assembled set, put into the output folder: only what differs is written, only what is ours is deleted.

It is planned and published as `generate` does it. Its lock and its journal lie in `.toolcast/`: that of the
project, if it is the project's output; else one below the output folder. Nothing of them is left at the end.
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from ...config import Config
from ...diagnostics import Diagnostic
from ..output.faults import broken_off
from ..output.journal import repair
from ..output.manifest import NAME
from ..output.output_tree import Tree
from ..output.owned_files import find_owned, settle_case
from ..output.plan import Existing, Plan, make_plan
from ..output.publish import PublishError, publish
from ..state.cache import Cache, prepare_state
from ..state.fingerprint import digest
from ..state.index import Index
from ..state.lock import locked
from .assemble import Assembled

STATE = ".toolcast"
_PASSING = frozenset({"lock", ".gitignore"})
"""What is in a state folder that remembers nothing."""


class Placed(Struct, frozen=True, kw_only=True):
    """How many files were written and deleted. If the disk refused one, an error says which."""

    written: int = 0
    deleted: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()


class DamagedError(Exception):
    """A compiled file is gone, or not what its record says."""


def place(
    assembled: Assembled,
    file_of: Callable[[str], Path] | None,
    out: Path,
    *,
    shown_output: str,
    config: Config | None = None,
    waiting: Callable[[str], None] = lambda _message: None,
) -> Placed:
    """Make `out` hold the assembled set: with `file_of`, which says where an output was compiled to, all of
    it; without, the files about the whole set.

    If something stands in the way, nothing is written. `waiting` gets a message if another run holds the
    folder. Raises DamagedError for bytes that the records deny, before anything is written, and OSError.
    """
    out = Path(os.path.abspath(out))  # noqa: PTH100 - links stay as they are
    found = Tree(out, Index(out, load=False)).look(NAME)
    if (
        found is not None and found.kind != "file" and not found.place
    ):  # no folder, so none for the lock either
        plan = make_plan({NAME: b""}, {NAME: found}, frozenset(), shown_output=shown_output)
        return Placed(diagnostics=plan.diagnostics)
    state, new = out / STATE, not out.exists()
    if config is not None and out == config.output:
        state = config.state
    with locked(state, waiting):
        prepare_state(state)
        try:
            return _place(assembled, file_of, out, state, shown_output)
        finally:
            _leave(state)
            if new:
                with contextlib.suppress(OSError):  # something was written
                    out.rmdir()


def _place(
    assembled: Assembled,
    file_of: Callable[[str], Path] | None,
    out: Path,
    state: Path,
    shown_output: str,
) -> Placed:
    index = Index(out, load=False)
    tree = Tree(out, index)
    owned = find_owned(tree, Cache(), state)
    expected, existing = _compare(assembled, file_of, tree)
    for path in owned - expected.keys():
        if (found := tree.look(path)) is not None:
            existing[path] = found
    settle_case(expected, existing, owned, out)
    plan = make_plan(expected, existing, owned, shown_output=shown_output)
    if plan.blocked:
        return Placed(diagnostics=plan.diagnostics)
    repair(state, out)
    return _publish(plan, out, state, index, shown_output)


def _compare(
    assembled: Assembled, file_of: Callable[[str], Path] | None, tree: Tree
) -> tuple[dict[str, bytes | None], dict[str, Existing]]:
    """What should stand where, None for what does already, and what stands there. Raises DamagedError."""
    expected: dict[str, bytes | None] = {}
    existing: dict[str, Existing] = {}

    def stands(path: str, wanted: str) -> bool:
        found = tree.look(path)
        if found is not None:
            existing[path] = found
        return found is not None and found.kind == "file" and digest(found.content) == wanted

    if file_of is not None:
        for path, wanted in assembled.digests.items():
            expected[path] = None if stands(path, wanted) else _read(path, file_of(path), wanted)
    for path, content in assembled.files.items():
        expected[path] = None if stands(path, digest(content)) else content
    return expected, existing


def _read(path: str, file: Path, wanted: str) -> bytes:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise DamagedError(path) from None
    if digest(content) != wanted:
        raise DamagedError(path)
    return content


def _publish(plan: Plan, out: Path, state: Path, index: Index, shown_output: str) -> Placed:
    try:
        publish(plan, out, state, index)
    except PublishError as fault:
        written = sum(write.path in fault.done for write in plan.writes)
        deleted = sum(delete.path in fault.done for delete in plan.deletes)
        total = len(plan.writes) + len(plan.deletes)
        problem = broken_off(fault.path, fault.error, len(fault.done), total, shown_output)
        problems = tuple(sorted({*plan.diagnostics, problem}))
        return Placed(written=written, deleted=deleted, diagnostics=problems)
    return Placed(written=len(plan.writes), deleted=len(plan.deletes), diagnostics=plan.diagnostics)


def _leave(state: Path) -> None:
    """Remove the folder of lock and journal, if neither another run nor one that was broken off left more."""
    names = {path.name for path in state.iterdir()}
    if names <= _PASSING:
        for name in names:
            (state / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            state.rmdir()
