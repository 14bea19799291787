"""Texts and names of specs as Python source."""

import keyword
import re
import unicodedata
from ast import literal_eval

import black
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.languages.python.structs.python_names import identifier, words
from toolcast.languages.python.structs.source_literals import docstring, text

CHARACTERS = st.sampled_from(
    [*"aZ_ \t\n\r\f\v'\"\\#{}-*09.", "é", "\x00", "\x85", "\xa0", "\u2028", "😀", "\ud800", "ª", "·"]
)
TEXTS = st.text(CHARACTERS, max_size=12) | st.text(max_size=12)


@given(TEXTS)
def test_a_literal_is_its_text_in_one_line_as_black_leaves_it(value: str) -> None:
    source = text(value)
    assert literal_eval(source) == value
    assert source.isprintable()
    fewer = "'" if value.count('"') > value.count("'") else '"'
    assert source[0] == source[-1] == fewer


@given(TEXTS)
def test_a_docstring_is_as_black_leaves_it(value: str) -> None:
    source = docstring(value, "    ")
    if source:
        module = f"class A:\n    {source}\n\n    a: int\n"
        assert black.format_str(module, mode=black.Mode()) == module


@given(TEXTS)
@example("class")
@example("_a")
@example("a_")
@example("ª")
@example("None")
def test_an_identifier_is_public_and_stays_as_it_is(value: str) -> None:
    found = identifier(value)
    assert found.isidentifier()
    assert not keyword.iskeyword(found)
    assert not found.startswith("_")
    assert identifier(found) == found


@given(TEXTS)
def test_the_words_of_a_name(value: str) -> None:
    assert words(value) == re.findall(r"[^\W_\u115f\u1160]+", unicodedata.normalize("NFKC", value))
