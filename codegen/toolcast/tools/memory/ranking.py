"""How well a text matches a query: the share of the query's words that it has, rare words counting more."""

from collections.abc import Collection, Mapping, Sequence
from math import log


def match_scores(matches: Sequence[Collection[int]], total: int) -> Mapping[int, float]:
    """Score texts by the words of a query that they have.

    A word weighs as in BM25, `log(1 + (N - n + 0.5) / (n + 0.5))`: with `n` of the `N` texts that have it.
    How often a text has a word does not count: one of a few sentences that says it twice is no better.

    Args:
        matches: for each word of the query, the numbers of the texts that have it.
        total: how many texts there are.

    Returns:
        For each text that has any of the words, the weight of those it has as a share of the weight of all:
        more than 0, and 1 for a text that has all. A text that has more of the words never scores less.
    """
    weights = [log(1 + (total - len(match) + 0.5) / (len(match) + 0.5)) for match in matches]
    total_weight = sum(weights)
    scores: dict[int, float] = {}
    for match, weight in zip(matches, weights, strict=True):
        for number in match:
            scores[number] = scores.get(number, 0.0) + weight
    return {number: min(1.0, score / total_weight) for number, score in scores.items()}
