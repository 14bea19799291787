"""The ledger that the passes of one walk write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..jsonschema.ledger_entry import Action, LedgerEntry, SeverityOfLoss
from ..jsonschema.schema_node import Path, Schema, pointer

EVALUATING = frozenset(
    (
        *("properties", "patternProperties", "additionalProperties", "prefixItems", "items", "contains"),
        *("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"),
    )
)
"""Keywords that evaluate keys and items, which unevaluatedProperties and unevaluatedItems then leave out."""


class Ledger:
    """What the passes of one walk have written down so far. It only grows.

    Attributes:
        entries: by path, keyword and action.
        blockers: why the mode cannot be used, each as an entry.
        changes: how many entries changed a meaning. Where it grew while a subschema was rewritten, the result
            does not accept exactly what the subschema accepts.
        evaluation: how many changed which keys or items are evaluated.
        schemas: how many schemas the output has.
        compared: schemas whose rewriting rests on definitions being unchanged.
    """

    __slots__ = ("blockers", "changes", "compared", "entries", "evaluation", "schemas")

    def __init__(self, entries: Iterable[LedgerEntry] = ()) -> None:
        self.entries = {(one.path, one.keyword, one.action): one for one in entries}
        self.blockers: list[LedgerEntry] = []
        self.changes = 0
        self.evaluation = 0
        self.schemas = 0
        self.compared: list[Schema] = []

    def note(self, path: Path, keyword: str, action: Action, severity: SeverityOfLoss, reason: str) -> None:
        """Add an entry. The same entry (of a definition inlined twice) is added once; a worse reason for the
        same path and keyword is appended."""
        location = pointer(path)
        if severity in ("lost", "changed") or action == "described":
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

    def described(self, path: Path, keyword: str, sentence: str, reason: str) -> tuple[str, ...]:
        """Note that a constraint is stated in the description, or lost without a sentence.

        Returns:
            The sentence to add to the description, or nothing.
        """
        if sentence:
            self.note(path, keyword, "described", "kept elsewhere", reason)
            return (sentence,)
        self.note(path, keyword, "dropped", "lost", reason)
        return ()

    def block(self, path: Path, keyword: str, reason: str) -> None:
        """Note why the mode cannot be used. The walk goes on, so that every reason is reported."""
        entry = LedgerEntry(
            path=pointer(path), keyword=keyword, action="widened", severity="lost", reason=reason
        )
        self.blockers.append(entry)


def child(path: Path, *segments: Any) -> Path:
    """The path of something below a path."""
    for segment in segments:
        path = path, str(segment)
    return path
