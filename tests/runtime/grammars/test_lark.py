"""Reading Lark grammars: what is refused, where, and with what remedy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.grammars.grammar_error import GrammarError
from toolcast.runtime.grammars.text_grammar import grammar_of

REFUSED = (
    ("", 0, "start"),
    ("a: \"a\"\n", 0, "start"),
    ("start: x\n", 7, "not defined"),
    ("start: begin\nbegn: \"a\"\n", 7, "not defined"),
    ("start: \"a\"\nstart: \"b\"\n", 11, "twice"),
    ("start: X\nX: \"a\" X\n", 16, "itself"),
    ("start: X\nX: y\ny: \"a\"\n", 12, "cannot contain the rule"),
    ("start: X\nX.2: \"a\"\n", 10, "priorities"),
    ("start: x{y}\n", 8, "templates"),
    ("start: \"a\"\nx{y}: y\n", 12, "templates"),
    ("start[lazy]: /a/\n", 5, "attributes"),
    ("start: \"a\"\n%declare X\n", 11, "%declare"),
    ("start: \"a\"\n%override x: \"b\"\n", 11, "%override"),
    ("start: %json {}\n", 7, "%json"),
    ("start: \"a\"\n%import python.X\n", 19, "python"),
    ("start: \"a\"\n%import common.WSS\n", 26, "WSS"),
    ("start: 'a'\n", 7, "double quotes"),
    ("start: \"a\n", 7, "unclosed string"),
    ("start: /a\n", 7, "unclosed regular expression"),
    ("start: \"\\x41\"\n", 7, "escape"),
    ("start: \"a\"..\"bc\"\n", 7, "range"),
    ("start: \"b\"..\"a\"\n", 7, "order"),
    ("start: /a(?=b)/\n", 9, "look-ahead"),
    ("start: /a*?/\n", 10, "lazy"),
    ("start: /^a/\n", 8, "ends"),
    ("start: /a/x\n", 10, "flag `x`"),
    ("start: \"é\"i\n", 7, "outside of ASCII"),
    ("start: \"a\"~3..2\n", 10, "order"),
    ("start: \"a\"~9999\n", 11, "at most"),
    ("start: \"a\"**\n", 11, "repeats a repetition"),
    ("start: (\"a\"\n", 11, "`)` is missing"),
    ("start: (\n\"a\")\n", 8, "`)` is missing"),
    ("start: \"a\"\n// c\n | \"b\"\n", 17, "without a definition"),
    ("start: Foo\n", 7, "no name"),
    ("start \"a\"\n", 6, "`:` is missing"),
    ("start: @x\n", 7, "not supported"),
    ("start: <x>\n", 7, "not supported"),
    ("start: \"a\" & \"b\"\n", 11, "not supported"),
    ("start: \"a\"{2}\n", 10, "not supported"),
    ("start: \"a\" -> B\n", 14, "alias"),
    ("start: X\nX: /([a-z]{1000}){1000}/\n", 9, "too large"),
    ("start: " + "(" * 200 + "\"a\"" + ")" * 200 + "\n", 108, "nested"),
    ("start: \"a\"~1000 \"b\"\n" + "".join(f"r{n}: \"a\"~1000\n" for n in range(60)), 332, "too large"),
)  # fmt: skip


@pytest.mark.parametrize(("definition", "offset", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_grammar_is_refused_at_its_place(definition: str, offset: int, words: str) -> None:
    with pytest.raises(GrammarError, match=words.replace("(", r"\(").replace(")", r"\)")) as problem:
        grammar_of("lark", definition)
    assert problem.value.offset == offset


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(GrammarError) as problem:
        grammar_of("lark", 'start: begin\nbegn: "a"\n')
    assert problem.value.hint == "did you mean `begn`?"


def test_a_definition_has_a_longest_length() -> None:
    with pytest.raises(GrammarError, match="100,000"):
        grammar_of("lark", 'start: "a"\n' + "// c\n" * 20_000)


@given(st.text('startX: "a"|()[]*+?~1./\\n%ignore->#\n', max_size=60))
def test_any_text_is_read_or_refused(definition: str) -> None:
    try:
        grammar_of("lark", definition)
    except GrammarError as error:
        problem = error
    else:
        return
    assert 0 <= problem.offset <= len(definition)
    assert problem.reason
