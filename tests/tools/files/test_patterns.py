"""The syntax of patterns: what it means, and what is refused with a way out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast_tools.files.line_search import PatternError, compile_pattern

from tests.tools.files.searches import patterns


def finds(pattern: str, text: str, **options: bool) -> bool:
    return compile_pattern(pattern, **options).expression.search(text.encode()) is not None


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\w+", "ä", False),
        (r"\pL+", "ä", True),
        (r"[\p{Lu}_]\P{L}", "Ä1", True),
        (r"\p{^L}", "a", False),
        (r"\d", "٣", False),
        (r"\bfoo\b", "äfooä", True),
        (r"interface{}", "interface{}", True),
        (r"a{2", "a{2", True),
        (r"a{ 2}", "a{ 2}", True),
        (r"[]a]", "]", True),
        (r"[^]a]", "]a", False),
        (r"[^\n]b", "a\nb", False),
        (r"a\sb", "a\nb", False),
        (r"[a-]", "-", True),
        (r"[-a]", "-", True),
        (r"[\]\\]", "\\", True),
        (r"[+-]", ",", False),
        (r"\x41\x{42}", "AB", True),
        (r"\/\-\"\'\ \#", "/-\"' #", True),
        (r"(?i)ä(?-i:Ö)", "ÄÖ", True),
        (r"(?i)ä(?-i:Ö)", "ÄÖ".swapcase(), False),
        (r"((?i)a)b", "AB", False),
        (r"(?i:ß)", "ẞ", True),
        (r"(?i:i)", "ı", False),
        (r"(?i)[^k]", "\u212a", False),
        (r"(?<year>\d{4})-(?P<month>\d\d)", "2026-11", True),
        (r"a.c", "a\nc", False),
        (r"[[:upper:][:digit:]]{2}", "A1", True),
        (r"[[:^alpha:]]", "a", False),
        (r"x*", "", True),
        (r"a||b", "", True),
    ],
)
def test_what_patterns_mean(pattern: str, text: str, found: bool) -> None:
    assert finds(pattern, text) is found


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"a\nb", "a\nb", True),
        ("a\nb", "a\nb", True),
        (r"a\sb", "a\nb", True),
        (r"a[^x]b", "a\nb", True),
        (r"a.b", "a\nb", False),
        (r"(?s)a.b", "a\nb", True),
        (r"^b$", "a\nb\nc", True),
    ],
)
def test_what_patterns_mean_across_lines(pattern: str, text: str, found: bool) -> None:
    assert finds(pattern, text, multiline=True) is found


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=a)", "no look-around"),
        ("(?<!a)b", "no look-around"),
        (r"(a)\1", r"invalid escape sequence: \\1\. .* no reference to a group"),
        ("(?x) a", "invalid perl operator"),
        ("(a", r"missing \)"),
        ("a)", r"unexpected \)"),
        ("[a", "missing ]"),
        ("[[a]]", "Escape it"),
        ("[a&&b]", "Escape it"),
        (r"[\d--b]", "Escape it"),
        ("[z-a]", "invalid character class range: z-a"),
        ("*a", "no argument for repetition"),
        ("a**", "bad repetition operator"),
        ("a{1001}", "at most 1000 repetitions"),
        (r"\p{Xx}", "invalid character class range"),
        (r"\u00e9", r"invalid escape sequence: \\u\. .* write \\x{E9}"),
        (r"\x{110000}", "invalid escape sequence"),
        (r"\<a", r"Write \\b for the edge of a word"),
        (r"\b{start}", r"Write \\b for the edge of a word"),
        ("a\\", "trailing"),
        (r"a\nb", "Set multiline to match across lines"),
        ("a\nb", "Set multiline to match across lines"),
        ("\ud800", "Write the whole character"),
    ],
)
def test_what_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=reason):
        compile_pattern(pattern)


@given(pattern=st.text("()[]{}|*+?.^$\\-:<>Pab1,&in\n ", max_size=20), multiline=st.booleans())
def test_every_text_is_compiled_or_refused(pattern: str, multiline: bool) -> None:
    try:
        found = compile_pattern(pattern, multiline=multiline).expression.search(b"a\nb")
    except PatternError:
        return
    assert found is None or multiline or found.start() == found.end() or found.end() - found.start() == 1


@given(pattern=patterns(), text=st.text("ab k_.{-1\té日", max_size=8))
def test_patterns_that_re_knows_mean_the_same(pattern: str, text: str) -> None:
    # These differ: POSIX, \B in an empty text before Python 3.14, letters whose cases are no ASCII.
    if any(each in pattern for each in ("[:", r"\B", "(?i", "(?-i", r"\p", r"\P", r"\b{")):
        return
    try:
        expression = re.compile(pattern, re.ASCII)
    except re.error:
        return  # a name twice
    assert finds(pattern, text) == (expression.search(text) is not None)
