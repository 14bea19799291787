"""Grammars for an engine with a lexer, which takes the longest token and never goes back.

Rules that say characters one by one (free text up to a marker, a value up to what ends it) become tokens,
each with the marker behind it: the lexer then never stands in the middle of one when another could begin. A
rule whose last part is itself, or leads there, becomes an expression with repetitions: the states of an
automaton are eliminated (Brzozowski & McCluskey, 1963).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from .expressions import (
    Characters,
    Choice,
    Expression,
    Grammar,
    Repeat,
    Rule,
    Rules,
    Sequence,
    Text,
    choice,
    parts_of,
    references,
    sequence,
)  # fmt: skip

_MAX_INLINED: Final = 20
"""Rules whose beginnings are read to find the marker behind a token."""
_NAMED: Final = 40
"""Parts of an expression from which it is a rule of its own: elimination uses it several times."""

_Parts = tuple[Expression, ...]


class LexerRules:
    """The rules of a grammar with tokens for a lexer.

    Attributes:
        rules: the expression of each rule.
        tokens: the names of those that are tokens, or parts of tokens.
    """

    def __init__(self, grammar: Grammar) -> None:
        """Rewrite the rules of a grammar."""
        self._original = grammar.rules
        self._new = Rules()
        self.rules: dict[str, Expression] = {}
        self.tokens = self._below(name for name in grammar.tokens if name in grammar.rules)
        self._by_character = grammar.by_character
        self._fuzzy = set() if grammar.by_character else self._find_fuzzy()
        self._next = self._find_endless()
        self._waiting = [grammar.root]
        while self._waiting:
            name = self._waiting.pop()
            if name not in self.rules:
                self.rules[name] = self._rewritten(name)
                self._waiting += references(self.rules[name])
        self.tokens |= self._fuzzy
        if grammar.root in self.tokens:
            self.rules[grammar.root] = self._token(self.rules[grammar.root])
            self.tokens.remove(grammar.root)

    def _rewritten(self, name: str) -> Expression:
        inner = name in self.tokens or name in self._fuzzy
        if name not in self._next:
            whole = inner or self._by_character
            return self._original[name] if whole else self._lexed(self._original[name])
        ways = self._eliminated(name)
        return choice(sequence(*prefix) if inner else self._option(prefix, rest) for prefix, rest in ways)

    def _below(self, names: Iterable[str]) -> set[str]:
        """Return rules with all that they lead to."""
        found = set(names)
        waiting = list(found)
        while waiting:
            new = {rule for rule in references(self._original[waiting.pop()]) if rule not in found}
            found |= new
            waiting += new
        return found

    def _find_fuzzy(self) -> set[str]:
        """Return the rules that say characters of sets, and lead to no token."""
        to_token, sets = set(self.tokens), set[str]()
        leads = {name: {*references(rule)} for name, rule in self._original.items()}
        before = -1
        while len(to_token) + len(sets) > before:
            before = len(to_token) + len(sets)
            to_token |= {name for name, below in leads.items() if below & to_token}
            sets |= {name for name, below in leads.items() if below & sets or _has_sets(self._original[name])}
        return sets - to_token

    def _find_endless(self) -> dict[str, set[str]]:
        """Return the rules whose last part leads back to themselves, or to such a rule: each with those that
        it leads to.
        """
        next_ = {
            name: {each for _, each, _ in self._steps((rule,), (), None) if each}
            for name, rule in self._original.items()
        }
        while True:
            ended = {name for name, after in next_.items() if not after & next_.keys()}
            if not ended:
                return next_
            next_ = {name: after - ended for name, after in next_.items() if name not in ended}

    def _states(self, entry: str) -> set[str]:
        """Return the rules that are states of one automaton with `entry`: all outer ones that it leads to,
        and of tokens those that lead back.
        """
        inner = self.tokens | self._fuzzy
        found, waiting = {entry}, [entry]
        while waiting:
            new = {each for each in self._next.get(waiting.pop(), ()) if each not in found}
            found |= new
            waiting += new
        if entry not in inner:
            return {name for name in found if name in self._next and name not in inner}
        back = {entry}
        while True:
            more = {name for name in found - back if self._next.get(name, set()) & back}
            if not more:
                return back
            back |= more

    def _steps(
        self, parts: _Parts, prefix: _Parts, endless: set[str] | None
    ) -> Iterator[tuple[_Parts, str, _Parts]]:
        """Yield the ways through parts: the characters that come first, then the rule that is the last part,
        or what else follows. With `endless`, only a rule of these is a last part.
        """
        if not parts:
            yield prefix, "", ()
            return
        first, rest = parts[0], parts[1:]
        if isinstance(first, Sequence):
            yield from self._steps((*first.parts, *rest), prefix, endless)
        elif isinstance(first, Rule) and not rest and (endless is None or first.name in endless):
            yield prefix, first.name, ()
        elif (
            self._by_character
            and endless
            and not endless & self.tokens
            and (prefix and isinstance(prefix[-1], Text) and isinstance(first, Repeat | Characters | Text))
        ):
            yield prefix, "", parts  # a marker ends here; what follows is decided by characters again
        elif not any(references(first)) or (endless is not None and self._is_flat(first, endless)):
            yield from self._steps(rest, (*prefix, first), endless)
        elif isinstance(first, Choice):
            for option in first.options:
                yield from self._steps((option, *rest), prefix, endless)
        else:
            yield prefix, "", parts

    def _is_flat(self, part: Expression, endless: set[str]) -> bool:
        inner = self._fuzzy | self.tokens if endless & self.tokens else self._fuzzy
        return all(name in inner and name not in endless for name in references(part))

    def _eliminated(self, entry: str) -> list[tuple[_Parts, _Parts]]:
        """Return the ways through an endless rule: characters, and what follows them."""
        states = self._states(entry)
        edges: dict[str, dict[str | _Parts, Expression]] = {}
        waiting = [entry]
        while waiting:
            name = waiting.pop()
            if name in edges:
                continue
            row = edges[name] = {}
            for prefix, after, rest in self._steps((self._original[name],), (), states):
                open = bool(rest) and not self._by_character and _has_sets(sequence(*prefix[-1:]))
                for more, last in self._heads(rest, prefix) if open else [(prefix, rest)]:
                    _add(row, after or last, sequence(*more))
                waiting += [after] if after else []
        for state in [*edges][:0:-1]:
            row = edges.pop(state)
            again = row.pop(state, None)
            for other in edges.values():
                if state in other:
                    into = other.pop(state)
                    head = self._named(into if again is None else sequence(into, Repeat(again)))
                    for to, label in row.items():
                        _add(other, to, self._named(sequence(head, label)))
        row = edges[entry]
        again = row.pop(entry, None)
        around = () if again is None else (Repeat(self._named(again)),)
        return [((*around, label), to) for to, label in row.items() if isinstance(to, tuple)]

    def _named(self, expression: Expression) -> Expression:
        """Return a large expression as a token of its own."""
        return expression if _size(expression) < _NAMED else self._token(expression)

    def _token(self, expression: Expression) -> Rule:
        rule = self._new.add("lexer", expression)
        name = f"token-{rule.name}"
        self.rules[name] = expression
        self.tokens.add(name)
        self._waiting += references(expression)
        return Rule(name)

    def _lexed(self, expression: Expression) -> Expression:
        """Return an expression of an outer rule, with tokens for the characters in it."""
        if isinstance(expression, Choice):
            return choice(map(self._lexed, expression.options))
        return self._sequence((expression,))

    def _sequence(self, parts: _Parts) -> Expression:
        out: list[Expression] = []
        while parts:
            first, rest = parts[0], parts[1:]
            if isinstance(first, Sequence):
                parts = (*first.parts, *rest)
                continue
            if self._is_fuzzy(first):
                heads: dict[_Parts, list[Expression]] = {}
                for prefix, after in self._heads(parts, ()):
                    heads.setdefault(after, []).append(sequence(*prefix))
                made = (self._option((choice(prefixes),), after) for after, prefixes in heads.items())
                return Sequence((*out, choice(made)))
            if isinstance(first, Repeat):
                first = Repeat(self._lexed(first.part), first.least, first.most)
            elif isinstance(first, Choice):
                first = self._lexed(first)
            out.append(first)
            parts = rest
        return out[0] if len(out) == 1 else Sequence(tuple(out))

    def _option(self, prefix: _Parts, rest: _Parts) -> Expression:
        """Return characters as one token, and what follows."""
        characters = sequence(*prefix)
        head = () if characters == Text("") else (self._token(characters),)
        rest = rest if self._by_character or not rest else (self._sequence(rest),)
        return Sequence((*head, *rest))

    def _is_fuzzy(self, part: Expression) -> bool:
        names = [*references(part)]
        return all(name in self._fuzzy for name in names) and (bool(names) or _has_sets(part))

    def _heads(self, parts: _Parts, prefix: _Parts, inlined: int = 0) -> Iterator[tuple[_Parts, _Parts]]:
        """Yield the ways through parts up to the first text that is no choice of characters: the characters
        with that text, and what follows.
        """
        if not parts:
            yield prefix, ()
            return
        first, rest = parts[0], parts[1:]
        if isinstance(first, Sequence):
            yield from self._heads((*first.parts, *rest), prefix, inlined)
        elif self._is_fuzzy(first) or first == Text(""):
            yield from self._heads(rest, (*prefix, first), inlined)
        elif isinstance(first, Text):
            yield (*prefix, first), rest
        elif isinstance(first, Choice):
            for option in first.options:
                yield from self._heads((option, *rest), prefix, inlined)
        elif isinstance(first, Repeat):
            if first.least == 0:
                yield from self._heads(rest, prefix, inlined)
            most = None if first.most is None else first.most - 1
            if most != -1 and inlined < _MAX_INLINED:
                again = () if most == 0 else (Repeat(first.part, max(first.least - 1, 0), most),)
                yield from self._heads((first.part, *again, *rest), prefix, inlined + 1)
        elif isinstance(first, Rule) and first.name in self._next and first.name not in self.tokens:
            for more, after in self._eliminated(first.name):
                if after:
                    yield (*prefix, *more), (*after, *rest)
                else:
                    yield from self._heads(rest, (*prefix, *more), inlined)
        elif isinstance(first, Rule) and first.name not in self.tokens and inlined < _MAX_INLINED:
            yield from self._heads((self._original[first.name], *rest), prefix, inlined + 1)
        else:
            yield prefix, parts


def _add(row: dict[str | _Parts, Expression], to: str | _Parts, label: Expression) -> None:
    known = row.get(to)
    row[to] = label if known is None else choice([known, label])


def _has_sets(expression: Expression) -> bool:
    return isinstance(expression, Characters) or any(map(_has_sets, parts_of(expression)))


def _size(expression: Expression) -> int:
    return 1 + sum(map(_size, parts_of(expression)))
