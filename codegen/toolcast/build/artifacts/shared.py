"""A run's dealings with the cache that machines share: fetch what others compiled, give what was compiled."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct, structs

from ...diagnostics import Diagnostic
from ..output.content import Files
from ..state.cache import Unit
from ..state.fingerprint import combine, digest
from ..workers import Shop, Task
from .action import Action, Output, decode_action, encode_action
from .bundle import pack, unpack
from .place import Place
from .pool import spread
from .store import MAX_BUNDLE, MAX_ENTRY, BadEntryError, ReadOnlyError, Session, StoreError

_VARIANTS = 8
"""States of the shared types that an entry remembers; the newest come first."""
_SECONDS, _SECONDS_EACH = 5.0, 0.01
"""A cache that takes longer, in all and for each unit, is slower than compiling."""
_NAMES = msgspec.json.Decoder(tuple[tuple[str, ...], ...])

Fingerprint = Callable[[Task, tuple[str, ...]], str]
"""The digest of all that a unit's outputs depend on, if it refers to those types."""


class Fetched(Struct, frozen=True):
    """What became of one question: a unit, nothing, or something that could not be believed."""

    task: Task
    unit: Unit | None = None
    files: Mapping[str, bytes] = {}
    ignored: bool = False


class Counts(Struct, frozen=True):
    """What came of it. `ignored` counts what was found there and could not be believed."""

    fetched: int = 0
    stored: int = 0
    ignored: int = 0


class Shared:
    """One run's cache. After its first failure it does nothing more."""

    def __init__(self, place: Place, shop: Shop, fingerprint: Fingerprint) -> None:
        self._place, self._shop, self._fingerprint = place, shop, fingerprint
        self._types = frozenset(shop.types)
        self._entries: dict[str, Action] = {}
        self._failure: StoreError | None = None
        self.counts = Counts()

    def fetch(self, tasks: Sequence[Task]) -> dict[str, tuple[Unit, Mapping[str, bytes]]]:
        """Those of `tasks` that are there, by path."""
        if not tasks or self._failure is not None:
            return {}
        found, self._failure = spread(self._place.store, tasks, self._fetch, seconds=_patience(tasks))
        units = {each.task.path: (each.unit, each.files) for each in found if each.unit is not None}
        self.counts = Counts(fetched=len(units), ignored=sum(each.ignored for each in found))
        return units

    def reject(self, count: int, false: int) -> None:
        """So many of the fetched were compiled after all, and so many of those had been false."""
        counts = self.counts
        self.counts = structs.replace(counts, fetched=counts.fetched - count, ignored=counts.ignored + false)

    def store(self, made: Sequence[tuple[Task, Unit, Files]]) -> None:
        """Add what this run compiled. The caller leaves out what did not compile cleanly."""
        if not made or self._failure is not None or not self._place.write:
            return
        sizes, failure = spread(self._place.store, made, self._store, seconds=_patience(made))
        stored = [size for size in sizes if size]
        self.counts = structs.replace(self.counts, stored=len(stored))
        if stored and failure is None:
            try:
                self._place.store.stored(sum(stored))
            except StoreError as error:
                failure = error
        if not isinstance(failure, ReadOnlyError):  # whoever may only read has lost nothing
            self._failure = failure

    @property
    def trouble(self) -> tuple[Diagnostic, ...]:
        """What to tell, once per run. None of it makes a build wrong."""
        found: list[Diagnostic] = [] if self._place.withheld is None else [self._place.withheld]
        where = self._place.store.shown
        if self._failure is not None:
            message = f"the cache at {where} was not used to the end: {self._failure}"
            found.append(self._warn("cache-failed", message, "see `toolcast doctor`; the build is complete"))
        if ignored := self.counts.ignored:
            things = "1 entry" if ignored == 1 else f"{ignored} entries"
            message = f"{things} in the cache at {where} could not be believed and counted as absent"
            hint = "damaged or forged; `toolcast clean --cache` empties a folder, a server has its own ways"
            found.append(self._warn("cache-damaged", message, hint))
        return tuple(found)

    def _warn(self, code: str, message: str, hint: str) -> Diagnostic:
        return Diagnostic(file=self._place.named, code=code, message=message, hint=hint, severity="warning")

    def _key(self, task: Task) -> str:
        return combine(["toolcast entry 1", self._fingerprint(task, ())])

    def _fetch(self, session: Session, task: Task) -> Fetched:
        try:
            return self._find(session, task)
        except BadEntryError:
            return Fetched(task, ignored=True)

    def _find(self, session: Session, task: Task) -> Fetched:
        raw = session.get("ac", self._key(task), MAX_ENTRY)
        if raw is None:
            return Fetched(task)
        self._entries[task.path] = action = _entry(raw)
        for uses in self._variants(action):
            fingerprint = self._fingerprint(task, uses)
            output = next((each for each in action.outputs if each.path == fingerprint), None)
            if output is not None:
                blob = _blob(session, output)
                if blob is None:  # deleted to save space
                    break
                options, shown_root = self._shop.options, self._shop.shown_root
                return Fetched(task, *unpack(blob, task, fingerprint, uses, options, shown_root))
        return Fetched(task)

    def _variants(self, action: Action) -> list[tuple[str, ...]]:
        """The sets of types that a spec with these words was seen to refer to, as far as they exist here."""
        try:
            named = _NAMES.decode(action.stdout) if action.stdout else ((),)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadEntryError("names that are none") from error
        return [uses for uses in named[:_VARIANTS] if self._types.issuperset(uses)]

    def _store(self, session: Session, made: tuple[Task, Unit, Files]) -> int:
        task, unit, kept = made
        contents = kept.contents()
        try:
            files = {path: content.read() for path, content in contents.items()}
        except OSError:  # another run has begun, and removed what this one kept
            return 0
        if any(digest(data) != contents[path].digest for path, data in files.items()):
            return 0
        blob = pack(task, unit, files, self._shop.options, self._shop.shown_root)
        if blob is None:
            return 0
        former = self._entries.get(task.path, Action(()))
        mine = Output(unit.fingerprint, digest(blob), len(blob))
        others = [each for each in former.outputs if each.path != unit.fingerprint]
        try:
            names = [uses for uses in self._variants(former) if uses != unit.uses] if others else []
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


def _patience(items: Sequence[object]) -> float:
    return _SECONDS + _SECONDS_EACH * len(items)
