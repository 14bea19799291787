"""Records of all specs → the files that are about the whole set, and what cannot stand in it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ... import __version__
from ...diagnostics import Diagnostic
from ...spec.discovery import kind_of, stem_problems
from ...spec.tool_names import check_names, check_types, shown
from ..core.kit import Kit
from ..core.unit_record import Record, Units
from ..frontend import FRONTEND
from ..output.manifest import NAME, render_manifest
from ..package import PackageError, make_package
from ..state.cache import Unit
from ..state.fingerprint import digest
from ..worker import Context


class Assembled(Struct, frozen=True, kw_only=True):
    """`outputs`: of units, path → spec path; `digests` of those; `files` are about the whole set."""

    outputs: Mapping[str, str] = {}
    digests: Mapping[str, str] = {}
    files: Mapping[str, bytes] = {}
    diagnostics: tuple[Diagnostic, ...] = ()
    tools: int = 0  # that stand in the set

    @property
    def failed(self) -> bool:
        return any(problem.severity == "error" for problem in self.diagnostics)


def assemble(shards: Mapping[str, Units], kit: Kit, *, shown_root: str = "specs") -> Assembled:
    """Put together what was compiled apart. `shards`: the name of each in diagnostics → its records.

    Whatever the shards are, the outcome is what `generate` leaves. Specs with errors, and specs that cannot
    stand beside others, are left out, with a diagnostic. Where shards do not belong together there are no
    files.
    """
    records, problems = _records(shards, kit, shown_root)
    if problems:
        return Assembled(diagnostics=problems)
    refused = stem_problems(records, shown_root)
    errors = [
        problem
        for path, record in records.items()
        for problem in record.diagnostics
        if problem.severity == "error" and path not in refused
    ]
    sound = {path: record for path, record in records.items() if path not in refused and not record.failed}
    units = {
        path: Unit(fingerprint="", outputs=record.outputs, uses=record.uses, entry=record.entry)
        for path, record in sound.items()
    }
    try:
        package = make_package(units, "", _context(records, kit, shown_root))
    except PackageError as fault:
        hint = "this is a fault of toolcast or of an overriding template; please report it with the specs"
        message = f"the files that are about all tools cannot be made: {fault}"
        return Assembled(
            diagnostics=(Diagnostic(file=shown_root, code="internal-error", message=message, hint=hint),)
        )
    kept = {path: record for path, record in sound.items() if path not in package.refused}
    files = {path: data for made in package.files.values() for path, data in made.items()}
    lines = {path: (record.source, tuple(record.outputs)) for path, record in kept.items()}
    ours = tuple(path for unit in package.units.values() for path in unit.outputs)
    files[NAME] = render_manifest({"toolcast": __version__, **kit.printers}, lines, ours)
    return Assembled(
        outputs={output: path for path, record in kept.items() for output in record.outputs},
        digests={output: value for record in kept.values() for output, value in record.outputs.items()},
        files=files,
        diagnostics=tuple(sorted({*errors, *refused.values(), *package.refused.values()})),
        tools=sum(record.entry is not None for record in kept.values()),
    )


def fingerprint_of(assembled: Assembled) -> bytes:
    """A line for each file of the set, with the digest of its bytes: another set has another text."""
    own = {path: digest(content) for path, content in assembled.files.items()}
    lines = [f"{value}  {path}" for path, value in sorted({**assembled.digests, **own}.items())]
    return "\n".join([*lines, ""]).encode()


def _records(
    shards: Mapping[str, Units], kit: Kit, shown_root: str
) -> tuple[dict[str, Record], tuple[Diagnostic, ...]]:
    """Every record by path, sorted; or why the shards do not belong together."""
    records: dict[str, Record] = {}
    problems: list[Diagnostic] = []
    for name, units in sorted(shards.items()):
        if units.kit != kit.digest:
            message = "was compiled with another configuration, or with another toolcast"
            hint = "compile it again, with the configuration that the other steps use"
            problems.append(Diagnostic(file=name, code="other-setting", message=message, hint=hint))
        for record in units.units:
            if records.setdefault(record.path, record) != record:
                message = f"{shown(shown_root, record.path)} was compiled elsewhere, too, to something else"
                hint = "give each spec to one step, or compile all of them again"
                problems.append(Diagnostic(file=name, code="compiled-twice", message=message, hint=hint))
    absent = {use for record in records.values() for use in record.uses} - set(records)
    for path in sorted(absent):
        users = sorted(record.path for record in records.values() if path in record.uses)
        message = f"is used by {shown(shown_root, users[0])}, but no step compiled it"
        file, hint = shown(shown_root, path), "give it to one of the compile steps"
        problems.append(Diagnostic(file=file, code="not-compiled", message=message, hint=hint))
    return dict(sorted(records.items())), tuple(sorted(problems))


def _context(records: Mapping[str, Record], kit: Kit, shown_root: str) -> Context:
    def check(
        _root: Path, shown_root: str, entries: Sequence[tuple[str, str, str]], types: Iterable[str]
    ) -> tuple[Diagnostic, ...]:
        clashes = check_names(entries, shown_root=shown_root, locate=lambda path: records[path].named)
        return (*clashes, *check_types(types, shown_root=shown_root))

    return Context(
        frontend=replace(FRONTEND, check_names=check),
        root="",
        shown_root=shown_root,
        types=tuple(path for path in records if kind_of(path) == "type"),
        known_providers=kit.known,
        options=kit.options,
    )
