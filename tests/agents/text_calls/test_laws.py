"""Arbitrary texts: nothing is raised, prose never calls."""

import json

from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import parse, render_call
from toolcast.agents.text_calls.render_text import escaped

from tests.agents.text_calls.forms import ANY, PIECES

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PIECES[:-1]) | WORDS, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(ANY)
def test_nothing_is_raised_and_places_are_in_order(text: str) -> None:
    parsed = parse(text)
    ends = 0
    for call in parsed.calls:
        assert call.name
        assert call.end <= len(text)
        assert call.start >= ends or call.end == ends  # calls of one block share its place
        ends = call.end


@given(VALUES, st.text(st.characters(exclude_characters="<`[]{}"), min_size=1))
def test_json_in_prose_never_calls(value: object, words: str) -> None:
    body = json.dumps({"name": "shell", "arguments": value})
    text = f"Say: {words} {body.replace('<', '(').replace('`', '-').replace('TOOL_CALL', 'T')} {words}."
    parsed = parse(text)
    assert parsed.calls == ()
    assert parsed.problems == ()
    assert parsed.text == text


@given(st.lists(st.tuples(st.from_regex(r"[a-z_]{1,12}", fullmatch=True), VALUES), min_size=1, max_size=4))
def test_rendered_calls_are_read_back(calls: list[tuple[str, object]]) -> None:
    rendered = [render_call(name, {"v": value}) for name, value in calls]
    for between, format in (("", "auto"), ("\n", "toolcast"), (" then ", "auto"), (" then ", "toolcast")):
        parsed = parse(between.join(rendered), format)
        assert [(call.name, json.loads(str(call.arguments))) for call in parsed.calls] == [
            (name, {"v": value}) for name, value in calls
        ]
        assert parsed.problems == ()


@given(ANY)
def test_escaped_text_neither_closes_nor_calls(text: str) -> None:
    content = escaped(text)
    assert "<" not in content
    parsed = parse(f"- {content}")
    assert parsed.calls == ()
    assert parsed.problems == ()
