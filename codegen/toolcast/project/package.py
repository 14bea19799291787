"""Make the files about the whole set of tools, without the units that conflict with others."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..spec.tool_names import Locate
from ..targets.model import TargetError
from ..version import __version__
from .former import Former, Recover
from .output.manifest import NAME, PACKAGE, Record, Versions, is_inside, render_manifest
from .state.cache import Unit
from .state.fingerprint import combine, digest
from .worker import Context

_Reuse = Callable[[str, str], Unit | None]
"""By name and fingerprint: a unit of the last run that need not be made again."""


class PackageError(Exception):
    """The files about the whole set cannot be made, so nothing may be published."""

    hint = ""
    """The remedy, where a target is the cause."""

    def diagnostic(self, file: str) -> Diagnostic:
        if self.hint:
            return Diagnostic(file=file, code="target-output", message=str(self), hint=self.hint)
        message = f"the compiler failed on the files about all tools: {self}"
        hint = "this is a fault of toolcast or of an overriding template; please report it with the specs"
        return Diagnostic(file=file, code="internal-error", message=message, hint=hint)


class Package(Struct, frozen=True):
    """The units of the set (`kept`), the `former` output beside them, and the files about all of them.
    `refused` says by spec path why others that compile are left out. `own` are the units of the files
    about the set. `files` has those by path, the manifest among them; None for one that is right already.
    """

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
    reuse: _Reuse = lambda _name, _mark: None,
    recover: Recover = lambda _units: {},
) -> Package:
    """Leave out the units that conflict, and make the files about all others and about former output.
    `recover` finds that of specs that are left out or do not compile. `libraries` stand in the manifest,
    `common` digests everything but specs. Raises PackageError.
    """
    refused = _find_name_clashes(units, context, locate)
    own: set[str] = set()  # paths of the files about the whole set, which depend on its units
    while True:
        refused |= _find_conflicts(_without(units, refused), own, context)
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
    """Return `former` without the outputs that `kept` has, and with a flaw where names conflict."""
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
    if not found or not _conflicting(kept, found, context):
        return found
    settled: dict[str, Former] = {}
    for path, each in found.items():
        settled[path] = each
        if not each.flaw and _conflicting(kept, settled, context):
            settled[path] = replace(each, flaw="its name is that of another tool by now")
    return settled


def _conflicting(kept: Mapping[str, Unit], former: Mapping[str, Former], context: Context) -> bool:
    units = {**kept, **{path: each.unit for path, each in former.items() if not each.flaw}}
    names = _find_name_clashes(units, context, lambda _path: (0, 0))
    return bool(names or _find_conflicts(units, (), context))


def _records(
    units: Mapping[str, Unit], former: Mapping[str, Former], libraries: Versions
) -> dict[str, Record]:
    """Return the manifest's records: new ones of units, and of former output what it had."""
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
    return combine(word for path in sorted(unit.outputs) for word in (path, unit.outputs[path]))[:16]


def _find_dependents(units: Mapping[str, Unit], context: Context) -> dict[str, Diagnostic]:
    missing = set(context.types) - set(units)
    problems: dict[str, Diagnostic] = {}
    for path, unit in units.items():
        if culprits := sorted(missing.intersection(unit.uses)):
            message = f"refers to {context.shown(culprits[0])}, which does not compile"
            file, hint = context.shown(path), "correct it first"
            problems[path] = Diagnostic(file=file, code="broken-type", message=message, hint=hint)
    return problems


def _make(
    units: Mapping[str, Unit], common: str, context: Context, reuse: _Reuse
) -> tuple[dict[str, Unit], dict[str, bytes]]:
    entries = [unit.entry for _, unit in sorted(units.items()) if unit.entry is not None]
    folders = python_folders(path for unit in units.values() for path in unit.outputs)
    mark = digest(common.encode() + b"\n" + msgspec.json.encode((entries, folders)))
    if (unit := reuse(PACKAGE, mark)) is not None:
        return {PACKAGE: unit}, {}
    try:
        files = context.frontend.compile_package(entries, folders, context.options)
        plain = context.frontend.compile_package((), ("",), context.options)
    except TargetError as error:
        problem = PackageError(str(error))
        problem.hint = error.hint
        raise problem from error
    except Exception as error:  # a template of the project
        raise PackageError(f"{type(error).__name__}: {error}") from error
    source = combine(word for path in sorted(plain) for word in (path, digest(plain[path])))[:16]
    outputs = {path: digest(content) for path, content in files.items()}
    return {PACKAGE: Unit(fingerprint=mark, outputs=outputs, source=source)}, files


def python_folders(outputs: Iterable[str]) -> list[str]:
    """Return the folders that lead to Python modules, sorted; "" is the output folder itself."""
    folders = {path.rpartition("/")[0] for path in outputs if path.endswith(".py")}
    above = {each.as_posix() for folder in folders for each in PurePosixPath(folder).parents}
    return sorted({"", *folders, *above} - {"."})


def _without(units: Mapping[str, Unit], refused: Mapping[str, Diagnostic]) -> dict[str, Unit]:
    return {path: unit for path, unit in units.items() if path not in refused}


_LONGEST = 255
"""Bytes of one name: the bound of nearly every file system."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')

_Reason = tuple[str, str, str]
"""Code, message and hint of a diagnostic."""


def _find_conflicts(
    units: Mapping[str, Unit], package: Iterable[str], context: Context
) -> dict[str, Diagnostic]:
    """Return by spec path why a unit must be left out. Of names that become one in Python, the one that is
    written so stays; of others that collide, none. No unit may write a file of `package`. Paths are
    compared without case, as some file systems do.
    """
    collisions = _name_collisions(units)
    rest = {path: unit for path, unit in units.items() if path not in collisions}
    owners: defaultdict[str, set[str]] = defaultdict(set)  # spec paths by output, compared without case
    for path, unit in rest.items():
        for output in unit.outputs:
            owners[output.casefold()].add(path)
    reasons = {  # where a unit has several, the last one counts
        **_respelled_folders(units),
        **_reserved_outputs(owners, (NAME, *package)),
        **_shared_outputs(owners),
        **_unportable_outputs(rest),
        **collisions,
    }
    return {
        path: Diagnostic(file=context.shown(path), code=code, message=message, hint=hint)
        for path, (code, message, hint) in reasons.items()
    }


def _name_collisions(units: Mapping[str, Unit]) -> dict[str, _Reason]:
    keywords: defaultdict[str, list[str]] = defaultdict(list)
    for path, unit in units.items():
        if unit.entry is not None:
            keywords[unit.entry.keyword].append(path)
    found: dict[str, _Reason] = {}
    for keyword, paths in keywords.items():
        for path in paths if len(paths) > 1 else ():
            if (entry := units[path].entry) is not None and entry.name != keyword:
                message = f"its name and that of {_others(path, paths)} both become {keyword!r} in Python"
                found[path] = "name-collision", message, "give it another `name`"
    return found


def _unportable_outputs(units: Mapping[str, Unit]) -> dict[str, _Reason]:
    """Find outputs that some machine cannot hold: generated files are checked in."""
    portable: set[str] = set()  # names that every machine can hold; most occur in many paths
    found: dict[str, _Reason] = {}
    for path, unit in units.items():
        for output in unit.outputs:
            parts = output.split("/")
            if portable.issuperset(parts):
                continue
            if reason := _unportable(output, parts):
                found.setdefault(path, reason)
            else:
                portable.update(parts)
    return found


def _unportable(output: str, parts: Iterable[str]) -> _Reason | None:
    if not is_inside(output):
        return "output-path", f"its output {output!r} is no plain relative path", "rename the spec"
    hint = "give the tool another `name`, or its folder another one"
    for part in parts:
        if _DEVICES.match(part):
            device = part.partition(".")[0]
            message = f"its output {output!r} cannot exist on Windows, where {device!r} is a device"
            return "windows-name", message, hint
        if _FORBIDDEN.search(part):
            message = f"its output {output!r} cannot exist on Windows, which forbids {part!r}"
            return "windows-name", message, hint
        if len(part.encode("utf-8", "surrogateescape")) > _LONGEST:
            return "long-name", f"its output {output!r} has a name of more than {_LONGEST} bytes", hint
    return None


def _shared_outputs(owners: Mapping[str, set[str]]) -> dict[str, _Reason]:
    found: dict[str, _Reason] = {}
    for output, paths in sorted(owners.items()):
        for path in paths if len(paths) > 1 else ():
            message = f"{_others(path, paths)} has the same output {output!r} (compared without case)"
            found.setdefault(path, ("output-collision", message, "rename one of the files or tools"))
    return found


def _reserved_outputs(owners: Mapping[str, set[str]], package: Iterable[str]) -> dict[str, _Reason]:
    found: dict[str, _Reason] = {}
    for output in sorted(package):
        for path in owners.get(output.casefold(), ()):
            message = f"its output {output!r} is one of the package's own files"
            found.setdefault(path, ("output-collision", message, "rename the tool, or move it into a group"))
    return found


def _respelled_folders(units: Mapping[str, Unit]) -> dict[str, _Reason]:
    """Find tools below a folder that has two spellings, which differ in case."""
    homes = {path: unit.entry.module.rpartition(".")[0] for path, unit in units.items() if unit.entry}
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for home in set(homes.values()):
        for folder in _above(home):
            spellings[folder.casefold()].add(folder)
    found: dict[str, _Reason] = {}
    if all(len(known) == 1 for known in spellings.values()):
        return found
    for path, home in homes.items():
        for folder in _above(home):
            if others := sorted(spellings[folder.casefold()] - {folder}):
                machines = "machines that do not tell upper case from lower case"
                message = f"its folder {folder!r} is {others[0]!r} to {machines}"
                found.setdefault(path, ("output-collision", message, "rename one of the two folders"))
    return found


def _above(package: str) -> Iterable[str]:
    parts = package.split(".") if package else []
    return ("/".join(parts[: end + 1]) for end in range(len(parts)))


def _find_name_clashes(units: Mapping[str, Unit], context: Context, locate: Locate) -> dict[str, Diagnostic]:
    """Return by spec path why its name conflicts with another; `locate` finds the name in a spec."""
    entries = [
        (path, unit.entry.name, unit.entry.group) for path, unit in units.items() if unit.entry is not None
    ]
    types = [path for path, unit in units.items() if unit.entry is None]
    found = context.frontend.check_names(entries, types, context.shown_root, locate)
    by_file = {context.shown(path): path for path in units}
    return {by_file[problem.file]: problem for problem in reversed(found) if problem.file in by_file}


def _others(path: str, paths: Iterable[str]) -> str:
    return ", ".join(sorted(set(paths) - {path}))
