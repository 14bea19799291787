"""Expressions of grammars: what regular expressions and the right sides of Lark's rules are read to."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

from ...jsonschema.automaton import Automaton, Part
from ...jsonschema.charset import Ranges
from .grammar_error import GrammarError

MAX_NESTING: Final = 100
MAX_TURNS: Final = 1_000
"""Turns of a counted repetition: the most that Rust's regex crate and llguidance take comfortably."""


class Characters(Struct, frozen=True):
    """One character out of `ranges`."""

    ranges: Ranges


class Sequence(Struct, frozen=True):
    """One part after another; none for the empty text."""

    parts: tuple[Expression, ...] = ()


class Choice(Struct, frozen=True):
    """One of several parts."""

    parts: tuple[Expression, ...]


class Repetition(Struct, frozen=True):
    """A part from `low` to `high` times; None for no end."""

    part: Expression
    low: int
    high: int | None


class Name(Struct, frozen=True):
    """A rule or a terminal by its name, and the offset of the name in the definition."""

    name: str
    at: int


class Literal(Struct, frozen=True):
    """A string or a regular expression as the grammar writes it (`shown`), and what it matches."""

    shown: str
    expression: Expression
    at: int


Expression: TypeAlias = Characters | Sequence | Choice | Repetition | Name | Literal

EMPTY: Final = Sequence()


def automaton_of(expression: Expression, at: int = 0) -> Automaton:
    """The automaton that matches whole texts.

    Args:
        expression: an expression without names.
        at: the offset of the expression in its definition, for errors.

    Returns:
        The automaton; its start has an edge to each first state.

    Raises:
        GrammarError: the automaton is too large.
    """
    automaton = Automaton(MAX_TURNS)
    automaton.whole = _part(automaton, expression)
    if not (automaton.complete and automaton.exact):
        raise GrammarError("the expression is too large", at, "shorten it, or repeat less in it")
    automaton.follow[Automaton.START] = dict(automaton.whole.first)
    return automaton


def _part(automaton: Automaton, expression: Expression) -> Part:
    if isinstance(expression, Characters):
        return automaton.character(expression.ranges)
    if isinstance(expression, Choice):
        return automaton.either([_part(automaton, each) for each in expression.parts])
    if isinstance(expression, Repetition):
        if expression.high == 0:
            return automaton.nothing()
        return automaton.repeat(_part(automaton, expression.part), expression.low, expression.high)
    if isinstance(expression, Literal):
        return _part(automaton, expression.expression)
    assert isinstance(expression, Sequence)
    whole = automaton.nothing()
    for each in expression.parts:
        whole = automaton.then(whole, _part(automaton, each))
    return whole
