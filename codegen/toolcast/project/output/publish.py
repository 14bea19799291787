"""Decide which files of the output folder are ours, and carry out a plan for them.

Every file is old or new at every instant, and the next run repairs the rest. The order makes it so: a journal
of all paths about to be touched, deletions, writes, the manifest, and last the removal of the journal. A run
that finds a journal owns what was written according to it.

`.toolcast/journal-…` is JSON: each path below the output root, with the digests of what unfinished runs were
about to put there; none for a file to delete. By its digest a file that a killed run wrote is ours before any
manifest lists it, and one that somebody else put at the same path is not. Each output folder has its own
journal: the configuration may name another folder before a killed run is repaired.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...config import Config, show
from ...diagnostics import Diagnostic, has_errors
from ...output_layout import CONTRACTS, LEDGER, SCHEMAS, WIRE_FORMS
from ..state.cache import Cache, load_cache
from ..state.files import locked, read_plain, write_whole
from ..state.fingerprint import digest
from ..state.index import Index
from .manifest import NAME, is_inside, is_manifest, is_ours, keep_versions, parse_manifest
from .output_tree import TEMPORARY, Tree, crosses_link, remove_all_temporary, remove_temporary, remove_traces
from .plan import Delete, Existing, Plan, Write, make_plan, publish_failure, reason, remedy


def find_owned(tree: Tree, cache: Cache, state: Path) -> frozenset[str]:
    """Return what the manifest lists, what a killed run wrote, and what is as the last run wrote it. The last
    makes up for a lost or damaged manifest; the cache knows the digests.
    """
    listed = tree.find(NAME)
    content = listed.content if listed else b""
    owned = set(parse_manifest(content).files) | ({NAME} if is_manifest(content) else set())
    journal = _read_journal(state, tree.root)
    for path in journal.keys() - owned:
        found = tree.find(path)
        if found is not None and found.kind == "file" and digest(found.content) in journal[path]:
            owned.add(path)
    outputs = {path: known for unit in cache.units.values() for path, known in unit.outputs.items()}
    owned |= {path for path in outputs.keys() - owned if tree.intact({path: outputs[path]})}
    return frozenset(owned)


def plan_outputs(
    expected: Mapping[str, bytes | None], tree: Tree, owned: frozenset[str], *, shown_output: str
) -> Plan:
    """Plan to make the output folder hold just `expected`, of all that is ours. `expected`: posix path below
    the output root → content, or None for a file that is right already. The manifest keeps the versions
    that it records for bytes which stay.
    """
    existing: dict[str, Existing] = {}
    for path in (*expected, *(owned - expected.keys())):
        if path in expected and expected[path] is None:
            existing[path] = Existing("intact")
        elif (found := tree.find(path)) is not None:
            existing[path] = found
    manifest, recorded = expected.get(NAME), existing.get(NAME)
    if manifest is not None and recorded is not None:
        expected = {**expected, NAME: keep_versions(manifest, recorded.content)}
    _settle_case(expected, existing, owned, tree.root)
    return make_plan(expected, existing, owned, shown_output=shown_output)


def _settle_case(
    expected: Mapping[str, bytes | None], existing: dict[str, Existing], owned: Collection[str], root: Path
) -> None:
    """Tell apart two spellings of one file, where the file system ignores case. Removes one of them from
    `existing`: the new one, so that the file is written under that name, or the old one, where the file is
    right and must not be deleted.
    """
    gone = set(owned) - expected.keys()
    folded = {path.casefold(): path for path in expected} if gone else {}
    for old in gone:
        new = folded.get(old.casefold())
        if new is None or not {old, new} <= existing.keys() or not _one_file(root / old, root / new):
            continue
        del existing[old if expected[new] is None else new]


def _one_file(one: Path, other: Path) -> bool:
    try:
        return os.path.samestat(one.lstat(), other.lstat())
    except OSError:
        return False


def find_strays(output: Path, known: Collection[str]) -> list[Diagnostic]:
    """Report files that look like ours, but that nothing accounts for, and that nothing may delete. Python
    and JavaScript bear our mark; a JSON file is where only we write.
    """
    found: list[tuple[Path, str]] = []
    for here, _, names in os.walk(output):  # behind links nothing is ours
        below = Path(here).relative_to(output)
        for name in names:
            path = Path(here, name)
            if not name.endswith((".py", ".js", ".ts", ".json")) or (below / name).as_posix() in known:
                continue
            if name.endswith(".json"):
                if _holds_only_outputs(below) and not path.is_symlink():
                    found.append((path, "lies where toolcast writes"))
            elif _bears_mark(path):
                found.append((path, "bears the mark of toolcast"))
    return [
        Diagnostic(
            file=show(path),
            severity="warning",
            code="stray-output",
            message=f"{looks}, but neither a spec nor the manifest accounts for it",
            hint="delete it, if it is a leftover",
        )
        for path, looks in sorted(found)
    ]


def _holds_only_outputs(folder: Path) -> bool:
    """Return whether a folder holds nothing but what we write; JSON cannot hold a mark."""
    parts = folder.parts
    alone = parts[:1] in ((CONTRACTS,), (LEDGER,))
    return alone or (len(parts) > 1 and parts[0] in (SCHEMAS, WIRE_FORMS))


def _bears_mark(path: Path) -> bool:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with path.open("rb") as file:
            return is_ours(file.read(64))
    except OSError:  # somebody's own, and closed to us
        return False


_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def publish(
    plan: Plan, root: Path, state: Path, index: Index, *, shown_output: str
) -> tuple[Plan, tuple[Diagnostic, ...]]:
    """Repair what a killed run left below `root`, then carry out `plan`.

    Expects a plan that is not blocked, and the project's lock; the index gets a row for each file written.
    Returns the part that was carried out, and an error if the disk refused a path: every other file is as it
    was then. Raises OSError where the disk refuses the journal: nothing was touched then.
    """
    _repair(state, root)
    if not plan.empty:
        _write_journal(plan, state, root)
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
    _end_journal(state, root)
    return plan, ()


def _write(target: str, content: bytes, made: set[str], *, new: bool) -> os.stat_result:
    """Write a temporary file beside the target and rename it; return its state before that."""
    folder = target.rpartition("/")[0]  # plain strings: a first build writes thousands of files
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


JOURNAL_PREFIX = "journal-"

_Journal = dict[str, list[str]]
"""Path below the output root → digests of what unfinished runs were about to put there."""


def _read_journal(state: Path, root: Path) -> _Journal:
    """Read what unfinished runs left in `root`; empty if the last one ended."""
    try:
        touched = msgspec.json.decode(read_plain(_journal_file(state, root)), type=_Journal)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    return {path: digests for path, digests in touched.items() if is_inside(path)}


def _write_journal(plan: Plan, state: Path, root: Path) -> None:
    """Add to the journal what `plan` will touch below `root`. Raises OSError."""
    touched = _read_journal(state, root)
    for delete in plan.deletes:
        touched.setdefault(delete.path, [])
    for write in plan.writes:
        known = touched.setdefault(write.path, [])
        if (made := digest(write.content)) not in known:
            known.append(made)
    write_whole(_journal_file(state, root), msgspec.json.encode(touched))


def _end_journal(state: Path, root: Path) -> None:
    """Remove the journal of a run that ended. Raises OSError."""
    _journal_file(state, root).unlink(missing_ok=True)


def _repair(state: Path, root: Path) -> None:
    """Remove what a killed run left: temporary files, and folders that it made or emptied."""
    for leftover in state.glob(".*.tmp"):  # no other run writes here now
        leftover.unlink(missing_ok=True)
    touched = _read_journal(state, root)
    folders = {path.rpartition("/")[0] for path in touched}
    real = {folder for folder in folders if not crosses_link(root, folder)}
    for folder in sorted(real):
        remove_temporary(root / folder)
    for path in sorted(touched, reverse=True):
        if path.rpartition("/")[0] in real and not os.path.lexists(root / path):
            remove_traces(root, path)


def _journal_file(state: Path, root: Path) -> Path:
    try:
        place = Path(os.path.relpath(root, state)).as_posix()  # the project may be moved
    except ValueError:  # another drive
        place = root.as_posix()
    return state / f"{JOURNAL_PREFIX}{digest(os.fsencode(place))[:8]}"


class _Cleaned(Struct, frozen=True, kw_only=True):
    """The files that were removed, or would be; `files` are posix paths below the output root."""

    files: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def clean(
    config: Config,
    *,
    dry_run: bool,
    waiting: Callable[[str], None] = lambda _message: None,
) -> _Cleaned:
    """Delete what the manifest lists and bears our mark, then the manifest, then `.toolcast/`."""
    if dry_run:
        return _clean(config, dry_run=True)
    try:
        with locked(config.state, waiting):
            return _clean(config, dry_run=False)
    except OSError as error:
        place = show(config.base / str(error.filename or config.output))
        message = f"cannot remove: {reason(error)}"
        problem = Diagnostic(file=place, code="io-error", message=message, hint=remedy(error))
        return _Cleaned(diagnostics=(problem,))


def _clean(config: Config, *, dry_run: bool) -> _Cleaned:
    files, problems = _delete_outputs(config, dry_run=dry_run)
    failed = has_errors(problems)
    if not dry_run and not failed:
        _remove_state(config)
    return _Cleaned(files=files, diagnostics=tuple(sorted(set(problems))))


def _delete_outputs(config: Config, *, dry_run: bool) -> tuple[tuple[str, ...], list[Diagnostic]]:
    root, index = config.output, Index(config.base, load=False)
    shown = show(root)
    if crosses_link(root, ""):
        message = "is a symbolic link, and links are not followed: what is behind it stays"
        hint = "delete it by hand, or set `output` to the folder that it leads to"
        return (), [Diagnostic(file=shown, code="link-kept", severity="warning", message=message, hint=hint)]
    tree = Tree(root, index)
    owned = find_owned(tree, load_cache(config.state), config.state)
    lost = [] if NAME in owned else _warn_of_lost_manifest(root, owned)
    plan = plan_outputs({}, tree, owned | {NAME}, shown_output=shown)
    problems = [*plan.diagnostics, *lost]
    if not dry_run:
        plan, failures = publish(plan, root, config.state, index, shown_output=shown)
        problems += failures
        if not failures:
            remove_all_temporary(root)
            with contextlib.suppress(OSError):  # it holds something that is not ours
                root.rmdir()
    return tuple(sorted(delete.path for delete in plan.deletes)), problems


def _warn_of_lost_manifest(root: Path, owned: frozenset[str]) -> list[Diagnostic]:
    left = [problem.file for problem in find_strays(root, owned)]
    if not any(file.endswith(".py") for file in left):  # none bears our mark
        return []
    which = left[0] if len(left) == 1 else f"{left[0]} and {len(left) - 1} more"
    message = f"is not there, so nothing says that what looks like output of toolcast is ours: {which} stay"
    hint = "restore the manifest, then run `toolcast clean` again; or delete by hand what is left"
    place = f"{show(root)}/{NAME}"
    return [Diagnostic(file=place, code="no-manifest", severity="warning", message=message, hint=hint)]


def _remove_state(config: Config) -> None:
    for name in ("index", "cache.json", ".gitignore", "lock"):
        (config.state / name).unlink(missing_ok=True)
    for pattern in (f"{JOURNAL_PREFIX}*", ".*.tmp"):
        for leftover in config.state.glob(pattern):
            leftover.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        config.state.rmdir()
