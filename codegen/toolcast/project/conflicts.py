"""Units that conflict: they cannot be in one package, or on every machine."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ..diagnostics import Diagnostic
from ..spec.tool_names import Locate
from .output.manifest import NAME, is_inside
from .state.cache import Unit
from .worker import Context

LONGEST = 255
"""Bytes of one name: the bound of nearly every file system."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')

_Reason = tuple[str, str, str]
"""Code, message and hint of a diagnostic."""


def find_conflicts(
    units: Mapping[str, Unit], package: Iterable[str], context: Context
) -> dict[str, Diagnostic]:
    """By spec path, why a unit must be left out. Of names that become one in Python, the one that is written
    like that keeps it; of others that collide, none is preferred.

    `package`: the files about the whole set; no unit may write one of those. Paths are compared
    without regard to case, because some file systems do so.
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
    """Outputs that some machine cannot hold: generated files are checked in, and others check them out."""
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
        if len(part.encode("utf-8", "surrogateescape")) > LONGEST:
            return "long-name", f"its output {output!r} has a name of more than {LONGEST} bytes", hint
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
    """Tools below a folder that stands in two spellings, which differ in case."""
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
    """The folder of a package and all above it, from the outermost."""
    parts = package.split(".") if package else []
    return ("/".join(parts[: end + 1]) for end in range(len(parts)))


def find_name_clashes(units: Mapping[str, Unit], context: Context, locate: Locate) -> dict[str, Diagnostic]:
    """By spec path, why its name conflicts with another; the rule is that of `spec`.

    `locate` gives line and column of the name in the spec at a path.
    """
    entries = [
        (path, unit.entry.name, unit.entry.group) for path, unit in units.items() if unit.entry is not None
    ]
    types = [path for path, unit in units.items() if unit.entry is None]
    found = context.frontend.check_names(entries, types, context.shown_root, locate)
    by_file = {context.shown(path): path for path in units}
    return {by_file[problem.file]: problem for problem in reversed(found) if problem.file in by_file}


def _others(path: str, paths: Iterable[str]) -> str:
    return ", ".join(sorted(set(paths) - {path}))
