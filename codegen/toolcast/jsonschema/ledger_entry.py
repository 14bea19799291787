"""One difference between a schema and what was made of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from .schema_node import Path, pointer

Action = Literal["dropped", "described", "rewritten", "inlined", "widened"]
SeverityOfLoss = Literal["reject", "lost", "changed", "kept elsewhere"]
Part = Literal["parameters", "result", "spec"]
"""What a path leads into: the schema of the parameters, that of results, or the spec."""


class LedgerEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One difference between the contract and a provider's schema, or one thing that parsing a schema
    changed.

    Attributes:
        path: JSON pointer into the schema as it was given, or into the spec.
        keyword: the keyword there that differs; for the spec, its key.
        action: what was done to it.
        severity: what is lost by it.
        reason: a predicate of the keyword, without a full stop: what stands in its place, why, and whether
            decoding restores or checks it.
        of: what the path leads into.
    """

    path: str
    keyword: str
    action: Action
    severity: SeverityOfLoss
    reason: str
    of: Part = "parameters"

    @property
    def clause(self) -> str:
        """The entry within a message: the keyword, the place and the reason."""
        return f"`{self.keyword}` {self._place} {self.reason}"

    @property
    def sentence(self) -> str:
        """The entry as one sentence: the place, the keyword and the reason."""
        return f"{self._place[0].upper()}{self._place[1:]}, `{self.keyword}` {self.reason}."

    @property
    def _place(self) -> str:
        if self.of == "spec":
            return "of the spec"
        return f"at {self.path or 'the root'}{' of the result' if self.of == 'result' else ''}"


Changes = dict[tuple[str, str, str, str], LedgerEntry]
"""By path, keyword, action and reason: two changes of one keyword are two entries."""


def changes_of(entries: Iterable[LedgerEntry]) -> Changes:
    """Entries by what tells them apart, in their order."""
    return {(each.path, each.keyword, each.action, each.reason): each for each in entries}


def record(
    changes: Changes, path: Path, keyword: str, action: Action, severity: SeverityOfLoss, reason: str
) -> None:
    """Add a change, unless it is known."""
    entry = LedgerEntry(path=pointer(path), keyword=keyword, action=action, severity=severity, reason=reason)
    changes.setdefault((entry.path, keyword, action, reason), entry)
