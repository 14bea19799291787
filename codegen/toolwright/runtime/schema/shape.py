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
        )._replace(ambiguous=self.ambiguous or following.ambiguous)

    def otherwise(self, other: "Shape") -> "Shape":
        """This or that."""
        return Shape(
            union([*self.first, *other.first]),
            union([*self.tail, *other.tail]),
            self.nullable or other.nullable,
            self.single and other.single,
        )

    def repeated(self, low: int, many: bool) -> "Shape":
        """At least `low` times, and (`many`) practically without end."""
        tail = union([*self.first, *self.tail]) if many else self.tail
        return Shape(self.first, tail, self.nullable or low == 0, ambiguous=self.ambiguous)


EMPTY = Shape()


def character(ranges: Ranges) -> Shape:
    """One character of `ranges`."""
    return Shape(ranges, (), False, True)


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
