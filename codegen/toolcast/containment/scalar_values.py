"""Numbers and strings of a case, the likeliest first; values at which schemas may change their verdict."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ..instances.samples import FORMATS, sample
from ..jsonschema.equality import equal
from ..jsonschema.json_values import is_number
from .case_facts import Interval, as_number, interval_of, text_lengths, values_of
from .cases import Case, Part, possible_facts
from .texts import UndecidedTextError, find_text

_DATE: Final = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_ZONE: Final = r"(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_TIME: Final = rf"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?{_ZONE}"
_BYTE: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"

EXACT: Final[Mapping[str, str]] = {
    "uuid": "^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$",
    "ipv4": rf"^{_BYTE}(?:\.{_BYTE}){{3}}$",
    "json-pointer": "^(?:/(?:[^~/]|~[01])*)*$",
}
"""Formats that are the texts of a pattern."""

WIDER: Final[Mapping[str, str]] = {
    **EXACT,
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}[Tt]{_TIME}$",
    "duration": "^P[0-9YMDTHSW]+$",
    "email": r"^[\x20-\x7e]+@[A-Za-z0-9.:\[\]-]+$",
    "hostname": "^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
    "ipv6": "^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.\-]*:[!-~]*$",
    "uri-reference": "^[!-~]*$",
}
"""Patterns that every text of a format matches; some match more."""


def patterns_of(formats: Iterable[str]) -> list[str]:
    """The patterns that every text of all of `formats` matches."""
    return list(dict.fromkeys(WIDER[name] for name in formats if name in WIDER))


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
