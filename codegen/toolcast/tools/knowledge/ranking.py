"""Scores of passages, each from 0 to 1: by words, by meaning, and both with weights."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Final

_K1: Final = 1.2
"""Of FTS5's bm25: however often a text has a word, it counts less than `1 + _K1` times its weight."""
_LEAST: Final = 1e-6
"""The least weight of a word in FTS5's bm25."""


def word_bound(counts: Sequence[int], total: int) -> float:
    """What FTS5's bm25 stays below, for any text.

    Args:
        counts: for each word of the query, how many texts have it.
        total: how many texts there are.

    Returns:
        The sum of the words' weights, times 2.2; more than 0.
    """
    weights = (log((total - count + 0.5) / (count + 0.5)) for count in counts)
    return sum(max(_LEAST, weight) for weight in weights) * (1 + _K1)


def combined(words: Mapping[int, float], meaning: Mapping[int, float]) -> dict[int, float]:
    """Scores by words and by meaning as one: their mean.

    Args:
        words: scores by words; a passage without one has 0.
        meaning: the same by meaning.

    Returns:
        The scores.
    """
    return {number: (words.get(number, 0.0) + meaning.get(number, 0.0)) / 2 for number in {*words, *meaning}}


def weighted(score: float, weight: float) -> float:
    """A score with the weight of its collection.

    Args:
        score: from 0 to 1.
        weight: more than 0; 1 is neutral.

    Returns:
        `1 - (1 - score) ** weight`: from 0 to 1, and in the order of the scores and of the weights.
    """
    return 1.0 - float((1.0 - score) ** weight)
