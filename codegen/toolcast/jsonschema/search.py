"""A search for a pattern in a text that somebody else chose: exact, and in bounded time."""

from typing import Final

from .ecma import Analysis, analyse, translate
from .errors import SearchTooLong, UnsupportedPattern
from .memory import compiled, remembered
from .searching import PER_CHARACTER, STEPS
from .simulation import Simulation


@remembered
def searchable(pattern: str) -> "Search | None":
    """A search for the pattern; None where it is no pattern that `translate` takes."""
    try:
        return Search(pattern)
    except UnsupportedPattern:
        return None


def found(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found in `text`; None where that cannot be told, or not in bounded time."""
    search = searchable(pattern)
    try:
        return None if search is None else search.finds(text)
    except SearchTooLong:
        return None


class Search:
    """A pattern ready for any number of texts, from any thread. Raises UnsupportedPattern for what
    `translate` refuses.

    Python's `re` searches where its steps are known to be few. Other texts go through the automaton, which
    takes all ways at once. Where that is not exact (look-around, `\\b`, back-references), `re` may take the
    steps that a call has, and past them there is no verdict.
    """

    __slots__ = ("_analysis", "_simulation", "free", "pattern", "quick")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.quick: Final = compiled(translate(pattern)).search
        self._analysis: Final[Analysis] = analyse(pattern)
        self.free: Final = self._analysis.cost.free()
        """Up to this length `quick` takes few steps in any text."""
        automaton = self._analysis.automaton
        self._simulation = None if automaton is None else Simulation(automaton)

    @property
    def exact(self) -> bool:
        """Whether texts past `free` are judged by the automaton."""
        return self._simulation is not None

    def find(self, text: str, left: int = STEPS) -> tuple[bool, int]:
        """Whether the pattern is found in `text`, and which of the `left` steps that took. Raises
        SearchTooLong."""
        length = len(text)
        beyond = self._analysis.cost.beyond(length) if length > self.free else 0
        if not beyond:
            return self.quick(text) is not None, 0
        if self._simulation is not None:
            most = left + PER_CHARACTER * (length + 8)
            found = self._simulation.find(text, most)
            if found is not None:
                return found[0], max(0, left - most + found[1])
        elif beyond <= left:
            return self.quick(text) is not None, beyond
        raise SearchTooLong(self.pattern, length)

    def finds(self, text: str) -> bool:
        """Whether the pattern is found in `text`, with the steps of a whole call. Raises SearchTooLong."""
        return self.find(text)[0]
