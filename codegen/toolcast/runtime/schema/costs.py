"""What a search for a pattern may cost, gathered while the pattern is read."""

import re

from . import charset
from .ambiguity import SEARCH, Places
from .escapes import Scanner
from .shape import EMPTY, Shape, overlap

BRACES = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_FEW = 10  # turns of a repetition that cannot hurt
_ENOUGH = 1_000  # and from here on they might as well be endless


class Costs(Scanner):
    """A pattern being read, and the shape of what was read last."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.shape = EMPTY  # of what was read last
        self.places = Places()
        self.anchored = True  # every alternative begins with `^`
        self.copies = 0  # of an endless repetition in a row, written as one with a few turns
        self.must_end = False  # somewhere it says where the text must end
        self.risk: str | None = None
        self.leading = ""  # one character, repeated without end at the start of the only alternative

    def degree(self) -> int:
        """The power of the text's length that a failing search may take; after the whole was read."""
        places, starts, ends = self.places, self.shape.starts, self.shape.ends
        if self.leading:  # a search begins only where the run does
            starts -= {min(starts, default=SEARCH)}
        if not self.anchored:
            places.connect(frozenset({SEARCH}), starts)
        if self.must_end:  # what takes any character reaches the end
            ends = frozenset(place for place in ends if places.ranges[place] == charset.complement(()))
        return places.degree(ends) + self.copies

    def join(self, shape: Shape, alternatives: list[Shape]) -> None:
        """The shape of a group, from that of its last alternative and those before."""
        ambiguous = shape.ambiguous
        for other in alternatives:
            both = shape.single and other.single and overlap(shape.first, other.first)
            ambiguous = ambiguous or both or other.ambiguous
            shape = shape.otherwise(other)
        self.shape = shape._replace(ambiguous=ambiguous)

    def repeat(self, bounds: str, start: int) -> None:
        """Put the quantifier `bounds` on the shape read since `start`, and note whether that explodes."""
        match = BRACES.match(bounds)
        low, high = (0 if bounds[0] in "*?" else 1), (1 if bounds[0] == "?" else None)
        if match:
            low = int(match[1])
            high = int(match[3]) if match[3] else (None if match[2] else low)
        many = high is None or high > _FEW
        inner = self.shape
        if many and (inner.ambiguous or overlap(inner.tail, inner.first)) and not self.risk:
            self.risk = f"`{self.text[start : self.at]}` repeats what already repeats, with no border between"
        if high is not None and 2 <= high <= _FEW and overlap(inner.tail, inner.first):
            self.copies = max(self.copies, high - 1)
        if high is None or high > _ENOUGH:
            self.places.connect(inner.ends, inner.starts)
        self.shape = inner.repeated(low, many)
