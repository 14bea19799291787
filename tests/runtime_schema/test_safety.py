"""Patterns that explode are told from those that do not; Python's own engine is the judge of the former."""

import gc
import re
import time
from collections.abc import Callable
from weakref import ref

import pytest
from toolcast.contract.patterns import slow_pattern
from toolcast.runtime.schema import Validator, translate
from toolcast.runtime.schema.ecma import degree, is_safe
from toolcast.runtime.schema.memory import LONGEST


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
        started = time.process_time()
        search(hard[-length:])
        times.append(time.process_time() - started)
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


def cost(pattern: str, text: str) -> float:
    """The processor time of one search, the least of a few."""
    search = re.compile(translate(pattern)).search
    times = []
    for _ in range(4):
        started = time.process_time()
        for _ in range(3):
            assert search(text) is None
        times.append(time.process_time() - started)
    return min(times)


POLYNOMIAL = [
    ("a*a*b", "a", 2),
    (r"\s*\s*x", " ", 2),
    (r"^\s*\s*$", " ", 2),
    ("^.*foo.*bar$", "foo", 2),
    ("foo.*bar", "foo", 2),
    ("^(ab)*(ab)*c$", "ab", 2),
    ("^a*b?a*c$", "a", 2),
    (r"^\w+\d+x$", "1", 2),
    (r"x\w+y", "x", 2),
    ("^(?=.*a.*b)", "a", 2),
    ("^(?:a*){2}b$", "a", 2),
    (r"^[^@\s]+@[^@\s]+\.[^@\s]+$", ".", 2),
    ("^.+/.+$", "/", 2),
    ("^.*.*.*=$", "a", 3),
    (r"^\s*(.*)\s*;$", " ", 3),
]


@pytest.mark.parametrize(("pattern", "text", "power"), POLYNOMIAL)
def test_polynomial(pattern: str, text: str, power: int) -> None:
    assert is_safe(pattern) is None
    assert degree(pattern) == power
    short = 600 if power == 2 else 80
    head = "a@" if "@" in pattern else ""
    lengths = [head + text * (count // len(text)) + "!\n" for count in (short, 4 * short)]
    slow, slower = (cost(pattern, length) for length in lengths)
    assert slower > 6 * slow, "a linear search takes four times as long"


LINEAR = [
    r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$",
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$",
    r"^https?://.+$",
    r"^/.*$",
    r"^(?=.*[A-Z])(?=.*\d).{8,}$",
    r"^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+$",
    r"^[a-z0-9]+(-[a-z0-9]+)*$",
    r"\s+$",
    r"[a-z]+",
    r"\d+px",
    r"^[^/]+/[^/]+$",
    r"^.*\.json$",
    r"^\{.*\}$",
    r"^[\s\S]*$",
    r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$",
    r"^a*a*",  # nothing behind it can fail
    r"^\w{1,64}\w{1,64}$",  # so short that it does not matter
    r"^(\d{1,3}\.){3}\d{1,3}$",
    r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$",
]


@pytest.mark.parametrize("pattern", LINEAR)
def test_linear(pattern: str) -> None:
    assert degree(pattern) == 1
    assert slow_pattern(pattern) is None


def test_a_short_text_is_no_reason_to_warn() -> None:
    assert "the square of" in str(slow_pattern("a*a*b"))
    assert "the power 3 of" in str(slow_pattern("^.*.*.*=$"))
    assert slow_pattern("a*a*b", 1_000) is None
    assert slow_pattern("^.*.*.*=$", 1_000) is not None
    assert slow_pattern("^.*.*.*=$", 100) is None
    assert "exponential" in str(slow_pattern("(a+)+b", 64))
    assert slow_pattern("(a+)+b", 12) is None
    assert slow_pattern("a*a*b", "1000") is not None


def test_a_large_pattern_is_looked_at_quickly() -> None:
    started = time.process_time()
    degree("^(" + "|".join(f"[a-z]*{i}[a-z]*" for i in range(400)) + ")*$")
    degree("^" + r"[a-z]*\d?" * 60 + "$")
    assert time.process_time() - started < 3


def test_too_long_a_text_is_not_searched() -> None:
    """Explaining names each violation, but a search that maxLength was to keep short stays out."""
    validator = Validator({"type": "string", "maxLength": 10, "pattern": "^a*a*a*a*b$"})
    assert [one.keyword for one in validator.violations("a" * 12)] == ["maxLength", "pattern"]
    started = time.process_time()
    assert [one.keyword for one in validator.violations("a" * 100_000)] == ["maxLength"]
    assert time.process_time() - started < 1


@pytest.mark.parametrize("ask", [translate, is_safe, degree])
def test_long_patterns_are_not_kept_alive(ask: Callable[[str], object]) -> None:
    class Pattern(str):
        __slots__ = ("__weakref__",)

    short, long = Pattern("^[ab]$"), Pattern("^" + "a" * LONGEST + "$")
    assert ask(short) == ask("^[ab]$")
    assert ask(long) == ask("^" + "a" * LONGEST + "$")
    seen = ref(long)
    del long
    gc.collect()
    assert seen() is None
