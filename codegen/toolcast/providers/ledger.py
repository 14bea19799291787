"""What a provider's JSON lacks, entry by entry."""

from typing import Literal

from msgspec import Struct

Action = Literal["dropped", "spilled", "rewritten", "inlined", "widened"]
SeverityOfLoss = Literal["reject", "lost", "changed", "kept elsewhere"]


class LedgerEntry(Struct, frozen=True, kw_only=True):
    """One difference between the contract and a provider's schema.

    Attributes:
        path: JSON pointer into the contract's normal form.
        keyword: the keyword there that differs.
        action: what was done to it.
        severity: what is lost by it.
        reason: why, in words.
    """

    path: str
    keyword: str
    action: Action
    severity: SeverityOfLoss
    reason: str
