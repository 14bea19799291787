"""Whether a text is one of a grammar's: Earley's algorithm over characters, with bounded work.

Terminals are read by automata, at every length that they match: a text is accepted where any division into
terminals fits. A greedy lexer, as in llguidance, accepts some of these texts only. What `%ignore` names is
always as long as it can be: a comment does not end before its line does. Leo's reduction keeps right
recursion linear.

Sources: J. Earley, "An efficient context-free parsing algorithm" (1970); J. Leo, "A general context-free
parsing algorithm running in linear time on every LR(k) grammar without using lookahead" (1991); J. Aycock,
R. N. Horspool, "Practical Earley parsing" (2002), for what derives the empty text.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from ...jsonschema.charset import Ranges
from .productions import Productions
from .terminal import Scanner

MAX_STEPS: Final = 1_000_000
"""Items, and states of automata, for one text: a second or two."""

_Item = tuple[int, int]
"""A place in a production, and where in the text the production began."""
_Waiting = dict[int, list[_Item]]
_Active = dict[tuple[int, int], frozenset[_Item]]
"""The terminals under way: by terminal and state of its automaton, the items that follow where it ends."""
_NONE: Final[frozenset[_Item]] = frozenset()


class Items(Struct, frozen=True, eq=False):
    """The places in all productions, numbered so that one symbol further is one number further.

    Attributes:
        symbols: the symbol behind each place; None at the end of a production.
        rules: the rule of each place.
        starts: by rule, the places at the start of its productions.
    """

    symbols: tuple[int | None, ...]
    rules: tuple[int, ...]
    starts: tuple[tuple[int, ...], ...]


class Mismatch(Struct, frozen=True):
    """Where a text leaves the grammar.

    Attributes:
        at: the character that does not fit; the length of the text where it ends too early.
        begun: terminals that had begun, each with the characters that could follow.
        expected: terminals that could begin there.
        may_end: whether the text could end there.
    """

    at: int
    begun: tuple[tuple[int, Ranges], ...] = ()
    expected: tuple[int, ...] = ()
    may_end: bool = False


class TooMuchWorkError(Exception):
    """A text takes more than `MAX_STEPS` steps; `at` is how far it was read."""

    def __init__(self, at: int) -> None:
        """State how many characters were read."""
        super().__init__(at)
        self.at = at


def items_of(productions: Productions) -> Items:
    """Number the places in productions."""
    symbols: list[int | None] = []
    rules: list[int] = []
    starts: list[tuple[int, ...]] = []
    for rule, alternatives in enumerate(productions.alternatives):
        begins: list[int] = []
        for production in alternatives:
            begins.append(len(symbols))
            symbols += [*production, None]
            rules += [rule] * (len(production) + 1)
        starts.append(tuple(begins))
    return Items(tuple(symbols), tuple(rules), tuple(starts))


def recognise(text: str, productions: Productions, items: Items) -> Mismatch | None:
    """Read a text.

    Args:
        text: the text.
        productions: the grammar.
        items: `items_of(productions)`.

    Returns:
        None where the grammar has the text; else where the text leaves it.

    Raises:
        TooMuchWorkError: it takes too many steps.
    """
    return _Recogniser(productions, items).run(text)


class _Recogniser:
    """One text's run. `waiting[k]`: the items at position k by the symbol behind them."""

    def __init__(self, productions: Productions, items: Items) -> None:
        self._items = items
        self._nullable = productions.nullable
        self._scanners = [Scanner(each) for each in productions.terminals]
        self._ignored = productions.ignored
        self._waiting: list[_Waiting] = []
        self._reductions: dict[_Item, _Item | None] = {}
        self._steps = 0

    def run(self, text: str) -> Mismatch | None:
        active: _Active = {}
        first = frozenset((start, 0) for start in self._items.starts[0])
        may_end = self._close(0, first)
        self._begin(active, 0, first)
        for at, character in enumerate(text):
            after = self._scanned(active, character)
            if self._steps > MAX_STEPS:
                raise TooMuchWorkError(at)
            if not after:
                return self._mismatch(at, active, may_end)
            active, at = after, at + 1
            ended = self._ended(active, text[at : at + 1])
            may_end = self._close(at, ended)
            self._begin(active, at, ended)
        return None if may_end else self._mismatch(len(text), active, may_end)

    def _begin(self, active: _Active, at: int, ended: frozenset[_Item]) -> None:
        """Begin what may begin at a position: terminals awaited, and behind others what is ignored."""
        for symbol, items in self._waiting[at].items():
            if symbol < 0:
                active[~symbol, 0] = frozenset((place + 1, origin) for place, origin in items)
        if self._ignored is not None and ended:
            active[self._ignored, 0] = ended

    def _scanned(self, active: _Active, character: str) -> _Active:
        """The terminals under way, behind one more character."""
        after: _Active = {}
        for (terminal, state), items in active.items():
            scanner = self._scanners[terminal]
            before = scanner.steps
            state = scanner.advance(state, character)
            self._steps += 1 + scanner.steps - before
            if state >= 0:
                key = terminal, state
                if key in after:
                    items = after[key] | items
                    self._steps += len(items)
                after[key] = items
        return after

    def _ended(self, active: _Active, following: str) -> frozenset[_Item]:
        """The items behind the terminals that may end before the character `following`, or the text's end."""
        ended: list[frozenset[_Item]] = []
        for (terminal, state), items in active.items():
            scanner = self._scanners[terminal]
            if not scanner.ends[state]:
                continue
            if terminal == self._ignored and following and scanner.advance(state, following) >= 0:
                continue
            ended.append(items)
            self._steps += len(items)
        return _NONE.union(*ended)

    def _close(self, at: int, seeds: frozenset[_Item]) -> bool:
        """Everything that follows from `seeds` at a position; whether a whole text may end there."""
        symbols, rules, starts = self._items.symbols, self._items.rules, self._items.starts
        nullable = self._nullable
        waiting: _Waiting = {}
        self._waiting.append(waiting)
        if not seeds:
            return False
        may_end = False
        seen = set(seeds)
        completed: set[_Item] = set()
        left = list(seen)

        def add(item: _Item) -> None:
            if item not in seen:
                seen.add(item)
                left.append(item)

        while left:
            place, origin = left.pop()
            symbol = symbols[place]
            if symbol is None:
                rule = rules[place]
                may_end = may_end or rule == 0
                # What is empty is passed over where it is awaited.
                if origin == at or (rule, origin) in completed:
                    continue
                completed.add((rule, origin))
                reduced = self._reduction(origin, rule)
                if reduced is not None:
                    add(reduced)
                else:
                    awaiting = self._waiting[origin].get(rule, ())
                    self._steps += len(awaiting)
                    for item, begun in awaiting:
                        add((item + 1, begun))
                continue
            known = waiting.get(symbol)
            if known is None:
                known = waiting[symbol] = []
                for start in starts[symbol] if symbol >= 0 else ():
                    add((start, at))
            known.append((place, origin))
            if symbol in nullable:
                add((place + 1, origin))
            if self._steps + len(seen) > MAX_STEPS:
                raise TooMuchWorkError(at)
        self._steps += len(seen)
        return may_end

    def _reduction(self, origin: int, rule: int) -> _Item | None:
        """Leo: the last of the completions that follow from one of `rule` begun at `origin`, where each has
        but one to follow; None where there is none."""
        items, known = self._items, self._reductions
        path: list[tuple[_Item, _Item]] = []
        here = origin, rule
        inside: set[_Item] = set()
        while here not in known:
            awaiting = self._waiting[here[0]].get(here[1]) or []
            if len(awaiting) != 1 or items.symbols[awaiting[0][0] + 1] is not None or here in inside:
                known[here] = None
                break
            inside.add(here)
            place, begun = awaiting[0]
            path.append((here, (place + 1, begun)))
            here = begun, items.rules[place]
        last = known[here]
        self._steps += len(path)
        for each, own in reversed(path):
            last = own if last is None else last
            known[each] = last
        return known[origin, rule]

    def _mismatch(self, at: int, active: _Active, may_end: bool) -> Mismatch:
        shown = [each for each in active if each[0] != self._ignored]
        begun = [
            (terminal, self._scanners[terminal].continuations(state)) for terminal, state in shown if state
        ]
        return Mismatch(
            at,
            tuple((terminal, ranges) for terminal, ranges in begun if ranges),
            tuple(terminal for terminal, state in shown if not state),
            may_end,
        )
