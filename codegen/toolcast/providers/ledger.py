"""What a provider's JSON lacks, entry by entry."""

from typing import Literal

from msgspec import Struct

Action = Literal["dropped", "spilled", "rewritten", "inlined", "widened"]
SeverityOfLoss = Literal["reject", "lost", "changed", "kept elsewhere"]


class LedgerEntry(Struct, frozen=True, kw_only=True):
    """One change between the contract and a provider's schema.

    `path` is a JSON pointer into the contract's normal form; `keyword` is what was touched there.
    """

    path: str
    keyword: str
    action: Action
    severity: SeverityOfLoss
    reason: str
