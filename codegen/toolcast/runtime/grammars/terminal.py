"""Terminals as automata that are made deterministic while a text is read."""

from __future__ import annotations

from msgspec import Struct

from ...jsonschema.automaton import Automaton
from ...jsonschema.charset import Alphabet, Ranges, union
from .expressions import Expression, automaton_of


class Terminal(Struct, frozen=True, eq=False):
    """A terminal, ready for any number of texts, from any thread.

    Attributes:
        shown: its name, or the literal as the grammar writes it.
        empty: whether it matches the empty text.
        ranges: by state, the characters that enter it.
        follow: by state, the states behind it; state 0 is the start.
        ends: the states behind which it may end.
        alphabet: the classes of characters that it distinguishes.
        accepted: by state, the classes that enter it.
    """

    shown: str
    empty: bool
    ranges: tuple[Ranges, ...]
    follow: tuple[tuple[int, ...], ...]
    ends: frozenset[int]
    alphabet: Alphabet
    accepted: tuple[frozenset[int], ...]

    @property
    def first(self) -> Ranges:
        """The characters that may begin it."""
        return union(span for state in self.follow[0] for span in self.ranges[state])


def terminal_of(shown: str, expression: Expression, at: int) -> Terminal:
    """Make the terminal for an expression.

    Args:
        shown: its name, or the literal as the grammar writes it.
        expression: an expression without names.
        at: the offset of the terminal in the definition, for errors.

    Returns:
        The terminal.

    Raises:
        GrammarError: the expression is too large.
    """
    automaton = automaton_of(expression, at)
    alphabet = Alphabet(automaton.ranges)
    return Terminal(
        shown=shown,
        empty=bool(automaton.whole.empty),
        ranges=tuple(automaton.ranges),
        follow=tuple(tuple(state for state in row if state != Automaton.DEAD) for row in automaton.follow),
        ends=frozenset(automaton.whole.last),
        alphabet=alphabet,
        accepted=tuple(frozenset(kinds) for kinds in alphabet.accepted),
    )


class Scanner:
    """A terminal's deterministic states, as far as one text has needed them. State 0 is the start.

    `steps` counts the work of making them.
    """

    __slots__ = ("_kinds", "_next", "_numbers", "_sets", "ends", "steps", "terminal")

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.steps = 0
        self.ends: list[bool] = [False]  # that the empty text is matched is known from `terminal.empty`
        self._sets: list[tuple[int, ...]] = [(0,)]
        self._numbers: dict[tuple[int, ...], int] = {(0,): 0}
        self._next: list[dict[int, int]] = [{}]
        self._kinds: dict[str, int] = {}

    def advance(self, state: int, character: str) -> int:
        """The state behind one more character; -1 where there is none."""
        kind = self._kinds.get(character)
        if kind is None:
            kind = self._kinds[character] = self.terminal.alphabet.kind(character)
        after = self._next[state].get(kind)
        return self._made(state, kind) if after is None else after

    def continuations(self, state: int) -> Ranges:
        """The characters that may follow."""
        follow = self.terminal.follow
        states = {each for one in self._sets[state] for each in follow[one]}
        return union(span for each in states for span in self.terminal.ranges[each])

    def _made(self, state: int, kind: int) -> int:
        follow, accepted = self.terminal.follow, self.terminal.accepted
        here = self._sets[state]
        self.steps += sum(1 + len(follow[one]) for one in here)
        after = tuple(sorted({each for one in here for each in follow[one] if kind in accepted[each]}))
        number = -1
        if after:
            number = self._numbers.get(after, -1)
            if number < 0:
                number = self._numbers[after] = len(self._sets)
                self._sets.append(after)
                self._next.append({})
                self.ends.append(not self.terminal.ends.isdisjoint(after))
        self._next[state][kind] = number
        return number
