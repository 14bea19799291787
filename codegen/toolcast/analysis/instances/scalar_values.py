"""Numbers and texts of one case of a contract: the likeliest first, or varied ones at the bounds and between
them; and unusual values of each JSON type, with the texts, near misses and patterns of each format."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ...jsonschema.case_facts import Interval, as_number, interval_of, text_lengths, values_of
from ...jsonschema.cases import Case, Part
from ...jsonschema.json_values import is_number
from .pattern_texts import UndecidedTextError, find_text, sample

# No \r, U+2028 or U+2029: ECMA-262's dot does not match them, the engine below jsonschema-rs's does.
STRINGS: Final = (
    "", "a", "0", "1", "true", "null", "A", " ", "\n", "a\n", "é", "e\u0301", "ﬁ", "中文", "😀", "\u0660",
    "\x00", '"\\/', "{}", "[]", "__class__", "a" * 70, "-1", "1e5", "2024-02-29", "x-y_z.w", "İ", "ß",
)  # fmt: skip
INTEGERS: Final = (
    0, 1, -1, 2, 3, 7, 10, 100, -5, 255, 2**31 - 1, 2**31, -(2**31), 2**53, 2**53 + 1, 2**63 - 1, 2**63,
    -(2**63), -(2**63) - 1, 2**64, 10**20, -(10**20),
)  # fmt: skip
FLOATS: Final = (0.0, -0.0, 0.5, -0.5, 1.0, 2.0, 1.5, 0.1, 1e-7, 1e16, 1e22, 1e300, -1e300, 5e-324, 3.14)
JUNK: Final[tuple[object, ...]] = (
    None, True, False, 0, 1, -1, 1.0, 1.5, "", "a", "1", [], {}, [None], [[]], {"a": 1}, {"": None},
    [1, 1.0], 2**64, -0.0,
)  # fmt: skip

FORMATS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "date-time": (
        ("2024-02-29T12:00:00Z", "1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00"),
        ("2024-02-30T12:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01 12:00:00", "2024-01-01T12:00:00"),
    ),
    "date": (("2024-02-29", "1999-12-31"), ("2023-02-29", "2024-13-01", "2024-1-1", "20240101")),
    "time": (("12:00:00Z", "23:20:50.52+01:00"), ("24:00:00Z", "12:00:00", "12:60:00Z")),
    "duration": (("P1D", "PT1H30M", "P4W", "P1Y2M3DT4H5M6S"), ("P", "PT", "1D", "P1H", "P1W2D")),
    "email": (
        ("a@example.org", "first.last+tag@sub.example.com"),
        ("a", "a@", "@b.c", "a b@c.d", "a..b@c.d"),
    ),
    "hostname": (("example.org", "a-b.c", "localhost"), ("-a.b", "a_b.c", "a..b", "a" * 64)),
    "ipv4": (("127.0.0.1", "255.255.255.255"), ("256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5")),
    "ipv6": (
        ("::1", "2001:db8::8a2e:370:7334", "::ffff:1.2.3.4"),
        (":::", "12345::", "1::2::3", "fe80::1%eth0"),
    ),
    "uri": (("https://example.org/a?b#c", "urn:isbn:0451450523"), ("/a/b", "a b", "http://a b/", "\\\\a")),
    "uri-reference": (("/a/b", "https://example.org", "#x", "a"), ("\\\\a", "a b", "http://a<b>")),
    "uuid": (
        ("123e4567-e89b-12d3-a456-426614174000",),
        ("123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400"),
    ),
    "regex": (("^a+$", "[a-z]"), ("(", "[a", "*a")),
    "json-pointer": (("", "/a/b", "/a~0b~1c"), ("a", "/~2", "/a~")),
}
"""Format → texts of that format, and near misses."""

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
    """Return the patterns that every text of all of `formats` matches."""
    return list(dict.fromkeys(WIDER[name] for name in formats if name in WIDER))


def junk(rng: random.Random, depth: int = 0) -> object:
    """Return any JSON value."""
    roll = rng.random()
    if depth > 2 or roll < 0.7:
        return rng.choice(JUNK)
    if roll < 0.85:
        return [junk(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice(STRINGS): junk(rng, depth + 1) for _ in range(rng.randint(0, 3))}


MAX_LENGTH: Final = 20_000
"""Characters of a text; items of an array and properties of an object are a tenth of it."""
_TRIES: Final = 16
"""Values by chance, before the likely ones are taken."""


def _literals(facts: Sequence[Part], wanted: Callable[[object], bool]) -> list[Any]:
    found = [value for values in values_of(facts, "enum") for value in values[:20]]
    found += values_of(facts, "const")
    return [value for value in found if wanted(value)]


class Numbers:
    """Numbers that are likely to be in a case, and in `soft` schemas; interesting ones of `near` schemas."""

    def __init__(self, case: Case, soft: Sequence[Part], near: Sequence[Part], *, hinted: bool) -> None:
        self._whole = case.whole
        self._plain = interval_of(case.facts, whole=case.whole)
        self._both = interval_of((*case.facts, *soft), whole=case.whole) if soft else self._plain
        self._near = near
        edges = [*_number_edges(near), *_literals(near, is_number), *_number_edges(case.facts)]
        edges += [*_PLAIN, *(_multiples(self._plain))]
        if not hinted:
            edges += INTEGERS if case.whole else (*INTEGERS, *FLOATS)
        self._edges = edges

    def varied(self, rng: random.Random) -> Iterator[object]:
        """Yield numbers at bounds, between them, and unusual ones."""
        for _ in range(_TRIES):
            yield rng.choice(self._edges) if rng.random() < 0.7 else _within(self._plain, rng)

    def likely(self) -> Iterator[object]:
        """Yield round numbers, and those at the bounds of the case."""
        for each in (self._both, self._plain):
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
        yield from _number_edges(self._near)


_PLAIN: Final = (0, 1, -1, 0.5, 1.5, 2**53, 10**20, -7)


def _number_edges(facts: Sequence[Part]) -> list[Any]:
    found: list[Any] = []
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        for bound in values_of(facts, keyword):
            found += [bound, bound - 1, bound + 1]
            found += [bound - 0.5, bound + 0.5] if abs(bound) < 2**50 else []
    for step in values_of(facts, "multipleOf"):
        found += [step, step * 3, step * 7, step * 1.5]
    return [value for value in found if abs(value) < 1e300]


def _multiples(interval: Interval) -> list[Any]:
    step = interval.step or Fraction(1)
    first, last = interval.first, interval.last
    if first is not None:
        return [as_number(first + count * step) for count in range(8)]
    if last is not None:
        return [as_number(last - count * step) for count in range(8)]
    return [as_number(count * step) for count in range(-3, 8)]


def _within(interval: Interval, rng: random.Random) -> int | float:
    """A number of an interval, not far from its ends where it has one only."""
    first, last = interval.first, interval.last
    step = interval.step
    if first is not None and last is not None and first < last:
        step = step or (last - first) / 64
        return as_number(first + step * rng.randint(0, int((last - first) / step)))
    step = step or Fraction(1, 4)
    if first is not None:
        return as_number(first + step * rng.randint(0, 80))
    return as_number((last or 0) - step * rng.randint(0 if last is not None else -80, 80))


class Texts:
    """Texts that are likely to be in a case: by its patterns, its formats and its lengths."""

    def __init__(self, case: Case, soft: Sequence[Part], near: Sequence[Part], *, hinted: bool) -> None:
        self._facts = case.facts
        self._soft = soft
        self._near = near
        self._refused = case.refused
        every = (*case.facts, *near)
        self._patterns = list(dict.fromkeys(values_of(every, "pattern")))
        self._ends = ("", "!", "a") if hinted or case.refused else ("",)
        self._edges = [*_literals(near, lambda value: isinstance(value, str)), *_text_edges(every)]
        self._bases = ("", "a", "b1", " ", "A-b", "é", "\n", "0") if hinted else STRINGS
        self._lengths = text_lengths(case.facts)
        self._formats = [name for name in values_of(case.facts, "format") if name in FORMATS]

    def varied(self, rng: random.Random) -> Iterator[str]:
        """Yield texts for the patterns and formats, at the bounds of lengths, and unusual ones."""
        for _ in range(_TRIES):
            roll = rng.random()
            if self._patterns and roll < 0.7:
                text = sample(rng, rng.choice(self._patterns))
                if text is not None:
                    yield text + rng.choice(self._ends)
            elif self._formats and roll < 0.8:
                yield rng.choice(FORMATS[rng.choice(self._formats)][0])
            elif self._edges and rng.random() < 0.5:
                yield rng.choice(self._edges)
            else:
                yield self._of_length(rng)

    def _of_length(self, rng: random.Random) -> str:
        text = rng.choice(self._bases)
        least, most = min(self._lengths.least, MAX_LENGTH), self._lengths.most
        if len(text) < least or rng.random() < 0.1:
            far = least + 5 if most is None else min(most, least + 100)
            wanted = rng.choice((least, least + 1, far))
            text = (text + rng.choice(("a", "é", "😀", "Z ")) * wanted)[:wanted]
        return text if most is None else text[:most]

    def likely(self) -> Iterator[str]:
        """Yield short texts; the shortest ones for the patterns."""
        refused = [part.schema["pattern"] for part in self._refused if _is_pattern(part)]
        for facts in ((*self._facts, *self._soft), self._facts):
            lengths = text_lengths(facts)
            patterns = list(dict.fromkeys(values_of(facts, "pattern")))
            if patterns:
                patterns += patterns_of(values_of(facts, "format"))
            for name in values_of(facts, "format"):
                yield from FORMATS[name][0] if name in FORMATS else ()
            if lengths.empty or lengths.least > MAX_LENGTH:
                continue
            if patterns or refused:
                try:
                    text = find_text(patterns, refused, max(lengths.least, 1), lengths.most)
                    yield text if text is not None else ""
                except UndecidedTextError:
                    chance = random.Random(0)
                    for _ in range(8 if patterns else 0):
                        yield sample(chance, chance.choice(patterns)) or ""
            if not patterns:
                yield "a" * max(lengths.least, 1 if lengths.most is None or lengths.most > 0 else 0)
                yield "a" * lengths.least
        yield from _text_edges(self._near)


def _is_pattern(part: Part) -> bool:
    return isinstance(part.schema, dict) and "pattern" in part.schema and part.schema.keys() <= _PATTERN


_PATTERN: Final = {"pattern", "type"}


def _text_edges(facts: Sequence[Part]) -> list[str]:
    found: list[str] = []
    for keyword in ("minLength", "maxLength"):
        for length in values_of(facts, keyword):
            found += [
                letter * (int(length) + off)
                for off in (-1, 0, 1)
                for letter in ("a", "1")
                if 0 <= int(length) + off <= MAX_LENGTH
            ]
    for name in values_of(facts, "format"):
        right, wrong = FORMATS.get(name, ((), ()))
        found += [*right, *wrong]
    return found
