"""Texts without some substrings, as rules: free text without markers, and values without what ends them.

Neither a context-free grammar nor an engine's syntax takes texts away from others. So the automaton of what
may be written is made here, of the rests of expressions (Antimirov, 1996), together with that of the
substrings, and each of its states becomes a rule. As only one of its rules goes on with each character, an
engine with a lexer reads it as any other does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from ..jsonschema.charset import LAST, Alphabet, Ranges, union
from .expressions import (
    NOTHING,
    Characters,
    Choice,
    Expression,
    Repeat,
    Rule,
    Rules,
    Text,
    choice,
    one_of,
    parts_of,
    sequence,
)
from .scalars import ANY_CHARACTER, ANY_TEXT

_MAX_STATES: Final = 600
"""States of one automaton: each is a rule, which an engine reads anew for each request."""
_MAX_ALL: Final = 40_000
"""States of all automata of a grammar: some seconds, and some megabytes."""
_MAX_WIDTH: Final = 2_000
"""Rests that one state of it may have."""

_Rests: TypeAlias = frozenset[Expression]
_State: TypeAlias = tuple[_Rests, frozenset[tuple[int, Expression]]]
"""The rests of the text that may follow, and those of endings that have begun."""
_Row: TypeAlias = "dict[_State | Expression, Ranges]"
_Follower: TypeAlias = "tuple[Ranges, _State | Expression | None]"
"""Characters, and what follows them: a state, another rule's text, or nothing that may be written."""


class TooLargeError(ValueError):
    """An automaton would have too many states."""


class Ending(Struct, frozen=True):
    """A substring that a text must not have.

    Attributes:
        pattern: its texts, none empty.
        then: what follows where it ends the text; None if it is forbidden.
        anchored: whether it counts at the start of the text alone.
    """

    pattern: Expression
    then: Expression | None = None
    anchored: bool = False


def without(
    rules: Rules, name: str, text: Expression, endings: Sequence[Ending], *, final: bool = True
) -> Expression:
    """Write the texts of an expression that have no ending within, and those that one of the endings ends.

    Args:
        rules: the rules to add to, and those that the expressions refer to.
        name: the name of the rules that are added.
        text: what may be written; its rules must not refer to themselves.
        endings: what must not be in it. Of several that end at one place the first one counts.
        final: whether the text may end without an ending.

    Returns:
        The texts, or `NOTHING`.

    Raises:
        TooLargeError: the automaton has too many states.
        ValueError: all automata of the rules have too many.
    """
    made_of = (text, tuple(endings), final)
    if made_of not in rules.restricted:
        try:
            rules.restricted[made_of] = _without(rules, name, text, endings, final)
        except TooLargeError as problem:
            rules.restricted[made_of] = str(problem)
    found = rules.restricted[made_of]
    if isinstance(found, str):
        raise TooLargeError(found)
    return found


def _without(rules: Rules, name: str, text: Expression, endings: Sequence[Ending], final: bool) -> Expression:
    steps = _Steps(rules)
    always = [(at, each.pattern) for at, each in enumerate(endings) if not each.anchored]
    anchored = frozenset((at, each.pattern) for at, each in enumerate(endings) if each.anchored)

    def follow(state: _State) -> Iterator[_Follower]:
        begun = (*state[1], *(always if state[0] else ()))
        for ranges, rests, reached in steps.following(state[0], begun):
            ended = min((at for at, rest in reached if steps.rules.may_be_empty(rest)), default=None)
            yield ranges, (rests, reached) if ended is None else endings[ended].then

    return _written(steps, name, (frozenset([text]), anchored), follow, final=final)


def closed(rules: Rules, name: str, text: Expression, close: str, endings: Sequence[Ending]) -> Expression:
    """Write the texts of an expression that have no ending within, each with the marker that closes it.

    Args:
        rules: as for `without`.
        name: as for `without`.
        text: as for `without`.
        close: the marker.
        endings: what must not be in the text; the marker may begin with one of them.

    Returns:
        The texts, or `NOTHING`.

    Raises:
        TooLargeError: the automaton has too many states.
    """
    whole, steps = sequence(text, Text(close)), _Steps(rules)
    begins = union(span for each in endings for ranges, _ in steps.of(each.pattern) for span in ranges)
    signs = _signs(rules, text)
    if whole != NOTHING and not any(low <= to and at <= high for at, to in signs for low, high in begins):
        return rules.token(name, whole)  # no ending can begin in it
    left: list[Ending] = []
    for each in endings:
        again: Expression = Text("") if each.pattern == Text(close) else each.pattern
        if isinstance(each.pattern, Text) and close.startswith(each.pattern.text):
            between = ANY_CHARACTER if each.pattern == Text(close) else ANY_TEXT
            left.append(Ending(sequence(each.pattern, between, again)))
        else:
            left.append(each)
    return without(rules, name, whole, left)


def holds(text: str, close: str, endings: Sequence[Ending]) -> bool:
    """Tell whether one of some endings begins in a text that a marker closes: `closed` has no such text."""
    steps, whole = _Steps(Rules()), text + close
    for each in endings:
        begins = union(span for ranges, _ in steps.of(each.pattern) for span in ranges)
        for start in range(min(len(text), 1) if each.anchored else len(text)):
            rests, at = ([each.pattern] if _has(begins, ord(text[start])) else []), start
            while rests and at < len(whole):
                follow = (step for rest in rests for step in steps.of(rest))
                rests = [*dict.fromkeys(rest for ranges, rest in follow if _has(ranges, ord(whole[at])))]
                if any(map(steps.rules.may_be_empty, rests)):
                    return True
                at += 1
    return False


def _signs(rules: Rules, expression: Expression) -> Iterator[tuple[int, int]]:
    """Give the characters that its texts may have."""
    if isinstance(expression, Characters):
        yield from expression.ranges
    elif isinstance(expression, Text):
        yield from ((ord(each), ord(each)) for each in expression.text)
    for part in (rules.get(expression),) if isinstance(expression, Rule) else parts_of(expression):
        yield from _signs(rules, part)


def factored(rules: Rules, name: str, options: Sequence[Expression]) -> Expression:
    """Write one of some options so that each character decides, up to where only one of them is left."""
    steps = _Steps(rules)

    def follow(state: _State) -> Iterator[_Follower]:
        for ranges, rests, _ in steps.following(state[0], ()):
            yield ranges, next(iter(rests)) if len(rests) == 1 else (rests, frozenset())

    if len({*options}) == 1:
        return options[0]
    return _written(steps, name, (frozenset(options), frozenset()), follow)


def behind(rules: Rules, expression: Expression, literal: str) -> Expression:
    """Return what follows a literal in the texts of an expression, which all begin with it."""
    steps = _Steps(rules)
    for letter in literal:
        rests = (rest for ranges, rest in steps.of(expression) if _has(ranges, ord(letter)))
        expression = choice(rests)
    return expression


class _Steps:
    """The first characters of expressions, and what follows them."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._known: dict[Expression, tuple[tuple[Ranges, Expression], ...]] = {}

    def of(self, rest: Expression) -> tuple[tuple[Ranges, Expression], ...]:
        known = self._known.get(rest)
        if known is None:
            known = self._known[rest] = tuple(dict.fromkeys(self._first(rest)))
        return known

    def following(
        self, rests: _Rests, begun: Iterable[tuple[int, Expression]]
    ) -> Iterator[tuple[Ranges, _Rests, frozenset[tuple[int, Expression]]]]:
        """Give the rests behind each set of first characters, and those of what has `begun`."""
        texts = [step for rest in rests for step in self.of(rest)]
        others = [(ranges, (at, rest)) for at, each in begun for ranges, rest in self.of(each)]
        if len(texts) + len(others) > _MAX_WIDTH:
            raise TooLargeError(f"more than {_MAX_WIDTH} ways to go on")
        alphabet = Alphabet([*(each[0] for each in texts), *(each[0] for each in others)])
        starts, kinds = alphabet.ranges()
        spans, after, reached = defaultdict(list), defaultdict(set), defaultdict(set)
        for low, end, kind in zip(starts, [*starts[1:], LAST + 1], kinds, strict=True):
            spans[kind].append((low, end - 1))
        for at, accepted in enumerate(alphabet.accepted):
            for kind in accepted:
                if at < len(texts):
                    after[kind].add(texts[at][1])
                else:
                    reached[kind].add(others[at - len(texts)][1])
        for kind in sorted({*after, *reached}):
            yield tuple(spans[kind]), frozenset(after[kind]), frozenset(reached[kind])

    def _first(self, rest: Expression) -> Iterator[tuple[Ranges, Expression]]:
        if isinstance(rest, Text):
            if rest.text:
                point = ord(rest.text[0])
                yield ((point, point),), Text(rest.text[1:])
        elif isinstance(rest, Characters):
            yield rest.ranges, Text("")
        elif isinstance(rest, Choice):
            for option in rest.options:
                yield from self.of(option)
        elif isinstance(rest, Rule):
            yield from self.of(self.rules.get(rest))
        elif isinstance(rest, Repeat):
            if max(rest.least, rest.most or 0) > _MAX_STATES:
                raise TooLargeError(f"a state for each repetition is more than {_MAX_STATES}")
            most = None if rest.most is None else rest.most - 1
            more = Text("") if most == 0 else Repeat(rest.part, max(rest.least - 1, 0), most)
            for ranges, after in self.of(rest.part) if rest.most != 0 else ():
                yield ranges, sequence(after, more)
        else:
            for at, part in enumerate(rest.parts):
                for ranges, after in self.of(part):
                    yield ranges, sequence(after, *rest.parts[at + 1 :])
                if not self.rules.may_be_empty(part):
                    break


def _written(
    steps: _Steps,
    name: str,
    start: _State,
    follow: Callable[[_State], Iterator[_Follower]],
    *,
    final: bool = True,
) -> Expression:
    """Make a rule of each state from which a text can end."""
    rules, rows, waiting = steps.rules, dict[_State, _Row](), [start]
    while waiting:
        state = waiting.pop()
        if state in rows:
            continue
        if len(rows) >= _MAX_STATES:
            raise TooLargeError(f"{name} needs more than {_MAX_STATES} states")
        rules.states += 1
        if rules.states > _MAX_ALL:
            raise ValueError(
                f"Strings of these tools need more than {_MAX_ALL:,} rules to hold no marker. "
                "Name fewer tools with `tools`, or ask for a format whose arguments are JSON."
            )
        row = rows[state] = {}
        for ranges, after in follow(state):
            if after is not None:
                row[after] = union([*row.get(after, ()), *ranges])
        waiting += [each for each in row if isinstance(each, tuple)]
    ending = {state for state in rows if final and any(map(steps.rules.may_be_empty, state[0]))}
    live = _live(rows, ending)
    if start not in live:
        return NOTHING
    named = {state: rules.reserve(name) for state in rows if state in live}
    for state, rule in named.items():
        rules.define(rule, _rule(rows[state], named, state, ends=state in ending))
    return named[start]


def _live(rows: Mapping[_State, _Row], final: Iterable[_State]) -> set[_State]:
    before: dict[_State, list[_State]] = {}
    live = {*final}
    for state, row in rows.items():
        for after in row:
            if isinstance(after, tuple):
                before.setdefault(after, []).append(state)
            else:
                live.add(state)
    waiting = [*live]
    while waiting:
        found = [each for each in before.get(waiting.pop(), ()) if each not in live]
        live.update(found)
        waiting += found
    return live


def _rule(row: _Row, named: Mapping[_State, Rule], state: _State, *, ends: bool) -> Expression:
    own: Expression = Text("")
    options: list[tuple[Ranges, Expression]] = []
    for after, ranges in row.items():
        if not isinstance(after, tuple):
            options.append((ranges, sequence(one_of(ranges), after)))
        elif after == state:
            own = Repeat(one_of(ranges))
        elif after in named:
            options.append((ranges, sequence(one_of(ranges), named[after])))
    made = [option for _, option in sorted(options, key=lambda each: each[0])]
    made += [Text("")] if ends else []
    return sequence(own, choice(made)) if made else own


def _has(ranges: Ranges, point: int) -> bool:
    return any(low <= point <= high for low, high in ranges)
