# ruff: noqa: E501  # tables of patterns
"""Regular expressions of custom tools beside llguidance, which reads them with Rust's regex-syntax."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.grammars.grammar_error import GrammarError
from toolcast.runtime.grammars.text_grammar import grammar_of

from tests.grammars.engine import Engine, RefusedError

PATTERNS = (
    "a", "", ".", "a|b|", "(a|b)*c+d?", "a{2}", "a{2,}", "a{1,3}b", "[a-c]", "[^a-c]", "[]a]", "[^]a]", "[a-]",
    "[-a]", r"[a\-z]", r"\d+", r"\D", r"\w+", r"\W", r"\s", r"\S", r"[\d.]+", r"[^\w]", "(?i)ks", "(?i:a)b",
    "(?i-s:a.)", "(?s).", "(?s:.)b", "(?-s).", "(?P<x>a)b", "(?<x>a)b", "(?:a)b", "[[:alpha:]_]+", "[[:^digit:]]",
    r"\pL", r"\p{Lu}\PL", r"\x41", r"\x{42}", "\\u00e9", r"\u{e9}", r"\U0001F600", r"\t\n\r\f\v\a", r"\.\*\/\ \-\_",
    "^a$", "^(a|b)$", r"\Aab\z", "a**", "(a*)*b", "()", "}", "]", "é+", "[é-ü]", r"(?i)\w\d",
    r"^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):([0-5]\d)$",
    r"^(?P<month>January|February|March)\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<year>\d{4})$",
)  # fmt: skip
REFUSED = (
    ("(?=a)b", 0), ("a(?!b)", 1), ("(?<=a)b", 0), ("(?<!a)b", 0), (r"\ba", 0), (r"a\B", 1), (r"\<a", 0), ("a*?", 2),
    ("a{1,2}?", 6), ("(?x)a b", 2), ("(?m)^a", 2), ("(?U)a*", 2), ("(?-u)a", 3), ("[a&&b]", 2), ("[a--b]", 2),
    ("[a[b]]", 2), ("a^b", 1), ("a$b", 1), ("(^a)", 1), ("*a", 0), ("a|+", 2), ("(a", 0), ("a)", 1), ("[a", 0),
    ("a{", 1), ("{a", 0), ("a{,2}", 1), ("a{3,2}", 1), ("a{9999}", 1), (r"\1", 0), (r"\h", 0), ("\\é", 0),
    ("\\", 0), (r"\p{Greek}", 0), (r"\x4", 0), (r"\u{d800}", 0), ("[b-a]", 1), (r"[a-\d]", 1), ("[[:foo:]]", 1),
    ("(?i)é", 4), ("(?>a)", 0), ("a\nb", 1),
)  # fmt: skip
LETTERS = "aAbBcdkKsS\u017f\u212a1٣é_-.^$]}\n\r\t /*\u00a0\u2028😀"


def texts(pattern: str, rng: random.Random) -> list[str]:
    known = ["2025-08-07 10:00", "March 3rd 2025", "\t\n\r\f\v\a", ".*/ -_", "AB", "é😀"]
    made = ["".join(rng.choices(LETTERS, k=rng.randint(0, 4))) for _ in range(60)]
    plain = [each for each in re.findall(r"\w+", pattern) if len(each) < 20]
    return ["", *LETTERS, *known, *made, *plain]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_are_judged_as_llguidance_does(pattern: str, engine: Engine) -> None:
    ours, theirs = grammar_of("regex", pattern), engine.compile_regex(pattern)
    rng = random.Random(pattern)
    differing = [
        text for text in texts(pattern, rng) if (ours.problem(text) is None) != (theirs.refuses(text) is None)
    ]
    assert differing == []


@pytest.mark.parametrize(("pattern", "offset"), REFUSED)
def test_what_cannot_be_checked_exactly_is_refused_at_its_place(pattern: str, offset: int) -> None:
    with pytest.raises(GrammarError) as problem:
        grammar_of("regex", pattern)
    assert (problem.value.offset, bool(problem.value.hint)) == (offset, True)


@given(
    st.lists(
        st.sampled_from(
            ["a", "b", "[ab]", "[^a]", ".", "(", ")", "|", "*", "+", "?", "{2}", "(?i)", r"\d", "$"]
        )
    )
)
def test_composed_patterns_are_judged_as_llguidance_does(engine: Engine, parts: list[str]) -> None:
    pattern = "".join(parts)
    try:
        ours = grammar_of("regex", pattern)
    except GrammarError:
        return
    try:
        theirs = engine.compile_regex(pattern)
    except RefusedError as problem:
        pytest.fail(f"{pattern!r} is refused: {problem}")
    for text in ("", "a", "b", "ab", "aa", "ba", "A", "1", "aab", "\n", "bbb"):
        assert (ours.problem(text) is None) == (theirs.refuses(text) is None), (pattern, text)
