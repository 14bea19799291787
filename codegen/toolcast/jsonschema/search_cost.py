"""The greatest cost of a search by a backtracking engine, by the length of the text.

Such an engine visits each path through the automaton once. For every set of states that one text leads to,
the paths to each state are counted, a character at a time: a determinisation with multiplicities. Where the
counts stop growing, a search is linear; where they grow, their sums bound it.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from .automaton import AT_END, EVERYTHING, MANY, NOTHING, Automaton
from .charset import Alphabet

PER_CHARACTER: Final = 16
"""Steps that `re` may take for each character of a text, and for four more, in a search that is fast."""
STEPS: Final = 1 << 26
"""Steps that the searches of one call may take together: half a second. Fast searches of all texts of a call,
which has 4 MiB, take fewer."""
SLOW: Final = 1 << 22
"""Steps of one search from which the compiler warns of a pattern."""
ANY_LENGTH: Final = float("inf")
_NEVER: Final = 10**15
_EFFORT: Final = 60_000
"""Edges that are followed to find out; some hundredths of a second."""
_EFFORT_PER_STATE: Final = 20
_RANGES: Final = 50_000
"""Ranges of code points in one pattern."""


class Cost(NamedTuple):
    """`sums[n]`: the steps of a search in a text of n characters, at most. `more`: those for each further
    character; None where they are not known, or too many."""

    sums: tuple[int, ...] = (_NEVER,)
    more: int | None = None

    def steps(self, length: int) -> int:
        """The steps of a search in a text of this length, at most."""
        known = len(self.sums) - 1
        if length > known and self.more is None:
            return _NEVER
        return self.sums[min(length, known)] + max(0, length - known) * (self.more or 0)

    def fast_length(self) -> float:
        """Return the length up to which the search of any text is fast."""
        for length in range(len(self.sums) + 1):
            if self.steps(length) > fast_steps(length):
                return length - 1
        return ANY_LENGTH if self.more is not None and self.more <= PER_CHARACTER else len(self.sums)


def fast_steps(length: int) -> int:
    """The steps that a fast search of a text of this length takes, at most."""
    return PER_CHARACTER * (length + 4)


def cost(automaton: Automaton, most: int = STEPS, longest: int = MANY) -> Cost:
    """Return the cost of a search, up to `most` steps beyond those of a fast one, or for texts up to
    `longest`.

    It is not known for a pattern that is too large.
    """
    if not automaton.complete or sum(map(len, automaton.ranges)) > _RANGES:
        return Cost()
    return _Counting(automaton).run(most, longest)


States = tuple[int, ...]
Sources = tuple[tuple[int, int], ...]
"""Positions in a tuple of counts, each with a factor."""


class _Counting:
    """Counts of paths to the states that a text leads to, in the order of the states."""

    def __init__(self, automaton: Automaton) -> None:
        self.letters = Alphabet(automaton.ranges).accepted
        self.follow = automaton.follow
        self.accepting = frozenset(_accepting(automaton))
        last = automaton.whole.last
        self.tries = [1 + sum(row.values()) + last.get(at, (0, 0))[0] for at, row in enumerate(self.follow)]
        self.known: dict[States, list[tuple[States, tuple[Sources, ...]]]] = {}
        self.tries[Automaton.START] += automaton.whole.initially_empty
        self.tries[Automaton.SEARCH] += automaton.whole.empty
        self.again = automaton.again
        self.effort = _EFFORT + _EFFORT_PER_STATE * len(self.follow)

    def run(self, limit: int, longest: int) -> Cost:
        most: dict[States, tuple[int, ...]] = {(Automaton.START,): (1,)}
        changed = list(most)
        widest = self.tries[Automaton.START] + self.again
        sums = [widest]
        while changed:
            found: dict[States, tuple[int, ...]] = {}
            for states in changed:
                counts = most[states]
                for after, rows in self.known.get(states) or self.transitions(states):
                    self.effort -= len(rows)
                    # A row without sources is a state that counts once.
                    raised = tuple([min(MANY, sum([counts[at] * by for at, by in row])) or 1 for row in rows])
                    if after in found:
                        raised = tuple(map(max, raised, found[after]))
                    found[after] = raised
            changed = []
            for states, counts in found.items():
                before = most.get(states)
                now = counts if before is None else tuple(map(max, counts, before))
                if now != before:
                    most[states] = now
                    changed.append(states)
                    steps = (
                        sum([count * self.tries[at] for count, at in zip(now, states, strict=True)])
                        + self.again
                    )
                    widest = max(widest, steps)
            sums.append(sums[-1] + widest)
            if self.effort < 0 or sums[-1] > limit + fast_steps(len(sums)):
                return Cost(tuple(sums[:-1]))
            if len(sums) > longest:
                return Cost(tuple(sums))
        return Cost(tuple(sums), widest)

    def transitions(self, states: States) -> list[tuple[States, tuple[Sources, ...]]]:
        """The sets of states that each next character leads to from `states`, and from which counts those
        there come: none where the count is one, whatever they are.
        """
        letters: dict[int, dict[int, list[tuple[int, int]]]] = {}
        for position, state in enumerate(states):
            for following, times in self.follow[state].items():
                self.effort -= 1 + len(self.letters[following])
                for letter in self.letters[following]:
                    letters.setdefault(letter, {}).setdefault(following, []).append((position, times))
        paths = {
            (after, tuple(() if at in self.accepting else tuple(rows[at]) for at in after))
            for rows in letters.values()
            for after in (tuple(sorted(rows)),)
        }
        self.known[states] = sorted(paths)
        return self.known[states]


def _accepting(automaton: Automaton) -> Iterator[int]:
    """States from which the search succeeds, whatever follows. The engine leaves such a state only with a
    match, so it enters one of them at a time."""
    for state, (_, needs) in automaton.whole.last.items():
        endless = automaton.ranges[state] == EVERYTHING and state in automaton.follow[state]
        if needs == NOTHING or (needs == AT_END and endless):
            yield state
