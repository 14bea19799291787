"""Searches for patterns in any texts, exact and with bounded work: by `re`, or by simulation of an automaton.

The simulation follows all paths through the automaton together. A set of states is an integer, its bits the
states. What follows a set is computed once for each class of characters, as long as it is kept.
"""

from collections.abc import Iterable
from typing import Any, Final

from .automaton import AT_END, NOTHING, STEPS, Automaton, fast_steps
from .charset import Alphabet
from .ecma import Analysis, analyse, translate
from .regex_cache import CALL, cache_short_texts, compile_regex
from .validator_errors import SearchTooLong, UnsupportedPattern

_CHARACTER: Final = 8
"""Steps for each byte (UTF-8) of a text: a character beyond ASCII is looked up in a larger table."""
_KNOWN_CLASS: Final = 192
"""Steps for another character of a class behind which the states are known."""
_SET: Final = 48
"""Steps for an operation on a small set of states; as many more for each 1,024 states of the automaton."""
_KEPT: Final = 1 << 24
"""Bytes, roughly, of the sets that are kept."""
_ROW: Final = 512
_ENTRY: Final = 128
"""Bytes, roughly, of a row besides its states, and of an entry in it."""

_Row = dict[Any, Any]
"""A set of states, below `_STATES`, and the rows behind it, by character and by class of characters."""
_STATES: Final = ""


class Simulation:
    """An automaton that is exact, ready for any number of texts, from any thread. `groups`: states that lead
    to the same others, besides themselves (`stay`) and the next (`advance`).
    """

    __slots__ = (
        "advance",
        "alphabet",
        "ends",
        "found",
        "groups",
        "initially",
        "later",
        "letters",
        "stay",
        "width",
    )

    def __init__(self, automaton: Automaton) -> None:
        whole = automaton.whole
        self.width: Final = len(automaton.follow) // 64
        self.alphabet: Final = Alphabet(automaton.ranges)
        letters: dict[int, int] = {}
        for state, kinds in enumerate(self.alphabet.accepted):
            letters[id(kinds)] = letters.get(id(kinds), 0) | 1 << state
        by_id = {id(kinds): frozenset(kinds) for kinds in self.alphabet.accepted}
        self.letters: Final = [(by_id[each], states) for each, states in letters.items()]
        groups: dict[frozenset[int], int] = {}
        self.stay = self.advance = 0
        for state, row in enumerate(automaton.follow):
            self.stay |= (state in row) << state
            self.advance |= (state + 1 in row) << state
            others = frozenset(row) - {state, state + 1}
            if others:
                groups[others] = groups.get(others, 0) | 1 << state
        self.groups: Final = [(states, _set_of(others)) for others, states in groups.items()]
        self.ends: Final = _set_of(whole.last)
        self.found: Final = _set_of(state for state, (_, needs) in whole.last.items() if needs == NOTHING)
        self.initially: Final = whole.initially_needs if whole.initially_empty else None
        self.later: Final = whole.needs if whole.empty else None

    def entered(self, kind: int) -> int:
        """The states that a class of characters enters."""
        return sum(states for kinds, states in self.letters if kind in kinds)

    def after(self, states: int, entered: int) -> int:
        """The states behind one more character, which enters `entered`."""
        found = (states & self.advance) << 1 | states & self.stay
        for group, others in self.groups:
            if states & group:
                found |= others
        return found & entered


def _set_of(states: Iterable[int]) -> int:
    found = 0
    for state in states:
        found |= 1 << state
    return found


def _size(text: str) -> int:
    """The bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _past_table(text: str) -> int:
    """The characters of a text past U+FFFF: those of two units in UTF-16."""
    return 0 if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)


class _Reader:
    """Reads the texts of one call by a simulation. It keeps the sets that it has met, up to `_KEPT`."""

    __slots__ = ("_entered", "_kept", "_rows", "_simulation", "_steps")

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._rows: dict[bytes, _Row] = {}  # no integers: a text could make their hashes collide
        self._entered: dict[int, int] = {}
        self._kept = 0
        self._steps = 0

    def find(self, text: str, most: int) -> tuple[bool, int] | None:
        """Return whether the pattern finds something in `text`, and the steps that this took; None past
        `most`.
        """
        simulation = self._simulation
        if simulation.initially == NOTHING:
            return True, _CHARACTER
        self._steps = _CHARACTER * (_size(text) + 1)
        if self._steps > most:
            return None
        row = self._row(1 << Automaton.START)
        for character in text:
            try:
                row = row[character]
            except KeyError:
                before, row = row, self._next(row, character)
                states = row[_STATES]
                if self._steps > most:
                    return None
                if not states or states & simulation.found:
                    return states != 0, self._steps
                before[character] = row
        empty = simulation.later if text else simulation.initially
        return empty == AT_END or row[_STATES] & simulation.ends != 0, self._steps

    def _next(self, row: _Row, character: str) -> _Row:
        simulation, states = self._simulation, row[_STATES]
        kind = simulation.alphabet.kind(character)
        self._steps += _KNOWN_CLASS
        self._keep(_ENTRY)
        after: _Row | None = row.get(kind)
        if after is None:
            price = _SET + _SET * simulation.width // 16
            if kind not in self._entered:
                self._steps += len(simulation.letters) * price
                self._keep(8 * simulation.width + _ENTRY)
                self._entered[kind] = simulation.entered(kind)
            self._steps += (len(simulation.groups) + 8) * price
            after = row[kind] = self._row(simulation.after(states, self._entered[kind]))
        return after

    def _row(self, states: int) -> _Row:
        key = states.to_bytes(8 * self._simulation.width + 8, "little")
        row = self._rows.get(key)
        if row is None:
            self._keep(16 * self._simulation.width + _ROW)
            row = self._rows[key] = {_STATES: states}
        return row

    def _keep(self, size: int) -> None:
        self._kept += size
        if self._kept > _KEPT:
            for row in self._rows.values():
                row.clear()  # they lead to one another
            self._rows.clear()
            self._entered.clear()
            self._kept = 0


class Search:
    r"""A pattern ready for any number of texts, from any thread. Raises UnsupportedPattern as `translate`.

    Python's `re` searches where its steps are known to be few. Other texts go through the automaton, which
    follows all paths together. Where that is not exact (look-around, `\b`, back-references), `re` may take
    the steps that a call has left, and past them there is no verdict.
    """

    __slots__ = ("_analysis", "fast_length", "pattern", "re_search", "simulation")

    def __init__(self, pattern: str) -> None:
        self.pattern: Final = pattern
        self.re_search: Final = compile_regex(translate(pattern)).search
        self._analysis: Final[Analysis] = analyse(pattern)
        self.fast_length: Final = self._analysis.cost.fast_length()
        """Up to this length `re_search` takes few steps in any text."""
        automaton = self._analysis.automaton
        self.simulation: Final = None if automaton is None else Simulation(automaton)
        """Searches longer texts."""

    def steps(self, text: str) -> int:
        """The steps that a search by `re` counts: a power of two where it is not fast, as in JavaScript."""
        length, cost, beyond = len(text), self._analysis.cost, self._analysis.beyond
        past = _past_table(text) if beyond else 0
        if length <= self.fast_length:
            return fast_steps(_size(text)) + past * cost.compared * beyond
        steps = 1 << (cost.steps(length) - 1).bit_length()
        return steps * (1 + beyond) if past else steps


class Searches:
    """The searches of one call. They share `STEPS`, and a pattern is searched for in a text once."""

    __slots__ = ("_found", "_left", "_readers")

    def __init__(self) -> None:
        self._left = STEPS
        self._found: dict[str, dict[str, bool]] = {}
        self._readers: dict[str, _Reader] = {}

    def finds(self, search: Search, text: str) -> bool:
        """Return whether a pattern is found in a text. Raises SearchTooLong where the steps of the call do
        not suffice.
        """
        known = self._found.get(search.pattern)
        if known is None:
            known = self._found[search.pattern] = {}
        found = known.get(text)
        if found is None:
            found = known[text] = self._search(search, text)
        return found

    def _search(self, search: Search, text: str) -> bool:
        length = len(text)
        if length > search.fast_length and search.simulation is not None:
            reader = self._readers.get(search.pattern)
            if reader is None:
                reader = self._readers[search.pattern] = _Reader(search.simulation)
            read = reader.find(text, self._left)
            found, steps = (False, self._left + 1) if read is None else read
        else:
            steps = search.steps(text)
            found = steps <= self._left and search.re_search(text) is not None
        self._left = max(self._left - steps, -1)
        if self._left < 0:
            raise SearchTooLong(search.pattern, length)
        return found


def searches() -> Searches:
    """Return the searches of the call in progress (`regex_cache.CALL`); outside of one, new ones."""
    call = CALL.get()
    shared: Searches | None = None if call is None else call.get(Searches)
    if shared is None:
        shared = Searches()
        if call is not None:
            call[Searches] = shared
    return shared


@cache_short_texts
def searchable(pattern: str) -> Search | None:
    """Return a cached search for a pattern; None where `translate` refuses it."""
    try:
        return Search(pattern)
    except UnsupportedPattern:
        return None


def found(pattern: str, text: str) -> bool | None:
    """Return whether a pattern is found in a text; None where it is not supported, or that would take too
    many steps.
    """
    search = searchable(pattern)
    try:
        return None if search is None else searches().finds(search, text)
    except SearchTooLong:
        return None
