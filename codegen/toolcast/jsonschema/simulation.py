"""A search that takes all ways through an automaton at once: linear, where a backtracking engine is not."""

from typing import Final

from .alphabet import Alphabet
from .automaton import AT_END, NOTHING, Automaton

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
        self._ends = {place: needs for place, (_, needs) in whole.last.items()}
        self._initially = whole.initially_needs if whole.initially_empty else None
        self._later = whole.needs if whole.empty else None

    def find(self, text: str, most: int) -> tuple[bool, int] | None:
        """Whether the pattern finds something in `text`, and the steps that this took; None past `most`."""
        if self._initially == NOTHING:
            return True, 0
        places: tuple[int, ...] = (Automaton.START,)
        kinds: dict[str, int] = {}
        known: dict[tuple[tuple[int, ...], int], tuple[int, ...] | None] = {}
        steps = 0
        for character in text:
            kind = kinds.get(character)
            if kind is None:
                kind = kinds[character] = self._alphabet.kind(character)
            steps += WEIGHT
            if (places, kind) not in known:
                steps += WEIGHT * sum([1 + len(self._follow[place]) for place in places])
                known[places, kind] = self._after_one(places, kind)
            if steps > most:
                return None
            after = known[places, kind]
            if not after:
                return after is None, steps
            places = after
        empty = self._later if text else self._initially
        found = empty == AT_END or any(place in self._ends for place in places)
        return found, steps

    def _after_one(self, places: tuple[int, ...], kind: int) -> tuple[int, ...] | None:
        """The places behind one more character; None where the pattern has found something there."""
        after = {
            following
            for place in places
            for following in self._follow[place]
            if kind in self._accepted[following]
        }
        if any(self._ends.get(place) == NOTHING for place in after):
            return None
        return tuple(sorted(after))
