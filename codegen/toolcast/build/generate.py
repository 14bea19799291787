"""The build: what is stale is compiled, the whole is planned, and the plan is checked, shown or published.

What does not compile leaves nothing behind: its former outputs are deleted, because a clean build would
not have written them (L7, L10). All others are built, and the run fails.
"""

import time
from collections.abc import Callable
from typing import Literal

import msgspec

from ..config import Config, show
from ..diagnostics import Diagnostic
from .collect import Collected, collect
from .core.compile import Options
from .crew import Crew, crew
from .former import remember_output, tell_former
from .frontend import Found, Frontend
from .output.faults import reason, remedy
from .output.journal import repair
from .output.manifest import NAME
from .output.plan import hold
from .output.publish import PublishError, publish
from .output.tree import Tree, sweep_all
from .profiles import profiles_of, unknown_providers
from .report import Report as Report
from .report import forgetful, stopped, whole_failed
from .sharing import Share, Sharing
from .spill import Room, room, sweep
from .state.cache import Cache, Unit, load_cache, prepare_state, save_cache
from .state.fingerprint import Setting, Sources, setting, walk
from .state.index import Index
from .state.libraries import Library, libraries
from .state.lock import locked
from .state.unchanged import Looked
from .whole import WholeError, make_whole
from .wide import wide_plan
from .workers import MISSING_LIBRARY, Shop

Mode = Literal["write", "check", "diff"]


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
        hint = "run `toolcast init`, or set `specs` in [tool.toolcast]"
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
            whole = make_whole(got, common.digest, shop, self.cache, self.tree, begin=workers.begin)
        except WholeError as fault:
            return Report(diagnostics=(*sorted(got.diagnostics), whole_failed(self.shown_output, str(fault))))
        plan, self.manifest = wide_plan(got, whole, used, self.cache, self.sources, self.tree, self.config)
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
        got.files = {}  # the plan has all that is needed of them
        if self.mode == "write" and not plan.blocked:  # else nothing is written, and nothing to remember
            return self._publish(report, got, whole, common, workers)
        return report

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
            return stopped(report, fault, self.shown_output)
        workers.dismiss()
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
            return forgetful(report, show(config.state), error)
        return report
