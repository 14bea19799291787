"""The files that speak of the whole set, after leaving out what cannot stand in it."""

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec import structs

from ..diagnostics import Diagnostic
from .cache import Cache, Unit
from .collect import Collected, drop_dependents
from .conflicts import find_conflicts, find_name_clashes
from .fingerprint import combine, digest
from .manifest import LEDGER, NAME, PACKAGE
from .tree import Tree
from .workers import Shop


class WholeError(Exception):
    """The files that speak of the whole set cannot be made; nothing may be published without them."""


def make_whole(got: Collected, common: str, shop: Shop, cache: Cache, tree: Tree) -> dict[str, Unit]:
    """The units that speak of all tools, by name: as the last run left them, or made again.

    Takes out of `got` what cannot stand in the set, and adds the files that were made. `common` is the
    digest of everything but specs. Raises WholeError.
    """
    outputs: tuple[str, ...] = ()
    _leave_out(got, find_name_clashes(got.units, shop))
    while True:
        _leave_out(got, find_conflicts(got.units, outputs, shop))
        drop_dependents(shop, got)
        whole = _units(got, common, shop, cache, tree)
        ours = {path for unit in whole.values() for path in unit.outputs}
        if ours == set(outputs) or not _meets(got.units, ours):
            return whole
        outputs = tuple(sorted(ours))
        for name in whole:
            got.files.pop(name, None)


def _units(got: Collected, common: str, shop: Shop, cache: Cache, tree: Tree) -> dict[str, Unit]:
    entries = [unit.entry for _, unit in sorted(got.units.items()) if unit.entry is not None]
    folders = python_folders(path for unit in got.units.values() for path in unit.outputs)
    plain = [structs.replace(entry, ledger={}) for entry in entries]
    ledgers = [(entry.name, entry.ledger) for entry in entries]

    def unit(name: str, depends: object, make: Callable[[], dict[str, bytes]]) -> Unit:
        mark = combine([common, digest(msgspec.json.encode(depends))])
        known = cache.units.get(name)
        if known is not None and known.fingerprint == mark and tree.intact(known.outputs):
            return known
        try:
            files = make()
        except Exception as error:
            raise WholeError(f"{type(error).__name__}: {error}") from error
        got.files[name] = files
        return Unit(fingerprint=mark, outputs={path: digest(data) for path, data in files.items()})

    front = shop.frontend
    return {
        PACKAGE: unit(PACKAGE, [plain, folders], lambda: front.compile_package(plain, folders, shop.options)),
        LEDGER: unit(LEDGER, ledgers, lambda: front.compile_ledger(entries)),
    }


def python_folders(outputs: Iterable[str]) -> list[str]:
    """Every folder that leads to a Python module among `outputs`; "" is the output folder itself. Sorted."""
    leaves = {path.rpartition("/")[0] for path in outputs if path.endswith(".py")}
    found = {""}
    for folder in leaves:
        parts = folder.split("/")
        found |= {"/".join(parts[: i + 1]) for i in range(len(parts))}
    return sorted(found)


def _leave_out(got: Collected, problems: dict[str, Diagnostic]) -> None:
    for path, problem in problems.items():
        got.diagnostics.append(problem)
        del got.units[path]
        got.files.pop(path, None)


def _meets(units: Mapping[str, Unit], ours: Iterable[str]) -> bool:
    """Whether a unit would write one of `ours`, or the manifest; `find_conflicts` says which."""
    reserved = {path.casefold() for path in (NAME, *ours)}
    return any(path.casefold() in reserved for unit in units.values() for path in unit.outputs)
