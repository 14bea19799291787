"""One difference between a schema and what was made of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeVar

from msgspec import Struct

from .schema_node import Path, pointer

Action = Literal["dropped", "described", "rewritten", "inlined", "widened"]
Severity = Literal["reject", "lost", "changed", "kept elsewhere"]


class SchemaChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that parsing a schema changed.

    Attributes:
        path: JSON pointer into the schema as it was given.
        keyword: the keyword there that differs.
        action: what was done to it.
        severity: what is lost by it.
        reason: a predicate of the keyword, without a full stop: what stands in its place, why, and whether
            decoding restores or checks it.
    """

    path: str
    keyword: str
    action: Action
    severity: Severity
    reason: str

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
        return f"at {self.path or 'the root'}"


Change = TypeVar("Change", bound=SchemaChange)
ChangeKey = tuple[str, str, str, str]
"""Path, keyword, action and reason: two changes of one keyword are two entries."""
Changes = dict[ChangeKey, SchemaChange]


def changes_of(entries: Iterable[Change]) -> dict[ChangeKey, Change]:
    """Return changes by what distinguishes them, in their order."""
    return {(each.path, each.keyword, each.action, each.reason): each for each in entries}


def record(
    changes: Changes, path: Path, keyword: str, action: Action, severity: Severity, reason: str
) -> None:
    """Add a change, unless it is known."""
    change = SchemaChange(
        path=pointer(path), keyword=keyword, action=action, severity=severity, reason=reason
    )
    changes.setdefault((change.path, keyword, action, reason), change)
