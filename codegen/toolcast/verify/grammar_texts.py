"""Texts of a grammar, by random derivation: what a tool whose argument is one text is verified with."""

import random
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from ..runtime.grammars.terminal import Terminal
from ..runtime.grammars.text_grammar import TextGrammar

MOST_SYMBOLS: Final = 60
"""Symbols of one derivation, past which each rule takes its shortest way."""
_LONGEST: Final = 12
"""Characters of a terminal, past which it takes its shortest way."""
_ENDLESS: Final = 10**9


class GrammarTexts:
    """Texts that a grammar derives. Nothing of the recogniser is used, so that each can judge the other."""

    def __init__(self, grammar: TextGrammar) -> None:
        self._productions = grammar.productions
        self._heights = self._rule_heights()

    @cached_property
    def _distances(self) -> list[list[int]]:
        return [_distances(each) for each in self._productions.terminals]

    def made(self, rng: random.Random, count: int) -> Iterator[str]:
        """Make texts; none where no derivation ends.

        Args:
            rng: what decides.
            count: how many; some may be equal.

        Yields:
            The texts.
        """
        if self._heights[0] < _ENDLESS:
            for _ in range(count):
                yield self._text(rng)

    def _text(self, rng: random.Random) -> str:
        out: list[str] = []
        left = [0]
        taken = 0
        while left:
            symbol = left.pop()
            taken += 1
            if symbol < 0:
                terminal = self._productions.terminals[~symbol]
                out.append(_terminal_text(terminal, self._distances[~symbol], rng))
                continue
            sides = self._productions.alternatives[symbol]
            usable = [side for side in sides if self._height(side) < _ENDLESS]
            short = taken + len(left) > MOST_SYMBOLS
            side = min(usable, key=self._height) if short else rng.choice(usable)
            left += reversed(side)
        return "".join(out)

    def _height(self, side: tuple[int, ...]) -> int:
        return max((self._heights[symbol] for symbol in side if symbol >= 0), default=0)

    def _rule_heights(self) -> list[int]:
        """Of each rule, the least height of a tree that it derives."""
        self._heights = [_ENDLESS] * len(self._productions.alternatives)
        changed = True
        while changed:
            changed = False
            for rule, sides in enumerate(self._productions.alternatives):
                height = 1 + min((self._height(side) for side in sides), default=_ENDLESS)
                if height < self._heights[rule]:
                    self._heights[rule] = height
                    changed = True
        return self._heights


def _distances(terminal: Terminal) -> list[int]:
    """Of each state, how many characters it is from one behind which the terminal may end."""
    found = [0 if state in terminal.ends else _ENDLESS for state in range(len(terminal.follow))]
    changed = True
    while changed:
        changed = False
        for state, following in enumerate(terminal.follow):
            nearest = min((found[each] for each in following), default=_ENDLESS) + 1
            if nearest < found[state]:
                found[state] = nearest
                changed = True
    return found


def _terminal_text(terminal: Terminal, distances: list[int], rng: random.Random) -> str:
    out: list[str] = []
    state = 0
    if terminal.empty and rng.random() < 0.2:
        return ""
    while not (state in terminal.ends and (rng.random() < 0.3 or len(out) >= _LONGEST)):
        usable = [each for each in terminal.follow[state] if distances[each] < _ENDLESS]
        if not usable:
            break
        short = len(out) >= _LONGEST
        state = min(usable, key=lambda each: distances[each]) if short else rng.choice(usable)
        out.append(_character(terminal.ranges[state], rng))
    return "".join(out)


def _character(ranges: tuple[tuple[int, int], ...], rng: random.Random) -> str:
    """One character, mostly printable ASCII where there is one."""
    plain = [(max(low, 0x20), min(high, 0x7E)) for low, high in ranges if low <= 0x7E and high >= 0x20]
    low, high = rng.choice(plain if plain and rng.random() < 0.9 else ranges)
    point = rng.randint(low, high)
    return chr(point) if not 0xD800 <= point < 0xE000 else "\ue000"
