"""The score of a set of tools as values: what was measured, and each deduction with its reason."""

from typing import Final, Literal

from msgspec import Struct

from ..lint.confusable import ConfusedPair
from ..lint.findability import Retrieval

Part = Literal[
    "findability", "confusability", "budget", "readiness", "repetition", "hidden text", "imperatives"
]
"""What a deduction belongs to."""

FULL: Final = 100
"""Points of a tool or a set from which nothing is taken off."""


class Deduction(Struct, frozen=True, kw_only=True):
    """Points taken off, and why.

    `code` is that of the lint rule that judges the same, by which a spec or a project switches both off;
    empty where no rule does. `line` is the line of the tool's spec, 0 where there is no single one.
    """

    part: Part
    points: int
    reason: str
    code: str = ""
    line: int = 0


class TokenUse(Struct, frozen=True, kw_only=True):
    """What a definition, or all together, cost for one provider, in tokens as estimated.

    `limit` is that of [tool.toolcast.lint.max_tokens], None if there is none.
    """

    provider: str
    full: int
    brief: int
    limit: int | None = None

    @property
    def share(self) -> float | None:
        """The share of the limit that is used; above 1.0 if it is exceeded, None without a limit."""
        return None if self.limit is None else self.full / self.limit


class Requirement(Struct, frozen=True, kw_only=True):
    """What a directory or client of MCP asks of a tool. `advised`: it is wanted, not demanded."""

    name: str
    met: bool
    advised: bool
    source: str
    fix: str = ""


class ToolScore(Struct, frozen=True, kw_only=True):
    """One tool. `points` are `FULL` less all deductions, at least 0."""

    tool: str
    points: int
    deductions: tuple[Deduction, ...]
    retrievals: tuple[Retrieval, ...]
    tokens: tuple[TokenUse, ...]
    requirements: tuple[Requirement, ...]


class SetScore(Struct, frozen=True, kw_only=True):
    """All tools together. `points` are the mean of the tools' points, rounded down, less the set's
    deductions.

    `found_first` counts queries that find their tool first, of `queries`.
    """

    points: int
    deductions: tuple[Deduction, ...]
    tokens: tuple[TokenUse, ...]
    queries: int
    found_first: int


class Score(Struct, frozen=True, kw_only=True):
    """A set of tools. `tools` are sorted: fewest points first; `pairs`: most alike first."""

    tools: tuple[ToolScore, ...]
    pairs: tuple[ConfusedPair, ...]
    set: SetScore
