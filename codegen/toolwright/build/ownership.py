"""Which files of the output folder are ours to overwrite and delete, and which only look like it."""

from collections.abc import Collection
from pathlib import Path

from ..config import show
from ..diagnostics import Diagnostic
from .cache import Cache
from .fingerprint import digest
from .manifest import NAME, is_ours, parse_manifest
from .publish import read_journal
from .tree import Tree


def find_owned(tree: Tree, cache: Cache, state: Path) -> frozenset[str]:
    """What the manifest lists, what a killed run was about to write, and what still is as we wrote it.

    The last makes up for a lost or damaged manifest; the cache knows the digests.
    """
    listed = tree.look(NAME)
    owned = parse_manifest(listed.content if listed else b"").files | read_journal(state)
    digests = {path: data for unit in cache.units.values() for path, data in unit.outputs.items()}
    for path in sorted(digests.keys() - owned):
        found = tree.look(path)
        if found is not None and found.kind == "file" and digest(found.content) == digests[path]:
            owned |= {path}
    return owned


def find_strays(output: Path, known: Collection[str]) -> list[Diagnostic]:
    """Python files that bear our mark, but that nothing accounts for: nothing may delete them either."""
    problems: list[Diagnostic] = []
    for path in sorted(output.rglob("*.py")):
        name = path.relative_to(output).as_posix()
        if name not in known and path.is_file() and is_ours(path.read_bytes()[:64]):
            problem = Diagnostic(
                file=show(path),
                severity="warning",
                code="stray-output",
                message="bears the mark of toolwright, but neither a spec nor the manifest accounts for it",
                hint="delete it, if it is a leftover",
            )
            problems.append(problem)
    return problems
