"""Pairs of tools that are alike: their names, summaries and parameters have the same words. Those whose names
or descriptions do not tell them apart may be taken for each other.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from .finding import Finding
from .linted_tool import Subject
from .tool_texts import ToolTexts, meaningful, names_other, separated

ALIKE: Final = 0.5
"""The least similarity of a pair that is reported; chosen in docs/reports/score.md."""
_WEIGHTS: Final = (1.0, 1.0, 2.0)
"""What a word counts in the name, the summary and the names of parameters."""
_OTHERS: Final = 5
"""Tools with other words that are counted beside a set: else all words of a small one would be common."""
_COMMON: Final = 100
"""A word of more tools than this finds no candidates: so many words tell nothing apart, and cost their
square.
"""
_NAMED: Final = 8
"""Words of a pair that are named."""
_PAIRS: Final = 3
"""Other tools that a finding names."""
_STEM: Final = 3
"""Letters of a word that stands for all that begin with it, as in `agents.search_index`."""

_Tool = tuple[ToolTexts, Mapping[str, float]]
"""The texts of a tool, and its words with their weights."""


class ConfusedPair(Struct, frozen=True, kw_only=True):
    """Two tools that are alike.

    `similarity` is between 0 and 1; `words` make them alike, what counts most first. `only_first` and
    `only_second` are words that just one of them has. `stated`: one description names the other tool, and
    so says which to use. `names_differ`: each name has a word that the other tool has nowhere, as in
    `delete_user` and `delete_role`.
    """

    first: str
    second: str
    similarity: float
    words: tuple[str, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    stated: bool = False
    names_differ: bool = False

    @property
    def distinct(self) -> bool:
        """Whether names or descriptions tell the tools apart."""
        return self.stated or self.names_differ

    @property
    def suggestion(self) -> str:
        """A difference to state, in words."""
        if self.only_first and self.only_second:
            first, second = (", ".join(words[:3]) for words in (self.only_first, self.only_second))
            return (
                f"say in both summaries when to use which: {self.first!r} alone has {first};"
                f" {self.second!r} alone has {second}"
            )
        if self.only_first or self.only_second:
            more, words, less = (
                (self.first, self.only_first, self.second)
                if self.only_first
                else (self.second, self.only_second, self.first)
            )
            return (
                f"say when to use {less!r} rather than {more!r}, which alone has {', '.join(words[:3])},"
                " or keep one of them"
            )
        return "nothing tells them apart: keep one, or say in both when to use which"


def confused_pairs(tools: Sequence[ToolTexts], least: float = ALIKE) -> tuple[ConfusedPair, ...]:
    """The pairs of a set whose tools are alike.

    Similarity is the weighted Jaccard index of their words: the weight that they share, by the weight of
    all. A word weighs more the fewer tools have it. Of descriptions only the summary counts, so that no
    length makes tools less alike.

    Args:
        tools: the set.
        least: the least similarity of a pair.

    Returns:
        The pairs, most alike first.
    """
    bags = _bags(tools)
    totals = [sum(bag.values()) for bag in bags]
    found: list[ConfusedPair] = []
    for one, other in sorted(_candidates(bags)):
        shared = sum(
            min(bags[one][word], bags[other][word]) for word in sorted(bags[one].keys() & bags[other].keys())
        )
        similarity = shared / (totals[one] + totals[other] - shared)
        if similarity >= least:
            found.append(_pair((tools[one], bags[one]), (tools[other], bags[other]), similarity))
    return tuple(sorted(found, key=lambda each: (-each.similarity, each.first, each.second)))


def _bags(tools: Sequence[ToolTexts]) -> list[dict[str, float]]:
    """The words of each tool with their weights: where a word stands, and how few tools have it."""
    places: list[dict[str, float]] = []
    for tool in tools:
        found: dict[str, float] = {}
        names = " ".join(map(separated, tool.parameters))
        for weight, text in zip(_WEIGHTS, (separated(tool.name), tool.summary, names), strict=True):
            for word in meaningful(text):
                found[word] = max(weight, found.get(word, 0.0))
        places.append(found)
    having = Counter(word for found in places for word in found)
    rarity = {word: math.log((len(tools) + _OTHERS) / count) for word, count in having.items()}
    return [{word: weight * rarity[word] for word, weight in found.items()} for found in places]


def _candidates(bags: Sequence[Mapping[str, float]]) -> set[tuple[int, int]]:
    """Pairs that share a word which is not common, and neighbours among tools of equal words."""
    by_word: dict[str, list[int]] = {}
    equal: dict[frozenset[str], int] = {}
    found: set[tuple[int, int]] = set()
    for number, bag in enumerate(bags):
        for word in bag:
            by_word.setdefault(word, []).append(number)
        if bag:
            same = frozenset(bag)
            if same in equal:
                found.add((equal[same], number))
            equal[same] = number
    for numbers in by_word.values():
        if len(numbers) <= _COMMON:
            found.update(combinations(numbers, 2))
    return found


def _pair(one: _Tool, other: _Tool, similarity: float) -> ConfusedPair:
    (first, words_of_first), (second, words_of_second) = one, other
    common = words_of_first.keys() & words_of_second.keys()
    least = {word: min(words_of_first[word], words_of_second[word]) for word in common}
    return ConfusedPair(
        first=first.name,
        second=second.name,
        similarity=round(similarity, 3),
        words=_heaviest(least),
        only_first=_heaviest({word: words_of_first[word] for word in words_of_first.keys() - common}),
        only_second=_heaviest({word: words_of_second[word] for word in words_of_second.keys() - common}),
        stated=names_other(first, second) or names_other(second, first),
        names_differ=_has_own_name(first, words_of_second) and _has_own_name(second, words_of_first),
    )


def _has_own_name(tool: ToolTexts, others: Collection[str]) -> bool:
    """Whether a word of a tool's name is none of the other tool's words, nor begins one or with one."""
    return any(
        not any(_begins(word, other) or _begins(other, word) for other in others)
        for word in meaningful(separated(tool.name))
    )


def _begins(word: str, longer: str) -> bool:
    return word == longer or (len(word) >= _STEM and longer.startswith(word))


def _heaviest(weights: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(sorted(weights, key=lambda word: (-weights[word], word))[:_NAMED])


def by_tool(pairs: Sequence[ConfusedPair]) -> dict[str, list[ConfusedPair]]:
    """The pairs of each tool in which nothing tells the other one apart, most alike first."""
    found: dict[str, list[ConfusedPair]] = {}
    for pair in pairs:
        if not pair.distinct:
            found.setdefault(pair.first, []).append(pair)
            found.setdefault(pair.second, []).append(pair)
    return found


def confusions(subject: Subject, own: Sequence[ConfusedPair]) -> Iterator[Finding]:
    """One finding for all tools that this one may be taken for; `own` are its pairs."""
    name = subject.tool.name
    if own:
        named = ", ".join(_alike(name, each) for each in own[:_PAIRS])
        more = f", and {len(own) - _PAIRS} more" if len(own) > _PAIRS else ""
        key = "description" if "description" in subject.tool.document.data else "summary"
        message = f"it may be taken for {named}{more}"
        yield subject.finding("confusable-tools", message, own[0].suggestion, at=(key,))


def _alike(name: str, pair: ConfusedPair) -> str:
    other = pair.second if pair.first == name else pair.first
    return f"{other!r} ({pair.similarity:.0%} alike: {', '.join(pair.words[:_PAIRS])})"
