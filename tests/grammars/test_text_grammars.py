"""What the texts of custom tools are held to: corpora written by hand, and Python's `re`."""

import random
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.instances.pattern_texts import grammar_texts
from toolcast.runtime.grammars import GrammarError, grammar_of

from tests.grammars.lark_grammars import CASES, Case

BY_NAME = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
# Expressions that Rust's regex crate and Python's `re` read alike.
EXPRESSIONS = (
    "a", "", ".", "a|b|", "(a|b)*c+d?", "a{2}", "a{2,}", "a{1,3}b", "[a-c]", "[^a-c]", "[]a]", "[^]a]",
    "[a-]", "[-a]", r"[a\-z]", r"\d+", r"\D", r"[\d.]+", "(?i)kb", "(?i:a)b", "(?s).", "(?s:.)b", "(?P<x>a)b",
    "(?:a)b", r"\x41", "\\u00e9", r"\U0001F600", r"\t\n\r\f\v", r"\.\*\/\-\_", "^a$", "(a*)*b",
    "()", "}", "]", "é+", "[é-ü]", "a/b", "//", r"\\/",
    r"^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):([0-5]\d)$",
    r"^(?P<month>January|February|March)\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<year>\d{4})$",
)  # fmt: skip
LETTERS = "aAbBcdkKs1٣é_-.^$]}\n\r\t /*\u2028😀"
KNOWN = [
    *("2025-08-07 10:00", "March 3rd 2025", "\t\n\r\f\v", ".*/-_"),
    *("AB", "é😀", "a/b", "//", "\\/", "kB"),
]
SHORT = ["".join(letters) for length in range(4) for letters in product("ab1", repeat=length)]


@BY_NAME
def test_the_texts_of_a_grammar(case: Case) -> None:
    grammar = grammar_of("lark", case.grammar)
    assert [text for text in case.texts if grammar.problem(text) is not None] == []
    assert [text for text in case.others if grammar.problem(text) is None] == []


@BY_NAME
def test_texts_that_are_walked_are_its_own(case: Case) -> None:
    grammar = grammar_of("lark", case.grammar)
    texts = list(grammar_texts(grammar, random.Random(case.name), 10))
    assert bool(texts) == bool(case.texts)
    assert [text for text in texts if grammar.problem(text) is not None] == []


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_match_whole_texts(expression: str) -> None:
    grammar, oracle = grammar_of("regex", expression), re.compile(expression.replace("$", r"\Z"))
    rng = random.Random(expression)
    texts = ["", *LETTERS, *KNOWN, *("".join(rng.choices(LETTERS, k=rng.randint(2, 4))) for _ in range(12))]
    assert [each for each in texts if grammar.problem(each) is None] == [
        each for each in texts if oracle.fullmatch(each)
    ]


PARTS = ["a", "b", "[ab]", "[^a]", ".", "(", ")", "|", "*", "+", "?", "{2}", r"\d"]


@given(st.lists(st.sampled_from(PARTS)))
def test_composed_expressions(parts: list[str]) -> None:
    expression = "".join(parts)
    try:
        oracle, grammar = re.compile(expression), grammar_of("regex", expression)
    except (re.error, GrammarError):
        return
    if re.search(r"[*+?}]\+", expression):
        return  # a possessive repetition for `re`
    assert [text for text in SHORT if grammar.problem(text) is None] == [
        text for text in SHORT if oracle.fullmatch(text)
    ]


@BY_NAME
@given(data=st.data())
def test_where_a_text_stops_fitting(case: Case, data: st.DataObject) -> None:
    """What stands before the place begins a text of the grammar, and the character there makes it none."""
    grammar = grammar_of("lark", case.grammar)
    text = data.draw(st.sampled_from(case.texts or case.others))
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(LETTERS)) + text[at:]
    problem = grammar.problem(text)
    if problem is None:
        return
    stop = stops_at(problem, text)
    begun = grammar.problem(text[:stop])
    assert begun is None or begun.endswith("but the text ends")
    if stop < len(text):
        assert stops_at(grammar.problem(text[: stop + 1]) or "", text) == stop


def stops_at(problem: str, text: str) -> int:
    place = re.search(r"at line (\d+), column (\d+):", problem)
    assert place is not None, problem
    before = text.split("\n")[: int(place[1]) - 1]
    return sum(len(line) + 1 for line in before) + int(place[2]) - 1


def test_a_grammar_without_texts_derives_none() -> None:
    grammar = grammar_of("lark", 'start: "a" start\n')
    assert list(grammar_texts(grammar, random.Random(0), 5)) == []
