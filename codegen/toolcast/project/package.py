"""The files about the whole set of tools, without the units that conflict with others."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..spec.tool_names import Locate
from ..version import __version__
from .conflicts import find_conflicts, find_name_clashes
from .former import Former, Recover
from .output.manifest import NAME, PACKAGE, Record, Versions, render_manifest
from .state.cache import Unit
from .state.fingerprint import combine, digest
from .worker import Context

Reuse = Callable[[str, str], Unit | None]
"""By name and fingerprint: a unit of the last run that need not be made again."""


class PackageError(Exception):
    """The files about the whole set cannot be made; nothing may be published without them."""

    def diagnostic(self, file: str) -> Diagnostic:
        """The same for a user."""
        message = f"the compiler failed on the files about all tools: {self}"
        hint = "this is a fault of toolcast or of an overriding template; please report it with the specs"
        return Diagnostic(file=file, code="internal-error", message=message, hint=hint)


class Package(Struct, frozen=True):
    """`kept`: by spec path, the units of the set. `refused`: why others that compile do not belong to it.
    `former`: the output of specs that do not compile or are refused, which stays. `own`: by name, the units
    of the files about the whole set. `files`: those by path, the manifest among them; None for one that is
    right as the last run left it."""

    kept: dict[str, Unit]
    refused: Mapping[str, Diagnostic]
    former: Mapping[str, Former]
    own: Mapping[str, Unit]
    files: Mapping[str, bytes | None]


def make_package(
    units: Mapping[str, Unit],
    context: Context,
    *,
    libraries: Versions,
    locate: Locate,
    common: str = "",
    reuse: Reuse = lambda _name, _mark: None,
    recover: Recover = lambda _units: {},
) -> Package:
    """Leave out of `units` those that conflict, and make the files about all others and about what `recover`
    finds: the former output of specs that are left out or do not compile.

    `libraries` are those that the manifest names, with versions; `locate` gives line and column of the name
    in the spec at a path; `common` is a digest of everything but specs. Raises PackageError.
    """
    refused = find_name_clashes(units, context, locate)
    own: set[str] = set()  # paths of the files about the whole set, which depend on its units
    while True:
        refused |= find_conflicts(_without(units, refused), own, context)
        refused |= _find_dependents(_without(units, refused), context)
        kept = _without(units, refused)
        former = _beside(kept, recover(kept), context)
        registered = {path: each.unit for path, each in former.items() if not each.flaw}
        made, files = _make({**kept, **registered}, common, context, reuse)
        paths = {path for unit in made.values() for path in unit.outputs}
        reserved = {path.casefold() for path in (NAME, *paths)}
        if paths == own or not any(path.casefold() in reserved for u in kept.values() for path in u.outputs):
            break
        own = paths
    manifest = render_manifest(_records({**kept, **made}, former, libraries))
    return Package(kept, refused, former, made, {**dict.fromkeys(paths), **files, NAME: manifest})


def _beside(kept: Mapping[str, Unit], former: Mapping[str, Former], context: Context) -> dict[str, Former]:
    """`former` as it can stand beside `kept`, which goes first: without outputs that a unit there has, too,
    and with a flaw where its names conflict."""
    owners = {output.casefold(): path for path, unit in kept.items() for output in unit.outputs}
    found: dict[str, Former] = {}
    for path, each in former.items():
        outputs = {
            output: known for output, known in each.unit.outputs.items() if output.casefold() not in owners
        }
        lost = tuple(output for output in each.lost if output.casefold() not in owners)
        given_up = min(each.unit.outputs.keys() - outputs.keys(), default="")
        if given_up:
            flaw = f"{given_up} is an output of {context.shown(owners[given_up.casefold()])} now"
            unit = replace(each.unit, outputs=outputs)
            found[path] = replace(each, unit=unit, lost=lost, flaw=flaw, recorded=None)
        else:
            found[path] = replace(each, lost=lost)
    found = {path: each for path, each in found.items() if each.unit.outputs}
    if not _conflicting(kept, found, context):
        return found
    settled: dict[str, Former] = {}
    for path, each in found.items():
        settled[path] = each
        if not each.flaw and _conflicting(kept, settled, context):
            settled[path] = replace(each, flaw="its name is that of another tool by now")
    return settled


def _conflicting(kept: Mapping[str, Unit], former: Mapping[str, Former], context: Context) -> bool:
    units = {**kept, **{path: each.unit for path, each in former.items() if not each.flaw}}
    names = find_name_clashes(units, context, lambda _path: (0, 0))
    return bool(names or find_conflicts(units, (), context))


def _records(
    units: Mapping[str, Unit], former: Mapping[str, Former], libraries: Versions
) -> dict[str, Record]:
    """What the manifest says of each unit: that the versions which are here made it. Of former output it says
    what it said."""
    by = {"toolcast": __version__, **{name: libraries[name] for name in sorted(libraries)}}
    records: dict[str, Record] = {}
    for path, unit in units.items():
        outputs = tuple(sorted(unit.outputs))
        if path == PACKAGE:  # the markers of other packages follow from the modules in them
            made = unit.source
            outputs = tuple(each for each in outputs if not each.endswith("/__init__.py"))
            records[path] = Record(made=made, by=by, outputs=outputs)
        else:
            records[path] = Record(source=unit.source, made=_made(unit), by=by, outputs=outputs)
    for path, each in former.items():
        outputs = tuple(sorted((*each.unit.outputs, *each.lost)))
        made = each.made or _made(each.unit)
        records[path] = Record(source=each.unit.source, made=made, by=by, outputs=outputs)
    return records


def _made(unit: Unit) -> str:
    """The digest that the manifest has of a unit's outputs."""
    return combine(word for path in sorted(unit.outputs) for word in (path, unit.outputs[path]))[:16]


def _find_dependents(units: Mapping[str, Unit], context: Context) -> dict[str, Diagnostic]:
    """Tools that would import the module of a shared type that is missing."""
    missing = set(context.types) - set(units)
    problems: dict[str, Diagnostic] = {}
    for path, unit in units.items():
        if culprits := sorted(missing.intersection(unit.uses)):
            message = f"refers to {context.shown(culprits[0])}, which does not compile"
            file, hint = context.shown(path), "correct it first"
            problems[path] = Diagnostic(file=file, code="broken-type", message=message, hint=hint)
    return problems


def _make(
    units: Mapping[str, Unit], common: str, context: Context, reuse: Reuse
) -> tuple[dict[str, Unit], dict[str, bytes]]:
    entries = [unit.entry for _, unit in sorted(units.items()) if unit.entry is not None]
    folders = python_folders(path for unit in units.values() for path in unit.outputs)
    mark = digest(common.encode() + b"\n" + msgspec.json.encode((entries, folders)))
    if (unit := reuse(PACKAGE, mark)) is not None:
        return {PACKAGE: unit}, {}
    try:
        files = context.frontend.compile_package(entries, folders, context.options)
        plain = context.frontend.compile_package((), ("",), context.options)
    except Exception as error:
        raise PackageError(f"{type(error).__name__}: {error}") from error
    source = combine(word for path in sorted(plain) for word in (path, digest(plain[path])))[:16]
    outputs = {path: digest(content) for path, content in files.items()}
    return {PACKAGE: Unit(fingerprint=mark, outputs=outputs, source=source)}, files


def python_folders(outputs: Iterable[str]) -> list[str]:
    """Every folder that leads to a Python module among `outputs`; "" is the output folder itself. Sorted."""
    modules = {Path(path) for path in outputs if path.endswith(".py")}
    folders = {folder for path in modules for folder in path.parents}
    return sorted({"", *(folder.as_posix() for folder in folders if folder != Path())})


def _without(units: Mapping[str, Unit], refused: Mapping[str, Diagnostic]) -> dict[str, Unit]:
    return {path: unit for path, unit in units.items() if path not in refused}
