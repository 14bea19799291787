"""What printing leaves out for common texts and names says what the long way says."""

import re
import unicodedata
from ast import literal_eval

import black
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toolcast.bindings.render import _STRING, _bare
from toolcast.structs.literals import WIDTH, docstring, text
from toolcast.structs.names import identifier, words

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


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.integers(-4, 2), st.sampled_from(["", "    "]))
@example("a", 0, "")
@example(" a ", 1, "    ")
@example("* a", 0, "    ")
@example("   ", 0, "")
def test_a_short_docstring_is_what_a_long_one_would_be(value: str, beyond: int, indent: str) -> None:
    """A row that is added below and taken away again keeps the text from the short way."""
    for padded in (value, value + "x" * max(0, WIDTH - len(indent) + beyond - len(value))):
        found = docstring(padded, indent)
        longer = docstring(padded + "\n\n|", indent)
        if not padded.strip(" ") or not padded.isprintable() or len(padded) > WIDTH - len(indent):
            continue
        first = longer.split("\n")[0]
        assert found.startswith(first)
        assert found in (first + '"""', first + ' """')


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_a_docstring_is_as_black_leaves_it(value: str) -> None:
    source = docstring(value, "    ")
    if source:
        module = f"class A:\n    {source}\n\n    a: int\n"
        assert black.format_str(module, mode=black.Mode(line_length=100)) == module


@given(TEXTS)
@example("class")
@example("_a")
@example("a_")
@example("ª")
@example("None")
def test_an_identifier_is_what_the_long_way_says(value: str) -> None:
    """A character that goes away keeps the name from the short way."""
    found = identifier(value)
    assert found.isidentifier()
    assert not found.startswith("_")
    assert found == identifier("_" + value)
    assert words(value) == re.findall(r"[^\W_\u115f\u1160]+", unicodedata.normalize("NFKC", value))


@given(
    st.lists(st.sampled_from(["Literal[", "]", ", ", "int", " | "]) | TEXTS.map(text), max_size=6).map(
        "".join
    )
)
def test_a_source_without_its_strings(source: str) -> None:
    assert _bare(source) == _STRING.sub("", source)
