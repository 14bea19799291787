"""Kinds of characters: two of one kind are in the same sets of a pattern."""

from bisect import bisect_right
from collections.abc import Sequence

from .charset import Ranges


class Alphabet:
    """The kinds of characters that some sets tell apart. `accepted[i]`: those in the i-th set."""

    def __init__(self, places: Sequence[Ranges]) -> None:
        sets = list(dict.fromkeys(places))
        edges = sorted(
            (point, index)
            for index, ranges in enumerate(sets)
            for low, high in ranges
            for point in (low, high + 1)
        )
        kinds: dict[int, int] = {0: 0}  # by the sets, one bit for each
        accepted: list[list[int]] = [[] for _ in sets]
        self._starts, self._kinds = [0], [0]
        mask = 0
        for position, (point, index) in enumerate(edges):
            mask ^= 1 << index
            if position + 1 < len(edges) and edges[position + 1][0] == point:
                continue
            if mask not in kinds:
                kinds[mask] = len(kinds)
                for each, letters in enumerate(accepted):
                    if mask >> each & 1:
                        letters.append(kinds[mask])
            self._starts.append(point)
            self._kinds.append(kinds[mask])
        indices = {ranges: index for index, ranges in enumerate(sets)}
        self.accepted = [accepted[indices[ranges]] for ranges in places]

    def kind(self, character: str) -> int:
        """The kind of one character."""
        return self._kinds[bisect_right(self._starts, ord(character)) - 1]
