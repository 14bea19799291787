"""Strings and numbers as expressions: patterns, lengths, formats, names to leave out, bounds.

Strings are made of their own characters; how these are written in a text is for a `Spelling` to say.
"""

from collections.abc import Callable, Iterable, Mapping
from math import ceil, floor
from typing import Final, NamedTuple, TypeVar

from ..jsonschema.charset import Ranges, complement, union
from ..jsonschema.ecma import build
from ..jsonschema.validator_errors import UnsupportedPattern
from .expressions import (
    NOTHING,
    Characters,
    Expression,
    Repeat,
    Rules,
    Text,
    choice,
    one_of,
    optional,
    parts_of,
    repeated,
    sequence,
)

_Bound = TypeVar("_Bound", int, float)

_SURROGATES: Final[Ranges] = ((0xD800, 0xDFFF),)
_SCALARS: Final = complement(_SURROGATES)
ANY_CHARACTER: Final = Characters(_SCALARS)
ANY_TEXT: Final = Repeat(ANY_CHARACTER)

_EMPTY: Final = Rules()
_MAX_EXPANDED: Final = 20_000
"""Characters that a pattern describes, each turn of a counted repetition on its own."""


_MAX_TURNS: Final = 2_000
"""The turns that every engine counts."""


class InexpressibleError(ValueError):
    """No expression fits exactly these texts; `str()` says why."""


def characters(ranges: Ranges) -> Expression:
    """Return one character of some ranges that is no half of a surrogate pair."""
    return one_of(complement(union([*complement(ranges), *_SURROGATES])))


# -- patterns ------------------------------------------------------------------------------------

_Ends = tuple[bool, bool]


class _Part(NamedTuple):
    """The texts of a part of a pattern, by whether they stand at the start and at the end of the text."""

    texts: Mapping[_Ends, Expression]


class _PatternBuilder:
    def character(self, ranges: Ranges) -> _Part:
        return _part({(False, False): characters(ranges)})

    def nothing(self) -> _Part:
        return _part({(False, False): Text("")})

    def start(self) -> _Part:
        return _part({(True, False): Text("")})

    def end(self) -> _Part:
        return _part({(False, True): Text("")})

    def condition(self) -> _Part:
        raise InexpressibleError(r"`\b` and `\B` depend on what is around them")

    def reference(self) -> _Part:
        raise InexpressibleError("it has a back-reference")

    def ahead(self, _: _Part) -> _Part:
        raise InexpressibleError("it looks ahead")

    def behind(self, _: _Part) -> _Part:
        raise InexpressibleError("it looks behind")

    def then(self, one: _Part, two: _Part) -> _Part:
        found: dict[_Ends, list[Expression]] = {}
        for (start, end), first in one.texts.items():
            for (begins, ends), second in two.texts.items():
                if end and begins:
                    raise InexpressibleError("`^` stands behind `$`")
                if end:  # nothing follows the end of the text
                    if _EMPTY.may_be_empty(second):
                        found.setdefault((start, True), []).append(first)
                elif begins:
                    if _EMPTY.may_be_empty(first):
                        found.setdefault((True, ends), []).append(second)
                else:
                    found.setdefault((start, ends), []).append(sequence(first, second))
        return _part({ends: choice(several) for ends, several in found.items()})

    def either(self, parts: list[_Part]) -> _Part:
        ends = sorted({each for part in parts for each in part.texts})
        return _part({at: choice(p.texts[at] for p in parts if at in p.texts) for at in ends})

    def repeat(self, part: _Part, low: int, high: int | None) -> _Part:
        if max(low, high or 0) > _MAX_TURNS:
            raise InexpressibleError(f"it counts more than {_MAX_TURNS:,} turns of a repetition")
        if part.texts.keys() <= {(False, False)}:
            return _part({(False, False): repeated(part.texts.get((False, False), NOTHING), low, high)})
        if (low, high) == (0, 1):
            return self.either([part, self.nothing()])
        if (low, high) == (1, 1):
            return part
        raise InexpressibleError("`^` or `$` is repeated")


def _part(texts: Mapping[_Ends, Expression]) -> _Part:
    return _Part({ends: each for ends, each in texts.items() if each != NOTHING})


def pattern(source: str) -> Expression:
    """Return the texts in which an ECMA-262 pattern finds something. Raises InexpressibleError."""
    try:
        found = build(source, _PatternBuilder())
    except UnsupportedPattern as problem:
        raise InexpressibleError(str(problem)) from None
    options = [
        sequence(*([] if start else [ANY_TEXT]), text, *([] if end else [ANY_TEXT]))
        for (start, end), text in found.texts.items()
    ]
    if sum(map(_expanded, options)) > _MAX_EXPANDED:
        raise InexpressibleError(f"it describes more than {_MAX_EXPANDED:,} characters")
    return choice(options)


def _expanded(text: Expression) -> int:
    if isinstance(text, Repeat):
        return _expanded(text.part) * max(text.most or text.least, 1)
    return len(text.text) if isinstance(text, Text) else sum(map(_expanded, parts_of(text))) + 1


# -- formats -------------------------------------------------------------------------------------

_DAY: Final = (
    r"(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|02-(?:0[1-9]|1\d|2[0-8]))"
    r"|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
_CLOCK: Final = (
    r"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
    r"|23:59:60(?:\.\d+)?(?:[Zz]|[+-]00:00))"
)
"""A leap second in UTC alone: with an offset it is another spelling of the same time."""
_BYTE: Final = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4: Final = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_FORMATS: Final[Mapping[str, str]] = {
    "date": _DAY,
    "time": _CLOCK,
    "date-time": f"{_DAY}[Tt]{_CLOCK}",
    "uuid": r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    "ipv4": _IPV4,
}
"""Formats that models often write, as patterns of whole texts."""


def formatted(name: str) -> Expression:
    """Return the texts of a format. Raises InexpressibleError."""
    if name not in _FORMATS:
        raise InexpressibleError("it has no expression here")
    return pattern(f"^(?:{_FORMATS[name]})$")


# -- names to leave out --------------------------------------------------------------------------

_MAX_NAME: Final = 128


def other_than(names: Iterable[str]) -> Expression:
    """Return all texts but some. Raises InexpressibleError for long names."""
    tree: dict[str, dict[str, object]] = {}
    for name in names:
        if len(name) > _MAX_NAME:
            raise InexpressibleError(f"a name has more than {_MAX_NAME} characters")
        node: dict[str, object] = tree  # type: ignore[assignment]
        for letter in name:
            node = node.setdefault(letter, {})  # type: ignore[assignment]
        node[""] = {}
    return _others(tree)


def _others(tree: Mapping[str, object]) -> Expression:
    letters = sorted(tree.keys() - {""})
    rest = characters(complement(union((ord(each), ord(each)) for each in letters)))
    options: list[Expression] = [] if "" in tree else [Text("")]
    options += [sequence(Text(each), _others(tree[each])) for each in letters]  # type: ignore[arg-type]
    if options == [Text("")]:
        return ANY_TEXT
    return choice([*options, sequence(rest, ANY_TEXT)])


# -- numbers -------------------------------------------------------------------------------------

MAX_DIGITS: Final = 308
"""Digits of an integer: each such number is a finite float as well."""
_WHOLE: Final = 30
_FRACTION: Final = 20
"""Digits of a number before and after its point; with an exponent it may be any that a float holds."""
_LEAST: Final = -324
_PLAIN: Final = 16
_LARGE: Final = 10.0**_PLAIN
"""Numbers from here on are written with an exponent, as JSON's writers do."""
_GREATEST: Final = "7976931348623157"
"""Digits behind `1.` of the greatest float, whose exponent is `MAX_DIGITS`."""


def _digits(low: int, high: int | None) -> Expression:
    return repeated(Characters(((0x30, 0x39),)), low, high)


def _between(low: str, high: str) -> Expression:
    """Return the digits from `low` to `high`, which have one length."""
    if not low:
        return Text("")
    if low[0] == high[0]:
        return sequence(Text(low[0]), _between(low[1:], high[1:]))
    rest = len(low) - 1
    first, last = low[0], high[0]
    options = []
    if low[1:].strip("0"):
        options.append(sequence(Text(first), _between(low[1:], "9" * rest)))
        first = chr(ord(first) + 1)
    end: Expression = NOTHING
    if high[1:].strip("9"):
        end = sequence(Text(last), _between("0" * rest, high[1:]))
        last = chr(ord(last) - 1)
    middle = one_of(((ord(first), ord(last)),)) if first <= last else NOTHING
    options.append(sequence(middle, _digits(rest, rest)))
    return choice([*options, end])


def _whole(low: int, high: int | None, most: int = MAX_DIGITS) -> Expression:
    """Return the integers from `low` (0 or more) to `high`, of at most so many digits."""
    longest: int = 10**most - 1
    high = longest if high is None else min(high, longest)
    if low > high:
        return NOTHING
    if len(str(low)) == len(str(high)):
        return _between(str(low), str(high))
    short, long = len(str(low)), len(str(high))
    between = sequence(Characters(((0x31, 0x39),)), _digits(short, long - 2))
    last = _between("1" + "0" * (long - 1), str(high))
    return choice([_between(str(low), "9" * short), between, last])


def _signed(
    low: _Bound | None, high: _Bound | None, magnitude: Callable[[_Bound, _Bound | None], Expression]
) -> Expression:
    """Return numbers from `low` to `high`: those of a sign are written by `magnitude`."""
    options = []
    if high is None or high >= 0:
        options.append(magnitude(max(low or 0, 0), high))
    if low is None or low < 0:
        found = magnitude(max(-(high or 0), 0), None if low is None else -low)
        options.append(sequence(Text("-"), found))
    if len(options) == 2 and sequence(Text("-"), options[0]) == options[1]:
        return sequence(optional(Text("-")), options[0])
    return choice(options)


def integer(low: int | None, high: int | None) -> Expression:
    """Return the integers between two bounds, both included, of at most `MAX_DIGITS` digits."""
    return _signed(low, high, _whole)


def number(low: float | None, high: float | None) -> Expression:
    """Return numbers whose sign and whole part two bounds admit, both included: each that a float holds has a
    spelling, and each spelling is read as a finite float. From `_LARGE` on only the digits of a bound count.
    """
    return _signed(low, high, _real)


def _real(least: float, most: float | None) -> Expression:
    """Return numbers of one sign. An exponent is written where a number is less than one, or large."""
    fraction = optional(sequence(Text("."), _digits(1, _FRACTION)))
    options = [sequence(_whole(floor(least), None if most is None else ceil(most) - 1, _WHOLE), fraction)]
    if most is not None and most == floor(most):
        last = optional(sequence(Text("."), repeated(Text("0"), 1, _FRACTION)))
        options.append(sequence(_whole(floor(most), floor(most), _WHOLE), last))
    power = Characters(((0x45, 0x45), (0x65, 0x65)))
    mantissa, zeros = sequence(Characters(((0x31, 0x39),)), fraction, power), Repeat(Text("0"), 0, 2)
    if least < 1 and most != 0:
        options.append(sequence(mantissa, Text("-"), zeros, _whole(1, -_LEAST)))
    if most is not None and most < _LARGE:
        return choice(options)
    digits = MAX_DIGITS + 1 if most is None else len(str(floor(most)))
    powers = _whole(0 if least < 1 else _PLAIN, min(digits, MAX_DIGITS) - 1)
    options.append(sequence(mantissa, optional(Text("+")), zeros, powers))
    if digits > MAX_DIGITS:
        more = [sequence(one_of(((0x30, 0x36),)), _digits(0, _FRACTION)), _between("7" + "0" * 15, _GREATEST)]
        end = sequence(power, optional(Text("+")), Text(str(MAX_DIGITS)))
        options.append(sequence(Text("1"), optional(sequence(Text("."), choice(more))), end))
    return choice(options)
