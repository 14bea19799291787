"""Numbers and strings of a case, the likeliest first."""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from ..instances.samples import FORMATS, sample
from ..jsonschema.json_values import is_number
from .case_facts import as_number, interval_of, text_lengths, values_of
from .cases import Case, possible_facts
from .edges import MAX_LENGTH, literals, multiples, number_edges, text_edges
from .format_patterns import patterns_of
from .sides import Part
from .texts import UndecidedTextError, find_text


def numbers(
    case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], rng: random.Random | None
) -> Iterator[Any]:
    """Numbers that are likely to be in a case: round ones, and those at its bounds."""
    near = facts_of(hints)
    suggested = [*number_edges(near), *literals(near, is_number)]
    plain = interval_of(case.facts, whole=case.whole)
    if rng is not None:
        yield from shuffled([*suggested, *number_edges(case.facts), *multiples(plain)], rng)[:16]
    interval = interval_of((*case.facts, *soft), whole=case.whole)
    for each in (interval, plain):
        if each.empty:
            continue
        first, last, step = each.first, each.last, each.step
        yield from (1, 0, 2, 5, 10)
        if first is not None and last is not None:
            yield as_number((first + last) / 2) if step is None else as_number(first)
        for bound, off in ((first, 1), (last, -1)):
            if bound is not None:
                yield as_number(bound)
                yield as_number(bound + off * (step or Fraction(1)))
                yield as_number(bound + off * (step or Fraction(1)) / 2)
        if step is not None:
            yield as_number(step)
        yield 0.5


def texts(
    case: Case, soft: tuple[Part, ...], hints: tuple[Part, ...], rng: random.Random | None
) -> Iterator[str]:
    """Strings that are likely to be in a case: by its patterns, its formats and its lengths."""
    near = facts_of(hints)
    if rng is not None:
        suggested = [
            *literals(near, lambda value: isinstance(value, str)),
            *text_edges((*case.facts, *near), rng),
        ]
        yield from shuffled(suggested, rng)[:16]
    for facts in ((*case.facts, *soft), case.facts):
        lengths = text_lengths(facts)
        patterns = list(dict.fromkeys(values_of(facts, "pattern")))
        if patterns:
            patterns += patterns_of(values_of(facts, "format"))
        for name in values_of(facts, "format"):
            yield from FORMATS[name][0] if name in FORMATS else ()
        if lengths.empty or lengths.least > MAX_LENGTH:
            continue
        if patterns:
            try:
                least = max(lengths.least, 1)
                text = find_text(patterns, (), least, lengths.most)
                yield text if text is not None else ""
            except UndecidedTextError:
                chance = rng or random.Random(0)
                for _ in range(8):
                    yield sample(chance, chance.choice(patterns)) or ""
        else:
            wanted = max(lengths.least, 1 if lengths.most is None or lengths.most > 0 else 0)
            yield "a" * wanted
            yield "a" * lengths.least


def facts_of(hints: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(possible_facts(hints)) if hints else ()


def shuffled(items: Sequence[Any], rng: random.Random | None) -> list[Any]:
    """The items in an order by chance, if there is any."""
    found = list(items)
    if rng is not None and len(found) > 1:
        rng.shuffle(found)
    return found
