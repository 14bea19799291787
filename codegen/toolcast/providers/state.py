"""What one walk knows and gathers."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from .dialect import Dialect
from .errors import SchemaError
from .json_paths import Path, anchors, parse, pointer, resolve
from .ledger import Action, LedgerEntry, SeverityOfLoss
from .overlap import Overlap
from .upgraded_schema import Source

MAX_DEPTH = 96
"""Deepest nesting of subschemas; beyond it a schema is refused, so hostile input cannot exhaust the stack."""
MAX_NODES = 50_000
"""Most nodes in one output; references inlined into each other could otherwise multiply without end."""
INLINE_NODES = 5_000
"""Once this many nodes are out, references are no longer opened but widened."""


EVALUATING = frozenset(
    (
        *("properties", "patternProperties", "additionalProperties", "prefixItems", "items", "contains"),
        *("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"),
    )
)
"""Keywords that say which keys and items are left to unevaluatedProperties and unevaluatedItems."""


class State:
    """One walk over one document under one dialect. Never outlives the call that made it."""

    __slots__ = (
        "alive",
        "anchors",
        "blockers",
        "deepest",
        "depth",
        "dialect",
        "document",
        "encoded",
        "entries",
        "evaluation",
        "graph",
        "heights",
        "judged",
        "level",
        "losses",
        "lossy",
        "lost",
        "names",
        "next_overlap",
        "nodes",
        "null_omissions",
        "opened",
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
        self.rules: Any = None  # the dialect made ready, a `Rules`; the walk sets it
        self.entries: dict[tuple[str, str, str], LedgerEntry] = {**source.entries}
        self.blockers: list[LedgerEntry] = []
        self.names: dict[tuple[str, ...], str] = {}  # referenced place → its name under the output's $defs
        self.pending: list[tuple[str, ...]] = []  # referenced, not yet walked
        self.opened: dict[tuple[str, ...], int] = {}  # references being inlined right now
        self.anchors: dict[str, tuple[str, ...]] | None = None
        self.origins: dict[int, Path] = {**source.places}  # id of a schema (kept) → where it was
        self.alive: list[Any] = []  # merged schemas whose ids stand in `origins`
        self.lossy = 0  # how often a meaning was changed; what negates a subschema must not contain any
        self.evaluation = (
            0  # how often what counts as evaluated was changed: unevaluated… must not judge that
        )
        self.lost: set[tuple[str, ...]] = set()  # definitions whose meaning was changed
        self.losses = losses  # those of an earlier walk over the same document
        self.judged: list[Any] = []  # schemas that must not contain what was changed
        self.level = 0  # of values in values, where that is limited
        self.heights: Mapping[tuple[str, ...], int] = {}  # of definitions: their levels, in an earlier walk
        self.encoded = False  # whether some node is marked with a way back
        self.renames: dict[str, str] = {}  # property names that the dialect refuses → those that are sent
        self.types_elsewhere: Container[str] = frozenset()  # JSON types of other branches
        self.next_overlap: Overlap | None = None  # what other branches say where the next schema stands
        self.overlap: Overlap | None = None  # the same for the node that is walked now
        self.null_omissions: list[bool] | None = None  # of a property: whether leaving it out means null
        self.source: tuple[str, ...] = ()  # the definition that is walked
        self.graph: dict[tuple[str, ...], set[tuple[str, ...]]] | None = None  # which refer to which
        self.reach: dict[tuple[str, ...], frozenset[tuple[str, ...]]] = {}  # the same, followed to the end
        self.nodes = 0
        self.depth = 0
        self.deepest = 0

    def note(self, path: Path, keyword: str, action: Action, severity: SeverityOfLoss, reason: str) -> None:
        """One ledger entry; the same fact met again (a definition inlined twice) is told once, a worse one at
        the same place beside it."""
        place = pointer(path)
        if severity in ("lost", "changed") or action == "spilled":
            self.lossy += 1
            self.evaluation += action != "rewritten" and keyword in EVALUATING
        key = place, keyword, action
        known = self.entries.get(key)
        if known is not None:
            if known.severity != "kept elsewhere" or severity == "kept elsewhere":
                return
            reason = f"{known.reason}; {reason}"
        self.entries[key] = LedgerEntry(
            path=place, keyword=keyword, action=action, severity=severity, reason=reason
        )

    def describe(self, path: Path, keyword: str, words: str, notes: list[str], reason: str) -> None:
        """Put a constraint into the description; no words (too long, too odd) means that it is lost."""
        if words:
            notes.append(words)
            self.note(path, keyword, "spilled", "kept elsewhere", reason)
        else:
            self.note(path, keyword, "dropped", "lost", reason)

    def place(self, node: Any, path: Path) -> None:
        """Remember where a schema stands that will be moved, or was made from one that stands there."""
        if isinstance(node, dict) and id(node) not in self.origins:
            self.origins[id(node)] = path
            self.alive.append(node)

    def forget(self, count: int) -> None:
        """Keep only the first `count` remembered places: the same object may stand elsewhere, too."""
        for node in self.alive[count:]:
            self.origins.pop(id(node), None)
        del self.alive[count:]

    def block(self, path: Path, keyword: str, reason: str) -> None:
        """Strictness is lost here, and why. The walk goes on, so that every reason is told."""
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
        """Where a `$ref` leads, as segments; plain-name anchors included. Raises `SchemaError`."""
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
        """What a `$ref` leads to, its path and its segments. Raises `SchemaError` if that is nowhere."""
        segments = self.segments(reference, path)
        found, place = resolve(self.document, segments, reference, path)
        return found, place, segments

    def referred(self, reference: str) -> Any:
        """The schema that a `$ref` leads to. Raises LookupError if that is nowhere."""
        try:
            return self.target(reference, None)[0]
        except SchemaError as problem:
            raise LookupError(reference) from problem

    def resolve(self, segments: tuple[str, ...]) -> tuple[Any, Path]:
        """What stands at `segments`, known to exist, and its path."""
        return resolve(self.document, segments, "#/" + "/".join(segments), None)

    def name_for(self, segments: tuple[str, ...]) -> str:
        """The name of a referenced place under the output's `$defs`; made once, then queued for walking."""
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
