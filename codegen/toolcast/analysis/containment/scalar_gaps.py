"""Numbers and texts of a case against the keywords of one schema."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from ...jsonschema.case_facts import (
    Interval,
    as_number,
    interval_of,
    text_lengths,
    values_of,
)
from ...jsonschema.cases import FRACTION, Case, asserts
from ..instances.pattern_texts import UndecidedTextError, find_text
from ..instances.scalar_values import EXACT, FORMATS, patterns_of
from .gaps import Gap, Goal

UNUSUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "date-time": ("2024-02-29t12:00:00z", "2024-02-29T12:00:00.123456789+23:59", "0000-01-01T00:00:00-00:00"),
    "date": ("0000-01-01", "9999-12-31"),
    "time": ("12:00:00.123456789z", "00:00:00-23:59"),
    "duration": ("P0D", "PT0S", "P100Y"),
    "email": ("a!#$%&'*+/=?^_`{|}~-@example.org", "A@b", "1@xn--a.example"),
    "hostname": ("a", "A-1.B", "1.2"),
    "ipv4": ("0.0.0.0",),
    "ipv6": ("::", "FE80::A", "1:2:3:4:5:6:7.8.9.10"),
    "uri": ("a:", "HTTP://a", "mailto:a@b", "file:///a", "http://[::1]:8080/%20"),
    "uri-reference": ("", "?", "//a"),
    "uuid": ("00000000-0000-0000-0000-000000000000", "123E4567-E89B-02D3-F456-426614174000"),
    "json-pointer": ("/", "/~0"),
    "regex": ("", "a|b"),
}
"""Texts of a format that a pattern for it is likely to forget."""
_INCLUDED_FORMATS: Final = {"uri": ("uri-reference",)}
"""Format → formats that each of its texts has too."""


def number_gaps(goal: Goal) -> list[Gap]:
    """Return the gaps of numbers against bounds and `multipleOf`."""
    ours = interval_of(goal.facts, whole=goal.case.whole)
    theirs = interval_of((goal.target,), whole=False)
    found: list[Gap] = []
    if theirs.low is not None and _below(ours, theirs):
        before = _bound_text(ours.low, is_open=ours.low_open, none="no minimum")
        message = f"minimum: {before} before, {_bound_text(theirs.low, is_open=theirs.low_open)} now"
        found.append(goal.gap("minimum-raised", message, lambda: _low_values(ours, theirs)))
    if theirs.high is not None and _below(ours.mirrored, theirs.mirrored):
        before = _bound_text(ours.high, is_open=ours.high_open, none="no maximum")
        message = f"maximum: {before} before, {_bound_text(theirs.high, is_open=theirs.high_open)} now"
        found.append(
            goal.gap("maximum-lowered", message, lambda: _low_values(ours.mirrored, theirs.mirrored, -1))
        )
    if theirs.step is not None and (ours.step is None or (ours.step / theirs.step).denominator != 1):
        message = f"multiples of {as_number(theirs.step)!r} only"
        values = goal.gap(
            "multiple-of-narrowed",
            message,
            lambda: _multiples(ours, theirs.step or Fraction(1)),
        )
        found.append(values)
    return found


def no_fraction_gap(goal: Goal) -> Gap | None:
    """Return the gap of numbers with a fraction, where only integers are accepted."""
    ours = interval_of(goal.facts, whole=goal.case.whole)
    if not goal.case.mask & FRACTION or (ours.step is not None and ours.step.denominator == 1):
        return None
    message = "numbers before, integers only now"
    return goal.gap("type-narrowed", message, lambda: _multiples(ours, Fraction(1)))


def _below(ours: Interval, theirs: Interval) -> bool:
    first = ours.first
    if first is None:
        return True
    assert theirs.low is not None
    open_here = ours.low_open and first == ours.low
    return first < theirs.low or (first == theirs.low and theirs.low_open and not open_here)


def _low_values(ours: Interval, theirs: Interval, sign: int = 1) -> Iterator[object]:
    """Yield numbers near the lower bound of `theirs`, each times `sign`."""
    assert theirs.low is not None
    step = ours.step or Fraction(1)
    near = theirs.low - theirs.low % step if theirs.low % step else theirs.low - step
    if theirs.low_open and ours.step is None:
        yield as_number(sign * theirs.low)
    yield as_number(sign * near)
    if theirs.low_open:
        yield as_number(sign * theirs.low)
    if ours.first is not None:
        yield as_number(sign * ours.first)
        yield as_number(sign * (ours.first + theirs.low) / 2)
    for off in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)):
        yield as_number(sign * (theirs.low - off))


def _multiples(ours: Interval, step: Fraction) -> Iterator[Any]:
    """Yield numbers of the interval that may be no multiples of `step`."""
    own = ours.step or step / 2
    start = ours.first
    if start is None:
        start = (ours.last // own) * own - 4 * own if ours.last is not None else own
    else:
        start = -(-start // own) * own
    for count in range(5):
        yield as_number(start + count * own)
    for off in (Fraction(1, 2), Fraction(1, 10), Fraction(3, 100)):
        yield as_number(start + off)
    if ours.first is not None and ours.last is not None:
        yield as_number((ours.first + ours.last) / 2)


def _bound_text(bound: Fraction | None, *, is_open: bool, none: str = "") -> str:
    if bound is None:
        return none
    text = f"{as_number(bound)!r:.40}"
    return f"{text} exclusive" if is_open else text


# -- texts ----------------------------------------------------------------------------------------


def string_gaps(goal: Goal) -> list[Gap]:
    """Return the gaps of texts against lengths, `pattern` and `format`."""
    schema = goal.target.schema
    lengths = text_lengths(goal.facts)
    found: list[Gap] = []
    low, high = int(schema.get("minLength", 0)), schema.get("maxLength")
    if lengths.least < low and _has_text(goal.case, lengths.least, low - 1):
        message = f"at least {lengths.least} characters before, {low} now"
        found.append(
            goal.gap("min-length-raised", message, lambda: _texts(goal.case, lengths.least, low - 1))
        )
    if high is not None and (lengths.most is None or lengths.most > high):
        least = max(lengths.least, int(high) + 1)
        if _has_text(goal.case, least, lengths.most):
            before = "any number of characters" if lengths.most is None else f"at most {lengths.most}"
            message = f"{before} before, at most {int(high)} characters now"
            found.append(
                goal.gap("max-length-lowered", message, lambda: _texts(goal.case, least, lengths.most))
            )
    if "pattern" in schema:
        found += _pattern_gaps(goal)
    if "format" in schema and asserts("format", schema["format"]):
        found += _format_gaps(goal)
    return found


def _patterns(case: Case) -> list[str]:
    return list(dict.fromkeys(values_of(case.facts, "pattern")))


def _all_patterns(case: Case) -> list[str]:
    return [*_patterns(case), *patterns_of(values_of(case.facts, "format"))]


def _has_text(case: Case, least: int, most: int | None) -> bool:
    patterns = _all_patterns(case)
    if not patterns:
        return True
    try:
        return find_text(patterns, (), least, most) is not None
    except UndecidedTextError:
        return True


def _texts(case: Case, least: int, most: int | None) -> Iterator[str]:
    patterns = _patterns(case)
    if patterns:
        try:
            text = find_text(patterns, (), least, most)
        except UndecidedTextError:
            text = None
        if text is not None:
            yield text
    if least <= _MAX_TEXT:
        yield "a" * least
        if most is None:
            yield "a" * (least + 1)
    for name in values_of(case.facts, "format"):
        yield from FORMATS[name][0] if name in FORMATS else ()
        if name == "email" and least <= _MAX_TEXT:
            yield "a" * max(least - 12, 1) + "@example.org"
        if name in ("uri", "uri-reference") and least <= _MAX_TEXT:
            yield "https://example.org/" + "a" * least
        if name == "date-time" and least <= _MAX_TEXT:
            yield f"2024-02-29T12:00:00.{'0' * max(least - 21, 1)}Z"


_MAX_TEXT: Final = 1_000_000
"""Characters of a witness."""


def _pattern_gaps(goal: Goal) -> list[Gap]:
    pattern = goal.target.schema["pattern"]
    ours = _patterns(goal.case)
    if pattern in ours:
        return []
    lengths = text_lengths(goal.facts)
    text: str | None = None
    try:
        text = find_text(_all_patterns(goal.case), (pattern,), lengths.least, lengths.most)
        if text is None:
            return []
    except UndecidedTextError:
        pass
    reason = "pattern-changed" if ours else "pattern-added"
    before = " and ".join(f"`{each:.80}`" for each in ours) if ours else "any text"
    message = f"{before} before, `{pattern:.80}` now"

    def values() -> Iterator[str]:
        if text is not None:
            yield text
            if not text:
                yield " "
        yield from ("!", "a", "A", "0", "é", "a" * max(lengths.least, 1))
        for name in values_of(goal.facts, "format"):
            yield from FORMATS[name][0] if name in FORMATS else ()
            yield from UNUSUAL.get(name, ())

    return [goal.gap(reason, message, values)]


def _format_gaps(goal: Goal) -> list[Gap]:
    name = goal.target.schema["format"]
    ours = list(dict.fromkeys(each for each in values_of(goal.facts, "format") if asserts("format", each)))
    if any(name == each or name in _INCLUDED_FORMATS.get(each, ()) for each in ours):
        return []
    lengths = text_lengths(goal.facts)
    text: str | None = None
    if name in EXACT:
        try:
            text = find_text(_all_patterns(goal.case), (EXACT[name],), lengths.least, lengths.most)
            if text is None:
                return []
        except UndecidedTextError:
            pass
    message = f"format: {' and '.join(ours) if ours else 'none'} before, {name} now"

    def values() -> Iterator[str]:
        yield "not a " + name
        if text is not None:
            yield text
        for each in ours:
            yield from FORMATS[each][0] if each in FORMATS else ()
            yield from UNUSUAL.get(each, ())
        yield from ("", " ", "\\\\", "(", "a b", "https://example.org/a", "/a/b")
        yield from FORMATS[name][1] if name in FORMATS else ()
        yield from _texts(goal.case, lengths.least, lengths.most)

    return [goal.gap("format-changed" if ours else "format-added", message, values)]
