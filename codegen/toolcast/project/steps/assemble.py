"""Put together the records of all specs: the files about the whole set, and what conflicts.

`publish_set` makes an output folder hold the set: it is planned and published as `generate` does it. Lock and
journal are in `.toolcast/`: that of the project, if it is the project's output; else one below the output
folder. Nothing of them is left at the end.
"""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ...config import DEFAULT_PROVIDERS, Config, show
from ...diagnostics import Diagnostic, has_errors
from ...providers import Profile
from ...spec.discovery import kind_of, stem_problems
from ...spec.tool_names import shown
from ...spec.type_folders import is_outside
from ..core.pure import Kit, compile_specs, make_kit
from ..former import Former, find_former
from ..output.manifest import NAME
from ..output.output_tree import Tree
from ..output.publish import find_owned, plan_outputs, publish
from ..package import PackageError, make_package
from ..state.cache import Cache, Unit, prepare_state
from ..state.files import locked
from ..state.fingerprint import digest
from ..state.index import Index
from ..worker import FRONTEND, Context


class Assembled(Struct, frozen=True, kw_only=True):
    """The units of a set, the files about all of them, and the `former` output that specs with errors keep.
    `unused` are shared types outside the specs folder that nothing refers to.
    """

    units: Mapping[str, Unit] = {}
    former: Mapping[str, Former] = {}
    files: Mapping[str, bytes] = {}
    diagnostics: tuple[Diagnostic, ...] = ()
    unused: frozenset[str] = frozenset()

    @property
    def failed(self) -> bool:
        """Return whether something is left out, or the shards do not belong together."""
        return has_errors(self.diagnostics)

    @property
    def digests(self) -> dict[str, str]:
        """Return the digest of each output of a unit."""
        return {path: value for unit in self.units.values() for path, value in unit.outputs.items()}


def assemble(
    shards: Mapping[str, Cache], kit: Kit, *, shown_root: str = "specs", out: Tree | None = None
) -> Assembled:
    """Put together what was compiled apart: records by the name of their shard in diagnostics.

    The outcome is what `generate` leaves, whatever the shards are. Unused types outside are left out. So are
    specs with errors or conflicts, with a diagnostic, but for what an earlier set in `out` has of them. Where
    shards do not belong together there are no files.
    """
    records, problems = _records(shards, kit, shown_root)
    if problems:
        return Assembled(diagnostics=problems)
    refused = stem_problems(records, shown_root)
    wanted = {path for path in records if not is_outside(path)}
    wanted |= {used for path in wanted for used in (*records[path].uses, *records[path].missing)}
    unused = frozenset(records.keys() - wanted)
    records = {path: unit for path, unit in records.items() if path in wanted}
    valid = {path: unit for path, unit in records.items() if path not in refused and not unit.failed}
    context = Context(
        frontend=FRONTEND,
        root="",
        shown_root=shown_root,
        types=tuple(path for path in records if kind_of(path) == "type"),
        known_providers=frozenset(kit.known),
        options=kit.options,
    )

    def recover(units: Mapping[str, Unit]) -> dict[str, Former]:
        if out is None:
            return {}
        return find_former(units, tree=out, cache=Cache(), exists=lambda path: path in records)

    try:
        package = make_package(
            valid,
            context,
            libraries=kit.printers,
            locate=lambda path: records[path].named,
            recover=recover,
        )
    except PackageError as fault:
        return Assembled(diagnostics=(fault.diagnostic(shown_root),))
    errors = {
        problem
        for path, unit in records.items()
        for problem in unit.diagnostics
        if problem.severity == "error" and path not in refused
    }
    return Assembled(
        units=package.kept,
        former=package.former,
        files={path: content for path, content in package.files.items() if content is not None},
        diagnostics=tuple(sorted({*errors, *refused.values(), *package.refused.values()})),
        unused=unused,
    )


def fingerprint_of(assembled: Assembled) -> bytes:
    """Return a line for each file with its digest: another set has another text."""
    own = {path: digest(content) for path, content in assembled.files.items()}
    lines = [f"{value}  {path}" for path, value in sorted({**assembled.digests, **own}.items())]
    return "\n".join([*lines, ""]).encode()


def _records(
    shards: Mapping[str, Cache], kit: Kit, shown_root: str
) -> tuple[dict[str, Unit], tuple[Diagnostic, ...]]:
    """Return every record by path, sorted; or why the shards do not belong together."""
    records: dict[str, Unit] = {}
    problems: list[Diagnostic] = []
    for name, shard in sorted(shards.items()):
        if shard.kit != kit.digest:
            message = "was compiled with another configuration, or with another toolcast"
            hint = "compile it again, with the configuration that the other steps use"
            problems.append(Diagnostic(file=name, code="other-setting", message=message, hint=hint))
        for path, unit in shard.units.items():
            if records.setdefault(path, unit) != unit:
                message = f"{shown(shown_root, path)} was compiled elsewhere, too, to something else"
                hint = "give each spec to one step, or compile all of them again"
                problems.append(Diagnostic(file=name, code="compiled-twice", message=message, hint=hint))
    for absent in sorted({use for unit in records.values() for use in unit.uses} - records.keys()):
        user = min(path for path, unit in records.items() if absent in unit.uses)
        message = f"is used by {shown(shown_root, user)}, but no step compiled it"
        file, hint = shown(shown_root, absent), "give it to one of the compile steps"
        problems.append(Diagnostic(file=file, code="not-compiled", message=message, hint=hint))
    return dict(sorted(records.items())), tuple(sorted(problems))


_STATE = ".toolcast"
_PASSING = frozenset({"lock", ".gitignore"})
"""The files of a state folder that remembers nothing."""


class DamagedError(Exception):
    """A compiled file is gone, or does not have the digest of its record."""


def open_output(out: Path) -> Tree:
    place = Path(os.path.abspath(out))  # noqa: PTH100 - links stay as they are
    return Tree(place, Index(place, load=False))


def publish_set(
    assembled: Assembled,
    compiled: Mapping[str, Path] | None,
    out: Path,
    *,
    config: Config | None = None,
    waiting: Callable[[str], None] = lambda _message: None,
) -> tuple[Diagnostic, ...]:
    """Make `out` hold the assembled set: all of it with `compiled`, the file of each output. Returns what is
    wrong, and what the disk refused; an obstacle stops everything. `waiting` gets a message if another run
    holds the folder. Raises OSError, and before anything is written DamagedError.
    """
    out = Path(os.path.abspath(out))  # noqa: PTH100 - links stay as they are
    tree = Tree(out, Index(out, load=False))
    found = tree.find(NAME)
    if found is not None and found.kind != "file" and not found.place:  # no folder, and so no lock in it
        plan = plan_outputs({NAME: b""}, tree, frozenset(), shown_output=show(out))
        return plan.diagnostics
    state, new = out / _STATE, not out.exists()
    if config is not None and out == config.output:
        state = config.state
    with locked(state, waiting):
        prepare_state(state)
        try:
            return _place(assembled, compiled, out, state)
        finally:
            _leave(state)
            if new:
                with contextlib.suppress(OSError):  # something was written
                    out.rmdir()


def _place(
    assembled: Assembled, compiled: Mapping[str, Path] | None, out: Path, state: Path
) -> tuple[Diagnostic, ...]:
    shown_output, index = show(out), Index(out, load=False)
    tree = Tree(out, index)
    expected: dict[str, bytes | None] = {}
    digests = assembled.digests
    for path, file in (compiled or {}).items():
        expected[path] = None if tree.intact({path: digests[path]}) else _read(path, file, digests[path])
    lost: set[str] = set()
    for former in assembled.former.values():
        if not tree.intact(former.unit.outputs):
            message = "was changed by another run meanwhile, so that nothing was written"
            hint = "run it again"
            return (Diagnostic(file=shown_output, code="changed-meanwhile", message=message, hint=hint),)
        expected.update(dict.fromkeys(former.unit.outputs))
        lost.update(former.lost)
    expected.update(assembled.files)
    owned = find_owned(tree, Cache(), state) - lost
    plan = plan_outputs(expected, tree, owned, shown_output=shown_output)
    if plan.blocked:
        return plan.diagnostics
    _, failures = publish(plan, out, state, index, shown_output=shown_output)
    return tuple(sorted({*plan.diagnostics, *failures}))


def _read(path: str, file: Path, wanted: str) -> bytes:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise DamagedError(path) from None
    if digest(content) != wanted:
        raise DamagedError(path)
    return content


def _leave(state: Path) -> None:
    """Remove the folder of lock and journal, unless another run, or a killed one, left more."""
    names = {path.name for path in state.iterdir()}
    if names <= _PASSING:
        for name in names:
            (state / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            state.rmdir()


class Compilation(Struct, frozen=True, kw_only=True):
    """The outputs of a set of specs; `files`: posix path below the output folder → bytes."""

    files: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Return whether a spec has an error; its files are missing."""
        return has_errors(self.diagnostics)


def compile_set(
    specs: Mapping[str, bytes],
    *,
    providers: Sequence[str] | None,
    models: Sequence[str],
    targets: Sequence[str] = (),
    templates: Mapping[str, str] | None,
    profiles: Mapping[str, Profile] | None,
    shown_root: str,
) -> Compilation:
    """See `toolcast.compile`."""
    wanted = DEFAULT_PROVIDERS if providers is None else providers
    kit = make_kit(wanted, profiles=profiles, models=models, targets=targets, templates=templates)
    made = list(compile_specs(sorted(specs), specs, kit, shown_root=shown_root))
    cache = Cache(kit=kit.digest, units={each.path: each.record for each in made})
    assembled = assemble({shown_root: cache}, kit, shown_root=shown_root)
    files = {path: content for each in made for path, content in each.files.items()}
    kept = {path: files[path] for path in assembled.digests}
    used = [each for each in made if each.path not in assembled.unused]
    warnings = {problem for each in used for problem in each.record.diagnostics}
    return Compilation(
        files=dict(sorted({**kept, **assembled.files}.items())),
        diagnostics=tuple(sorted({*assembled.diagnostics, *warnings})),
    )
