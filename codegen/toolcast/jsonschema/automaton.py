"""The automaton of a regular expression, with the number of ways that lead from one character to the next.

The places of a pattern's characters are states, each entered by one of its characters (Glushkov, 1961). An
edge counts the ways that a backtracking engine has from one place to the other: `(?:|){30}` has 2**30 to go
on without a character.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from .charset import LAST, Ranges, complement

EVERYTHING: Final[Ranges] = ((0, LAST),)
MANY: Final = 10**9
"""Ways are counted up to here."""
_PLACES: Final = 30_000
_EDGES: Final = 200_000

NOTHING: Final = 0
AT_END: Final = 1
MORE: Final = 2
"""What the end of a part still asks for: nothing, the end of the text, or anything else."""

Ways = Mapping[int, int]
Ends = Mapping[int, tuple[int, int]]


class Part(NamedTuple):
    """A part of a pattern.

    `first`: the places where it may begin, with the ways to each; `initial`: the same at the start of the
    text. `last`: the places where it may end, with the ways and what must still hold. `empty` and
    `initially_empty`: in how many ways it matches the empty text, and in `needs` and `initially_needs` what
    must still hold there. Its own places are those from `low` to `high`.
    """

    low: int = 0
    high: int = 0
    first: Ways = MappingProxyType({})
    initial: Ways = MappingProxyType({})
    last: Ends = MappingProxyType({})
    empty: int = 1
    initially_empty: int = 1
    needs: int = NOTHING
    initially_needs: int = NOTHING
    single: bool = False  # exactly one character


class Automaton:
    """The places of a pattern's characters, and which may follow which.

    `unrolled` is how many turns of a counted repetition get places of their own; one with more counts as
    endless, which can only add ways. `complete` turns False where the pattern needs more places or edges than
    are looked at, `exact` where there are more ways than the pattern has: conditions and back-references
    always hold here.
    """

    START: Final = 0
    """Before the first character of the text."""
    SEARCH: Final = 1
    """A later place in the text from which the search tries again."""
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
        self.whole = Part()
        self.again = 0  # tries at each later place in the text, where all of them end at once
        self.left = _EDGES

    @property
    def here(self) -> int:
        """The place that is added next."""
        return len(self.ranges)

    def character(self, ranges: Ranges) -> Part:
        """One character of `ranges`, at a place of its own."""
        if not self._room(1):
            return Part()
        place = self._add(ranges)
        return Part(place, place + 1, {place: 1}, {place: 1}, {place: (1, NOTHING)}, 0, 0, single=True)

    def nothing(self) -> Part:
        """The empty text."""
        return Part(self.here, self.here)

    def start(self) -> Part:
        """`^`: nothing, at the start of the text; elsewhere a try that fails."""
        return Part(self.here, self.here, first={self.DEAD: 1}, empty=0)

    def end(self) -> Part:
        """`$`: nothing, at the end of the text."""
        return Part(self.here, self.here, needs=AT_END, initially_needs=AT_END)

    def condition(self) -> Part:
        """A condition that consumes nothing, and may hold anywhere."""
        self.exact = False
        dead = {self.DEAD: 1}
        return Part(self.here, self.here, dead, dead, needs=MORE, initially_needs=MORE)

    def reference(self) -> Part:
        """A back-reference: any text at all, or none."""
        self.exact = False
        if not self._room(1):
            return Part()
        place = self._add(EVERYTHING)
        self.follow[place][place] = 1
        one, end = {place: 1}, {place: (1, MORE)}
        return Part(place, place + 1, one, one, end, needs=MORE, initially_needs=MORE)

    def ahead(self, body: Part) -> Part:
        """A look-ahead: its body is tried beside what comes after, and and one way through it is kept."""
        self.exact = False
        return Part(body.low, body.high, body.first, body.initial, needs=MORE, initially_needs=MORE)

    def behind(self, body: Part) -> Part:
        """A look-behind: as many tries as its body, which has a fixed width, has places on all ways."""
        self.exact = False
        known: dict[int, int] = {}
        tries = sum(
            ways * self._tries(place, known, frozenset())
            for begin in (body.first, body.initial)
            for place, ways in begin.items()
        )
        dead = {self.DEAD: min(1 + tries, MANY)}
        return Part(body.low, self.here, dead, dead, needs=MORE, initially_needs=MORE)

    def _tries(self, place: int, known: dict[int, int], above: frozenset[int]) -> int:
        if place in above or len(above) > 200:
            self.complete = False
            return 0
        if place not in known:
            inside = above | {place}
            rest = (ways * self._tries(next_, known, inside) for next_, ways in self.follow[place].items())
            known[place] = min(1 + sum(rest), MANY)
        return known[place]

    def then(self, one: Part, two: Part) -> Part:
        """One part, and then another."""
        if not self._room(len(one.last) * len(two.first) + (len(one.first) if one.empty else 0)):
            return Part()
        self._connect(one.last, two.first)
        first = self._reached(two.first, one.needs) if one.empty else {}
        initial = self._reached(two.initial, one.initially_needs) if one.initially_empty else {}
        last = two.last
        if two.empty and one.last:
            on = {
                place: (min(ways * two.empty, MANY), max(needs, two.needs))
                for place, (ways, needs) in one.last.items()
            }
            last = {**on, **two.last}
            self.left -= len(last)
        return Part(
            one.low,
            self.here,
            _sum(one.first, first, one.empty),
            _sum(one.initial, initial, one.initially_empty),
            last,
            min(one.empty * two.empty, MANY),
            min(one.initially_empty * two.initially_empty, MANY),
            max(one.needs, two.needs),
            max(one.initially_needs, two.initially_needs),
        )

    def either(self, parts: list[Part]) -> Part:
        """Any of several parts."""
        if len(parts) == 1:
            return parts[0]
        first: dict[int, int] = {}
        initial: dict[int, int] = {}
        last: dict[int, tuple[int, int]] = {}
        for part in parts:
            if not self._room(len(part.first) + len(part.last)):
                return Part()
            for place, ways in part.first.items():
                first[place] = min(first.get(place, 0) + ways, MANY)
            for place, ways in part.initial.items():
                initial[place] = min(initial.get(place, 0) + ways, MANY)
            last.update(part.last)
        return Part(
            parts[0].low,
            self.here,
            first,
            initial,
            last,
            min(sum(part.empty for part in parts), MANY),
            min(sum(part.initially_empty for part in parts), MANY),
            min((part.needs for part in parts if part.empty), default=NOTHING),
            min((part.initially_needs for part in parts if part.initially_empty), default=NOTHING),
            all(part.single for part in parts),
        )

    def repeat(self, part: Part, low: int, high: int | None) -> Part:
        """A part at least `low` times, and at most `high` times (None: without end).

        Behind the turns that it must make, `re` ends a repetition after a turn that was empty.
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
        whole = turns[0] if turns else Part()
        for one in turns[1:]:
            whole = self.then(whole, one)
        return whole._replace(low=part.low, high=self.here, single=False)

    def _turns(self, part: Part, count: int) -> list[Part]:
        """A part so many times, each at places of its own."""
        if count < 2:
            return [part] * count
        rows = [dict(row) for row in self.follow[part.low : part.high]]
        return [part, *(self._copy(part, rows) for _ in range(count - 1))]

    def _endless(self, part: Part, low: int) -> Part:
        """A part without end: from no turn on, or from one."""
        if not self._room(len(part.last) * len(part.first)):
            return Part()
        self._connect(part.last, part.first)
        out, initially = 1 + part.empty, 1 + part.initially_empty
        last = {place: (min(ways * out, MANY), needs) for place, (ways, needs) in part.last.items()}
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

    def _optional(self, turns: list[Part]) -> Part:
        """Each turn only behind the one before it, and the end behind any."""
        last: dict[int, tuple[int, int]] = {}
        for index, part in enumerate(turns):
            if index:
                if not self._room(len(part.last) * len(part.first)):
                    return Part()
                self._connect(turns[index - 1].last, part.first)
            out = 1 + part.empty
            last.update({place: (min(ways * out, MANY), needs) for place, (ways, needs) in part.last.items()})
        first = turns[0]
        return first._replace(
            last=last,
            empty=min(1 + first.empty, MANY),
            initially_empty=min(1 + first.initially_empty, MANY),
            needs=NOTHING,
            initially_needs=NOTHING,
        )

    def finish(self, whole: Part, leading: Ranges) -> None:
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

    def _room(self, edges: int) -> bool:
        self.left -= edges
        self.complete = self.complete and self.left > 0 and len(self.ranges) <= _PLACES
        return self.complete

    def _add(self, ranges: Ranges) -> int:
        self.ranges.append(ranges)
        self.follow.append({})
        return len(self.ranges) - 1

    def _connect(self, ends: Ends, starts: Ways) -> None:
        for end, (out, needs) in ends.items():
            row = self.follow[end]
            for start, into in self._reached(starts, needs).items():
                row[start] = min(row.get(start, 0) + out * into, MANY)

    def _reached(self, starts: Ways, needs: int) -> Ways:
        """The ways to `starts` behind something that needs this: no character follows the end of the text."""
        if needs == AT_END:
            return {self.DEAD: min(sum(starts.values()), MANY)}
        if needs == MORE and starts.keys() - {self.DEAD}:
            self.exact = False
        return starts

    def _copy(self, part: Part, rows: list[dict[int, int]]) -> Part:
        """The same part at new places; `rows` are its edges as they were before it was repeated."""
        if not self._room(len(rows) + sum(map(len, rows))):
            return Part()
        low = self.here
        by = low - part.low

        def moved(ways: Iterable[tuple[int, int]]) -> dict[int, int]:
            return {place + by if place >= part.low else place: count for place, count in ways}

        for offset, row in enumerate(rows):
            self._add(self.ranges[part.low + offset])
            self.follow[low + offset] = moved(row.items())
        return part._replace(
            low=low,
            high=self.here,
            first=moved(part.first.items()),
            initial=moved(part.initial.items()),
            last={place + by: end for place, end in part.last.items()},
        )


def _sum(one: Ways, two: Ways, times: int) -> Ways:
    if not times or not two:
        return one
    total = dict(one)
    for place, ways in two.items():
        total[place] = min(total.get(place, 0) + ways * times, MANY)
    return total


def _times(ways: Ways, times: int) -> Ways:
    return ways if times == 1 else {place: min(count * times, MANY) for place, count in ways.items()}
