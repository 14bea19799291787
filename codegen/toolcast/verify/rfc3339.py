"""The grammar of dates and times, which jsonschema-rs reads too widely: numbers with a sign, or cut short.

It takes "12:00:0.Z" for a time, "+020-01-01" for a date and "1996-12-19T1-:39:57Z" for a date-time. What the
grammar of RFC 3339 (section 5.6) lets through is still its to judge: the days of a month, leap seconds.
"""

import re
from collections.abc import Callable

import jsonschema_rs

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
_GRAMMAR = {"date": _DATE, "time": _TIME, "date-time": rf"{_DATE}[Tt]{_TIME}"}


def _check(name: str, pattern: str) -> Callable[[str], bool]:
    grammar = re.compile(pattern)
    judge = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)

    def check(value: str) -> bool:
        return grammar.fullmatch(value) is not None and bool(judge.is_valid(value))

    return check


CHECKS = {name: _check(name, pattern) for name, pattern in _GRAMMAR.items()}
"""By format: whether a string is one, for jsonschema-rs to ask instead of its own check."""
