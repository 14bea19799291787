"""The dialect of patterns: what it means, and what is refused with a way out."""

import re
from unicodedata import category

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st
from toolcast_tools.files.search_pattern import (
    CATEGORIES,
    RE2,
    RIPGREP,
    PatternError,
    complement,
    contains,
    difference,
    fold,
    general_category,
    translate,
    union,
)

from tests.sampled import sampled
from tests.tools.files.searches import patterns

SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 5)).map(lambda pair: (pair[0], sum(pair))), max_size=5
)


def finds(pattern: str, text: str, **options: bool) -> bool:
    return re2.search(translate(pattern, RE2, **options), text) is not None


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
        (r"[a-]", "-", True),
        (r"[-a]", "-", True),
        (r"[\]\\]", "\\", True),
        (r"[+-]", ",", False),
        (r"\x41\u0042\U00000043\x{44}", "ABCD", True),
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
        ("(?=a)", "look-around"),
        ("(?!a)", "look-around"),
        ("(?<=a)b", "look-around"),
        ("(?<!a)b", "look-around"),
        ("(?>a)", "looks around or refers"),
        (r"(a)\1", r"refers to a group with '\\1'"),
        (r"\k<a>", "refers to a group"),
        ("(?P=a)", "looks around or refers"),
        ("(?x) a", "unknown kind"),
        ("(?U)a", "unknown kind"),
        ("(?-m)^a", "unknown kind"),
        ("(?<1>a)", "name is none"),
        ("(a", "has a '\\(' without its '\\)' \\(at character 1\\)"),
        ("a)", "has a '\\)' without its '\\('"),
        ("[a", "has a '\\[' without its '\\]'"),
        ("[[a]]", r"has a '\[' in a class. Escape it"),
        ("[a&&b]", "has '&&' in a class"),
        ("[a--b]", "has '--' in a class"),
        ("[z-a]", "not in order"),
        (r"[a-\d]", "not in order"),
        (r"[\b]", "boundary in a class"),
        ("[[:no:]]", "unknown class of POSIX"),
        ("*a", "repeats nothing"),
        ("a**", "repeats nothing, or a repetition"),
        ("a*+", "repeats nothing, or a repetition"),
        ("a{2}{3}", "repeats nothing, or a repetition"),
        ("a|*", "repeats nothing"),
        ("(*)", "repeats nothing"),
        ("a{1001}", "more than 1000 times"),
        ("a{3,2}", "wrong order"),
        ("a{,2}", "Write {0,2}"),
        (r"\p{Greek}", r"property 'Greek'. Known are the general categories"),
        (r"\p", "property without its name"),
        (r"\xZZ", "number that is no character"),
        (r"\u{D800}", "half of a character"),
        (r"\x{110000}", "number that is no character"),
        (r"\A", "Write \\^ for the start"),
        (r"a\z", "\\$ for its end"),
        (r"\<a", "or \\\\b for a word's edge"),
        (r"\b{start}", "boundary that is not known"),
        (r"\Q", "unknown escape"),
        ("a\\", "backslash at its end"),
        (r"a\nb", "Set multiline to match across lines"),
        ("a\nb", "Set multiline to match across lines"),
    ],
)
def test_what_is_refused(pattern: str, reason: str) -> None:
    for syntax in (RE2, RIPGREP):
        with pytest.raises(PatternError, match=reason):
            translate(pattern, syntax)


@given(pattern=st.text("()[]{}|*+?.^$\\-:<>Pab1,&in\n ", max_size=20), multiline=st.booleans())
def test_every_text_is_translated_or_refused(pattern: str, multiline: bool) -> None:
    try:
        text = translate(pattern, RE2, multiline=multiline)
    except PatternError:
        return
    assert "\n" not in translate(pattern, RIPGREP, multiline=multiline)
    re2.compile(text)


@given(pattern=patterns(multiline=False), text=st.text("ab k_.{-1\té日", max_size=8))
def test_patterns_that_re_knows_mean_the_same(pattern: str, text: str) -> None:
    # These differ: POSIX, \B in an empty text before Python 3.14, letters whose cases are no ASCII.
    if any(each in pattern for each in ("[:", r"\B", "(?i", "(?-i", r"\p", r"\P", r"\b{")):
        return
    try:
        expression = re.compile(pattern, re.ASCII)
    except re.error:
        return  # a name twice
    assert finds(pattern, text) == (expression.search(text) is not None)


@given(first=SPANS, second=SPANS, code=st.integers(0, 60))
def test_sets_are_sets(first: list[tuple[int, int]], second: list[tuple[int, int]], code: int) -> None:
    one, two = union(first), union(second)
    in_one = any(start <= code <= end for start, end in first)
    in_two = any(start <= code <= end for start, end in second)
    assert contains(one, code) == in_one
    assert contains(complement(one), code) == (not in_one)
    assert contains(union(one, two), code) == (in_one or in_two)
    assert contains(difference(one, two), code) == (in_one and not in_two)


# Each takes a walk over all characters.
@pytest.mark.parametrize("name", sampled(sorted(CATEGORIES), ("C", "L", "Lu", "Mn", "Nd", "Sm", "Zs")))
def test_categories_are_those_of_unicode(name: str) -> None:
    ranges = general_category(name)
    for code in (*range(0, 0x3000, 7), *range(0xD7F0, 0xE010), 0x1F600, 0x10FFFF):
        assert contains(ranges, code) == category(chr(code)).startswith(name)


def test_folding_is_that_of_re2_where_both_know_the_letter() -> None:
    """Latin, Greek, Cyrillic and Armenian: their cases have not changed for years."""
    options = re2.Options()
    options.case_sensitive = False
    for code in (*range(0x41, 0x250), *range(0x370, 0x590), *range(0x1E00, 0x2000), 0x212A, 0x2126):
        letter = chr(code)
        if letter.isalpha():
            others = [other for first, last in fold(((code, code),)) for other in range(first, last + 1)]
            assert all(re2.fullmatch(re.escape(letter), chr(other), options) for other in others), letter
            for other in {*letter.lower(), *letter.upper()} - {letter}:
                matched = re2.fullmatch(re.escape(letter), other, options) is not None
                assert contains(fold(((code, code),)), ord(other)) == matched, (letter, other)
