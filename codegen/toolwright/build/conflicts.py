"""Units that cannot stand beside each other in one package."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..diagnostics import Diagnostic
from .output.manifest import NAME, is_inside
from .output.portable import path_problem
from .state.cache import Unit
from .workers import Shop, shown


def find_conflicts(units: Mapping[str, Unit], package: Iterable[str], shop: Shop) -> dict[str, Diagnostic]:
    """By spec path, why a unit must be left out. Neither of two that collide is preferred.

    `package`: the files that speak of the whole set; no unit may write one of those. Paths are compared
    without regard to case, because some file systems do so.
    """
    problems: dict[str, Diagnostic] = {}

    def refuse(path: str, code: str, message: str, hint: str) -> None:
        problem = Diagnostic(file=shown(shop, path), code=code, message=message, hint=hint)
        problems.setdefault(path, problem)

    keywords: defaultdict[str, list[str]] = defaultdict(list)
    outputs: defaultdict[str, list[str]] = defaultdict(list)
    for path, unit in units.items():
        if unit.entry is not None:
            keywords[unit.entry.keyword].append(path)
        for output in unit.outputs:
            outputs[output.casefold()].append(path)
            if not is_inside(output):
                refuse(
                    path, "output-path", f"its output {output!r} is no plain relative path", "rename the spec"
                )
            elif problem := path_problem(output):
                refuse(path, *problem, "give the tool another `name`, or its folder another one")
    for keyword, paths in keywords.items():
        for path in paths if len(paths) > 1 else ():
            message = f"its name and that of {_others(path, paths)} both become {keyword!r} in Python"
            refuse(path, "name-collision", message, "give one of them another `name`")
    for output, paths in outputs.items():
        for path in paths if len(set(paths)) > 1 else ():
            message = f"{_others(path, paths)} has the same output {output!r} (compared without case)"
            refuse(path, "output-collision", message, "rename one of the files or tools")
    for reserved in (NAME, *package):
        for path in outputs.get(reserved.casefold(), ()):
            message = f"its output {reserved!r} is one of the package's own files"
            refuse(path, "output-collision", message, "rename the tool, or move it into a group")
    return problems


def find_name_clashes(units: Mapping[str, Unit], shop: Shop) -> dict[str, Diagnostic]:
    """By spec path, why its name cannot stand in the set; the rule is the spec room's."""
    entries = [
        (path, unit.entry.name, unit.entry.group) for path, unit in units.items() if unit.entry is not None
    ]
    types = [path for path, unit in units.items() if unit.entry is None]
    found = shop.frontend.check_names(Path(shop.root), shop.shown_root, entries, types)
    by_file = {shown(shop, path): path for path in units}
    return {by_file[problem.file]: problem for problem in reversed(found) if problem.file in by_file}


def _others(path: str, paths: list[str]) -> str:
    return ", ".join(sorted(set(paths) - {path}))
