"""The score of a set of tools as values: what was measured, and each deduction with its reason."""

from typing import Final, Literal

from msgspec import Struct

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


class Retrieval(Struct, frozen=True, kw_only=True):
    """What a search of the whole set finds for one query that should find this tool.

    `rank` is the tool's place, 1 the best; None where it is not found. `margin` is the lead over the best
    other tool, as a share of the better of both BM25 scores: 1.0 if nothing else is found, below 0 if
    another tool leads, -1.0 if this one is not found. `winner` is the tool in front, empty if it is this
    one; `words` are those by which it leads, what counts most first.
    """

    kind: Literal["example", "summary", "parameters"]
    query: str
    rank: int | None
    margin: float
    winner: str = ""
    words: tuple[str, ...] = ()


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


class ConfusedPair(Struct, frozen=True, kw_only=True):
    """Two tools that may be taken for each other.

    `similarity` is between 0 and 1; `words` make them alike, what counts most first. `only_first` and
    `only_second` are words that just one of them has. `stated`: one description names the other tool, and
    so says which to use.
    """

    first: str
    second: str
    similarity: float
    words: tuple[str, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    stated: bool = False
    suggestion: str = ""


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
