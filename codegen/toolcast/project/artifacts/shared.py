"""The shared cache of one run: fetch what others compiled, store what was compiled."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from ...config import Config
from ...diagnostics import Diagnostic
from ..sharing import Shares
from ..staleness import Snapshot, fingerprint
from ..state.cache import Unit
from ..state.fingerprint import combine, digest
from ..worker import Context, Task
from .action import Action, Output, decode_action, encode_action
from .bundle import pack, unpack
from .cache_location import CacheLocation, locate_cache
from .parallel_requests import run_parallel
from .store import MAX_BUNDLE, MAX_ENTRY, BadEntryError, ReadOnlyError, Session, StoreError

_VARIANTS = 8
"""States of the shared types that an entry remembers; the newest come first."""
_SECONDS, _SECONDS_EACH = 5.0, 0.01
"""A cache that takes longer, in all and for each unit, is slower than compiling."""
_NAMES = msgspec.json.Decoder(tuple[tuple[str, ...], ...])

Fetched = dict[str, tuple[Unit, Mapping[str, bytes]]]
"""By spec path: a unit that others compiled, with its files."""


class _Answer(Struct, frozen=True):
    """A unit, nothing, or something that failed the checks and is ignored."""

    task: Task
    unit: Unit | None = None
    files: Mapping[str, bytes] = {}
    ignored: bool = False


def open_shared(config: Config, context: Context, now: Snapshot) -> "SharedCache":
    """The cache that the configuration or the environment names, for one run."""
    return SharedCache(*locate_cache(config), context, now)


class SharedCache:
    """One run's access to a shared cache. After its first failure it does nothing more."""

    def __init__(
        self, location: CacheLocation | None, problem: Diagnostic | None, context: Context, now: Snapshot
    ) -> None:
        """`problem` is the reason why there is no `location`."""
        self._location, self._problem, self._context, self._now = location, problem, context, now
        self._types = frozenset(context.types)
        self._entries: dict[str, Action] = {}
        self._failure: StoreError | None = None
        self._fetched = self._stored = self._ignored = 0

    def fetch(self, tasks: Sequence[Task]) -> Fetched:
        """Those of `tasks` that are there, by path."""
        if not tasks or self._location is None or self._failure is not None:
            return {}
        found, self._failure = run_parallel(
            self._location.store, tasks, self._fetch, seconds=_time_limit(tasks)
        )
        units = {each.task.path: (each.unit, each.files) for each in found if each.unit is not None}
        self._fetched += len(units)
        self._ignored += sum(each.ignored for each in found)
        return units

    def reject(self, count: int, false: int) -> None:
        """Report that `count` fetched units were compiled after all, and that `false` of them were wrong."""
        self._fetched -= count
        self._ignored += false

    def store(self, made: Sequence[tuple[Task, Unit, Mapping[str, bytes]]]) -> None:
        """Add what this run compiled."""
        if not made or self._failure is not None or self._location is None or not self._location.write:
            return
        sizes, failure = run_parallel(self._location.store, made, self._store, seconds=_time_limit(made))
        stored = [size for size in sizes if size]
        self._stored = len(stored)
        if stored and failure is None:
            try:
                self._location.store.stored(sum(stored))
            except StoreError as error:
                failure = error
        if not isinstance(failure, ReadOnlyError):  # whoever may only read has lost nothing
            self._failure = failure

    @property
    def shares(self) -> Shares:
        """What came of it."""
        return Shares(fetched=self._fetched, stored=self._stored, warnings=tuple(self._warnings()))

    def _warnings(self) -> list[Diagnostic]:
        if self._location is None:
            return [] if self._problem is None else [self._problem]
        found: list[Diagnostic] = [] if self._location.withheld is None else [self._location.withheld]
        where = self._location.store.shown
        if self._failure is not None:
            message = f"the cache at {where} was not used to the end: {self._failure}"
            found.append(self._warning("cache-failed", message, "the build is complete"))
        if self._ignored:
            things = "1 entry" if self._ignored == 1 else f"{self._ignored} entries"
            message = f"{things} in the cache at {where} could not be believed and counted as absent"
            hint = "damaged or forged; `toolcast clean --cache` empties a folder, a server has its own ways"
            found.append(self._warning("cache-damaged", message, hint))
        return found

    def _warning(self, code: str, message: str, hint: str) -> Diagnostic:
        assert self._location is not None
        return Diagnostic(
            file=self._location.named, code=code, message=message, hint=hint, severity="warning"
        )

    def _key(self, task: Task) -> str:
        return combine(["toolcast entry 1", fingerprint(self._now, task, ())])

    def _fetch(self, session: Session, task: Task) -> _Answer:
        try:
            return self._find(session, task)
        except BadEntryError:
            return _Answer(task, ignored=True)

    def _find(self, session: Session, task: Task) -> _Answer:
        raw = session.get("ac", self._key(task), MAX_ENTRY)
        if raw is None:
            return _Answer(task)
        self._entries[task.path] = action = _entry(raw)
        for uses in self._variants(action):
            mark = fingerprint(self._now, task, uses)
            output = next((each for each in action.outputs if each.path == mark), None)
            if output is not None:
                blob = _blob(session, output)
                if blob is None:  # deleted to save space
                    break
                options, shown_root = self._context.options, self._context.shown_root
                return _Answer(task, *unpack(blob, task, mark, uses, options, shown_root))
        return _Answer(task)

    def _variants(self, action: Action) -> list[tuple[str, ...]]:
        """The sets of types that a spec with this text has referred to, as far as they exist here."""
        try:
            named = _NAMES.decode(action.stdout) if action.stdout else ((),)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadEntryError("names that are none") from error
        return [uses for uses in named[:_VARIANTS] if self._types.issuperset(uses)]

    def _store(self, session: Session, made: tuple[Task, Unit, Mapping[str, bytes]]) -> int:
        task, unit, files = made
        blob = pack(task, unit, files, self._context.options, self._context.shown_root)
        if blob is None:
            return 0
        before = self._entries.get(task.path, Action(()))
        mine = Output(unit.fingerprint, digest(blob), len(blob))
        others = [each for each in before.outputs if each.path != unit.fingerprint]
        try:
            names = [uses for uses in self._variants(before) if uses != unit.uses] if others else []
        except BadEntryError:
            names, others = [], []
        variants = [unit.uses, *names][:_VARIANTS]
        stdout = b"" if variants == [()] else msgspec.json.encode(variants)
        entry = encode_action(Action((mine, *others)[:_VARIANTS], stdout))
        if len(entry) > MAX_ENTRY:
            return 0
        session.put("cas", mine.hash, blob)  # first: an entry never names what is not there
        session.put("ac", self._key(task), entry)
        return len(blob) + len(entry)


def _entry(raw: bytes) -> Action:
    try:
        return decode_action(raw)
    except ValueError as error:
        raise BadEntryError("no ActionResult") from error


def _blob(session: Session, output: Output) -> bytes | None:
    if output.size > MAX_BUNDLE:
        raise BadEntryError("too large")
    blob = session.get("cas", output.hash, output.size)
    if blob is not None and (len(blob) != output.size or digest(blob) != output.hash):
        raise BadEntryError("not what its name says")
    return blob


def _time_limit(items: Sequence[object]) -> float:
    return _SECONDS + _SECONDS_EACH * len(items)
