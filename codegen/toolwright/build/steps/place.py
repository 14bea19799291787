"""An assembled set, put into the output folder: only what differs is written, only what is ours is deleted.

There is no journal, as nothing is kept between steps. Before the first change the manifest names the files of
both the old set and the new one; so whoever comes after a killed run knows which are ours.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from ...diagnostics import Diagnostic
from ..output.content import held
from ..output.manifest import NAME, parse_manifest
from ..output.plan import make_plan
from ..output.tree import Tree, remove_traces
from ..state.fingerprint import digest
from ..state.index import Index
from .assemble import Assembled
from .shard import write


class Placed(Struct, frozen=True, kw_only=True):
    """How many files were written and deleted. With an error among `diagnostics`, none."""

    written: int = 0
    deleted: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()


class DamagedError(Exception):
    """A compiled file is not what its record says."""


def place(
    assembled: Assembled, read: Callable[[str], bytes] | None, out: Path, *, shown_output: str
) -> Placed:
    """Make `out` hold the assembled set: with `read`, which gives an output's bytes, all of it; without, the
    files that speak of the whole set. Raises OSError, and DamagedError for bytes that the records deny."""
    own = {path: digest(content) for path, content in assembled.files.items()}
    wanted = {**(assembled.digests if read else {}), **own}
    tree = Tree(out, Index(out))
    former = tree.look(NAME)
    manifest = former.content.read() if former is not None else b""
    owned = parse_manifest(manifest).files
    changed, problems = _differences(wanted, tree, owned, shown_output)
    orphans = owned - set(wanted)
    found = {path: there for path in sorted(orphans) if (there := tree.look(path)) is not None}
    gone = make_plan({}, found, frozenset(orphans), shown_output=shown_output)
    problems = (*problems, *gone.diagnostics)
    if any(problem.severity == "error" for problem in problems):
        return Placed(diagnostics=problems)
    if changed or gone.deletes:
        write(out / NAME, _both(assembled.files[NAME], manifest))
    for delete in gone.deletes:
        (out / delete.path).unlink(missing_ok=True)
        remove_traces(out, delete.path)
    for path in changed:
        if path != NAME:
            write(out / path, _content(path, assembled, read))
    write(out / NAME, assembled.files[NAME])
    return Placed(written=len(changed), deleted=len(gone.deletes), diagnostics=problems)


def _differences(
    wanted: Mapping[str, str], tree: Tree, owned: frozenset[str], shown_output: str
) -> tuple[list[str], tuple[Diagnostic, ...]]:
    """The paths to write, and what stands in the way. One file's bytes are held at a time."""
    changed: list[str] = []
    problems: list[Diagnostic] = []
    for path, value in sorted(wanted.items()):
        found = tree.look(path)
        if found is not None:
            if found.kind == "file" and found.content.digest == value:
                continue
            new = held(b"" if found.content.size else b"\n")  # whatever differs from what is there
            problems += make_plan({path: new}, {path: found}, owned, shown_output=shown_output).diagnostics
        changed.append(path)
    return changed, tuple(problems)


def _content(path: str, assembled: Assembled, read: Callable[[str], bytes] | None) -> bytes:
    if path in assembled.files or read is None:
        return assembled.files[path]
    content = read(path)
    if digest(content) != assembled.digests[path]:
        raise DamagedError(path)
    return content


def _both(new: bytes, old: bytes) -> bytes:
    """The new manifest, with the lines of the old one that it lacks."""
    known = set(new.splitlines())
    lines = [line for line in old.splitlines() if line not in known and not line.startswith(b"#")]
    return new + b"".join(line + b"\n" for line in lines)
