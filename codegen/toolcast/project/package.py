"""The files about the whole set of tools, after leaving out the units that cannot stand in it."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from ..diagnostics import Diagnostic
from .conflicts import find_conflicts, find_name_clashes
from .core.compiled import NO_LOSSES
from .output.manifest import LEDGER, NAME, PACKAGE
from .state.cache import Unit
from .state.fingerprint import digest
from .units import Files
from .worker import Context

Reuse = Callable[[str, str], Unit | None]
"""By name and fingerprint: a unit of the last run that need not be made again."""


class PackageError(Exception):
    """The files about the whole set cannot be made; nothing may be published without them."""


class Package(Struct, frozen=True):
    """`units` by name; `files` of those made now; `refused`: by spec path, why a unit is left out."""

    units: Mapping[str, Unit]
    files: Mapping[str, Files]
    refused: Mapping[str, Diagnostic]


def make_package(
    units: Mapping[str, Unit], common: str, context: Context, reuse: Reuse = lambda _name, _mark: None
) -> Package:
    """Find out which of `units` can stand in one set, and make the registry, package markers and ledger.

    `common` is a digest of everything but specs. Raises PackageError.
    """
    refused = find_name_clashes(units, context)
    own: set[str] = set()  # paths of the files about the whole set, which depend on what stands in it
    while True:
        refused |= find_conflicts(_without(units, refused), own, context)
        refused |= _find_dependents(_without(units, refused), context)
        kept = _without(units, refused)
        package, files = _make(kept, common, context, reuse)
        paths = {path for unit in package.values() for path in unit.outputs}
        reserved = {path.casefold() for path in (NAME, *paths)}
        if paths == own or not any(path.casefold() in reserved for u in kept.values() for path in u.outputs):
            return Package(package, files, refused)
        own = paths


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
) -> tuple[dict[str, Unit], dict[str, Files]]:
    frontend = context.frontend
    entries = [unit.entry for _, unit in sorted(units.items()) if unit.entry is not None]
    plain = [structs.replace(entry, ledger=NO_LOSSES) for entry in entries]
    losses = [(entry.name, entry.ledger) for entry in entries]
    folders = python_folders(path for unit in units.values() for path in unit.outputs)
    made: dict[str, Unit] = {}
    files: dict[str, Files] = {}

    def add(name: str, source: object, make: Callable[[], Files]) -> None:
        mark = digest(common.encode() + b"\n" + msgspec.json.encode(source))
        if (unit := reuse(name, mark)) is not None:
            made[name] = unit
            return
        try:
            files[name] = make()
        except Exception as error:
            raise PackageError(f"{type(error).__name__}: {error}") from error
        outputs = {path: digest(content) for path, content in files[name].items()}
        made[name] = Unit(fingerprint=mark, outputs=outputs)

    add(PACKAGE, (plain, folders), lambda: frontend.compile_package(plain, folders, context.options))
    add(LEDGER, losses, lambda: frontend.compile_ledger(losses))
    return made, files


def python_folders(outputs: Iterable[str]) -> list[str]:
    """Every folder that leads to a Python module among `outputs`; "" is the output folder itself. Sorted."""
    modules = {Path(path) for path in outputs if path.endswith(".py")}
    folders = {folder for path in modules for folder in path.parents}
    return sorted({"", *(folder.as_posix() for folder in folders if folder != Path())})


def _without(units: Mapping[str, Unit], refused: Mapping[str, Diagnostic]) -> dict[str, Unit]:
    return {path: unit for path, unit in units.items() if path not in refused}
