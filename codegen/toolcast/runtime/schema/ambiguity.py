"""Pairs of endless repetitions that can share one text in many ways: what makes a search polynomial.

A backtracking engine that fails behind `a*a*` has tried every cut between the two: as many as there are
characters. The places of a pattern's characters are states, each entered by one of its characters (Glushkov).
Two states p and q, each with a way back to itself, share a text where one word leads from p to p, from p to
q, and from q to q (Weber and Seidl, 1991). Each such pair on one way adds a power.
"""

from itertools import product
from typing import Final

from .charset import LAST, Ranges, intersection

SEARCH: Final = 0
"""The state before a match begins: a search tries every start, so it loops over any character."""
_EVERYTHING: Final[Ranges] = ((0, LAST),)
_STATES: Final = 300
"""Patterns with more characters are not looked at."""
_POWERS: Final = 5
"""Past the sixth power nobody waits for the difference."""
_STEPS: Final = 100_000
"""Steps taken for one pattern, some tenths of a second; then what is left counts as harmless."""


class Places:
    """The places of a pattern's characters, and which may follow which."""

    def __init__(self) -> None:
        self.ranges: list[Ranges] = [_EVERYTHING]
        self.follow: list[set[int]] = [{SEARCH}]
        self.steps = 0

    def add(self, ranges: Ranges) -> frozenset[int]:
        """A new place for one character of `ranges`; none once there are too many to look at."""
        if len(self.ranges) > _STATES:
            return frozenset()
        self.ranges.append(ranges)
        self.follow.append(set())
        return frozenset({len(self.ranges) - 1})

    def connect(self, ends: frozenset[int], starts: frozenset[int]) -> None:
        """Whatever ends at one of `ends` may go on at any of `starts`."""
        for end in ends:
            self.follow[end] |= starts

    def degree(self, safe: frozenset[int]) -> int:
        """The power of the text's length that a failing search may take; 1 is linear.

        Nothing can fail behind the places `safe`, so no cut before them is ever tried again.
        """
        if len(self.ranges) > _STATES:
            return 1
        loops = self._loops()
        after: dict[int, list[int]] = {}
        for p in loops:
            for q in loops:
                if p != q and q not in safe and q not in after.get(p, ()) and self._share(p, q):
                    after.setdefault(p, []).append(q)
        return 1 + _longest(after)

    def _loops(self) -> list[int]:
        """States with a way back to themselves."""
        found: list[int] = []
        for start in range(len(self.ranges)):
            seen: set[int] = set()
            stack = list(self.follow[start])
            while stack and start not in seen:
                state = stack.pop()
                if state not in seen:
                    seen.add(state)
                    stack += self.follow[state]
            if start in seen:
                found.append(start)
        return found

    def _share(self, p: int, q: int) -> bool:
        """Whether one word leads from p to p, from p to q and from q to q."""
        goal = (p, q, q)
        seen: set[tuple[int, int, int]] = set()
        stack = [(p, p, q)]
        while stack:
            left, middle, right = stack.pop()
            for a, c in product(self.follow[left], self.follow[right]):
                both = intersection(self.ranges[a], self.ranges[c])
                self.steps += 1
                for b in self.follow[middle] if both else ():
                    self.steps += 1
                    state = (a, b, c)
                    if state in seen or not intersection(both, self.ranges[b]):
                        continue
                    if state == goal:
                        return True
                    seen.add(state)
                    stack.append(state)
                if self.steps > _STEPS:
                    return False
        return False


def _longest(after: dict[int, list[int]]) -> int:
    """How many pairs follow one another, up to `_POWERS`."""
    lengths = dict.fromkeys(after, 1)
    for _ in range(_POWERS if after else 0):
        longer = {p: 1 + max(lengths.get(q, 0) for q in following) for p, following in after.items()}
        if longer == lengths:
            break
        lengths = longer
    return min(max(lengths.values(), default=0), _POWERS)
