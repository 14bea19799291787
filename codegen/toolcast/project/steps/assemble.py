"""Records of all specs → the files about the whole set, and what conflicts. Pure."""

from collections.abc import Mapping

from msgspec import Struct

from ...diagnostics import Diagnostic
from ...spec.discovery import kind_of, stem_problems
from ...spec.tool_names import shown
from ...spec.type_folders import is_outside
from ..core.pure import Kit
from ..former import Former, find_former
from ..frontend import FRONTEND
from ..output.output_tree import Tree
from ..package import PackageError, make_package
from ..state.cache import Cache, Unit
from ..state.fingerprint import digest
from ..worker import Context


class Assembled(Struct, frozen=True, kw_only=True):
    """`units` are those of the set, by spec path; `former` what specs with errors keep of an earlier set;
    `files` are about the whole set, by path. `unused`: shared types outside the specs folder that nothing
    refers to."""

    units: Mapping[str, Unit] = {}
    former: Mapping[str, Former] = {}
    files: Mapping[str, bytes] = {}
    diagnostics: tuple[Diagnostic, ...] = ()
    unused: frozenset[str] = frozenset()

    @property
    def failed(self) -> bool:
        """True if something is left out, or the shards do not belong together."""
        return any(problem.severity == "error" for problem in self.diagnostics)

    @property
    def digests(self) -> dict[str, str]:
        """The outputs of units: path → digest."""
        return {path: value for unit in self.units.values() for path, value in unit.outputs.items()}


def assemble(
    shards: Mapping[str, Cache], kit: Kit, *, shown_root: str = "specs", out: Tree | None = None
) -> Assembled:
    """Put together what was compiled apart. `shards`: the name of each in diagnostics → its records.

    Whatever the shards are, the outcome is what `generate` leaves. Shared types outside the specs folder that
    nothing refers to are left out. Specs with errors, and specs that conflict with others, are left out, with
    a diagnostic, but for what an earlier set in `out` has of them. Where shards do not belong together there
    are no files.
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
    """A line for each file of the set, with the digest of its bytes: another set has another text."""
    own = {path: digest(content) for path, content in assembled.files.items()}
    lines = [f"{value}  {path}" for path, value in sorted({**assembled.digests, **own}.items())]
    return "\n".join([*lines, ""]).encode()


def _records(
    shards: Mapping[str, Cache], kit: Kit, shown_root: str
) -> tuple[dict[str, Unit], tuple[Diagnostic, ...]]:
    """Every record by path, sorted; or why the shards do not belong together."""
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
