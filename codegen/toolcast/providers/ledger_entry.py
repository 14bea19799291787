"""One entry of a ledger: a difference between a tool and its definition for a provider."""

from __future__ import annotations

from typing import Literal

from ..jsonschema.schema_change import SchemaChange

Part = Literal["parameters", "result", "spec"]
"""What a path leads into: the schema of the parameters, that of results, or the spec."""


class LedgerEntry(SchemaChange, frozen=True, kw_only=True, omit_defaults=True):
    """One difference between the contract and a provider's schema, or one thing that parsing a schema
    changed.

    Attributes:
        of: what `path` leads into; in the spec, `keyword` is a key of it.
    """

    of: Part = "parameters"

    @property
    def _place(self) -> str:
        if self.of == "spec":
            return "of the spec"
        return super()._place + (" of the result" if self.of == "result" else "")


def entry_of(change: SchemaChange) -> LedgerEntry:
    """A change of the schema of parameters, as an entry."""
    return LedgerEntry(
        path=change.path,
        keyword=change.keyword,
        action=change.action,
        severity=change.severity,
        reason=change.reason,
    )
