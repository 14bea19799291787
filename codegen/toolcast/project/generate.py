"""The build in five steps: read, compile, make the package, plan, publish.

A spec that does not compile keeps the output that it had, and its tool stays in the registry. All others are
built, and the run fails (L7, L10). Only a deleted spec's output is deleted.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ..config import Config, show
from ..diagnostics import MISSING_LIBRARY, Diagnostic, has_errors
from ..spec.discovery import Discovery, is_there
from ..spec.load import name_position
from ..spec.type_folders import is_outside
from .core.compiled import ToolEntry
from .former import Stale, find_former, stale_outputs
from .output.drift import Cause, find_causes
from .output.manifest import NAME
from .output.output_tree import remove_all_temporary
from .output.plan import Plan, reason, remedy
from .output.publish import find_owned, find_strays, plan_outputs, publish
from .package import Package, PackageError, make_package
from .pool import Progress
from .profiles import find_types, profiles_of, unknown_providers
from .state.cache import Cache, Unit, load_cache, prepare_state, save_cache
from .state.files import locked
from .state.fingerprint import PRINTERS, Sources, walk
from .state.index import Index
from .units import Snapshot, Updated, snapshot, update_units
from .worker import Context, Frontend, project_context

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
    causes: tuple[Cause, ...] = ()  # of everything that the plan would do; only of `check`
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
    now: Snapshot


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
            updated = update_units(run.context, run.found, run.now, jobs=jobs, progress=progress)
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
    now = snapshot(config, profiles, folders, cache, sources)
    for folder in (config.specs, *(Path(each.folder) for each in folders)):
        walk(folder, index)
    context, found = project_context(config, profiles, frontend)
    return _Run(config=config, mode=mode, context=context, found=found, index=index, now=now)


def _make_package(run: _Run, updated: Updated) -> Package:
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


def _plan(run: _Run, updated: Updated, package: Package) -> Report:
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


def _publish(run: _Run, report: Report, updated: Updated, package: Package) -> Report:
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
        tools = report.tools if not updated.unsettled and not report.diagnostics else None
        run.index.save([*outputs, f"{config.output}/{NAME}"], configured=config.file is not None, tools=tools)
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
