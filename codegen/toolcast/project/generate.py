"""The build: read, compile, plan, publish.

A spec that does not compile keeps the output that it had, and its tool stays in the registry. All others are
built, and the run fails (L7, L10). Only a deleted spec's output is deleted.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ..config import Config, show
from ..diagnostics import MISSING_LIBRARY, Diagnostic
from ..output_layout import MODELS
from ..spec.discovery import Discovery, is_there
from ..spec.load import name_position
from ..spec.type_folders import is_outside
from .core.compiled import ToolEntry
from .former import Former, find_former
from .output.drift import Cause, find_causes
from .output.manifest import NAME
from .output.output_tree import remove_all_temporary
from .output.owned_files import find_owned, find_strays, plan_outputs
from .output.plan import Plan, reason, remedy
from .output.publish import publish
from .package import PackageError, make_package
from .pool import Progress
from .profiles import find_types, profiles_of, unknown_providers
from .state.cache import Cache, Unit, load_cache, prepare_state, save_cache
from .state.files import locked
from .state.fingerprint import PRINTERS, Sources, walk
from .state.index import Index
from .units import Snapshot, Updated, joined, outside_tasks, snapshot, tasks_of, update_units
from .worker import Context, Frontend, project_context


class Stale(Struct, frozen=True, kw_only=True):
    """The output of a spec that does not compile now: it stays as it was.

    `spec` is shown as diagnostics show it, `outputs` are posix paths below the output root, the module first.
    `flaw`: why the tool is not in the registry, or the type cannot be imported; empty if nothing is wrong
    with them. `deleted`: the spec is gone, but other stale outputs need this one.
    """

    spec: str
    outputs: tuple[str, ...]
    flaw: str = ""
    deleted: bool = False
    keyword: str = ""  # what `register_all` calls the tool; empty for a type, and where it is not known


class Report(Struct, frozen=True, kw_only=True):
    """What a run did, or would do. `rebuilt` and `refused` count tools.

    `entries` are those of the tools that compile, `stale` is what others keep.
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
        """True if a spec has an error, or the run could not end."""
        return any(problem.severity == "error" for problem in self.diagnostics)


def stale_outputs(former: Mapping[str, Former], shown: Callable[[str], str]) -> tuple[Stale, ...]:
    """What a report has of `former`, by spec path. `shown`: a spec's path as diagnostics show it."""

    def rank(output: str) -> tuple[bool, bool, str]:
        return not output.endswith(".py"), output.startswith(f"{MODELS}/"), output

    return tuple(
        Stale(
            spec=shown(path),
            outputs=tuple(sorted(each.unit.outputs, key=rank)),
            flaw=each.flaw,
            deleted=each.deleted,
            keyword="" if each.unit.entry is None else each.unit.entry.keyword,
        )
        for path, each in sorted(former.items())
    )


def not_remembered(report: Report, shown_state: str, error: OSError) -> Report:
    """The report of a run whose outputs are right, but which the next run cannot build upon."""
    problem = Diagnostic(
        file=shown_state,
        severity="warning",
        code="not-remembered",
        message=f"the output is complete, but what the next run could reuse was not saved: {reason(error)}",
        hint=remedy(error),
    )
    return msgspec.structs.replace(report, diagnostics=tuple(sorted({*report.diagnostics, problem})))


Mode = Literal["write", "check", "diff"]


class _Run(Struct, frozen=True, kw_only=True):
    """What the parts of one run share."""

    config: Config
    mode: Mode
    context: Context
    found: Discovery
    index: Index
    now: Snapshot


def build(
    config: Config,
    frontend: Frontend,
    *,
    mode: Mode = "write",
    jobs: int | None = None,
    progress: Progress = lambda _done, _total: None,
    waiting: Callable[[str], None] = lambda _message: None,
) -> Report:
    """Build everything that `config` names.

    `write` publishes. `check` compiles everything, trusts no cache and writes nothing at all. `diff` trusts
    the cache, as `write` would, and writes nothing. `jobs` and `progress`: see `compile_tasks`. `waiting`
    gets a message if another run holds the project. What is wrong is in the report's diagnostics; raises
    nothing for it.
    """
    started = time.perf_counter()
    if not config.specs.is_dir():
        hint = "run `toolcast init`, or set `specs` in [tool.toolcast]"
        message = "there is no specs folder here"
        missing = Diagnostic(file=show(config.specs), code="no-specs", message=message, hint=hint)
        return Report(diagnostics=(missing,))
    try:
        with locked(config.state, waiting) if mode == "write" else nullcontext():
            if mode == "write":
                prepare_state(config.state)
            run = _open(config, frontend, mode)
            if isinstance(run, Report):
                report = run
            else:
                updated = update_units(
                    run.context, tasks_of(run.found), run.now, jobs=jobs, progress=progress
                )
                if outside := outside_tasks(run.found, updated):
                    more = update_units(run.context, outside, run.now, jobs=jobs)
                    updated = joined(updated, more)
                report = _finish(run, updated)
    except OSError as error:
        place = show(config.base / str(error.filename or config.state))
        message = f"cannot read or write: {reason(error)}"
        failure = Diagnostic(file=place, code="io-error", message=message, hint=remedy(error))
        report = Report(diagnostics=(failure,))
    return msgspec.structs.replace(report, seconds=time.perf_counter() - started)


def _open(config: Config, frontend: Frontend, mode: Mode) -> _Run | Report:
    """Read the configuration's profiles, the cache and the index, and find the specs. Raises OSError."""
    cache = Cache() if mode == "check" else load_cache(config.state)
    index = Index(config.base, load=bool(cache.units))  # rows mean nothing without the digests of the cache
    sources = Sources(index, cache.sources)
    for path in config.profiles:  # a source is digested before it is read
        sources.digest(path)
    profiles, problems = profiles_of(config)
    if problems := (*problems, *unknown_providers(config, profiles.chosen, profiles.known)):
        return Report(diagnostics=problems)
    folders, problems = find_types(config)
    if problems:
        return Report(diagnostics=problems)
    now = snapshot(config, profiles, cache, sources, index)
    walk(config.specs, index)
    for each in folders:
        walk(Path(each.folder), index)
    context, found = project_context(config, profiles, frontend)
    return _Run(config=config, mode=mode, context=context, found=found, index=index, now=now)


def _finish(run: _Run, updated: Updated) -> Report:
    """Make the package and the plan of what is up to date now, and publish it. Raises OSError."""
    config, found, now = run.config, run.found, run.now
    problems = {*updated.diagnostics, *found.diagnostics}
    if incomplete := [each for each in updated.diagnostics if each.code == MISSING_LIBRARY]:
        return Report(diagnostics=tuple(incomplete[:1]))  # no fault of any spec: leave all outputs alone

    def reuse(name: str, fingerprint: str) -> Unit | None:
        unit = now.cache.units.get(name)
        current = unit is not None and unit.fingerprint == fingerprint and now.tree.intact(unit.outputs)
        return unit if current else None

    def exists(path: str) -> bool:
        if is_outside(path):  # what nothing refers to any more is as good as deleted
            return path in found.types and path in updated.wanted
        return is_there(config.specs, path)

    def recover(units: Mapping[str, Unit]) -> dict[str, Former]:
        return find_former(units, tree=now.tree, cache=now.cache, exists=exists)

    try:
        package = make_package(
            updated.units,
            run.context,
            libraries={each.name: each.version for each in now.libraries if each.name in PRINTERS},
            locate=lambda path: name_position(config.specs, path),
            common=now.common,
            reuse=reuse,
            recover=recover,
        )
    except PackageError as fault:
        return Report(diagnostics=(*sorted(problems), fault.diagnostic(show(config.output))))
    expected: dict[str, bytes | None] = {}
    for path, unit in package.kept.items():
        expected.update(updated.files.get(path) or dict.fromkeys(unit.outputs))
    for each in package.former.values():
        expected.update(dict.fromkeys(each.unit.outputs))
    expected.update(package.files)
    owned = find_owned(now.tree, now.cache, config.state).difference(
        *(each.lost for each in package.former.values())
    )
    plan = plan_outputs(expected, now.tree, owned, shown_output=show(config.output))
    # Without a cache, the whole folder is searched once.
    strays = [] if now.cache.units else find_strays(config.output, expected.keys() | owned)
    problems |= {*package.refused.values(), *plan.diagnostics, *strays}
    problems = _without_consequences(problems, {run.context.shown(path) for path in found.types})
    tools = [path for path in found.tools if path in package.kept]
    report = Report(
        tools=len(found.tools),
        rebuilt=sum(path in updated.files for path in tools),
        refused=len(found.tools) - len(tools),
        plan=plan,
        diagnostics=tuple(sorted(problems)),
        entries=tuple(entry for path in tools if (entry := package.kept[path].entry) is not None),
        stale=stale_outputs(package.former, run.context.shown),
    )
    if run.mode == "check":
        uses = {path: unit.uses for path, unit in package.kept.items()}
        unusable = [path for path, each in package.former.items() if each.flaw]
        causes = find_causes(plan, package.files[NAME] or b"", uses, unusable)
        report = msgspec.structs.replace(report, causes=causes)
    if run.mode != "write" or plan.blocked:  # nothing is written, and nothing is to be remembered
        return report
    settled = {path: unit for path, unit in package.kept.items() if path not in updated.unsettled}
    former = {path: each.recorded for path, each in package.former.items() if each.recorded is not None}
    return _publish(run, report, {**settled, **former, **package.own}, settled=not updated.unsettled)


def _without_consequences(problems: set[Diagnostic], types: set[str]) -> set[Diagnostic]:
    """`problems`, without those of specs whose shared types have errors that are reported there."""
    causes = (each for each in problems if each.severity == "error" and each.code != "broken-type")
    if not any(each.file in types for each in causes):
        return problems
    return {problem for problem in problems if problem.code != "broken-type"}


def _publish(run: _Run, report: Report, units: dict[str, Unit], *, settled: bool) -> Report:
    """Carry out the plan, and save what the next run may rely on. Raises OSError."""
    config, now = run.config, run.now
    if not now.cache.units:
        remove_all_temporary(config.output)
    shown_output = show(config.output)
    done, failures = publish(report.plan, config.output, config.state, run.index, shown_output=shown_output)
    if failures:
        problems = tuple(sorted({*report.diagnostics, *failures}))
        return msgspec.structs.replace(report, plan=done, diagnostics=problems)
    cache = Cache(units=units, sources=now.sources.digests)
    outputs = (f"{config.output}/{path}" for unit in units.values() for path in unit.outputs)
    try:
        if cache != now.cache:
            (config.state / "index").unlink(missing_ok=True)  # it belongs to the cache that is replaced
            save_cache(config.state, cache)
        tools = report.tools if settled and not report.diagnostics else None
        run.index.save([*outputs, f"{config.output}/{NAME}"], configured=config.file is not None, tools=tools)
    except OSError as error:
        return not_remembered(report, show(config.state), error)
    return report
