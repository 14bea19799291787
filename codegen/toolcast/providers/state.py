"""The state of one walk over a document, and the schemas that overlap the one that is walked."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from .json_paths import Path, anchors, parse, pointer, resolve
from .ledger import Action, LedgerEntry, SeverityOfLoss
from .profiles.dialect import Dialect
from .provider_errors import SchemaError
from .upgraded_schema import Source

Stated = tuple[tuple[Any, Path], ...]
"""Schemas with their paths."""


class Overlap:
    """The schemas of other branches that may accept a value. `kind in overlap`: whether any accepts that
    type."""

    __slots__ = ("_find", "_found", "_kinds", "_types")

    def __init__(
        self,
        find: Callable[[], Stated],
        kinds: Callable[[Stated], frozenset[str]],
    ) -> None:
        """`find` gives the schemas, `kinds` their JSON types; each is called once at most."""
        self._find = find
        self._kinds = kinds
        self._found: Stated | None = None
        self._types: frozenset[str] | None = None

    @property
    def schemas(self) -> Stated:
        """All of them."""
        if self._found is None:
            self._found = self._find()
        return self._found

    def __contains__(self, kind: object) -> bool:
        if self._types is None:
            self._types = self._kinds(self.schemas)
        return kind in self._types


MAX_DEPTH = 96
"""Deepest nesting of subschemas; beyond it a schema is refused, so hostile input cannot exhaust the stack."""
MAX_NODES = 50_000
"""Most nodes in one output; references inlined into each other could otherwise multiply without end."""
INLINE_NODES = 5_000
"""With this many nodes in the output, references are widened instead of inlined."""


EVALUATING = frozenset(
    (
        *("properties", "patternProperties", "additionalProperties", "prefixItems", "items", "contains"),
        *("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"),
    )
)
"""Keywords that evaluate keys and items, which unevaluatedProperties and unevaluatedItems then leave out."""


class State:
    """One walk over one document under one dialect. Never outlives the call that made it."""

    __slots__ = (
        "alive",
        "anchors",
        "blockers",
        "changes",
        "deepest",
        "depth",
        "dialect",
        "document",
        "encoded",
        "entries",
        "evaluation",
        "graph",
        "heights",
        "inlining",
        "level",
        "losses",
        "lost",
        "must_be_unchanged",
        "names",
        "next_overlap",
        "nodes",
        "null_omissions",
        "origins",
        "overlap",
        "pending",
        "reach",
        "renames",
        "rules",
        "source",
        "types_elsewhere",
    )

    def __init__(
        self, source: Source, dialect: Dialect, losses: frozenset[tuple[str, ...]] = frozenset()
    ) -> None:
        self.document = source.document
        self.dialect = dialect
        self.rules: Any = None  # the compiled dialect, a `Rules`; the walk sets it
        self.entries: dict[tuple[str, str, str], LedgerEntry] = {**source.entries}
        self.blockers: list[LedgerEntry] = []
        self.names: dict[tuple[str, ...], str] = {}  # segments of a target → its name in $defs
        self.pending: list[tuple[str, ...]] = []  # referenced, not yet walked
        self.inlining: dict[tuple[str, ...], int] = {}  # references being inlined right now
        self.anchors: dict[str, tuple[str, ...]] | None = None
        self.origins: dict[int, Path] = {**source.locations}  # id of a schema (kept) → where it was
        self.alive: list[Any] = []  # merged schemas, kept alive: `origins` has their ids
        self.changes = 0  # how often a meaning was changed; a negated subschema must contain no change
        self.evaluation = 0  # how often the evaluated keys or items were changed
        self.lost: set[tuple[str, ...]] = set()  # definitions whose meaning was changed
        self.losses = losses  # those of an earlier walk over the same document
        self.must_be_unchanged: list[Any] = []  # schemas that must not contain a change
        self.level = 0  # of values in values, where that is limited
        self.heights: Mapping[tuple[str, ...], int] = {}  # of definitions: their levels, in an earlier walk
        self.encoded = False  # whether some node is marked with a wire form
        self.renames: dict[str, str] = {}  # property names that the dialect refuses → their new names
        self.types_elsewhere: Container[str] = frozenset()  # JSON types of other branches
        self.next_overlap: Overlap | None = None  # of the schema that is walked next
        self.overlap: Overlap | None = None  # the same for the node that is walked now
        self.null_omissions: list[bool] | None = None  # of a property: whether its absence stands for null
        self.source: tuple[str, ...] = ()  # the definition that is walked
        self.graph: dict[tuple[str, ...], set[tuple[str, ...]]] | None = None  # which refer to which
        self.reach: dict[tuple[str, ...], frozenset[tuple[str, ...]]] = {}  # the same, followed to the end
        self.nodes = 0
        self.depth = 0
        self.deepest = 0

    def note(self, path: Path, keyword: str, action: Action, severity: SeverityOfLoss, reason: str) -> None:
        """Add a ledger entry. The same entry (of a definition inlined twice) is added once, a worse reason
        for the same path and keyword is appended."""
        location = pointer(path)
        if severity in ("lost", "changed") or action == "spilled":
            self.changes += 1
            self.evaluation += action != "rewritten" and keyword in EVALUATING
        key = location, keyword, action
        known = self.entries.get(key)
        if known is not None:
            if known.severity != "kept elsewhere" or severity == "kept elsewhere":
                return
            reason = f"{known.reason}; {reason}"
        self.entries[key] = LedgerEntry(
            path=location, keyword=keyword, action=action, severity=severity, reason=reason
        )

    def describe(self, path: Path, keyword: str, words: str, notes: list[str], reason: str) -> None:
        """Add a constraint to the description; without `words` (too long) it is lost."""
        if words:
            notes.append(words)
            self.note(path, keyword, "spilled", "kept elsewhere", reason)
        else:
            self.note(path, keyword, "dropped", "lost", reason)

    def record_origin(self, node: Any, path: Path) -> None:
        """Record the path of a schema that will be moved, or was made from the schema at `path`."""
        if isinstance(node, dict) and id(node) not in self.origins:
            self.origins[id(node)] = path
            self.alive.append(node)

    def forget_origins(self, count: int) -> None:
        """Keep only the first `count` recorded paths: an object may be at several paths."""
        for node in self.alive[count:]:
            self.origins.pop(id(node), None)
        del self.alive[count:]

    def block(self, path: Path, keyword: str, reason: str) -> None:
        """Block strict mode for a reason. The walk goes on, so that every reason is reported."""
        self.blockers.append(
            LedgerEntry(path=pointer(path), keyword=keyword, action="widened", severity="lost", reason=reason)
        )

    def enter(self, path: Path) -> None:
        """Count one more node on the way down. Raises `SchemaError` past the bounds."""
        self.depth += 1
        self.nodes += 1
        if self.depth > self.deepest:
            self.deepest = self.depth
        if self.depth > MAX_DEPTH:
            raise SchemaError(pointer(path), f"schemas are nested deeper than {MAX_DEPTH} levels")
        if self.nodes > MAX_NODES:
            raise SchemaError(pointer(path), f"more than {MAX_NODES} schemas", "split the tool")

    def segments(self, reference: Any, path: Path) -> tuple[str, ...]:
        """The segments of a `$ref`'s target; plain-name anchors included. Raises `SchemaError`."""
        if not isinstance(reference, str):
            raise SchemaError(pointer(path), "$ref must be a string")
        if reference.startswith("#") and len(reference) > 1 and reference[1] != "/":
            if self.anchors is None:
                self.anchors = anchors(self.document)
            found = self.anchors.get(reference[1:])
            if found is not None:
                return found
        return parse(reference, path)

    def target(self, reference: Any, path: Path) -> tuple[Any, Path, tuple[str, ...]]:
        """The target of a `$ref`, its path and its segments. Raises `SchemaError` where it does not
        resolve."""
        segments = self.segments(reference, path)
        found, location = resolve(self.document, segments, reference, path)
        return found, location, segments

    def referred(self, reference: str) -> Any:
        """The target of a `$ref`. Raises LookupError where it does not resolve."""
        try:
            return self.target(reference, None)[0]
        except SchemaError as problem:
            raise LookupError(reference) from problem

    def resolve(self, segments: tuple[str, ...]) -> tuple[Any, Path]:
        """The schema at `segments`, which is known to exist, and its path."""
        return resolve(self.document, segments, "#/" + "/".join(segments), None)

    def name_for(self, segments: tuple[str, ...]) -> str:
        """The name of a target under the output's `$defs`; chosen once, and the target is queued for
        walking."""
        name = self.names.get(segments)
        if name is None:
            own = self.document.get("$defs")
            taken = set(own) if isinstance(own, dict) else set[str]()
            taken.update(self.names.values())
            if len(segments) == 2 and segments[0] == "$defs":
                name = segments[1]
            else:
                stem = name = segments[-1] if segments[-1] else "definition"
                count = 1
                while name in taken:
                    count += 1
                    name = f"{stem}_{count}"
            self.names[segments] = name
            self.pending.append(segments)
        return name
