"""Whether a search finds each tool of a set first, by what its own spec says of it.

The search is BM25 as SQLite's FTS5 computes it, over names, descriptions, and names and descriptions of
parameters: what providers' own search of deferred tools reads.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from ..tools.full_text import TOKENIZER, indexed_text
from .finding import Finding
from .linted_tool import Subject
from .tool_texts import ToolTexts, example_text, meaningful, names_other, separated

if TYPE_CHECKING:
    import sqlite3

FEW: Final = 3
"""Tools that a search is expected to give a model at least."""
_MOST: Final = 10
"""Places that are told apart; a tool below them counts as not found."""
_WEIGHTS: Final = "3, 1, 1, 2, 1"
"""What a word counts in the columns of the table, in their order."""
_COLUMNS: Final = ("name", "summary", "details", "parameters", "texts")
_NAMED: Final = 5
"""Words by which another tool leads that are named."""
_SHOWN: Final = 80
"""Characters of a query that are shown."""

QueryKind = Literal["example", "summary", "parameters"]
_READ: Final[Mapping[QueryKind, str]] = {
    "example": "",
    "summary": "{name parameters texts} : ",
    "parameters": "{name summary parameters texts} : ",
}
"""Columns in which the words of a query are looked for, as FTS5 writes it; all if empty."""


class SearchUnavailableError(RuntimeError):
    """This Python has no SQLite, or one without FTS5."""


class Retrieval(Struct, frozen=True, kw_only=True):
    """What a search of the whole set finds for one query that should find this tool.

    `rank` is the tool's place, 1 the best; None where it is not among the first ten. Of equally good tools
    the one in question comes last: a search that cannot tell them apart does not find it. `margin` is the
    lead over the best other tool, as a share of the better of both BM25 scores: 1.0 if nothing else is
    found, below 0 if another tool leads, -1.0 if this one is not found. `winner` is the tool in front,
    empty if it is this one; `words` are those by which it leads, what counts most first. `stated`: the
    description of that tool names this one, and so says which to use.
    """

    kind: QueryKind
    query: str
    rank: int | None
    margin: float
    winner: str = ""
    words: tuple[str, ...] = ()
    stated: bool = False


class ToolSearch:
    """An index of a set of tools. Close it after use, or use it in a `with` statement."""

    def __init__(self, tools: Sequence[ToolTexts]) -> None:
        """Read the words of each tool. Raises SearchUnavailableError."""
        self._tools = tools
        self._database = _table()
        rows = ((number, *map(indexed_text, _fields(each))) for number, each in enumerate(tools))
        self._database.executemany(
            "INSERT INTO tools (rowid, name, summary, details, parameters, texts) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )

    def __enter__(self) -> "ToolSearch":
        """Keep the index until the block ends."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Free the memory of the index."""
        self.close()

    def close(self) -> None:
        """Free the memory of the index."""
        self._database.close()

    def retrieval(self, number: int, kind: QueryKind, query: str) -> Retrieval | None:
        """What a query finds.

        Args:
            number: index of the tool that is meant.
            kind: what the query is made of, which decides where its words are looked for: of descriptions
                only those of an example in all, so that no sentence makes a tool easier to find for being
                there; those of a summary in none, else each would find itself.
            query: words.

        Returns:
            The place of the tool; None where the query has no word that says something.
        """
        terms = meaningful(query)
        if not terms:
            return None
        where = _READ[kind]
        found = self._ranked(where, terms, f"ORDER BY score, rowid = {number}, rowid LIMIT {_MOST}")
        shown = " ".join(query.split())
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
        rank = next((place for place, (row, _) in enumerate(found, 1) if row == number), None)
        best_other = next((score for row, score in found if row != number), 0.0)
        own = found[rank - 1][1] if rank is not None else 0.0
        best = max(own, best_other)
        margin = round((own - best_other) / best, 3) if best else -1.0
        if not found or rank == 1:
            return Retrieval(kind=kind, query=shown, rank=rank, margin=margin)
        first = found[0][0]
        words = self._leading(where, terms, first, number)
        return Retrieval(
            kind=kind,
            query=shown,
            rank=rank,
            margin=margin,
            winner=self._tools[first].name,
            words=words,
            stated=names_other(self._tools[first], self._tools[number]),
        )

    def _ranked(self, where: str, terms: Sequence[str], rest: str) -> list[tuple[int, float]]:
        """Rows and their scores, which are higher the better they fit."""
        query = where + "(" + " OR ".join(f'"{term}"' for term in terms) + ")"
        sql = f"SELECT rowid, bm25(tools, {_WEIGHTS}) AS score FROM tools WHERE tools MATCH ? {rest}"
        return [(row, -score) for row, score in self._database.execute(sql, (query,))]

    def _leading(self, where: str, terms: Sequence[str], first: int, number: int) -> tuple[str, ...]:
        """The words that count more for the first tool than for the one that is meant."""
        leads: list[tuple[float, str]] = []
        for term in terms:
            scores = dict(self._ranked(where, (term,), f"AND rowid IN ({first}, {number})"))
            lead = scores.get(first, 0.0) - scores.get(number, 0.0)
            if lead > 0:
                leads.append((-lead, term))
        return tuple(term for _, term in sorted(leads)[:_NAMED])


def _table() -> "sqlite3.Connection":
    try:
        import sqlite3
    except ImportError as problem:
        raise SearchUnavailableError(
            "this Python has no module sqlite3, which searches the tools"
        ) from problem
    database = sqlite3.connect(":memory:")
    columns = ", ".join(_COLUMNS)
    try:
        database.execute(f'CREATE VIRTUAL TABLE tools USING fts5 ({columns}, tokenize = "{TOKENIZER}")')
    except sqlite3.OperationalError as problem:
        database.close()
        reason = f"SQLite {sqlite3.sqlite_version} of this Python has no FTS5, which searches the tools"
        raise SearchUnavailableError(reason) from problem
    return database


def _fields(tool: ToolTexts) -> tuple[str, ...]:
    names = " ".join(map(separated, tool.parameters))
    return separated(tool.name), tool.summary, tool.details, names, " ".join(tool.parameter_texts)


def retrievals(tools: Sequence[ToolTexts]) -> tuple[tuple[Retrieval, ...], ...]:
    """What a search of the set finds by each tool's examples, its summary and the names of its parameters.

    Args:
        tools: the set.

    Returns:
        For each tool, in order, what its queries find; none for a query without words, none by parameters
        which most tools have, and none where there is only one tool.

    Raises:
        SearchUnavailableError: this Python has no SQLite with FTS5.
    """
    if len(tools) < 2:
        return tuple(() for _ in tools)
    having = Counter(name for tool in tools for name in {*tool.parameters})
    common = frozenset(name for name, count in having.items() if 2 * count > len(tools))
    with ToolSearch(tools) as search:
        return tuple(
            tuple(
                found
                for kind, query in _queries(tool, common)
                if (found := search.retrieval(number, kind, query)) is not None
            )
            for number, tool in enumerate(tools)
        )


def _queries(tool: ToolTexts, common: frozenset[str]) -> Iterator[tuple[QueryKind, str]]:
    for example in tool.examples:
        yield "example", example_text(example)
    yield "summary", tool.summary
    if not common.issuperset(tool.parameters):  # by a path alone nobody looks for a tool of a file system
        yield "parameters", " ".join(map(separated, tool.parameters))


_FIXES: Final[Mapping[QueryKind, str]] = {
    "example": "say in the summary what only this tool does, in the words of the calls that it is for",
    "summary": "say in the summary what only this tool does, in words of its name and its parameters",
    "parameters": "name parameters for what they hold, as `order_id` does for `id`",
}
QUERY_KINDS: Final[Mapping[QueryKind, str]] = {
    "example": "an example",
    "summary": "its summary",
    "parameters": "the names of its parameters",
}
"""What queries are made of, in words."""


def failure(found: Sequence[Retrieval], kind: QueryKind) -> Retrieval | None:
    """The query of one kind that finds its tool worst; None if half of them or more find it first."""
    own = [each for each in found if each.kind == kind]
    failed = [each for each in own if each.rank != 1]
    if 2 * len(failed) <= len(own):
        return None  # an example may hold a word of another tool by chance
    return min(failed, key=lambda each: (-(each.rank or _MOST + 1), each.margin, each.query))


def explained(found: Retrieval) -> str:
    """What a failed query finds, in words."""
    query = f"a search for {QUERY_KINDS[found.kind]} ({found.query!r})"
    if not found.winner:
        return f"{query} finds nothing"
    words = ", ".join(found.words)
    by = f" by the words {words}" if words else ""
    own = f"this tool at place {found.rank}" if found.rank else f"this tool not among the first {_MOST}"
    return f"{query} finds {found.winner!r} first{by}, {own}"


def hard_to_find(subject: Subject, found: Sequence[Retrieval]) -> Iterator[Finding]:
    """One finding for the query that finds the tool worst, if that is not among the first three."""
    failed = [each for kind in QUERY_KINDS if (each := failure(found, kind)) is not None]
    far = [each for each in failed if each.rank is None or each.rank > FEW]
    if far:
        key = "description" if "description" in subject.tool.document.data else "summary"
        yield subject.finding("hard-to-find", explained(far[0]), _FIXES[far[0].kind], at=(key,))
