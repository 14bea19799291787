"""The build: stale units are compiled, one plan is made, and it is checked, shown or published.

    lock → snapshot → update units → package → plan → publish → save cache and index

The outputs of a spec that does not compile are deleted, because a clean build would not have written them
(L7, L10). All others are built, and the run fails.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from .. import __version__
from ..config import Config, show
from ..diagnostics import Diagnostic
from .build_report import Report as Report
from .build_report import not_remembered, package_failed, stopped
from .core.compiled import Options
from .frontend import Found, Frontend
from .output.faults import reason, remedy
from .output.journal import repair
from .output.manifest import NAME, render_manifest
from .output.output_tree import Tree, sweep_all
from .output.owned_files import find_owned, find_strays, settle_case
from .output.plan import Existing, Plan, make_plan
from .output.publish import PublishError, publish
from .package import Package, PackageError, make_package
from .pool import Progress
from .previous_outputs import remember_output, warn_of_previous_outputs
from .profiles import profiles_of, unknown_providers
from .sharing import Share, is_shared
from .staleness import Snapshot, snapshot
from .state.cache import Cache, Unit, load_cache, prepare_state, save_cache
from .state.fingerprint import Sources, combine, setting, walk
from .state.index import Index
from .state.libraries import PRINTERS, Library, libraries
from .state.lock import locked
from .units import Updated, tasks_of, update_units
from .worker import MISSING_LIBRARY, Context

if TYPE_CHECKING:
    from .artifacts.shared import SharedCache

Mode = Literal["write", "check", "diff"]


class _Run(Struct, frozen=True, kw_only=True):
    """What the parts of one run share."""

    config: Config
    mode: Mode
    context: Context
    found: Found
    libraries: tuple[Library, ...]
    index: Index
    now: Snapshot


def build(
    config: Config,
    frontend: Frontend,
    *,
    mode: Mode = "write",
    jobs: int | None = None,
    keep: bool = False,
    share: Share = "use",
    progress: Progress = lambda _done, _total: None,
    waiting: Callable[[str], None] = lambda _message: None,
) -> Report:
    """Build everything that `config` names.

    `write` publishes. `check` compiles everything, trusts no cache and writes nothing at all. `diff` trusts
    the cache, as `write` would, and writes nothing. With `keep`, a spec that no longer compiles keeps its
    outputs: somebody is in the middle of an edit. `share` is about the shared cache, which `check` never
    uses. `jobs` and `progress`: see `compile_tasks`. `waiting` gets a message if another run holds the
    project. What is wrong is in the report's diagnostics; raises nothing for it.
    """
    started = time.perf_counter()
    if not config.specs.is_dir():
        hint = "run `toolcast init`, or set `specs` in [tool.toolcast]"
        message = "there is no specs folder here"
        missing = Diagnostic(file=show(config.specs), code="no-specs", message=message, hint=hint)
        return Report(diagnostics=(missing,))
    share = "distrust" if mode == "check" else share
    shared: SharedCache | None = None
    updated: Updated | None = None
    try:
        with locked(config.state, waiting) if mode == "write" else nullcontext():
            if mode == "write":
                prepare_state(config.state)
            run = _open(config, frontend, mode, trust_fetched=share != "distrust")
            if isinstance(run, Report):
                report = run
            else:
                if share == "use" and is_shared(config):
                    from .artifacts.shared import open_shared

                    shared = open_shared(config, run.context, run.now)
                updated = update_units(
                    run.context,
                    tasks_of(run.found),
                    run.now,
                    shared=shared,
                    jobs=jobs,
                    keep=keep,
                    progress=progress,
                )
                report = _finish(run, updated)
    except OSError as error:
        place = show(config.base / str(error.filename or config.state))
        message = f"cannot read or write: {reason(error)}"
        failure = Diagnostic(file=place, code="io-error", message=message, hint=remedy(error))
        report = Report(diagnostics=(failure,))
    if shared is not None:
        if updated is not None and mode == "write" and not report.plan.blocked:
            shared.store(updated.compiled)
        report = msgspec.structs.replace(report, shares=shared.shares)
    return msgspec.structs.replace(report, seconds=time.perf_counter() - started)


def _open(config: Config, frontend: Frontend, mode: Mode, *, trust_fetched: bool) -> _Run | Report:
    """Read the configuration's profiles, the cache and the index, and find the specs. Raises OSError."""
    cache = Cache() if mode == "check" else load_cache(config.state)
    index = Index(config.base, load=bool(cache.units))  # rows mean nothing without the digests of the cache
    profiles, problems = profiles_of(config, frontend.known_providers)
    known = profiles.known
    providers = known if config.providers is None else config.providers
    if problems := (*problems, *unknown_providers(config, providers, known)):
        return Report(diagnostics=problems)
    options = Options(
        providers=providers,
        models=config.models,
        templates=None if config.templates is None else str(config.templates),
        profiles=profiles.files,
    )
    used = libraries(models=bool(config.models))
    sources = Sources(index, cache.sources)
    parts = setting(config, options, used, sources, index)
    walk(config.specs, index)
    shown_root = show(config.specs)
    found = frontend.discover(config.specs, shown_root)
    context = Context(
        frontend=frontend,
        root=str(config.specs),
        shown_root=shown_root,
        types=found.types,
        known_providers=known,
        options=options,
    )
    tree = Tree(config.output, index)
    now = snapshot(config, cache, parts, sources, tree, trust=trust_fetched)
    return _Run(config=config, mode=mode, context=context, found=found, libraries=used, index=index, now=now)


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

    try:
        package = make_package(updated.units, now.common, run.context, reuse)
    except PackageError as fault:
        failure = package_failed(show(config.output), str(fault))
        return Report(diagnostics=(*sorted(problems), failure))
    units = {path: unit for path, unit in updated.units.items() if path not in package.refused}
    plan, strays = _plan(run, units, updated, package)
    problems |= {*package.refused.values(), *plan.diagnostics, *strays, *warn_of_previous_outputs(config)}
    tools = [path for path in found.tools if path in units]
    report = Report(
        tools=len(found.tools),
        rebuilt=sum(path in updated.files and path not in updated.fetched for path in tools),
        fetched=len(updated.fetched.intersection(tools)),
        refused=len(found.tools) - len(tools) + len(updated.kept.intersection(tools)),
        plan=plan,
        diagnostics=tuple(sorted(problems)),
        entries=tuple(entry for path in tools if (entry := units[path].entry) is not None),
    )
    if run.mode != "write" or plan.blocked:  # nothing is written, and nothing is to be remembered
        return report
    settled = {path: unit for path, unit in units.items() if path not in updated.unsettled}
    return _publish(run, report, {**settled, **package.units}, settled=not updated.unsettled)


def _plan(
    run: _Run, units: Mapping[str, Unit], updated: Updated, package: Package
) -> tuple[Plan, list[Diagnostic]]:
    """The plan that leaves the outputs of `units` and of `package` and the manifest, and warnings about files
    that nothing accounts for. Raises OSError."""
    config, now = run.config, run.now
    expected: dict[str, bytes | None] = {}
    for path, unit in (*units.items(), *package.units.items()):
        files = updated.files.get(path) or package.files.get(path)
        expected.update(dict.fromkeys(unit.outputs) if files is None else files)
    expected[NAME] = _manifest(run, units, package)
    owned = find_owned(now.tree, now.cache, config.state)
    existing: dict[str, Existing] = {}
    for path in (*expected, *(owned - expected.keys())):
        if path in expected and expected[path] is None:
            existing[path] = Existing("intact")
        elif (found := now.tree.look(path)) is not None:
            existing[path] = found
    settle_case(expected, existing, owned, config.output)
    plan = make_plan(expected, existing, owned, shown_output=show(config.output))
    # Without a cache, the whole folder is searched once.
    strays = [] if now.cache.units else find_strays(config.output, expected.keys() | owned)
    return plan, strays


def _manifest(run: _Run, units: Mapping[str, Unit], package: Package) -> bytes:
    versions = {each.name: each.version for each in run.libraries if each.name in PRINTERS}
    digest = run.now.sources.digest

    def source(path: str, unit: Unit) -> str:
        names = (path, *unit.uses)
        return combine(word for name in names for word in (name, digest(f"{run.now.root}/{name}") or "-"))

    lines = {path: (source(path, unit)[:16], tuple(unit.outputs)) for path, unit in units.items()}
    ours = tuple(path for unit in package.units.values() for path in unit.outputs)
    return render_manifest({"toolcast": __version__, **versions}, lines, ours)


def _publish(run: _Run, report: Report, units: dict[str, Unit], *, settled: bool) -> Report:
    """Carry out the plan, and save what the next run may rely on. Raises OSError."""
    config, now = run.config, run.now
    repair(config.state, config.output)
    if not now.cache.units:
        sweep_all(config.output)
    try:
        publish(report.plan, config.output, config.state, run.index)
    except PublishError as fault:
        return stopped(report, fault, show(config.output))
    cache = Cache(units=units, sources=now.sources.seen, setting=dict(now.setting))
    outputs = (f"{config.output}/{path}" for unit in units.values() for path in unit.outputs)
    try:
        remember_output(config)
        if cache != now.cache:
            (config.state / "index").unlink(missing_ok=True)  # it belongs to the cache that is replaced
            save_cache(config.state, cache)
        tools = report.tools if settled and not report.diagnostics else None
        run.index.save([*outputs, f"{config.output}/{NAME}"], configured=config.file is not None, tools=tools)
    except OSError as error:
        return not_remembered(report, show(config.state), error)
    return report
