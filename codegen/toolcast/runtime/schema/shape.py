"""What a part of a regular expression may begin with, and where it may go on: enough to see it explode.

A backtracking engine needs exponential time where a repetition can hand the same characters now to an inner
repetition and now to its own next turn, as in `(a+)+` or `(\\w+\\s?)*`.
"""

from typing import NamedTuple

from .charset import Ranges, union


class Shape(NamedTuple):
    """`first`: what it may begin with; `tail`: what it may still swallow once it could have ended."""

    first: Ranges = ()
    tail: Ranges = ()
    nullable: bool = True
    single: bool = False  # exactly one character
    ambiguous: bool = False  # may match one text in two ways of equal length
    starts: frozenset[int] = frozenset()  # places (`ambiguity.Places`) where it may begin
    ends: frozenset[int] = frozenset()  # and where it may end

    def then(self, following: "Shape") -> "Shape":
        """This, and then that."""
        if following == EMPTY:
            return self
        if self == EMPTY:
            return following
        return Shape(
            union([*self.first, *following.first]) if self.nullable else self.first,
            union([*self.tail, *following.tail]) if following.nullable else following.tail,
            self.nullable and following.nullable,
            ambiguous=self.ambiguous or following.ambiguous,
            starts=self.starts | following.starts if self.nullable else self.starts,
            ends=self.ends | following.ends if following.nullable else following.ends,
        )

    def otherwise(self, other: "Shape") -> "Shape":
        """This or that."""
        return Shape(
            union([*self.first, *other.first]),
            union([*self.tail, *other.tail]),
            self.nullable or other.nullable,
            self.single and other.single,
            starts=self.starts | other.starts,
            ends=self.ends | other.ends,
        )

    def repeated(self, low: int, many: bool) -> "Shape":
        """At least `low` times, and (`many`) practically without end."""
        tail = union([*self.first, *self.tail]) if many else self.tail
        return self._replace(tail=tail, nullable=self.nullable or low == 0, single=False)


EMPTY = Shape()


def character(ranges: Ranges, place: frozenset[int]) -> Shape:
    """One character of `ranges`, at a place of its own."""
    return Shape(ranges, (), False, True, starts=place, ends=place)


def overlap(left: Ranges, right: Ranges) -> bool:
    """Whether two sets share a code point."""
    a = b = 0
    while a < len(left) and b < len(right):
        if left[a][1] < right[b][0]:
            a += 1
        elif right[b][1] < left[a][0]:
            b += 1
        else:
            return True
    return False
