"""Searches for a pattern in any text, exact and in bounded time: by `re`, or by simulation of its automaton.

The simulation follows all paths through the automaton together, in linear time.
"""

from typing import Final

from .automaton import AT_END, NOTHING, Automaton
from .charset import Alphabet
from .ecma import Analysis, analyse, translate
from .regex_cache import cache_short_texts, compile_regex
from .search_cost import PER_CHARACTER, STEPS
from .validator_errors import SearchTooLong, UnsupportedPattern

WEIGHT: Final = 4
"""Steps of `re` in the time of one step here."""


class Simulation:
    """An automaton that is exact, ready for any number of searches, from any thread."""

    __slots__ = ("_accepted", "_after", "_alphabet", "_ends", "_follow", "_initially", "_later")

    def __init__(self, automaton: Automaton) -> None:
        whole = automaton.whole
        self._alphabet = Alphabet(automaton.ranges)
        self._accepted = [frozenset(kinds) for kinds in self._alphabet.accepted]
        self._follow = [tuple(row) for row in automaton.follow]
        self._ends = {state: needs for state, (_, needs) in whole.last.items()}
        self._initially = whole.initially_needs if whole.initially_empty else None
        self._later = whole.needs if whole.empty else None

    def find(self, text: str, most: int) -> tuple[bool, int] | None:
        """Whether the pattern finds something in `text`, and the steps that this took; None past `most`."""
        if self._initially == NOTHING:
            return True, 0
        states: tuple[int, ...] = (Automaton.START,)
        kinds: dict[str, int] = {}
        known: dict[tuple[tuple[int, ...], int], tuple[int, ...] | None] = {}
        steps = 0
        for character in text:
            kind = kinds.get(character)
            if kind is None:
                kind = kinds[character] = self._alphabet.kind(character)
            steps += WEIGHT
            if (states, kind) not in known:
                steps += WEIGHT * sum([1 + len(self._follow[state]) for state in states])
                known[states, kind] = self._next_states(states, kind)
            if steps > most:
                return None
            after = known[states, kind]
            if not after:
                return after is None, steps
            states = after
        empty = self._later if text else self._initially
        found = empty == AT_END or any(state in self._ends for state in states)
        return found, steps

    def _next_states(self, states: tuple[int, ...], kind: int) -> tuple[int, ...] | None:
        """The states behind one more character; None where the pattern has found something there."""
        after = {
            following
            for state in states
            for following in self._follow[state]
            if kind in self._accepted[following]
        }
        if any(self._ends.get(state) == NOTHING for state in after):
            return None
        return tuple(sorted(after))


@cache_short_texts
def searchable(pattern: str) -> "Search | None":
    """A cached search for a pattern.

    Args:
        pattern: the ECMA-262 pattern.

    Returns:
        The search; None where `translate` refuses the pattern.
    """
    try:
        return Search(pattern)
    except UnsupportedPattern:
        return None


def found(pattern: str, text: str) -> bool | None:
    """Whether a pattern is found in a text.

    Args:
        pattern: the ECMA-262 pattern.
        text: the text.

    Returns:
        The answer; None where the pattern is not supported, or the search would take too many steps.
    """
    search = searchable(pattern)
    try:
        return None if search is None else search.finds(text)
    except SearchTooLong:
        return None


class Search:
    """A pattern ready for any number of texts, from any thread. Raises UnsupportedPattern for what
    `translate` refuses.

    Python's `re` searches where its steps are known to be few. Other texts go through the automaton, which
    follows all paths together. Where that is not exact (look-around, `\\b`, back-references), `re` may take
    the steps that a call has, and past them there is no verdict.
    """

    __slots__ = ("_analysis", "_simulation", "fast_length", "pattern", "re_search")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.re_search: Final = compile_regex(translate(pattern)).search
        self._analysis: Final[Analysis] = analyse(pattern)
        self.fast_length: Final = self._analysis.cost.fast_length()
        """Up to this length `re_search` takes few steps in any text."""
        automaton = self._analysis.automaton
        self._simulation = None if automaton is None else Simulation(automaton)

    @property
    def exact(self) -> bool:
        """Whether texts past `fast_length` are searched by the automaton."""
        return self._simulation is not None

    def find(self, text: str, remaining_edges: int = STEPS) -> tuple[bool, int]:
        """Whether the pattern is found in `text`, and which of the `remaining_edges` steps that took. Raises
        SearchTooLong."""
        length = len(text)
        excess = self._analysis.cost.excess(length) if length > self.fast_length else 0
        if not excess:
            return self.re_search(text) is not None, 0
        if self._simulation is not None:
            most = remaining_edges + PER_CHARACTER * (length + 8)
            found = self._simulation.find(text, most)
            if found is not None:
                return found[0], max(0, remaining_edges - most + found[1])
        elif excess <= remaining_edges:
            return self.re_search(text) is not None, excess
        raise SearchTooLong(self.pattern, length)

    def finds(self, text: str) -> bool:
        """Whether the pattern is found in `text`, with the steps of a whole call. Raises SearchTooLong."""
        return self.find(text)[0]
