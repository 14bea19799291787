"""A Lark grammar as productions over numbered symbols, and its terminals as automata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from .expressions import EMPTY, Choice, Expression, Literal, Name, Repetition, Sequence
from .grammar_error import GrammarError
from .lark import LarkGrammar
from .terminal import Terminal, terminal_of

MAX_SYMBOLS: Final = 50_000
"""Symbols on the right sides of all productions, and characters' expressions in all terminals."""

Production = tuple[int, ...]
"""The right side: a rule's number, or `~n` for terminal `n`."""


class Productions(Struct, frozen=True, eq=False):
    """A grammar for the recogniser.

    Attributes:
        alternatives: the right sides of each rule; rule 0 derives whole texts.
        terminals: the terminals.
        nullable: the symbols that derive the empty text; terminals as `~n`.
        ignored: the number of the terminal for what `%ignore` names; None where it names nothing. It may
            stand before the text's first terminal and behind each, any number of times.
    """

    alternatives: tuple[tuple[Production, ...], ...]
    terminals: tuple[Terminal, ...]
    nullable: frozenset[int]
    ignored: int | None


def productions_of(grammar: LarkGrammar) -> Productions:
    """Number the symbols of a grammar.

    Args:
        grammar: the grammar.

    Returns:
        Its productions.

    Raises:
        GrammarError: a terminal contains itself, or the grammar is too large.
    """
    return _Builder(grammar).build()


class _Builder:
    def __init__(self, grammar: LarkGrammar) -> None:
        self._grammar = grammar
        self._alternatives: list[list[Production]] = []
        self._rules: dict[str, int] = {}
        self._terminals: list[Terminal] = []
        self._numbers: dict[tuple[str, Expression], int] = {}
        self._size = 0
        self._expanded: dict[str, Expression] = {}

    def build(self) -> Productions:
        whole = self._new_rule()
        ignored: int | None = None
        if self._grammar.ignored:
            parts = tuple(self._expand(each, ()) for each in self._grammar.ignored)
            ignored = self._terminal("what is ignored", Choice(parts), 0)
        for name in self._grammar.rules:
            self._rules[name] = self._new_rule()
        self._add(whole, (self._rules["start"],))
        for name, side in self._grammar.rules.items():
            self._add_alternatives(self._rules[name], side, self._grammar.places[name])
        for name in self._grammar.terminals:
            self._expand(Name(name, self._grammar.places[name]), ())  # one that no rule uses is checked, too
        return Productions(
            alternatives=tuple(tuple(dict.fromkeys(each)) for each in self._alternatives),
            terminals=tuple(self._terminals),
            nullable=self._nullable(),
            ignored=ignored,
        )

    def _new_rule(self) -> int:
        self._alternatives.append([])
        return len(self._alternatives) - 1

    def _add(self, rule: int, production: Production) -> None:
        self._alternatives[rule].append(production)

    def _add_alternatives(self, rule: int, side: Expression, at: int) -> None:
        for each in side.parts if isinstance(side, Choice) else (side,):
            self._add(rule, self._production(each, at))

    def _count(self, more: int, at: int) -> None:
        self._size += more
        if self._size > MAX_SYMBOLS:
            raise GrammarError("the grammar is too large", at, "shorten it, or repeat less in it")

    def _production(self, side: Expression, at: int) -> Production:
        parts = side.parts if isinstance(side, Sequence) else (side,)
        self._count(len(parts) + 1, at)
        return tuple(symbol for each in parts for symbol in self._symbol(each, at))

    def _symbol(self, side: Expression, at: int) -> Production:
        """The symbols for a part of a right side."""
        if isinstance(side, Name):
            if side.name in self._rules:
                return (self._rules[side.name],)
            place = self._grammar.places[side.name]
            return (~self._terminal(side.name, self._expand(side, ()), place),)
        if isinstance(side, Literal):
            return (
                () if side.expression == EMPTY else (~self._terminal(side.shown, side.expression, side.at),)
            )
        if isinstance(side, Repetition):
            return self._repetition(side, at)
        if isinstance(side, Sequence):
            return self._production(side, at)
        assert isinstance(side, Choice)
        rule = self._new_rule()
        self._add_alternatives(rule, side, at)
        return (rule,)

    def _repetition(self, side: Repetition, at: int) -> Production:
        part = self._production(side.part, at)
        if len(part) > 1:
            rule = self._new_rule()
            self._add(rule, part)
            part = (rule,)
        self._count(side.low + (side.high or 1), at)
        if side.high is None:
            repeated = self._new_rule()
            self._add(repeated, part * side.low)
            self._add(repeated, (repeated, *part))
            return (repeated,)
        after: Production = ()
        for _ in range(side.high - side.low):
            rest = self._new_rule()
            self._add(rest, ())
            self._add(rest, (*part, *after))
            after = (rest,)
        return (*(part * side.low), *after)

    def _terminal(self, shown: str, expression: Expression, at: int) -> int:
        key = shown, expression
        if key not in self._numbers:
            self._count(_size(expression), at)
            self._numbers[key] = len(self._terminals)
            self._terminals.append(terminal_of(shown, expression, at))
        return self._numbers[key]

    def _expand(self, side: Expression, inside: tuple[str, ...]) -> Expression:
        """An expression of terminals without names."""
        if isinstance(side, Name):
            if side.name in inside:
                raise GrammarError(
                    f"the terminal `{side.name}` contains itself",
                    side.at,
                    "write a rule, in lower case, for what nests",
                )
            if side.name not in self._expanded:
                made = self._expand(self._grammar.terminals[side.name], (*inside, side.name))
                self._count(_size(made), side.at)
                self._expanded[side.name] = made
            return self._expanded[side.name]
        if isinstance(side, Choice):
            return Choice(tuple(self._expand(each, inside) for each in side.parts))
        if isinstance(side, Sequence):
            return Sequence(tuple(self._expand(each, inside) for each in side.parts))
        if isinstance(side, Repetition):
            return Repetition(self._expand(side.part, inside), side.low, side.high)
        return side

    def _nullable(self) -> frozenset[int]:
        """The symbols that derive the empty text: the least fixed point, in linear time."""
        nullable = {~number for number, each in enumerate(self._terminals) if each.empty}
        found = list(nullable)
        missing: list[
            list[int]
        ] = []  # of each production: the rule, and how many symbols may yet be no empty text
        users: Mapping[int, list[list[int]]] = {}
        users = {}
        for rule, alternatives in enumerate(self._alternatives):
            for production in alternatives:
                left = [rule, len(production)]
                missing.append(left)
                for symbol in production:
                    users.setdefault(symbol, []).append(left)
                if not production and rule not in nullable:
                    nullable.add(rule)
                    found.append(rule)
        while found:
            for left in users.get(found.pop(), ()):
                left[1] -= 1
                if left[1] == 0 and left[0] not in nullable:
                    nullable.add(left[0])
                    found.append(left[0])
        return frozenset(nullable)


def _size(expression: Expression) -> int:
    """The characters that an expression has, repetitions counted as one."""
    total, left = 0, [expression]
    while left:
        each = left.pop()
        total += 1
        if isinstance(each, Choice | Sequence):
            left += each.parts
        elif isinstance(each, Repetition):
            left.append(each.part)
        elif isinstance(each, Literal):
            left.append(each.expression)
    return total
