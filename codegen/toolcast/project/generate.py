"""The build in five steps: read, compile, make the package, plan, publish.

A spec that does not compile keeps the output that it had, and its tool stays in the registry. All others are
built, and the run fails (L7, L10). Only a deleted spec's output is deleted.
"""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..config import Config, show
from ..console import render
from ..diagnostics import MISSING_LIBRARY, Diagnostic, has_errors
from ..spec.discovery import Discovery, is_there
from ..spec.load import name_position
from ..spec.type_folders import TypeFolder, file_of, is_outside
from .core.compiled import ToolEntry
from .former import Stale, find_former, stale_outputs
from .output.manifest import NAME
from .output.output_tree import Tree, remove_all_temporary
from .output.plan import Plan, reason, remedy
from .output.publish import find_owned, find_strays, plan_outputs, publish
from .package import Package, PackageError, make_package
from .pool import Progress, compile_tasks
from .profiles import Profiles, find_types, profiles_of, targets_of, unknown_providers
from .state.cache import Cache, Unit, load_cache, prepare_state, save_cache, unit_of
from .state.files import locked
from .state.fingerprint import PRINTERS, Library, Sources, combine, libraries, setting, walk
from .state.index import Index
from .worker import Context, Frontend, Task, project_context

if TYPE_CHECKING:
    from .output.drift import Cause


class _Snapshot(Struct, frozen=True, kw_only=True):
    """The last run's memory, and the present files; `common` digests what outputs depend on but specs."""

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


def _snapshot(
    config: Config, profiles: Profiles, folders: tuple[TypeFolder, ...], cache: Cache, sources: Sources
) -> _Snapshot:
    """Take a snapshot; `sources` has the digests of what was read already."""
    used = libraries(models=bool(config.models))
    parts = setting(config, profiles.chosen, used, sources)
    return _Snapshot(
        root=str(config.specs),
        cache=cache,
        common=combine(word for name in sorted(parts) for word in (name, parts[name])),
        sources=sources,
        tree=Tree(config.output, sources.index),
        libraries=used,
        folders=folders,
    )


def _fingerprint(now: _Snapshot, task: Task, uses: Sequence[str]) -> str:
    """Digest everything that one unit's outputs depend on, alike on every machine."""
    parts = [now.common, task.kind, task.path]
    for path in (task.path, *uses):
        parts += [path, now.digest(path) or "-"]
    return combine(parts)


def _current_unit(now: _Snapshot, task: Task) -> Unit | None:
    """Return the unit as the last run left it; None if it is stale."""
    unit = now.cache.units.get(task.path)
    if unit is None or unit.fingerprint != _fingerprint(now, task, unit.uses):
        return None
    return unit if now.tree.intact(unit.outputs) else None


Files = Mapping[str, bytes]
"""Outputs by posix path below the output root."""


class _Updated(Struct, frozen=True, kw_only=True):
    """The units that compile, by spec path, and the files of those that this run compiled. `unsettled` units
    must not be remembered: a source changed while they were compiled. `wanted` are the shared types that
    units refer to, also those with errors.
    """

    units: Mapping[str, Unit]
    files: Mapping[str, Files]
    diagnostics: tuple[Diagnostic, ...]
    unsettled: frozenset[str]
    wanted: frozenset[str] = frozenset()


def _update_units(
    context: Context,
    found: Discovery,
    now: _Snapshot,
    *,
    jobs: int | None = None,
    progress: Progress = lambda _done, _total: None,
) -> _Updated:
    """Bring all units up to date; of types outside, only those that a unit refers to."""
    inside = [Task(path, "type") for path in found.types if not is_outside(path)]
    first = _update(context, [*inside, *(Task(path, "tool") for path in found.tools)], now, jobs, progress)
    outside = [Task(path, "type") for path in found.types if is_outside(path) and path in first.wanted]
    if not outside:
        return first
    second = _update(context, outside, now, jobs, lambda _done, _total: None)
    return _Updated(
        units={**first.units, **second.units},
        files={**first.files, **second.files},
        diagnostics=(*first.diagnostics, *second.diagnostics),
        unsettled=first.unsettled | second.unsettled,
        wanted=first.wanted | second.wanted,
    )


def _update(
    context: Context, tasks: Sequence[Task], now: _Snapshot, jobs: int | None, progress: Progress
) -> _Updated:
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
    return _Updated(
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


_Mode = Literal["write", "check", "diff"]


class Report(Struct, frozen=True, kw_only=True):
    """The outcome of a run, or of a dry run; `rebuilt` and `refused` count tools. `entries` are those of the
    tools that compile, `stale` is the former output of others.
    """

    tools: int = 0
    rebuilt: int = 0
    refused: int = 0
    plan: Plan = Plan()
    diagnostics: tuple[Diagnostic, ...] = ()
    entries: tuple[ToolEntry, ...] = ()  # by spec path
    stale: tuple[Stale, ...] = ()  # by spec path
    causes: "tuple[Cause, ...]" = ()  # of everything that the plan would do; only of `check`
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Return whether a spec has an error, or the run could not end."""
        return has_errors(self.diagnostics)


class _Run(Struct, frozen=True, kw_only=True):
    config: Config
    mode: _Mode
    context: Context
    found: Discovery
    index: Index
    now: _Snapshot


class _StoppedError(Exception):
    """A run that ends before there is a plan."""

    def __init__(self, *problems: Diagnostic) -> None:
        super().__init__()
        self.problems = problems


def build(
    config: Config,
    frontend: Frontend,
    *,
    mode: _Mode = "write",
    jobs: int | None = None,
    progress: Progress = lambda _done, _total: None,
    waiting: Callable[[str], None] = lambda _message: None,
) -> Report:
    """Build everything that `config` names. Raises nothing: problems are in the report.

    `write` publishes. `check` compiles everything, trusts no cache and writes nothing at all. `diff` trusts
    the cache, as `write` would, and writes nothing. `jobs` and `progress`: see `compile_tasks`. `waiting`
    gets a message if another run holds the project.
    """
    started = time.perf_counter()
    try:
        with _state(config, mode, waiting):
            run = _read(config, frontend, mode)
            updated = _update_units(run.context, run.found, run.now, jobs=jobs, progress=progress)
            package = _make_package(run, updated)
            report = _plan(run, updated, package)
            if mode == "write" and not report.plan.blocked:
                report = _publish(run, report, updated, package)
    except _StoppedError as stop:
        report = Report(diagnostics=stop.problems)
    except OSError as error:
        place = show(config.base / str(error.filename or config.state))
        message = f"cannot read or write: {reason(error)}"
        failure = Diagnostic(file=place, code="io-error", message=message, hint=remedy(error))
        report = Report(diagnostics=(failure,))
    return replace(report, seconds=time.perf_counter() - started)


@contextmanager
def _state(config: Config, mode: _Mode, waiting: Callable[[str], None]) -> Generator[None]:
    """Hold the lock of a run that writes."""
    if not config.specs.is_dir():
        hint = "run `toolcast init`, or set `specs` in [tool.toolcast]"
        message = "there is no specs folder here"
        raise _StoppedError(Diagnostic(file=show(config.specs), code="no-specs", message=message, hint=hint))
    with locked(config.state, waiting) if mode == "write" else nullcontext():
        if mode == "write":
            prepare_state(config.state)
        yield


def _read(config: Config, frontend: Frontend, mode: _Mode) -> _Run:
    """Read the profiles, the cache and the index, and find the specs. Every source is digested first."""
    cache = Cache() if mode == "check" else load_cache(config.state)
    index = Index(config.base, load=bool(cache.units))  # rows mean nothing without the digests of the cache
    sources = Sources(index, cache.sources)
    for path in config.profiles:
        sources.digest(path)
    profiles, problems = profiles_of(config)
    if problems := (*problems, *unknown_providers(config, profiles.chosen, profiles.known)):
        raise _StoppedError(*problems)
    folders, problems = find_types(config)
    if problems:
        raise _StoppedError(*problems)
    targets, problems = targets_of(config)
    if problems:
        raise _StoppedError(*problems)
    now = _snapshot(config, profiles, folders, cache, sources)
    for folder in (config.specs, *(Path(each.folder) for each in folders)):
        walk(folder, index)
    context, found = project_context(config, profiles, frontend, targets)
    return _Run(config=config, mode=mode, context=context, found=found, index=index, now=now)


def _make_package(run: _Run, updated: _Updated) -> Package:
    """Make the files about the whole set, unless they are up to date; find what specs with errors keep."""
    config, found, now = run.config, run.found, run.now
    if incomplete := [each for each in updated.diagnostics if each.code == MISSING_LIBRARY]:
        raise _StoppedError(incomplete[0])  # no fault of any spec: leave all outputs alone

    def reuse(name: str, fingerprint: str) -> Unit | None:
        unit = now.cache.units.get(name)
        current = unit is not None and unit.fingerprint == fingerprint and now.tree.intact(unit.outputs)
        return unit if current else None

    def exists(path: str) -> bool:
        if is_outside(path):  # what nothing refers to any more is as good as deleted
            return path in found.types and path in updated.wanted
        return is_there(config.specs, path)

    try:
        return make_package(
            updated.units,
            run.context,
            libraries={each.name: each.version for each in now.libraries if each.name in PRINTERS},
            locate=lambda path: name_position(config.specs, path),
            common=now.common,
            reuse=reuse,
            recover=lambda units: find_former(units, tree=now.tree, cache=now.cache, exists=exists),
        )
    except PackageError as fault:
        problems = sorted({*updated.diagnostics, *found.diagnostics})
        raise _StoppedError(*problems, fault.diagnostic(show(config.output))) from fault


def _plan(run: _Run, updated: _Updated, package: Package) -> Report:
    config, found, now = run.config, run.found, run.now
    expected: dict[str, bytes | None] = {}
    for path, unit in package.kept.items():
        expected.update(updated.files.get(path) or dict.fromkeys(unit.outputs))
    for each in package.former.values():
        expected.update(dict.fromkeys(each.unit.outputs))
    expected.update(package.files)
    lost = (each.lost for each in package.former.values())
    owned = find_owned(now.tree, now.cache, config.state).difference(*lost)
    plan = plan_outputs(expected, now.tree, owned, shown_output=show(config.output))
    # Without a cache, the whole folder is searched once.
    strays = [] if now.cache.units else find_strays(config.output, expected.keys() | owned)
    problems = {
        *updated.diagnostics,
        *found.diagnostics,
        *package.refused.values(),
        *plan.diagnostics,
        *strays,
    }
    problems = _without_consequences(problems, {run.context.shown(path) for path in found.types})
    causes: tuple[Cause, ...] = ()
    if run.mode == "check":
        from .output.drift import find_causes  # no other mode asks for causes

        uses = {path: unit.uses for path, unit in package.kept.items()}
        unusable = [path for path, each in package.former.items() if each.flaw]
        causes = find_causes(plan, package.files[NAME] or b"", uses, unusable)
    tools = [path for path in found.tools if path in package.kept]
    return Report(
        tools=len(found.tools),
        rebuilt=sum(path in updated.files for path in tools),
        refused=len(found.tools) - len(tools),
        plan=plan,
        diagnostics=tuple(sorted(problems)),
        entries=tuple(entry for path in tools if (entry := package.kept[path].entry) is not None),
        stale=stale_outputs(package.former, run.context.shown),
        causes=causes,
    )


def _without_consequences(problems: set[Diagnostic], types: set[str]) -> set[Diagnostic]:
    """Drop the problems of specs that follow from errors of shared types, which are reported themselves."""
    causes = (each for each in problems if each.severity == "error" and each.code != "broken-type")
    if not any(each.file in types for each in causes):
        return problems
    return {problem for problem in problems if problem.code != "broken-type"}


def _publish(run: _Run, report: Report, updated: _Updated, package: Package) -> Report:
    """Carry out the plan, and save what the next run may rely on."""
    config, now = run.config, run.now
    if not now.cache.units:
        remove_all_temporary(config.output)
    shown_output = show(config.output)
    done, failures = publish(report.plan, config.output, config.state, run.index, shown_output=shown_output)
    if failures:
        return replace(report, plan=done, diagnostics=tuple(sorted({*report.diagnostics, *failures})))
    settled = {path: unit for path, unit in package.kept.items() if path not in updated.unsettled}
    former = {path: each.recorded for path, each in package.former.items() if each.recorded is not None}
    units = {**settled, **former, **package.own}
    cache = Cache(units=units, sources=now.sources.digests)
    outputs = (f"{config.output}/{path}" for unit in units.values() for path in unit.outputs)
    try:
        if cache != now.cache:
            (config.state / "index").unlink(missing_ok=True)  # it belongs to the cache that is replaced
            save_cache(config.state, cache)
        lasting = {*report.diagnostics} <= {*updated.diagnostics, *run.found.diagnostics}
        run.index.save(
            [*outputs, f"{config.output}/{NAME}"],
            configured=config.file is not None,
            tools=report.tools if lasting and not updated.unsettled and not report.failed else None,
            warnings=render(report.diagnostics, "text", colour=True),
        )
    except OSError as error:
        message = "the output is complete, but what the next run could reuse was not saved"
        problem = Diagnostic(
            file=show(config.state),
            severity="warning",
            code="not-remembered",
            message=f"{message}: {reason(error)}",
            hint=remedy(error),
        )
        return replace(report, diagnostics=tuple(sorted({*report.diagnostics, problem})))
    return report
