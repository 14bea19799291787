"""The automaton of a regular expression, and the number of paths from each of its characters to the next.

Each character of a pattern is a state, which is entered by that character (Glushkov, 1961). An
edge counts the paths that a backtracking engine has from one state to the other: `(?:|){30}` has 2**30 to go
on without a character.

The greatest cost of a search by such an engine, by the length of the text: it visits each path once. For
every set of states that one text leads to, the paths to each state are counted, a character at a time: a
determinisation with multiplicities. Where the counts stop growing, a search is linear; where they grow, their
sums bound it.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from .charset import LAST, LAST_IN_TABLE, Alphabet, Ranges, complement

_EVERYTHING: Final[Ranges] = ((0, LAST),)
MANY: Final = 10**9
"""Paths are counted up to here."""
_MAX_STATES: Final = 30_000
_EDGES: Final = 200_000

NOTHING: Final = 0
AT_END: Final = 1
_MORE: Final = 2
"""The requirement that the end of a part still has: nothing, the end of the text, or anything else."""

_Paths = Mapping[int, int]
_Ends = Mapping[int, tuple[int, int]]


class PatternPart(NamedTuple):
    """A part of a pattern.

    `first`: the states where it may begin, with the paths to each; `initial`: the same at the start of the
    text. `last`: the states where it may end, with the paths and what must still hold. `empty` and
    `initially_empty`: by how many paths it matches the empty text, and in `needs` and `initially_needs` what
    must still hold there. Its own states are those from `low` to `high`.
    """

    low: int = 0
    high: int = 0
    first: _Paths = MappingProxyType({})
    initial: _Paths = MappingProxyType({})
    last: _Ends = MappingProxyType({})
    empty: int = 1
    initially_empty: int = 1
    needs: int = NOTHING
    initially_needs: int = NOTHING


class Automaton:
    """The states of a pattern, and which may follow which.

    `unrolled` is how many turns of a counted repetition get states of their own; one with more counts as
    endless, which can only add paths. `complete` turns False where the pattern needs more states or edges
    than are allowed, `exact` where there are more paths than the pattern has: conditions and back-references
    always hold here.
    """

    START: Final = 0
    """Before the first character of the text."""
    SEARCH: Final = 1
    """A later position in the text from which the search tries again."""
    AFTER: Final = 2
    """The same behind a character that forbids a new try (`ecma`: the leading run of a pattern)."""
    DEAD: Final = 3
    """Accepts no character: a try that ends at once."""

    def __init__(self, unrolled: int) -> None:
        self.unrolled = unrolled
        self.complete = True
        self.exact = True
        self.ranges: list[Ranges] = [(), (), (), ()]
        self.follow: list[dict[int, int]] = [{}, {}, {}, {}]
        self.whole = PatternPart()
        self.again = 0  # tries at each later position in the text, where all of them end at once
        self.remaining_edges = _EDGES

    @property
    def next_state(self) -> int:
        """The state that is added next."""
        return len(self.ranges)

    def character(self, ranges: Ranges) -> PatternPart:
        """One character of `ranges`, as a state of its own."""
        if not self._has_capacity(1):
            return PatternPart()
        state = self._add(ranges)
        return PatternPart(state, state + 1, {state: 1}, {state: 1}, {state: (1, NOTHING)}, 0, 0)

    def nothing(self) -> PatternPart:
        """The empty text."""
        return PatternPart(self.next_state, self.next_state)

    def start(self) -> PatternPart:
        """`^`: nothing, at the start of the text; elsewhere a try that fails."""
        return PatternPart(self.next_state, self.next_state, first={self.DEAD: 1}, empty=0)

    def end(self) -> PatternPart:
        """`$`: nothing, at the end of the text."""
        return PatternPart(self.next_state, self.next_state, needs=AT_END, initially_needs=AT_END)

    def condition(self) -> PatternPart:
        """A condition that consumes nothing, and may hold anywhere."""
        self.exact = False
        dead = {self.DEAD: 1}
        return PatternPart(self.next_state, self.next_state, dead, dead, needs=_MORE, initially_needs=_MORE)

    def reference(self) -> PatternPart:
        """A back-reference: any text at all, or none."""
        self.exact = False
        if not self._has_capacity(1):
            return PatternPart()
        state = self._add(_EVERYTHING)
        self.follow[state][state] = 1
        one, end = {state: 1}, {state: (1, _MORE)}
        return PatternPart(state, state + 1, one, one, end, needs=_MORE, initially_needs=_MORE)

    def ahead(self, body: PatternPart) -> PatternPart:
        """A look-ahead: one path through its body is kept, tried at the position of the next part."""
        self.exact = False
        return PatternPart(body.low, body.high, body.first, body.initial, needs=_MORE, initially_needs=_MORE)

    def behind(self, body: PatternPart) -> PatternPart:
        """A look-behind: as many tries as its body, which has a fixed width, has states on all paths."""
        self.exact = False
        known: dict[int, int] = {}
        tries = sum(
            paths * self._tries(state, known, frozenset())
            for begin in (body.first, body.initial)
            for state, paths in begin.items()
        )
        dead = {self.DEAD: min(1 + tries, MANY)}
        return PatternPart(body.low, self.next_state, dead, dead, needs=_MORE, initially_needs=_MORE)

    def _tries(self, state: int, known: dict[int, int], above: frozenset[int]) -> int:
        if state in above or len(above) > 200:
            self.complete = False
            return 0
        if state not in known:
            inside = above | {state}
            rest = (paths * self._tries(next_, known, inside) for next_, paths in self.follow[state].items())
            known[state] = min(1 + sum(rest), MANY)
        return known[state]

    def then(self, one: PatternPart, two: PatternPart) -> PatternPart:
        """One part, and then another."""
        if not self._has_capacity(len(one.last) * len(two.first) + (len(one.first) if one.empty else 0)):
            return PatternPart()
        self._connect(one.last, two.first)
        first = self._reached(two.first, one.needs) if one.empty else {}
        initial = self._reached(two.initial, one.initially_needs) if one.initially_empty else {}
        last = two.last
        if two.empty and one.last:
            on = {
                state: (min(paths * two.empty, MANY), max(needs, two.needs))
                for state, (paths, needs) in one.last.items()
            }
            last = {**on, **two.last}
            self.remaining_edges -= len(last)
        return PatternPart(
            one.low,
            self.next_state,
            _sum(one.first, first, one.empty),
            _sum(one.initial, initial, one.initially_empty),
            last,
            min(one.empty * two.empty, MANY),
            min(one.initially_empty * two.initially_empty, MANY),
            max(one.needs, two.needs),
            max(one.initially_needs, two.initially_needs),
        )

    def either(self, parts: list[PatternPart]) -> PatternPart:
        """Any of several parts."""
        if len(parts) == 1:
            return parts[0]
        first: dict[int, int] = {}
        initial: dict[int, int] = {}
        last: dict[int, tuple[int, int]] = {}
        for part in parts:
            if not self._has_capacity(len(part.first) + len(part.last)):
                return PatternPart()
            for state, paths in part.first.items():
                first[state] = min(first.get(state, 0) + paths, MANY)
            for state, paths in part.initial.items():
                initial[state] = min(initial.get(state, 0) + paths, MANY)
            last.update(part.last)
        return PatternPart(
            parts[0].low,
            self.next_state,
            first,
            initial,
            last,
            min(sum(part.empty for part in parts), MANY),
            min(sum(part.initially_empty for part in parts), MANY),
            min((part.needs for part in parts if part.empty), default=NOTHING),
            min((part.initially_needs for part in parts if part.initially_empty), default=NOTHING),
        )

    def repeat(self, part: PatternPart, low: int, high: int | None) -> PatternPart:
        """Repeat a part at least `low` times, and at most `high` times (None: without end). Behind the turns
        that it must make, `re` ends a repetition after a turn that was empty.
        """
        if high is not None and high > self.unrolled:
            high = None
            self.exact = False
        if low > self.unrolled:
            self.exact = False
            if part.empty or part.initially_empty:
                self.complete = False
            low = 1
        turns = self._turns(part, max(low, 1) if high is None else high)
        if high is None:
            turns[-1] = self._endless(turns[-1], low)
        elif high > low:
            turns[low:] = [self._optional(turns[low:])]
        whole = turns[0] if turns else PatternPart()
        for one in turns[1:]:
            whole = self.then(whole, one)
        return whole._replace(low=part.low, high=self.next_state)

    def _turns(self, part: PatternPart, count: int) -> list[PatternPart]:
        """A part `count` times, each with states of its own."""
        if count < 2:
            return [part] * count
        rows = [dict(row) for row in self.follow[part.low : part.high]]
        return [part, *(self._copy(part, rows) for _ in range(count - 1))]

    def _endless(self, part: PatternPart, low: int) -> PatternPart:
        """A part without end: from no turn on, or from one."""
        if not self._has_capacity(len(part.last) * len(part.first)):
            return PatternPart()
        self._connect(part.last, part.first)
        out, initially = 1 + part.empty, 1 + part.initially_empty
        last = {state: (min(paths * out, MANY), needs) for state, (paths, needs) in part.last.items()}
        if low == 0:
            bare = part._replace(needs=NOTHING, initially_needs=NOTHING)
            return bare._replace(last=last, empty=out, initially_empty=initially)
        return part._replace(
            first=_times(part.first, out),
            initial=_times(part.initial, initially),
            last=last,
            empty=min(part.empty * out, MANY),
            initially_empty=min(part.initially_empty * initially, MANY),
        )

    def _optional(self, turns: list[PatternPart]) -> PatternPart:
        """Each turn only behind the one before it, and the end behind any."""
        last: dict[int, tuple[int, int]] = {}
        for index, part in enumerate(turns):
            if index:
                if not self._has_capacity(len(part.last) * len(part.first)):
                    return PatternPart()
                self._connect(turns[index - 1].last, part.first)
            out = 1 + part.empty
            last.update(
                {state: (min(paths * out, MANY), needs) for state, (paths, needs) in part.last.items()}
            )
        first = turns[0]
        return first._replace(
            last=last,
            empty=min(1 + first.empty, MANY),
            initially_empty=min(1 + first.initially_empty, MANY),
            needs=NOTHING,
            initially_needs=NOTHING,
        )

    def finish(self, whole: PatternPart, leading: Ranges) -> None:
        """Join the whole pattern to the search. No match begins behind a character of `leading`."""
        self.whole = whole
        self.follow[self.START] = dict(whole.initial)
        if whole.initially_empty and whole.initially_needs == NOTHING:
            return  # found before the first character: there is no second try
        if not whole.empty and not whole.first.keys() - {self.DEAD}:
            self.again = 1 + whole.first.get(self.DEAD, 0)
            return
        self.ranges[self.SEARCH], self.ranges[self.AFTER] = complement(leading), leading
        later = {self.SEARCH: 1, self.AFTER: 1}
        self.follow[self.START].update(later)
        self.follow[self.SEARCH] = {**whole.first, **later}
        self.follow[self.AFTER] = later

    def _has_capacity(self, edges: int) -> bool:
        self.remaining_edges -= edges
        self.complete = self.complete and self.remaining_edges > 0 and len(self.ranges) <= _MAX_STATES
        return self.complete

    def _add(self, ranges: Ranges) -> int:
        self.ranges.append(ranges)
        self.follow.append({})
        return len(self.ranges) - 1

    def _connect(self, ends: _Ends, starts: _Paths) -> None:
        for end, (out, needs) in ends.items():
            row = self.follow[end]
            for start, into in self._reached(starts, needs).items():
                row[start] = min(row.get(start, 0) + out * into, MANY)

    def _reached(self, starts: _Paths, needs: int) -> _Paths:
        """The paths to `starts` after a part with these needs: no character follows the end of the text."""
        if needs == AT_END:
            return {self.DEAD: min(sum(starts.values()), MANY)}
        if needs == _MORE and starts.keys() - {self.DEAD}:
            self.exact = False
        return starts

    def _copy(self, part: PatternPart, rows: list[dict[int, int]]) -> PatternPart:
        """A copy of `part` with new states; `rows` are its edges before it was repeated."""
        if not self._has_capacity(len(rows) + sum(map(len, rows))):
            return PatternPart()
        low = self.next_state
        by = low - part.low

        def moved(paths: Iterable[tuple[int, int]]) -> dict[int, int]:
            return {state + by if state >= part.low else state: count for state, count in paths}

        for offset, row in enumerate(rows):
            self._add(self.ranges[part.low + offset])
            self.follow[low + offset] = moved(row.items())
        return part._replace(
            low=low,
            high=self.next_state,
            first=moved(part.first.items()),
            initial=moved(part.initial.items()),
            last={state + by: end for state, end in part.last.items()},
        )


def _sum(one: _Paths, two: _Paths, times: int) -> _Paths:
    if not times or not two:
        return one
    total = dict(one)
    for state, paths in two.items():
        total[state] = min(total.get(state, 0) + paths * times, MANY)
    return total


def _times(paths: _Paths, times: int) -> _Paths:
    return paths if times == 1 else {state: min(count * times, MANY) for state, count in paths.items()}


_PER_CHARACTER: Final = 16
"""Steps that `re` may take for each character of a text, and for four more, in a search that is fast. A call
is charged for bytes (UTF-8)."""
_RANGES_A_STEP: Final = 6
"""Ranges past U+FFFF with which `re` compares a character in the time of one step."""
STEPS: Final = 1 << 26
"""Steps that the searches of one call may take together: half a second. Fast searches of all texts of a call,
which has 4 MiB, take fewer."""
SLOW: Final = 1 << 22
"""Steps of one search from which the compiler warns of a pattern."""
ANY_LENGTH: Final = float("inf")
_NEVER: Final = 10**15
_EFFORT: Final = 60_000
"""Edges that are followed to find out; some hundredths of a second."""
_EFFORT_PER_STATE: Final = 20
_RANGES: Final = 50_000
"""Ranges of code points in one pattern."""


class Cost(NamedTuple):
    """`sums[n]`: the steps of a search in a text of n characters, at most. `more`: those for each further
    character; None where they are not known, or too many."""

    sums: tuple[int, ...] = (_NEVER,)
    more: int | None = None

    def steps(self, length: int) -> int:
        """The steps of a search in a text of this length, at most."""
        known = len(self.sums) - 1
        if length > known and self.more is None:
            return _NEVER
        return self.sums[min(length, known)] + max(0, length - known) * (self.more or 0)

    @property
    def compared(self) -> int:
        """Return the number of times that a fast search compares each character, at most."""
        return _PER_CHARACTER if self.more is None else min(self.more, _PER_CHARACTER)

    def fast_length(self) -> float:
        """Return the length up to which the search of any text is fast."""
        for length in range(len(self.sums) + 1):
            if self.steps(length) > fast_steps(length):
                return length - 1
        return ANY_LENGTH if self.more is not None and self.more <= _PER_CHARACTER else len(self.sums)


def fast_steps(length: int) -> int:
    """The steps that a fast search of a text of this length takes, at most."""
    return _PER_CHARACTER * (length + 4)


def beyond(automaton: Automaton) -> int:
    """Return the steps for comparing a character past U+FFFF with the class of most ranges, as
    `charset.source` writes it.
    """
    widest = 0
    for ranges in set(automaton.ranges):
        shown = min(ranges, complement(ranges), key=len)
        widest = max(widest, sum(high > LAST_IN_TABLE for _, high in shown))
    return widest // _RANGES_A_STEP


def cost(automaton: Automaton, most: int = STEPS, longest: int = MANY) -> Cost:
    """Return the cost of a search, up to `most` steps beyond those of a fast one, or for texts up to
    `longest`. It is not known for a pattern that is too large.
    """
    if not automaton.complete or sum(map(len, automaton.ranges)) > _RANGES:
        return Cost()
    return _Counting(automaton).run(most, longest)


_States = tuple[int, ...]
_Sources = tuple[tuple[int, int], ...]
"""Positions in a tuple of counts, each with a factor."""


class _Counting:
    """Counts of paths to the states that a text leads to, in the order of the states."""

    def __init__(self, automaton: Automaton) -> None:
        self.letters = Alphabet(automaton.ranges).accepted
        self.follow = automaton.follow
        self.accepting = frozenset(_accepting(automaton))
        last = automaton.whole.last
        self.tries = [1 + sum(row.values()) + last.get(at, (0, 0))[0] for at, row in enumerate(self.follow)]
        self.known: dict[_States, list[tuple[_States, tuple[_Sources, ...]]]] = {}
        self.tries[Automaton.START] += automaton.whole.initially_empty
        self.tries[Automaton.SEARCH] += automaton.whole.empty
        self.again = automaton.again
        self.effort = _EFFORT + _EFFORT_PER_STATE * len(self.follow)

    def run(self, limit: int, longest: int) -> Cost:
        most: dict[_States, tuple[int, ...]] = {(Automaton.START,): (1,)}
        changed = list(most)
        widest = self.tries[Automaton.START] + self.again
        sums = [widest]
        while changed:
            found: dict[_States, tuple[int, ...]] = {}
            for states in changed:
                counts = most[states]
                for after, rows in self.known.get(states) or self.transitions(states):
                    self.effort -= len(rows)
                    # A row without sources is a state that counts once.
                    raised = tuple([min(MANY, sum([counts[at] * by for at, by in row])) or 1 for row in rows])
                    if after in found:
                        raised = tuple(map(max, raised, found[after]))
                    found[after] = raised
            changed = []
            for states, counts in found.items():
                before = most.get(states)
                now = counts if before is None else tuple(map(max, counts, before))
                if now != before:
                    most[states] = now
                    changed.append(states)
                    steps = (
                        sum([count * self.tries[at] for count, at in zip(now, states, strict=True)])
                        + self.again
                    )
                    widest = max(widest, steps)
            sums.append(sums[-1] + widest)
            if self.effort < 0 or sums[-1] > limit + fast_steps(len(sums)):
                return Cost(tuple(sums[:-1]))
            if len(sums) > longest:
                return Cost(tuple(sums))
        return Cost(tuple(sums), widest)

    def transitions(self, states: _States) -> list[tuple[_States, tuple[_Sources, ...]]]:
        """The sets of states that each next character leads to from `states`, and from which counts those
        there come: none where the count is one, whatever they are.
        """
        letters: dict[int, dict[int, list[tuple[int, int]]]] = {}
        for position, state in enumerate(states):
            for following, times in self.follow[state].items():
                self.effort -= 1 + len(self.letters[following])
                for letter in self.letters[following]:
                    letters.setdefault(letter, {}).setdefault(following, []).append((position, times))
        paths = {
            (after, tuple(() if at in self.accepting else tuple(rows[at]) for at in after))
            for rows in letters.values()
            for after in (tuple(sorted(rows)),)
        }
        self.known[states] = sorted(paths)
        return self.known[states]


def _accepting(automaton: Automaton) -> Iterator[int]:
    """States from which the search succeeds, whatever follows. The engine leaves such a state only with a
    match, so it enters one of them at a time."""
    for state, (_, needs) in automaton.whole.last.items():
        endless = automaton.ranges[state] == _EVERYTHING and state in automaton.follow[state]
        if needs == NOTHING or (needs == AT_END and endless):
            yield state
