"""Grammars in the syntax of each inference engine: GBNF, the EBNF of xgrammar, the Lark of llguidance."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, get_args

from msgspec import structs

from ..contract.build import reachable
from ..jsonschema.charset import Ranges
from .expressions import (
    Characters,
    Choice,
    Expression,
    Grammar,
    Repeat,
    Rule,
    Sequence,
    Text,
    choice,
    references,
    sequence,
)
from .values import UnwritableError

Engine = Literal["gbnf", "xgrammar", "llguidance"]
ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)


_MAX_CHAIN: Final = 1_200
"""Rules that lead to one another in a row: engines follow them by recursion, and llguidance 1.9.1 ends the
process past some 1,500."""
_FEW: Final = 8
"""Turns of a repetition whose part need not be a rule of its own: llama.cpp multiplies them with the rules in
it, and refuses more than its limit."""

_MANY: Final = 4
"""Ranges of characters that are worth a rule."""

_DEEP: Final = 12
"""Groups in groups, from which one is a rule of its own: llguidance takes some 30."""

TURNS: Final[Mapping[Engine, int]] = {"gbnf": 2_000, "xgrammar": 100_000, "llguidance": 100_000}
"""The turns that a repetition may count: past it the engine refuses, or lets it go on without end. llama.cpp:
MAX_REPETITION_THRESHOLD; xgrammar 0.2.9 and llguidance 1.9.1: measured."""


def write(grammar: Grammar, engine: Engine) -> str:
    """Write a grammar for an engine.

    Args:
        grammar: the grammar.
        engine: the engine.

    Returns:
        The text, in ASCII.

    Raises:
        UnwritableError: engines would crash on it.
    """
    if _longest_chain(grammar) > _MAX_CHAIN:
        reason = f"more than {_MAX_CHAIN:,} rules lead to one another in a row"
        raise UnwritableError("", reason, "leave out definitions or properties")
    return (_Lark(grammar) if engine == "llguidance" else _Ebnf(grammar)).written()


class _Writer:
    """The common part of the syntaxes: a line for each rule, alternatives, groups and repetitions."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.rule = ""
        self.added: list[str] = []
        self.classes: dict[Ranges, str] = {}
        self.numbers = 0
        self.depth = 0

    def written(self) -> str:
        lines = []
        root = self.grammar.root  # first
        for name in (root, *sorted(reachable(_edges(self.grammar), root) - {root})):
            self.rule = name
            body = self.alternatives(self.grammar.rules[name])
            lines += [self.line(name, body), *self.added]
            self.added.clear()
        lines += [self.line(name, self.characters(ranges)) for ranges, name in self.classes.items()]
        return "\n".join(lines) + "\n"

    def line(self, name: str, body: str) -> str:
        raise NotImplementedError

    def text(self, text: str) -> str:
        raise NotImplementedError

    def characters(self, ranges: Ranges) -> str:
        raise NotImplementedError

    def name(self, name: str) -> str:
        return name

    def alternatives(self, expression: Expression) -> str:
        if isinstance(expression, Choice):
            return " | ".join(map(self.sequence, expression.options))
        return self.sequence(expression)

    def sequence(self, expression: Expression) -> str:
        if isinstance(expression, Sequence):
            return " ".join(map(self.one, expression.parts))
        return self.one(expression)

    def one(self, expression: Expression) -> str:
        if isinstance(expression, Text):
            return self.text(expression.text)
        if isinstance(expression, Characters):
            return self.shared(expression.ranges)
        if isinstance(expression, Rule):
            return self.name(expression.name)
        if isinstance(expression, Repeat):
            return self.repeat(expression)
        self.depth += 1
        group = f"({self.alternatives(expression)})"
        self.depth -= 1
        return self.apart(group) if self.depth % _DEEP == _DEEP - 1 else group

    def shared(self, ranges: Ranges) -> str:
        """Return one character. Many ranges past ASCII are a rule: states of a text differ by its letters."""
        ascii = tuple((low, min(high, 0x7F)) for low, high in ranges if low <= 0x7F)
        others = tuple((max(low, 0x80), high) for low, high in ranges if high > 0x7F)
        if len(others) < _MANY:
            return self.characters(ranges)
        name = self.name(self.classes.setdefault(others, f"w---{len(self.classes)}"))
        return f"({self.characters(ascii)} | {name})" if ascii else name

    def apart(self, body: str) -> str:
        """Return the name of a new rule; no rule of a grammar has two hyphens in a row."""
        self.numbers += 1
        name = f"{'part' if self.rule == self.grammar.root else self.rule}--{self.numbers}"
        self.added.append(self.line(name, body))
        return self.name(name)

    def repeat(self, expression: Repeat) -> str:
        inner = expression.part
        part = self.characters(inner.ranges) if isinstance(inner, Characters) else self.one(inner)
        if isinstance(expression.part, Repeat) or (
            isinstance(expression.part, Text) and len(expression.part.text) != 1
        ):
            part = f"({part})"
        least, most = expression.least, expression.most
        if (most or least) > _FEW and part.startswith("("):
            part = self.apart(part)
        signs = {(0, 1): "?", (0, None): "*", (1, None): "+"}
        bounds = str(least) if least == most else f"{least},{'' if most is None else most}"
        return part + signs.get((least, most), f"{{{bounds}}}")


def _edges(grammar: Grammar) -> dict[str, set[str]]:
    return {name: {*references(rule)} for name, rule in grammar.rules.items()}


def _longest_chain(grammar: Grammar) -> int:
    """Return the rules on the longest way that a search from the root takes, each rule once."""
    longest, seen = 0, {grammar.root}
    way = [references(grammar.rules[grammar.root])]
    while way:
        longest = max(longest, len(way))
        name = next((each for each in way[-1] if each not in seen), None)
        if name is None:
            way.pop()
        else:
            seen.add(name)
            way.append(references(grammar.rules[name]))
    return longest


class _Ebnf(_Writer):
    """GBNF, and the EBNF of xgrammar, which is the same for what is written here."""

    def line(self, name: str, body: str) -> str:
        return f"{name} ::= {body}"

    def text(self, text: str) -> str:
        return f'"{"".join(map(self._letter, text))}"'

    def characters(self, ranges: Ranges) -> str:
        spans = (
            self._in_class(low) + (f"-{self._in_class(high)}" if high > low else "") for low, high in ranges
        )
        return f"[{''.join(spans)}]"

    def _letter(self, letter: str) -> str:
        if letter in '"\\':
            return f"\\{letter}"
        return letter if " " <= letter <= "~" else _escaped(ord(letter))

    def _in_class(self, point: int) -> str:
        return chr(point) if chr(point).isalnum() and point < 0x80 else _escaped(point)


def _escaped(point: int) -> str:
    # xgrammar reads all hexadecimal digits behind `\x`, and four behind `\u`.
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


class _Lark(_Writer):
    """The syntax of llguidance: tokens are terminals, whose texts its lexer reads by regular expressions."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(structs.replace(grammar, rules=_left_recursive(grammar)))
        edges = _edges(grammar)
        self._terminals = grammar.tokens.union(*(reachable(edges, name) for name in grammar.tokens))

    def line(self, name: str, body: str) -> str:
        return f"{self.name(name)}: {body}"

    def name(self, name: str) -> str:
        if name.partition("--")[0] in self._terminals or "---" in name:
            return name.upper()
        return "start" if name == self.grammar.root else f"{name}-" if name == "start" else name

    def text(self, text: str) -> str:
        if re.fullmatch(r"[ !#-\[\]-~]*", text):
            return f'"{text}"'
        return f"/{''.join(map(_in_regex, map(ord, text)))}/"

    def characters(self, ranges: Ranges) -> str:
        spans = (_in_regex(low) + (f"-{_in_regex(high)}" if high > low else "") for low, high in ranges)
        return f"/[{''.join(spans)}]/"


def _in_regex(point: int) -> str:
    return chr(point) if point < 0x80 and chr(point).isalnum() else f"\\x{{{point:x}}}"


_Way = tuple[tuple[Expression, ...], str]
"""Parts, and the rule that follows as the last one; "" for none."""


def _left_recursive(grammar: Grammar) -> dict[str, Expression]:
    """Return rules of which none is its own last part: llguidance keeps such rules open, 2,000 at most.

    Rules that lead to one another as last parts are the states of an automaton. Each becomes a rule of what
    leads to it from the state that a text begins with, and that one, of what ends the text.
    """
    ways = {name: [*_ways((rule,))] for name, rule in grammar.rules.items()}
    after = {name: {last for _, last in found if last} for name, found in ways.items()}
    before: dict[str, set[str]] = {name: set() for name in after}
    for name, several in after.items():
        for last in several:
            before[last].add(name)
    made: dict[str, Expression] = {}
    waiting = [grammar.root]
    while waiting:
        name = waiting.pop()
        if name in made:
            continue
        loop = sorted(reachable(after, name) & reachable(before, name))
        begins = {state: Rule(f"{name}--s{at}") for at, state in enumerate(loop)}
        ends: list[Expression] = []
        begun: dict[str, list[Expression]] = {state: [] for state in loop}
        for state in loop:
            for parts, last in ways[state]:
                into, rest = (begun[last], ()) if last in begun else (ends, (Rule(last),) if last else ())
                into.append(sequence(begins[state], *parts, *rest))
        for state, into in begun.items():
            made[begins[state].name] = choice([*([Text("")] if state == name else []), *into])
            waiting += [each for one in into for each in references(one) if "--" not in each]
        made[name] = choice(ends) if loop else grammar.rules[name]
        waiting += [each for each in references(made[name]) if "--" not in each]
    return made


def _ways(parts: tuple[Expression, ...]) -> Iterator[_Way]:
    """Give the ways through parts by what their last one is."""
    last = parts[-1]
    if isinstance(last, Sequence):
        yield from _ways((*parts[:-1], *last.parts))
    elif isinstance(last, Choice):
        for option in last.options:
            yield from _ways((*parts[:-1], option))
    else:
        yield (parts[:-1], last.name) if isinstance(last, Rule) else (parts, "")
