"""The build: what is stale is compiled, the whole is planned, and the plan is checked, shown or published.

What does not compile leaves nothing behind: its former outputs are deleted, because a clean build would
not have written them (L7, L10). All others are built, and the run fails.
"""

import time
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

from .. import __version__
from ..config import Config, show
from ..diagnostics import Diagnostic
from .collect import Collected, collect, source_digest
from .core.compile import Options, ToolEntry
from .crew import Crew, crew
from .former import remember_output, tell_former
from .frontend import Found, Frontend
from .narrow import narrow_plan
from .output.content import Content, held
from .output.faults import broken_off, reason, remedy
from .output.journal import repair
from .output.manifest import NAME, render_manifest
from .output.ownership import find_owned, find_strays, settle_case
from .output.plan import Existing, Plan, hold, make_plan
from .output.publish import PublishError, publish
from .output.tree import Tree, sweep_all
from .profiles import profiles_of, unknown_providers
from .sharing import Share, Shares, Sharing
from .spill import Room, room, sweep
from .state.cache import Cache, Unit, load_cache, prepare_state, save_cache
from .state.fingerprint import Setting, Sources, setting, walk
from .state.index import Index
from .state.libraries import PRINTERS, Library, libraries
from .state.lock import locked
from .state.unchanged import Looked
from .whole import WholeError, make_whole
from .workers import MISSING_LIBRARY, Shop

Mode = Literal["write", "check", "diff"]


class Report(Struct, frozen=True, kw_only=True):
    """What a run did, or would do. `rebuilt`, `fetched` and `refused` count tools; `shares` count units."""

    tools: int = 0
    rebuilt: int = 0
    fetched: int = 0  # others compiled them
    refused: int = 0
    plan: Plan = Plan()
    diagnostics: tuple[Diagnostic, ...] = ()
    entries: tuple[ToolEntry, ...] = ()  # every tool that compiles, by spec path
    shares: Shares = Shares()
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        return any(problem.severity == "error" for problem in self.diagnostics)


def build(
    config: Config,
    frontend: Frontend,
    *,
    mode: Mode = "write",
    jobs: int | None = None,
    keep: bool = False,
    share: Share = "use",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    waiting: Callable[[str], None] = lambda _message: None,
    looked: Looked | None = None,
) -> Report:
    """Build everything that `config` names.

    `write` publishes. `check` compiles everything, trusts no cache and writes nothing at all.
    `diff` trusts the cache, as `write` would, and writes nothing. With `keep`, a spec that no longer compiles
    keeps its former outputs: somebody is in the middle of an edit. `share` is about the cache that machines
    share, which `check` never asks. `progress` is told (done, total) of what is
    compiled; `waiting` gets a message if another run holds the project. `looked`: how its files looked just
    before.
    """
    started = time.perf_counter()
    if not config.specs.is_dir():
        shown = show(config.specs)
        hint = "run `toolwright init`, or set `specs` in [tool.toolwright]"
        missing = Diagnostic(file=shown, code="no-specs", message="there is no specs folder here", hint=hint)
        return Report(diagnostics=(missing,))
    sharing = Sharing(config, "distrust" if mode == "check" else share)
    with room(config.state if mode == "write" else None) as spill:
        try:
            if mode == "write":
                with locked(config.state, waiting):
                    prepare_state(config.state)
                    sweep(config.state, waiting)
                    report = _Run(
                        config, frontend, mode, jobs, progress, keep, sharing, spill, looked
                    ).execute()
            else:
                report = _Run(config, frontend, mode, jobs, progress, keep, sharing, spill, looked).execute()
        except OSError as error:
            place = show(config.base / str(error.filename or config.state))
            message = f"cannot read or write: {reason(error)}"
            failure = Diagnostic(file=place, code="io-error", message=message, hint=remedy(error))
            report = Report(diagnostics=(failure,))
        shares = sharing.finish(published=mode == "write" and not report.plan.blocked)
    return msgspec.structs.replace(report, shares=shares, seconds=time.perf_counter() - started)


class _Run:
    """One run's parts. Nothing outlives it but what it writes."""

    def __init__(
        self,
        config: Config,
        frontend: Frontend,
        mode: Mode,
        jobs: int | None,
        progress: Callable[[int, int], None],
        keep: bool,
        sharing: Sharing,
        spill: Room,
        looked: Looked | None,
    ) -> None:
        self.config, self.frontend, self.mode = config, frontend, mode
        self.jobs, self.progress, self.keep, self.sharing = jobs, progress, keep, sharing
        self.spill = spill
        self.index = Index(config.base)
        self.cache = Cache()
        if mode != "check":
            self.cache = load_cache(config.state)
            if self.cache.units:  # what files look like says nothing without what they should hold
                self.index.load(looked)
        self.manifest = self.cache.manifest  # the digest of the one that stands, or will
        self.sources = Sources(self.index, self.cache.sources)
        self.tree = Tree(config.output, self.index)
        self.shown_root, self.shown_output = show(config.specs), show(config.output)

    def execute(self) -> Report:
        config = self.config
        profiles, problems = profiles_of(config, self.frontend.known_providers)
        known = profiles.known
        providers = known if config.providers is None else config.providers
        problems = (*problems, *unknown_providers(config, providers, known))
        if problems:
            return Report(diagnostics=problems)
        templates = None if config.templates is None else str(config.templates)
        options = Options(
            providers=providers, models=config.models, templates=templates, profiles=profiles.files
        )
        used = libraries(models=bool(config.models))
        former = Setting(self.cache.setting, self.cache.folders)
        common = setting(config, options, used, self.sources, self.index, former)
        walk(config.specs, self.index)
        found = self.frontend.discover(config.specs, self.shown_root)
        shop = Shop(
            frontend=self.frontend,
            root=str(config.specs),
            shown_root=self.shown_root,
            types=found.types,
            known_providers=known,
            options=options,
        )
        with crew(shop, self.spill, self.jobs) as workers:
            return self._build(shop, workers, found, common, used)

    def _build(
        self, shop: Shop, workers: Crew, found: Found, common: Setting, used: tuple[Library, ...]
    ) -> Report:
        got = collect(
            shop,
            found,
            setting=common,
            sources=self.sources,
            cache=self.cache,
            tree=self.tree,
            sharing=self.sharing,
            moved=self.index.moved,
            crew=workers,
            progress=self.progress,
            keep=self.keep,
        )
        got.diagnostics += found.diagnostics
        if incomplete := next((each for each in got.diagnostics if each.code == MISSING_LIBRARY), None):
            return Report(diagnostics=(incomplete,))  # no fault of any spec: leave all outputs alone
        try:
            same = self.cache.setting == common.parts
            whole = make_whole(
                got, common.digest, shop, self.cache, self.tree, same=same, begin=workers.begin
            )
        except WholeError as fault:
            return Report(diagnostics=(*sorted(got.diagnostics), _internal(self.shown_output, str(fault))))
        narrow = None
        if same:
            narrow = narrow_plan(got, whole, self.cache, self.sources, self.index, self.tree, self.config)
        plan = self._plan(got, whole, used) if narrow is None else narrow
        if self.mode == "diff":
            plan = hold(plan)
        diagnostics = tuple(sorted({*got.diagnostics, *plan.diagnostics, *tell_former(self.config)}))
        tools = [path for path in found.tools if path in got.units]
        refused = len(found.tools) - len(tools) + len(got.kept.intersection(tools))
        report = Report(
            tools=len(found.tools),
            rebuilt=sum(path in got.files and path not in got.fetched for path in tools),
            fetched=len(got.fetched.intersection(tools)),
            refused=refused,
            plan=plan,
            diagnostics=diagnostics,
            entries=tuple(entry for path in tools if (entry := got.units[path].entry) is not None),
        )
        if self.mode == "write" and not plan.blocked:  # else nothing is written, and nothing to remember
            return self._publish(report, got, whole, common, workers)
        return report

    def _plan(self, got: Collected, whole: dict[str, Unit], used: tuple[Library, ...]) -> Plan:
        expected: dict[str, Content | None] = {}
        for path, unit in (*got.units.items(), *whole.items()):
            files = got.files.get(path)
            expected.update(dict.fromkeys(unit.outputs) if files is None else files.contents())
        versions = {library.name: library.version for library in used if library.name in PRINTERS}
        root, sources = self.config.specs, self.sources
        lines = {
            path: (source_digest(root, path, unit.uses, sources), tuple(unit.outputs))
            for path, unit in got.units.items()
        }
        ours = tuple(path for unit in whole.values() for path in unit.outputs)
        manifest = held(render_manifest({"toolwright": __version__, **versions}, lines, ours))
        expected[NAME] = manifest
        self.manifest = manifest.digest
        owned = find_owned(self.tree, self.cache, self.config.state)
        existing: dict[str, Existing] = {}
        for path in {*(name for name, data in expected.items() if data is not None), *owned}:
            if path in expected and expected[path] is None:
                existing[path] = _INTACT
            elif (found := self.tree.look(path)) is not None:
                existing[path] = found
        settle_case(expected, existing, owned, self.config.output)
        plan = make_plan(expected, existing, owned, shown_output=self.shown_output)
        if not self.cache.units:  # a look through the whole folder, for once
            got.diagnostics += find_strays(self.config.output, {*expected, *owned})
        return plan

    def _publish(
        self,
        report: Report,
        got: Collected,
        whole: dict[str, Unit],
        common: Setting,
        workers: Crew,
    ) -> Report:
        config = self.config
        repair(config.state, config.output)
        if not self.cache.units:
            sweep_all(config.output)
        try:
            publish(report.plan, config.output, config.state, self.index, hands=workers.publish)
        except PublishError as fault:
            return _broken_off(report, fault, self.shown_output)
        kept = {path: unit for path, unit in got.units.items() if path not in got.shaky}
        manifest = (write.content.digest for write in report.plan.writes if write.path == NAME)
        fresh = Cache(
            units={**kept, **whole},
            sources=self.sources.seen,
            setting=common.parts,
            folders=common.folders,
            manifest=next(manifest, self.manifest),
        )
        doubtful = self.tree.distrusted.difference(write.path for write in report.plan.writes)
        sound = not (report.diagnostics or got.shaky or doubtful)
        try:
            remember_output(config)
            if fresh != self.cache:
                self.index.file.unlink(missing_ok=True)  # it speaks of the former cache
                save_cache(config.state, fresh)
            self.index.save(configured=config.file is not None, tools=report.tools if sound else None)
        except OSError as error:
            return _forgetful(report, show(config.state), error)
        return report


_INTACT = Existing("intact")


def _broken_off(report: Report, fault: PublishError, shown_output: str) -> Report:
    """The report of a run that the disk stopped: its plan is what was done."""
    plan, done = report.plan, fault.done
    writes = tuple(write for write in plan.writes if write.path in done)
    deletes = tuple(delete for delete in plan.deletes if delete.path in done)
    total = len(plan.writes) + len(plan.deletes)
    problem = broken_off(fault.path, fault.error, len(done), total, shown_output)
    return msgspec.structs.replace(
        report,
        plan=msgspec.structs.replace(plan, writes=writes, deletes=deletes),
        diagnostics=tuple(sorted({*report.diagnostics, problem})),
    )


def _forgetful(report: Report, shown_state: str, error: OSError) -> Report:
    """The report of a run whose outputs are right, but which the next run cannot build upon."""
    problem = Diagnostic(
        file=shown_state,
        severity="warning",
        code="not-remembered",
        message=f"the output is complete, but what the next run could reuse was not saved: {reason(error)}",
        hint=remedy(error),
    )
    return msgspec.structs.replace(report, diagnostics=tuple(sorted({*report.diagnostics, problem})))


def _internal(file: str, fault: str) -> Diagnostic:
    message = f"the compiler failed on the files that speak of all tools: {fault}"
    hint = "this is a fault of toolwright; please report it with the specs"
    return Diagnostic(file=file, code="internal-error", message=message, hint=hint)
