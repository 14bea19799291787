"""Bring the units of a run up to date: from the cache, from the shared cache, or by compiling."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from ..diagnostics import Diagnostic
from ..spec.discovery import Discovery
from ..spec.type_folders import is_outside
from .conflicts import find_conflicts, find_name_clashes
from .core.compiled import Compiled
from .pool import Progress, compile_tasks
from .staleness import Snapshot, current_unit, fingerprint
from .state.cache import Unit, unit_of
from .state.fingerprint import source_digest
from .worker import Context, Task

if TYPE_CHECKING:
    from .artifacts.shared import SharedCache

Files = Mapping[str, bytes]
"""Outputs by posix path below the output root."""


class Updated(Struct, frozen=True, kw_only=True):
    """Every unit that compiles, by spec path. `files`: the outputs of those compiled or fetched by this run.

    `fetched`: others compiled them. `unsettled`: a source changed while they were compiled, so that they
    must not be remembered. `wanted`: the shared types that units refer to, also those with errors.
    """

    units: Mapping[str, Unit]
    files: Mapping[str, Files]
    diagnostics: tuple[Diagnostic, ...]
    fetched: frozenset[str]
    unsettled: frozenset[str]
    wanted: frozenset[str] = frozenset()
    tasks: tuple[Task, ...] = ()

    @property
    def compiled(self) -> list[tuple[Task, Unit, Files]]:
        """What this run compiled without a change of its sources meanwhile."""
        tasks = {task.path: task for task in self.tasks}
        left_out = self.fetched | self.unsettled
        return [
            (tasks[path], self.units[path], files)
            for path, files in self.files.items()
            if path not in left_out
        ]


def tasks_of(found: Discovery) -> list[Task]:
    """A task for each file below the specs root."""
    own = [Task(path, "type") for path in found.types if not is_outside(path)]
    return own + [Task(path, "tool") for path in found.tools]


def outside_tasks(found: Discovery, updated: Updated) -> list[Task]:
    """A task for each shared type outside the specs root that units refer to.

    Others have no module, and their errors are not reported: they are no concern of this project.
    """
    return [Task(path, "type") for path in found.types if is_outside(path) and path in updated.wanted]


def joined(first: Updated, second: Updated) -> Updated:
    """Both as one."""
    return Updated(
        units={**first.units, **second.units},
        files={**first.files, **second.files},
        diagnostics=(*first.diagnostics, *second.diagnostics),
        fetched=first.fetched | second.fetched,
        unsettled=first.unsettled | second.unsettled,
        wanted=first.wanted | second.wanted,
        tasks=(*first.tasks, *second.tasks),
    )


def update_units(
    context: Context,
    tasks: Sequence[Task],
    now: Snapshot,
    *,
    shared: "SharedCache | None" = None,
    jobs: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Updated:
    """Bring the units of all `tasks` up to date.

    Units in `shared` are fetched before anything is compiled. A fetched unit that clashes with another is
    compiled after all. `jobs` and `progress`: see `compile_tasks`.
    """
    for task in tasks:  # a source is digested before it is read
        now.digest(task.path)
    current = {task.path: unit for task in tasks if (unit := current_unit(now, task)) is not None}
    stale = [task for task in tasks if task.path not in current]
    fetched = {} if shared is None else shared.fetch(stale)
    rejected: dict[str, Unit] = {}
    compiled: dict[str, Compiled] = {}
    while True:
        missing = [task for task in stale if task.path not in fetched and task.path not in compiled]
        results = compile_tasks(context, missing, jobs=jobs, progress=progress)
        compiled |= {result.path: result for result in results}
        made = {
            task.path: unit_of(result, fingerprint=fingerprint(now, task, result.uses))
            for task in stale
            if (result := compiled.get(task.path)) is not None and not _failed(result)
        }
        units = current | {path: unit for path, (unit, _) in fetched.items()} | made
        clashing = _clashing(units, context) & fetched.keys() if fetched else set[str]()
        if not clashing:
            break
        rejected |= {path: fetched.pop(path)[0] for path in clashing}
    if shared is not None:
        shared.reject(len(rejected), sum(_differs(unit, made.get(path)) for path, unit in rejected.items()))
    for path in {task.path for task in stale} & units.keys():
        source = source_digest(path, units[path].uses, now.digest)
        units[path] = structs.replace(units[path], source=source)
    return Updated(
        units=units,
        files={path: files for path, (_, files) in fetched.items()}
        | {path: compiled[path].files for path in made},
        diagnostics=(
            *(problem for path in current.keys() | fetched.keys() for problem in units[path].diagnostics),
            *(problem for result in compiled.values() for problem in result.diagnostics),
        ),
        fetched=frozenset(fetched),
        tasks=tuple(tasks),
        wanted=frozenset(path for unit in units.values() for path in unit.uses)
        | {path for each in compiled.values() for path in (*each.uses, *each.missing)},
        unsettled=frozenset(path for path, unit in made.items() if any(map(now.changed, (path, *unit.uses)))),
    )


def _failed(result: Compiled) -> bool:
    return any(problem.severity == "error" for problem in result.diagnostics)


def _clashing(units: Mapping[str, Unit], context: Context) -> set[str]:
    """Units that conflict with others. Of two names that clash any may be wrong, so all are."""
    if find_name_clashes(units, context, lambda _path: (0, 0)):
        return set(units)
    return set(find_conflicts(units, (), context))


def _differs(fetched: Unit, compiled: Unit | None) -> bool:
    return compiled is None or (fetched.outputs, fetched.entry) != (compiled.outputs, compiled.entry)
