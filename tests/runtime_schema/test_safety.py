"""Patterns that explode are told from those that do not; Python's own engine is the judge of the former."""

import re
import time

import pytest
from toolwright.runtime.schema import translate
from toolwright.runtime.schema.ecma import is_safe


@pytest.mark.parametrize(
    ("pattern", "hard"),
    [
        ("^(a+)+$", "a" * 40 + "!"),
        ("^(a*)*$", "a" * 40 + "!"),
        (r"^(\w+\s?)*$", "a" * 40 + "!"),
        ("^((a)|[ab])*$", "a" * 40 + "!"),
        (r"^([a-z]+(\.[a-z]+)*)+$", "a" * 40 + "!"),
        (r"^(?:(?:a{1,}b?){2,30})$", "a" * 40 + "!"),
    ],
)
def test_explosive(pattern: str, hard: str) -> None:
    assert is_safe(pattern)
    search = re.compile(translate(pattern)).search
    times = []
    for length in (12, 14, 16):
        started = time.perf_counter()
        search(hard[-length:])
        times.append(time.perf_counter() - started)
    assert times[2] > 2 * times[0]


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-zA-Z0-9_-]+$",
        r"^([a-z]+\.)*[a-z]+$",
        r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$",
        "^(a+b)+$",
        "^(/[^/]+)+$",
        "^(ab|cd)*$",
        r"^\d{4}(-\d\d){2}$",
        r'^"(?:[^"\\]|\\.)*"$',
        "^(?:[0-9a-f]{2}:)*[0-9a-f]{2}$",
        "^(a+)?$",
        r"^(?:\s*,\s*\w+)*$",
    ],
)
def test_harmless(pattern: str) -> None:
    assert is_safe(pattern) is None
