"""What composed schemas are made of: names, patterns, formats, values and bounds."""

from typing import Any

NAMES = ("a", "b", "c", "kind", "class", "x-y", "ﬁ", "Ünï", "_p", "self", "n 1", "A")
PATTERNS = (
    "^a", "b$", "^[a-c]+$", r"^\d{2,4}$", r"\w", r"^\S+@\S+$", "^(foo|bar)$", "^.{1,3}$", r"^[^\s]*$",
    r"\p{L}", "a{2}", r"^x?\.$", r"\bz", "^(?:a|b)c*$", r"^\u00e9", "[A-Z][a-z]", r"^$", r"\s", r"^[\w-]+$",
    "(?!a)b",
)  # fmt: skip
KEY_PATTERNS = ("^a", "^x-", "b$", "^[a-c]$", r"^\d", "^_", ".", r"^\w+$")
FORMATS = (
    "date-time",
    "date",
    "time",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uuid",
    "unknown",
)
LITERALS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.0, 2, 1.5, "", "a", "b", "1", "é", [], [1], {}, ["a", None],
    {"a": 1}, 2**53, 2**64, -0.0,
)  # fmt: skip
NUMBERS: tuple[int | float, ...] = (
    0,
    1,
    -1,
    2,
    3,
    5,
    10,
    -10,
    0.5,
    1.5,
    -2.5,
    100,
    2**31,
    2**53,
    2**63 - 1,
    2**64,
    10**20,
)
STEPS: tuple[int | float, ...] = (1, 2, 3, 5, 0.5, 0.1, 0.01, 1.5, 10, 7, 2.0, 0.25)
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")
