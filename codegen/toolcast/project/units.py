"""Bring the units of a run up to date: from the cache, or by compiling."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..config import Config
from ..diagnostics import Diagnostic, has_errors
from ..spec.discovery import Discovery
from ..spec.type_folders import TypeFolder, file_of, is_outside
from .output.output_tree import Tree
from .pool import Progress, compile_tasks
from .profiles import Profiles
from .state.cache import Cache, Unit, unit_of
from .state.fingerprint import Library, Sources, combine, libraries, setting
from .worker import Context, Task


class Snapshot(Struct, frozen=True, kw_only=True):
    """The memory of the last run, and the files as they are now; `common` digests all that outputs depend on
    but specs.
    """

    root: str
    cache: Cache
    common: str
    sources: Sources
    tree: Tree
    libraries: tuple[Library, ...]
    folders: tuple[TypeFolder, ...] = ()

    def digest(self, path: str) -> str | None:
        """Return the digest of a source as the specs root names it; None if it is gone."""
        file = file_of(self.root, path, self.folders)
        return None if file is None else self.sources.digest(file)

    def changed(self, path: str) -> bool:
        """Return whether the source has changed since it was digested."""
        file = file_of(self.root, path, self.folders)
        return file is None or self.sources.changed(file)


def snapshot(
    config: Config, profiles: Profiles, folders: tuple[TypeFolder, ...], cache: Cache, sources: Sources
) -> Snapshot:
    """Take a snapshot; `sources` has the digests of what was read already."""
    used = libraries(models=bool(config.models))
    parts = setting(config, profiles.chosen, profiles.files, used, sources)
    return Snapshot(
        root=str(config.specs),
        cache=cache,
        common=combine(word for name in sorted(parts) for word in (name, parts[name])),
        sources=sources,
        tree=Tree(config.output, sources.index),
        libraries=used,
        folders=folders,
    )


def _fingerprint(now: Snapshot, task: Task, uses: Sequence[str]) -> str:
    """Digest everything that one unit's outputs depend on, alike on every machine."""
    parts = [now.common, task.kind, task.path]
    for path in (task.path, *uses):
        parts += [path, now.digest(path) or "-"]
    return combine(parts)


def _current_unit(now: Snapshot, task: Task) -> Unit | None:
    """Return the unit as the last run left it; None if it is stale."""
    unit = now.cache.units.get(task.path)
    if unit is None or unit.fingerprint != _fingerprint(now, task, unit.uses):
        return None
    return unit if now.tree.intact(unit.outputs) else None


Files = Mapping[str, bytes]
"""Outputs by posix path below the output root."""


class Updated(Struct, frozen=True, kw_only=True):
    """The units that compile, by spec path, and the files of those that this run compiled. `unsettled` units
    must not be remembered: a source changed while they were compiled. `wanted` are the shared types that
    units refer to, also those with errors.
    """

    units: Mapping[str, Unit]
    files: Mapping[str, Files]
    diagnostics: tuple[Diagnostic, ...]
    unsettled: frozenset[str]
    wanted: frozenset[str] = frozenset()


def update_units(
    context: Context,
    found: Discovery,
    now: Snapshot,
    *,
    jobs: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Updated:
    """Bring the units of all specs up to date, and those of the shared types outside that they refer to.
    Other types outside have no module, and their errors are not reported.
    """
    inside = [Task(path, "type") for path in found.types if not is_outside(path)]
    first = _update(context, [*inside, *(Task(path, "tool") for path in found.tools)], now, jobs, progress)
    outside = [Task(path, "type") for path in found.types if is_outside(path) and path in first.wanted]
    if not outside:
        return first
    second = _update(context, outside, now, jobs, lambda _done, _total: None)
    return Updated(
        units={**first.units, **second.units},
        files={**first.files, **second.files},
        diagnostics=(*first.diagnostics, *second.diagnostics),
        unsettled=first.unsettled | second.unsettled,
        wanted=first.wanted | second.wanted,
    )


def _update(
    context: Context, tasks: Sequence[Task], now: Snapshot, jobs: int | None, progress: Progress
) -> Updated:
    for task in tasks:  # a source is digested before it is read
        now.digest(task.path)
    current = {task.path: unit for task in tasks if (unit := _current_unit(now, task)) is not None}
    stale = [task for task in tasks if task.path not in current]
    results = compile_tasks(context, stale, jobs=jobs, progress=progress)
    compiled = {result.path: result for result in results}
    made = {
        task.path: unit_of(result, fingerprint=_fingerprint(now, task, result.uses))
        for task in stale
        if (result := compiled.get(task.path)) is not None and not has_errors(result.diagnostics)
    }
    units = current | made
    return Updated(
        units=units,
        files={path: compiled[path].files for path in made},
        diagnostics=(
            *(problem for path in current for problem in units[path].diagnostics),
            *(problem for result in compiled.values() for problem in result.diagnostics),
        ),
        wanted=frozenset(path for unit in units.values() for path in unit.uses)
        | {path for each in compiled.values() for path in (*each.uses, *each.missing)},
        unsettled=frozenset(path for path, unit in made.items() if any(map(now.changed, (path, *unit.uses)))),
    )
