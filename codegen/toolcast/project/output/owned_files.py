"""Decide which files of the output folder are ours to overwrite and delete, and plan for them."""

import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path

from ...config import show
from ...diagnostics import Diagnostic
from ...output_layout import CONTRACTS, LEDGER, SCHEMAS, WIRE_FORMS
from ..state.cache import Cache
from ..state.fingerprint import digest
from .manifest import NAME, is_manifest, is_ours, keep_versions, parse_manifest
from .output_tree import Tree
from .plan import Existing, Plan, make_plan
from .publish import read_journal


def find_owned(tree: Tree, cache: Cache, state: Path) -> frozenset[str]:
    """Return what the manifest lists, what a killed run wrote, and what is as the last run wrote it.

    The last makes up for a lost or damaged manifest; the cache knows the digests.
    """
    listed = tree.find(NAME)
    content = listed.content if listed else b""
    owned = set(parse_manifest(content).files) | ({NAME} if is_manifest(content) else set())
    journal = read_journal(state, tree.root)
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
    """Plan to make the output folder hold just `expected`, of all that is ours.

    `expected`: posix path below the output root → content, or None for a file that is right already. The
    manifest keeps the versions that it records for bytes which stay.
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
    """Tell apart two spellings of one file, where the file system ignores case.

    Removes one of them from `existing`: the new one, so that the file is written under that name, or the old
    one, where the file is right and must not be deleted.
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
    """Report files that look like ours, but that nothing accounts for, and that nothing may delete.

    Python and JavaScript bear our mark; a JSON file is where only we write.
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
