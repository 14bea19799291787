"""Expressions of a grammar: what a compiler of contracts writes, and what each engine's syntax is made of."""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from ..jsonschema.charset import Ranges

Expression: TypeAlias = "Text | Characters | Sequence | Choice | Repeat | Rule"


class Text(Struct, frozen=True, tag=True):
    """Exactly this text. An empty one fits nothing but the empty text."""

    text: str


class Characters(Struct, frozen=True, tag=True):
    """One character of some ranges of code points, both ends included: sorted, apart, without surrogates."""

    ranges: Ranges


class Sequence(Struct, frozen=True, tag=True):
    """The parts, one after the other."""

    parts: tuple[Expression, ...]


class Choice(Struct, frozen=True, tag=True):
    """One of some expressions."""

    options: tuple[Expression, ...]


NOTHING: Final = Choice(())
"""No text at all. It stays in no rule."""


class Repeat(Struct, frozen=True, tag=True):
    """A part at least `least` times, and at most `most`; None for no end."""

    part: Expression
    least: int = 0
    most: int | None = None


class Rule(Struct, frozen=True, tag=True):
    """The rule of a name, which may be the rule that it stands in, but never its first part."""

    name: str


class Grammar(Struct, frozen=True):
    """Rules, by names of `[a-z][a-z0-9-]*`, and the one that a text is read with.

    `tokens`: rules that an engine with a lexer reads as one token. It takes the longest, without a way back:
    nothing that a token's text goes on with may follow it, and outside of tokens each character decides how a
    text goes on.
    """

    rules: Mapping[str, Expression]
    root: str = "root"
    tokens: frozenset[str] = frozenset()


class Rules:
    """Rules while a grammar is made. What is named alike, and equal, is one rule.

    Attributes:
        turns: how often a repetition may be counted, at most.
        restricted: texts without some substrings, or why there are none, by what they are made of: each is
            made once.
        states: states of the automata that these are made of.
    """

    def __init__(self, turns: int = 100_000) -> None:
        self.turns = turns
        self._rules: dict[str, Expression] = {}
        self._known: dict[tuple[str, Expression], Rule] = {}
        self._numbers: dict[str, int] = {}
        self._tokens: set[str] = set()
        self.restricted: dict[Hashable, Expression | str] = {}
        self.states = 0

    def add(self, name: str, expression: Expression) -> Rule:
        """Add a rule.

        Args:
            name: words for its reader; letters, digits and hyphens are kept, and a number is appended where
                another rule has the name.
            expression: what it fits.

        Returns:
            The reference to it, or to the rule that is equal already.
        """
        known = self._known.get((name, expression))
        if known is None:
            known = self._known[name, expression] = self.reserve(name)
            self._rules[known.name] = expression
        return known

    def token(self, name: str, expression: Expression) -> Rule:
        """Add a rule that is a token, unless a part of it leads to a rule that refers to itself."""
        rule = self.add(name, expression)
        self._tokens.add(rule.name)
        return rule

    def get(self, rule: Rule) -> Expression:
        """Return the expression of a rule."""
        return self._rules[rule.name]

    def reserve(self, name: str) -> Rule:
        """Reserve the name of a rule that refers to itself; `define` gives its expression."""
        base = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") or "rule"
        base = base if base[0].isalpha() and base != "root" else f"r-{base}"
        free = base
        while free in self._rules:
            self._numbers[base] = self._numbers.get(base, 1) + 1
            free = f"{base}-{self._numbers[base]}"
        self._rules[free] = Rule(free)
        return Rule(free)

    def define(self, rule: Rule, expression: Expression) -> None:
        """Give the expression of a reserved rule."""
        self._rules[rule.name] = expression

    def may_be_empty(self, expression: Expression) -> bool:
        """Tell whether an expression fits the empty text."""
        if isinstance(expression, Text | Characters):
            return expression == Text("")
        if isinstance(expression, Choice):
            return any(map(self.may_be_empty, expression.options))
        if isinstance(expression, Sequence):
            return all(map(self.may_be_empty, expression.parts))
        if isinstance(expression, Repeat):
            return expression.least == 0 or self.may_be_empty(expression.part)
        return self.may_be_empty(self.get(expression))

    def grammar(self, root: Expression) -> Grammar:
        """Return the grammar whose texts `root` fits."""
        return Grammar({**self._rules, "root": root}, "root", self._finite() & self._tokens)

    def _finite(self) -> frozenset[str]:
        """Return the rules that do not lead back to themselves, nor to others that do."""
        left = {name: {*references(expression)} for name, expression in self._rules.items()}
        found: set[str] = set()
        while ready := {name for name, needed in left.items() if needed <= found} - found:
            found |= ready
        return frozenset(found)


def sequence(*parts: Expression) -> Expression:
    """Return the parts one after the other, nested sequences and neighbouring texts as one; nothing, where
    one of them is nothing.
    """
    if NOTHING in parts:
        return NOTHING
    flat: list[Expression] = []
    for part in _flat(parts):
        if isinstance(part, Text) and flat and isinstance(flat[-1], Text):
            flat[-1] = Text(flat[-1].text + part.text)
        else:
            flat.append(part)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat)) if flat else Text("")


def joined(*parts: Expression) -> Expression:
    """Return the parts as `sequence` does, but texts stay apart: a lexer that takes a long text for a token
    goes no way back to the part of it with which another choice begins.
    """
    flat = tuple(_flat(parts))
    if NOTHING in parts or not flat:
        return NOTHING if NOTHING in parts else Text("")
    return flat[0] if len(flat) == 1 else Sequence(flat)


def choice(options: Iterable[Expression]) -> Expression:
    """Return one of the options that are possible; of equal ones the first, and of a single one itself."""
    each = tuple(dict.fromkeys(option for option in options if option != NOTHING))
    return each[0] if len(each) == 1 else Choice(each)


def repeated(part: Expression, low: int, high: int | None) -> Expression:
    """Return repetitions of a part; nothing where that is impossible."""
    if high is not None and high < low:
        return NOTHING
    if part == NOTHING or high == 0:
        return NOTHING if low and part == NOTHING else Text("")
    return part if (low, high) == (1, 1) else Repeat(part, low, high)


def one_of(ranges: Ranges) -> Expression:
    """Return one character of some ranges; a single one as a text."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return Text(chr(ranges[0][0]))
    return Characters(ranges) if ranges else NOTHING


def optional(part: Expression) -> Expression:
    """Return the part, or nothing."""
    if isinstance(part, Repeat) and part.least < 2:
        return Repeat(part.part, 0, part.most)
    return repeated(part, 0, 1)


def references(expression: Expression) -> Iterator[str]:
    """Yield the names of the rules in an expression, in order."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Rule):
            yield part.name
        waiting += parts_of(part)[::-1]


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly below one."""
    if isinstance(expression, Sequence):
        return expression.parts
    if isinstance(expression, Choice):
        return expression.options
    return (expression.part,) if isinstance(expression, Repeat) else ()


def _flat(parts: Iterable[Expression]) -> list[Expression]:
    flat = [each for part in parts for each in (part.parts if isinstance(part, Sequence) else (part,))]
    return [each for each in flat if each != Text("")]
