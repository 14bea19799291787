"""Sample strings, numbers and other values, for no schema, for a pattern, and for the bounds of a schema."""

import math
import random
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from ..jsonschema import UnsupportedPattern, translate
from ..jsonschema.regex_cache import cache_short_texts
from ..jsonschema.satisfiable import common_multiple

# No \r, U+2028 or U+2029: ECMA-262's dot does not match them, the engine below jsonschema-rs's does.
STRINGS: Final = (
    "",
    "a",
    "0",
    "1",
    "true",
    "null",
    "A",
    " ",
    "\n",
    "a\n",
    "é",
    "e\u0301",
    "ﬁ",
    "中文",
    "😀",
    "\u0660",
    "\x00",
    '"\\/',
    "{}",
    "[]",
    "__class__",
    "a" * 70,
    "-1",
    "1e5",
    "2024-02-29",
    "x-y_z.w",
    "İ",
    "ß",
)

INTEGERS: Final = (
    0,
    1,
    -1,
    2,
    3,
    7,
    10,
    100,
    -5,
    255,
    2**31 - 1,
    2**31,
    -(2**31),
    2**53,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63),
    -(2**63) - 1,
    2**64,
    10**20,
    -(10**20),
)

FLOATS: Final = (0.0, -0.0, 0.5, -0.5, 1.0, 2.0, 1.5, 0.1, 1e-7, 1e16, 1e22, 1e300, -1e300, 5e-324, 3.14)

JUNK: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    1.5,
    "",
    "a",
    "1",
    [],
    {},
    [None],
    [[]],
    {"a": 1},
    {"": None},
    [1, 1.0],
    2**64,
    -0.0,
)

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


_PARSER: Any = getattr(re, "_parser", None)
_MAX_REPEAT = 4
_WIDE = "aZ09_ -./é中\n"
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_NOT_DIGIT": "ab_ -",
    "CATEGORY_WORD": "abcXYZ019_",
    "CATEGORY_NOT_WORD": " -.!/é",
    "CATEGORY_SPACE": " \t\n",
    "CATEGORY_NOT_SPACE": "abZ09-",
}


@cache_short_texts
def _parsed(pattern: str) -> Any:
    try:
        return _PARSER.parse(translate(pattern))
    except (UnsupportedPattern, re.error, RecursionError, OverflowError, AttributeError):
        return None


def sample(rng: random.Random, pattern: str) -> str | None:
    """A string for `pattern`, or None where none can be derived."""
    tree = _parsed(pattern)
    if tree is None:
        return None
    groups: dict[int, str] = {}
    try:
        return "".join(_piece(rng, op, argument, groups) for op, argument in tree)
    except (RecursionError, LookupError):
        return None


def sample_first(pattern: str) -> str:
    """Always the same string for `pattern`; empty where none can be derived."""
    return sample(random.Random(0), pattern) or ""


def _sequence(rng: random.Random, tree: Any, groups: dict[int, str]) -> str:
    return "".join(_piece(rng, op, argument, groups) for op, argument in tree)


def _piece(rng: random.Random, op: Any, argument: Any, groups: dict[int, str]) -> str:
    name = str(op)
    if name == "LITERAL":
        return chr(argument)
    if name == "NOT_LITERAL":
        return rng.choice([c for c in _WIDE if ord(c) != argument])
    if name == "ANY":
        return rng.choice(_WIDE.replace("\n", ""))
    if name == "IN":
        return _member(rng, argument)
    if name == "BRANCH":
        return _sequence(rng, rng.choice(argument[1]), groups)
    if name == "SUBPATTERN":
        text = _sequence(rng, argument[3], groups)
        if argument[0] is not None:
            groups[argument[0]] = text
        return text
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, inner = argument
        high = min(int(high), int(low) + _MAX_REPEAT)
        count = rng.choice((int(low), high, rng.randint(int(low), high)))
        return "".join(_sequence(rng, inner, groups) for _ in range(min(count, 300)))
    if name == "GROUPREF":
        return groups.get(argument, "")
    if name == "GROUPREF_EXISTS":
        chosen = argument[1] if argument[0] in groups else argument[2]
        return _sequence(rng, chosen or (), groups)
    if name == "ATOMIC_GROUP":
        return _sequence(rng, argument, groups)
    return ""  # anchors and look-arounds match no characters


def _member(rng: random.Random, items: Any) -> str:
    negated = str(items[0][0]) == "NEGATE"
    if negated:
        allowed = [c for c in _WIDE + "bcdefgh!#%&" if not any(_holds(item, c) for item in items[1:])]
        return rng.choice(allowed or ["\u2603"])
    op, argument = rng.choice(items)
    name = str(op)
    if name == "LITERAL":
        return chr(argument)
    if name == "RANGE":
        low, high = argument
        return chr(rng.choice((low, high, rng.randint(low, min(high, low + 200)))))
    if name == "CATEGORY":
        return rng.choice(_CATEGORIES.get(str(argument), "a"))
    return "a"


def _holds(item: Any, char: str) -> bool:
    op, argument = item
    name = str(op)
    if name == "LITERAL":
        return bool(ord(char) == argument)
    if name == "RANGE":
        return bool(argument[0] <= ord(char) <= argument[1])
    return char in _CATEGORIES.get(str(argument), "")


Facts = Sequence[dict[str, Any]]
"""Schemas that all apply to one value."""


def values_of(facts: Facts, keyword: str) -> list[Any]:
    """The values of `keyword` in the schemas."""
    return [schema[keyword] for schema in facts if keyword in schema]


def numeric(facts: Facts, keyword: str) -> list[Any]:
    """The same, numbers only."""
    return [v for v in values_of(facts, keyword) if isinstance(v, (int, float)) and not isinstance(v, bool)]


def number(rng: random.Random, facts: Facts, *, whole: bool) -> int | float:
    """A number that is likely to fit: at a bound, near one, or a multiple."""
    lows = numeric(facts, "minimum") + numeric(facts, "exclusiveMinimum")
    highs = numeric(facts, "maximum") + numeric(facts, "exclusiveMaximum")
    low, high = (max(lows) if lows else None), (min(highs) if highs else None)
    steps = [step for step in numeric(facts, "multipleOf") if step > 0]
    if steps:
        return _multiple(rng, steps, low, high, whole=whole)
    near: list[int | float] = []
    if low is not None:
        near += [low, low + 1, low + rng.randint(0, 20)]
    if high is not None:
        near += [high, high - 1, high - rng.randint(0, 20)]
    if low is not None and high is not None and high - low < 1e300:
        near += [low + (high - low) * rng.random(), (low + high) / 2]
    if not near:
        near = [rng.choice(INTEGERS), rng.randint(-20, 20)]
        if not whole:
            near += [rng.choice(FLOATS), rng.uniform(-100, 100)]
    value = rng.choice(near)
    if whole and isinstance(value, float):
        value = math.floor(value) if rng.random() < 0.5 else math.ceil(value)
    if not whole and rng.random() < 0.3 and abs(value) < 1e15:
        value = value + rng.choice((0.5, -0.5, 0.25, 0.1))
    return value


def _multiple(rng: random.Random, steps: list[Any], low: Any, high: Any, *, whole: bool) -> int | float:
    step = common_multiple([*(Fraction(str(each)) for each in steps), *([Fraction(1)] if whole else [])])
    first = math.ceil(Fraction(str(low)) / step) if low is not None else None
    last = math.floor(Fraction(str(high)) / step) if high is not None else None
    if first is None:
        first = (last - 40) if last is not None else -20
    if last is None or last < first:
        last = first + 40
    found = step * rng.choice((first, last, rng.randint(first, last)))
    return int(found) if found.denominator == 1 else float(found)


def string(rng: random.Random, facts: Facts) -> str:
    """A string that is likely to fit patterns, a format and lengths."""
    low = max([0, *(int(v) for v in numeric(facts, "minLength"))])
    highs = [int(v) for v in numeric(facts, "maxLength")]
    high = min(highs) if highs else None
    patterns = [v for v in values_of(facts, "pattern") if isinstance(v, str)]
    formats = [v for v in values_of(facts, "format") if v in FORMATS]
    if patterns:
        for _ in range(8):
            text = sample(rng, rng.choice(patterns))
            if text is None:
                break
            if low <= len(text) and (high is None or len(text) <= high):
                return text
    if formats and rng.random() < 0.9:
        return rng.choice(FORMATS[rng.choice(formats)][0])
    text = rng.choice(STRINGS)
    wanted = (
        rng.choice((low, low + 1, low + 5)) if high is None else rng.choice((low, high, min(high, low + 1)))
    )
    wanted = min(wanted, 20_000)
    if len(text) < low:
        text += rng.choice(("a", "é", "😀", "Z ")) * wanted
        text = text[: max(wanted, low)]
    return text if high is None or len(text) <= high else text[:high]
