"""Whether a search finds each tool of a set first, by what its own spec says of it.

The search is that of programs with tools that are loaded on demand (`agents.search_index`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, structs

from ..agents.search_index import MAX_QUERY, SearchedTool, SearchIndex, search_words
from .finding import Finding
from .linted_tool import Subject
from .tool_texts import ToolTexts, example_text, names_other, separated, telling

FEW: Final = 3
"""Tools that a search is expected to give a model at least."""
_MOST: Final = 10
"""Places that are told apart; a tool below them counts as not found."""
_NAMED: Final = 5
"""Words by which another tool leads that are named."""
_SHOWN: Final = 80
"""Characters of a query that are shown."""

QueryKind = Literal["example", "summary", "parameters"]


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
    """An index of a set of tools with different names."""

    def __init__(self, tools: Sequence[ToolTexts]) -> None:
        """Read the words of each tool."""
        self._tools = {each.name: each for each in tools}
        self._indexes = {kind: SearchIndex(_searched(each, kind) for each in tools) for kind in QUERY_KINDS}

    def retrieval(self, tool: str, kind: QueryKind, query: str) -> Retrieval | None:
        """What a query finds.

        Args:
            tool: the name of the tool that is meant.
            kind: what the query is made of, which decides where its words are looked for: of descriptions
                only those of an example in all, so that no sentence makes a tool easier to find for being
                there; those of a summary in none, else each would find itself.
            query: words.

        Returns:
            The place of the tool; None where the query has no word that says something.
        """
        words = [*telling(search_words(query[:MAX_QUERY]))]
        if not words:
            return None
        index = self._indexes[kind]
        scores = index.scores(words)
        own = scores.get(tool, 0.0)
        others = {name: score for name, score in scores.items() if name != tool}
        place = 1 + sum(score >= own for score in others.values())
        first = min(others, key=lambda name: (-others[name], name), default="")
        lead = others.get(first, 0.0)
        found = Retrieval(
            kind=kind,
            query=_shown(query),
            rank=place if own and place <= _MOST else None,
            margin=round((own - lead) / max(own, lead), 3) if scores else -1.0,
        )
        if place == 1 or not first:
            return found
        return structs.replace(
            found,
            winner=first,
            words=_leading(index, words, first, tool),
            stated=names_other(self._tools[first], self._tools[tool]),
        )


def _searched(tool: ToolTexts, kind: QueryKind) -> SearchedTool:
    """The texts in which the words of a query are looked for."""
    descriptions = {"example": f"{tool.summary} {tool.details}", "summary": "", "parameters": tool.summary}
    return SearchedTool(
        name=tool.name,
        group=tool.group,
        description=descriptions[kind],
        parameters=" ".join(tool.parameters),
        parameter_texts=" ".join(tool.parameter_texts),
    )


def _leading(index: SearchIndex, words: Sequence[str], first: str, tool: str) -> tuple[str, ...]:
    """The words that count more for the first tool than for the one that is meant."""
    gains = {word: index.gains(word) for word in words}
    leads = {word: gain.get(first, 0.0) - gain.get(tool, 0.0) for word, gain in gains.items()}
    ranked = sorted((-lead, word) for word, lead in leads.items() if lead > 0)
    return tuple(word for _, word in ranked[:_NAMED])


def _shown(query: str) -> str:
    words = " ".join(query.split())
    return words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"


def retrievals(tools: Sequence[ToolTexts]) -> tuple[tuple[Retrieval, ...], ...]:
    """What a search of the set finds by each tool's examples, its summary and the names of its parameters.

    Args:
        tools: the set.

    Returns:
        For each tool, in order, what its queries find; none for a query without words, none by parameters
        which most tools have, and none where there is only one tool.
    """
    if len(tools) < 2:
        return tuple(() for _ in tools)
    having = Counter(name for tool in tools for name in {*tool.parameters})
    common = frozenset(name for name, count in having.items() if 2 * count > len(tools))
    search = ToolSearch(tools)
    return tuple(
        tuple(
            found
            for kind, query in _queries(tool, common)
            if (found := search.retrieval(tool.name, kind, query)) is not None
        )
        for tool in tools
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
    if not found.words:
        return f"{query} finds {found.winner!r} as well as this tool"
    words = f"the word{'s' if len(found.words) > 1 else ''} {', '.join(found.words)}"
    own = f"is at place {found.rank}" if found.rank else f"is not among the first {_MOST}"
    return f"{query} finds {found.winner!r} first by {words}; this tool {own}"


def hard_to_find(subject: Subject, found: Sequence[Retrieval]) -> Iterator[Finding]:
    """One finding for the query that finds the tool worst, if that is not among the first three."""
    failed = [each for kind in QUERY_KINDS if (each := failure(found, kind)) is not None]
    far = [each for each in failed if each.rank is None or each.rank > FEW]
    if far:
        key = "description" if "description" in subject.tool.document.data else "summary"
        yield subject.finding("hard-to-find", explained(far[0]), _FIXES[far[0].kind], at=(key,))
