"""Measures of likeness that were compared: how well each ranks the pairs of a set."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from msgspec import Struct
from toolcast.agents.search_index import MAX_QUERY, SearchedTool, SearchIndex, search_words
from toolcast.lint.confusable import confused_pairs
from toolcast.lint.tool_texts import ToolTexts, example_text, meaningful, separated, telling

from .labelled_pairs import Labels
from .pairs import half_of
from .retrieval import Pair, ranked
from .tool_sets import ToolSet

Weights = tuple[float, float, float]
"""What a word counts in the name, the summary and the names of parameters."""
Bag = Mapping[str, float]
Measure = Callable[[Sequence[ToolTexts]], Mapping[Pair, float]]
"""The likeness of the pairs of a set; a pair that is missing has none."""

TEXTS: Weights = (1.0, 1.0, 0.0)
PARAMETERS: Weights = (0.0, 0.0, 1.0)
BOTH: Weights = (1.0, 1.0, 2.0)
_OTHERS = 5


def bags(tools: Sequence[ToolTexts], weights: Weights) -> list[Bag]:
    """The words of each tool: where a word stands, by how few tools have it."""
    places: list[dict[str, float]] = []
    for tool in tools:
        found: dict[str, float] = {}
        texts = (separated(tool.name), tool.summary, " ".join(map(separated, tool.parameters)))
        for weight, text in zip(weights, texts, strict=True):
            for word in meaningful(text) if weight else ():
                found[word] = max(weight, found.get(word, 0.0))
        places.append(found)
    having = Counter(word for found in places for word in found)
    return [
        {word: weight * math.log((len(tools) + _OTHERS) / having[word]) for word, weight in found.items()}
        for found in places
    ]


def jaccard(one: Bag, other: Bag) -> float:
    """The common weight, by the weight of both."""
    shared = _shared(one, other)
    return _ratio(shared, math.fsum(one.values()) + math.fsum(other.values()) - shared)


def overlap(one: Bag, other: Bag) -> float:
    """The common weight, by that of the lighter bag: 1.0 where one holds the other."""
    return _ratio(_shared(one, other), min(math.fsum(one.values()), math.fsum(other.values())))


def cosine(one: Bag, other: Bag) -> float:
    """The cosine of two bags as vectors."""
    product = math.fsum(one[word] * other[word] for word in one.keys() & other.keys())
    return _ratio(product, math.hypot(*one.values()) * math.hypot(*other.values()))


def _shared(one: Bag, other: Bag) -> float:
    # A sum in the order of a set would differ from run to run, and with it the ranks of equal pairs.
    return math.fsum(min(one[word], other[word]) for word in one.keys() & other.keys())


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def of_words(like: Callable[[Bag, Bag], float], weights: Weights) -> Measure:
    """A measure that compares the words of two tools."""

    def measure(tools: Sequence[ToolTexts]) -> Mapping[Pair, float]:
        own = bags(tools, weights)
        having: dict[str, list[int]] = defaultdict(list)
        for number, bag in enumerate(own):
            for word in bag:
                having[word].append(number)
        pairs = {pair for numbers in having.values() for pair in combinations(numbers, 2)}
        return {_names(tools, pair): like(own[pair[0]], own[pair[1]]) for pair in pairs}

    return measure


def mean_of_parts(tools: Sequence[ToolTexts]) -> Mapping[Pair, float]:
    """The geometric mean of the Jaccard indexes of texts and of parameters; of texts alone without any."""
    texts, parameters = (of_words(jaccard, weights)(tools) for weights in (TEXTS, PARAMETERS))
    bare = {tool.name for tool in tools if not tool.parameters}
    return {
        pair: like if pair <= bare else math.sqrt(like * parameters.get(pair, 0.0))
        for pair, like in texts.items()
    }


def by_search(tools: Sequence[ToolTexts]) -> Mapping[Pair, float]:
    """What a search for the words of one tool counts the other, as a share of its own; the mean of both."""
    index = SearchIndex(
        SearchedTool(
            name=tool.name,
            description=f"{tool.summary} {tool.details}",
            parameters=" ".join(tool.parameters),
            parameter_texts=" ".join(tool.parameter_texts),
        )
        for tool in tools
    )
    found: dict[Pair, float] = defaultdict(float)
    for tool in tools:
        query = " ".join((separated(tool.name), tool.summary, *map(separated, tool.parameters)))
        scores = index.scores(telling(search_words(query[:MAX_QUERY])))
        if tool.name in scores:
            for name, score in scores.items():
                if name != tool.name:
                    found[frozenset((tool.name, name))] += score / scores[tool.name] / 2
    return found


def not_distinct(tools: Sequence[ToolTexts]) -> Mapping[Pair, float]:
    """The shipped measure of the pairs that neither names nor descriptions tell apart."""
    pairs = confused_pairs(tools, 0.0)
    return {frozenset((each.first, each.second)): each.similarity for each in pairs if not each.distinct}


def _names(tools: Sequence[ToolTexts], pair: tuple[int, int]) -> Pair:
    return frozenset(tools[number].name for number in pair)


MEASURES: Mapping[str, Measure] = {
    "weighted Jaccard, parameters twice: alike": of_words(jaccard, BOTH),
    "of these, pairs that take off points": not_distinct,
    "weighted Jaccard, names and summaries": of_words(jaccard, TEXTS),
    "weighted Jaccard, parameters": of_words(jaccard, PARAMETERS),
    "geometric mean of these two": mean_of_parts,
    "cosine, parameters twice": of_words(cosine, BOTH),
    "overlap (one holds the other), parameters twice": of_words(overlap, BOTH),
    "search for the words of one, score of the other": by_search,
}


class Judged(Struct, frozen=True):
    """The likeness of pairs with whether each is one to find, and how many are to be found."""

    pairs: Sequence[tuple[float, bool]]
    wanted: int

    @property
    def average_precision(self) -> float:
        """The mean precision at each pair that is to be found; equal likeness ranks equal."""
        groups: dict[float, list[bool]] = defaultdict(list)
        for like, wanted in self.pairs:
            if like > 0:
                groups[like].append(wanted)
        seen = right = 0
        total = 0.0
        for like in sorted(groups, reverse=True):
            seen += len(groups[like])
            right += sum(groups[like])
            total += sum(groups[like]) * right / seen
        return total / self.wanted


def _by_calls(sets: Iterable[ToolSet], likes: Mapping[str, Mapping[Pair, float]], half: int) -> Judged:
    pairs: list[tuple[float, bool]] = []
    wanted = 0
    for chosen in sets:
        called = {chosen.tools[each.tool].name for each in chosen.calls}
        confused = {each for each in ranked(chosen, example_text).confused if half_of(each) == half}
        wanted += len(confused)
        own = likes[chosen.name]
        pairs += [(own[each], each in confused) for each in own if each & called and half_of(each) == half]
    return Judged(pairs, wanted)


def _by_reader(labels: Labels, likes: Mapping[str, Mapping[Pair, float]], half: int) -> Judged:
    own = {each: label for each, label in labels.items() if half_of(each[1]) == half}
    pairs = [(likes[name].get(pair, 0.0), label) for (name, pair), label in own.items()]
    return Judged(pairs, sum(own.values()))


def signals_part(called: Sequence[ToolSet], sets: Sequence[ToolSet], labels: Labels) -> str:
    """The average precision of each measure by the calls of some sets and by a reader's labels of all, as
    Markdown.
    """
    lines = [
        "| measure | calls, first half | calls, second half | reader, first half | reader, second half |",
        "|---|--:|--:|--:|--:|",
    ]
    for title, measure in MEASURES.items():
        likes = {each.name: measure(each.tools) for each in sets}
        judged = [_by_calls(called, likes, half) for half in (0, 1)]
        judged += [_by_reader(labels, likes, half) for half in (0, 1)]
        lines.append(f"| {title} | " + " | ".join(f"{each.average_precision:.2f}" for each in judged) + " |")
    return "\n".join(lines)
