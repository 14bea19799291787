"""Values at which schemas may change their verdict: members, bounds, multiples, lengths, samples."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from ..instances.samples import FORMATS, sample
from ..jsonschema.equality import equal
from .case_facts import Interval, as_number, values_of
from .sides import Part

MAX_LENGTH: Final = 20_000
"""Characters of a text; items of an array and properties of an object are a tenth of it."""


def literals(facts: Sequence[Part], wanted: Callable[[Any], bool]) -> list[Any]:
    """Some members of `enum` and `const`."""
    found = [value for values in values_of(facts, "enum") for value in values[:20]]
    found += values_of(facts, "const")
    return [value for value in found if wanted(value)]


def number_edges(facts: Sequence[Part]) -> list[Any]:
    """Numbers at which the schemas may change their verdict."""
    found: list[Any] = []
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for bound in values_of(facts, keyword):
            found += [bound, bound - 1, bound + 1]
            found += [bound - 0.5, bound + 0.5] if abs(bound) < 2**50 else []
    for step in values_of(facts, "multipleOf"):
        found += [step, step * 3, step * 7, step * 1.5]
    return [value for value in found if abs(value) < 1e300] + [0, 1, -1, 0.5, 1.5, 2**53, 10**20, -7]


def multiples(interval: Interval) -> list[Any]:
    """Some of the numbers of an interval, from its end."""
    step = interval.step or Fraction(1)
    first, last = interval.first, interval.last
    if first is not None:
        return [as_number(first + count * step) for count in range(8)]
    if last is not None:
        return [as_number(last - count * step) for count in range(8)]
    return [as_number(count * step) for count in range(-3, 8)]


def text_edges(facts: Sequence[Part], rng: random.Random) -> list[str]:
    """Texts at which the schemas may change their verdict."""
    found = ["", "a", "b1", " ", "A-b", "é", "\n", "0"]
    for keyword in ("minLength", "maxLength"):
        for length in values_of(facts, keyword):
            found += [
                letter * (int(length) + off)
                for off in (-1, 0, 1)
                for letter in ("a", "1")
                if 0 <= int(length) + off <= MAX_LENGTH
            ]
    for pattern in dict.fromkeys(values_of(facts, "pattern")):
        made = [text for text in (sample(rng, pattern) for _ in range(3)) if text is not None]
        found += [text + end for text in made for end in ("", "!", "a")]
    for name in values_of(facts, "format"):
        right, wrong = FORMATS.get(name, ((), ()))
        found += [*right, *wrong]
    return found


def distinct(values: Iterable[Any]) -> Iterator[Any]:
    """Each of `values` once."""
    found: list[Any] = []
    for value in values:
        if not any(equal(value, other) for other in found):
            found.append(value)
            yield value
