"""Units that conflict: they cannot be in one package."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ..diagnostics import Diagnostic
from ..spec.tool_names import Locate
from .output.manifest import NAME, is_inside
from .output.portable import path_problem
from .state.cache import Unit
from .worker import Context


def find_conflicts(
    units: Mapping[str, Unit], package: Iterable[str], context: Context
) -> dict[str, Diagnostic]:
    """By spec path, why a unit must be left out. Of names that become one in Python, the one that is written
    like that keeps it; of others that collide, none is preferred.

    `package`: the files about the whole set; no unit may write one of those. Paths are compared
    without regard to case, because some file systems do so.
    """
    problems: dict[str, Diagnostic] = {}

    def refuse(path: str, code: str, message: str, hint: str) -> None:
        problem = Diagnostic(file=context.shown(path), code=code, message=message, hint=hint)
        problems.setdefault(path, problem)

    keywords: defaultdict[str, list[str]] = defaultdict(list)
    outputs: dict[str, str] = {}  # folded → the first unit that has it
    shared: defaultdict[str, set[str]] = defaultdict(set)
    sound: set[str] = set()  # names that every machine can hold; most occur in many paths
    for path, unit in units.items():
        if unit.entry is not None:
            keywords[unit.entry.keyword].append(path)
    for keyword, paths in keywords.items():
        for path in paths if len(paths) > 1 else ():
            if (entry := units[path].entry) is None or entry.name == keyword:
                continue
            message = f"its name and that of {_others(path, paths)} both become {keyword!r} in Python"
            refuse(path, "name-collision", message, "give it another `name`")
    for path, unit in units.items():
        if path in problems:
            continue
        for output in unit.outputs:
            folded = output.casefold()
            if (first := outputs.setdefault(output if folded == output else folded, path)) != path:
                shared[folded] |= {first, path}
            if sound.issuperset(parts := output.split("/")):
                continue
            if not is_inside(output):
                refuse(
                    path, "output-path", f"its output {output!r} is no plain relative path", "rename the spec"
                )
            elif problem := path_problem(output):
                refuse(path, *problem, "give the tool another `name`, or its folder another one")
            else:
                sound.update(parts)
    for output, several in sorted(shared.items()):
        for path in several:
            message = f"{_others(path, several)} has the same output {output!r} (compared without case)"
            refuse(path, "output-collision", message, "rename one of the files or tools")
    for reserved in (NAME, *package):
        folded = reserved.casefold()
        for path in shared.get(folded) or ({outputs[folded]} if folded in outputs else ()):
            message = f"its output {reserved!r} is one of the package's own files"
            refuse(path, "output-collision", message, "rename the tool, or move it into a group")
    for path, (folder, other) in _respelled(units).items():
        message = (
            f"its folder {folder!r} is {other!r} to machines that do not tell upper case from lower case"
        )
        refuse(path, "output-collision", message, "rename one of the two folders")
    return problems


def _respelled(units: Mapping[str, Unit]) -> dict[str, tuple[str, str]]:
    """By spec path of a tool: a folder on the way to its module, and another spelling of it in use."""
    homes = {path: unit.entry.module.rpartition(".")[0] for path, unit in units.items() if unit.entry}
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for home in set(homes.values()):
        for folder in _above(home):
            spellings[folder.casefold()].add(folder)
    if all(len(known) == 1 for known in spellings.values()):
        return {}
    found: dict[str, tuple[str, str]] = {}
    for path, home in homes.items():
        for folder in _above(home):
            if others := sorted(spellings[folder.casefold()] - {folder}):
                found.setdefault(path, (folder, others[0]))
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
