"""The files that speak of the whole set, after leaving out what cannot stand in it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import msgspec
from msgspec import Struct, structs

from ..diagnostics import Diagnostic
from .collect import Collected
from .conflicts import find_conflicts, find_name_clashes
from .core.compile import NO_LOSSES, Options, ToolEntry
from .output.content import Begin, Files, Make, at_once
from .output.manifest import LEDGER, NAME, PACKAGE
from .output.tree import Tree
from .state.cache import Cache, Unit
from .state.fingerprint import digest
from .workers import Shop, shown


class WholeError(Exception):
    """The files that speak of the whole set cannot be made; nothing may be published without them."""


class Whole(Struct, frozen=True):
    """`units` by name; `files` of those made now; `refused`: by spec path, why it is left out."""

    units: Mapping[str, Unit]
    files: Mapping[str, Files]
    refused: Mapping[str, Diagnostic]


Known = Callable[[str, str], Unit | None]
"""By name and fingerprint: a unit that need not be made again."""
End = Callable[[], tuple[Unit, dict[str, Files]]]
"""Waits for a unit, and for its files if they are made now. Raises WholeError, or OSError."""


def make_whole(
    got: Collected,
    common: str,
    shop: Shop,
    cache: Cache,
    tree: Tree,
    *,
    begin: Begin = at_once,
) -> dict[str, Unit]:
    """The units that speak of all tools, by name: as the last run left them, or made again.

    Takes out of `got` what cannot stand in the set, and adds the files that were made. `common` is the
    digest of everything but specs. Raises WholeError.
    """

    def known(name: str, mark: str) -> Unit | None:
        unit = cache.units.get(name)
        fresh = unit is not None and unit.fingerprint == mark and tree.intact(unit.outputs)
        return unit if fresh else None

    whole = settle(got.units, common, shop, known, begin)
    for path, problem in whole.refused.items():
        got.diagnostics.append(problem)
        del got.units[path]
        got.files.pop(path, None)
    got.files.update(whole.files)
    return dict(whole.units)


def settle(units: Mapping[str, Unit], common: str, shop: Shop, known: Known, begin: Begin = at_once) -> Whole:
    """What of `units` can stand in one set, and the files that speak of it. Raises WholeError."""
    ahead = _begin_whole(units, common, shop, known, begin)  # meanwhile look for what is refused; few are
    refused = find_name_clashes(units, shop)
    outputs: tuple[str, ...] = ()
    while True:
        kept = _without(units, refused)
        refused |= find_conflicts(kept, outputs, shop)
        refused |= _dependents(_without(units, refused), shop)
        kept = _without(units, refused)
        wait = _begin_whole(kept, common, shop, known, begin) if refused else ahead
        whole, files = wait()
        ours = {path for unit in whole.values() for path in unit.outputs}
        if ours == set(outputs) or not _meets(kept, ours):
            return Whole(whole, files, refused)
        outputs = tuple(sorted(ours))


def _dependents(units: Mapping[str, Unit], shop: Shop) -> dict[str, Diagnostic]:
    """A tool whose shared type is not there would import a module that is not there."""
    broken = set(shop.types) - set(units)
    problems: dict[str, Diagnostic] = {}
    for path, unit in units.items():
        if culprits := sorted(broken.intersection(unit.uses)):
            message = f"refers to {shown(shop, culprits[0])}, which does not compile"
            file, hint = shown(shop, path), "correct it first"
            problems[path] = Diagnostic(file=file, code="broken-type", message=message, hint=hint)
    return problems


def _begin_whole(
    units: Mapping[str, Unit], common: str, shop: Shop, known: Known, begin: Begin
) -> Callable[[], tuple[dict[str, Unit], dict[str, Files]]]:
    folders = python_folders(path for unit in units.values() for path in unit.outputs)
    packed = msgspec.json.encode([structs.replace(entry, ledger=NO_LOSSES) for entry in _entries(units)])
    make = partial(_compile_package, shop.frontend.compile_package, packed, folders, shop.options)
    mark = digest(b"\n".join((common.encode(), packed, msgspec.json.encode(folders))))
    end_package = _begin_unit(PACKAGE, mark, known, make, begin)
    end_ledger = _ledger(units, common, shop, known, begin)

    def end() -> tuple[dict[str, Unit], dict[str, Files]]:
        ledger, more = end_ledger()
        package, files = end_package()
        return {PACKAGE: package, LEDGER: ledger}, {**files, **more}

    return end


def _ledger(units: Mapping[str, Unit], common: str, shop: Shop, known: Known, begin: Begin) -> End:
    packed = msgspec.json.encode([(entry.name, entry.ledger) for entry in _entries(units)])
    make = partial(_compile_ledger, shop.frontend.compile_ledger, packed)
    return _begin_unit(LEDGER, digest(b"\n".join((common.encode(), packed))), known, make, begin)


# What is made may be made in another process: bytes are sent ten times as fast as values, in far less memory.


def _compile_package(
    compile_package: Callable[[Sequence[ToolEntry], Sequence[str], Options], dict[str, bytes]],
    packed: bytes,
    folders: Sequence[str],
    options: Options,
) -> dict[str, bytes]:
    return compile_package(msgspec.json.decode(packed, type=list[ToolEntry]), folders, options)


def _compile_ledger(
    compile_ledger: Callable[[Sequence[tuple[str, str]]], dict[str, bytes]], packed: bytes
) -> dict[str, bytes]:
    return compile_ledger(msgspec.json.decode(packed, type=list[tuple[str, str]]))


def _entries(units: Mapping[str, Unit]) -> list[ToolEntry]:
    return [unit.entry for _, unit in sorted(units.items()) if unit.entry is not None]


def _begin_unit(name: str, mark: str, known: Known, make: Make, begin: Begin) -> End:
    """Begin to make the unit called `name`."""
    if (former := known(name, mark)) is not None:
        return lambda: (former, {})
    wait = begin(make)

    def end() -> tuple[Unit, dict[str, Files]]:
        try:
            files = wait()
        except OSError:  # no room for what was made
            raise
        except Exception as error:
            raise WholeError(f"{type(error).__name__}: {error}") from error
        return Unit(fingerprint=mark, outputs=files.digests), {name: files}

    return end


def python_folders(outputs: Iterable[str]) -> list[str]:
    """Every folder that leads to a Python module among `outputs`; "" is the output folder itself. Sorted."""
    leaves = {path.rpartition("/")[0] for path in outputs if path.endswith(".py")}
    found = {""}
    for folder in leaves:
        parts = folder.split("/")
        found |= {"/".join(parts[: i + 1]) for i in range(len(parts))}
    return sorted(found)


def _without(units: Mapping[str, Unit], refused: Mapping[str, Diagnostic]) -> dict[str, Unit]:
    return {path: unit for path, unit in units.items() if path not in refused}


def _meets(units: Mapping[str, Unit], ours: Iterable[str]) -> bool:
    """Whether a unit would write one of `ours`, or the manifest; `find_conflicts` says which."""
    reserved = {path.casefold() for path in (NAME, *ours)}
    return any(path.casefold() in reserved for unit in units.values() for path in unit.outputs)
