"""Unusual values of each JSON type, and for each format its texts, near misses and patterns."""

import random
from collections.abc import Iterable, Mapping
from typing import Final

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
