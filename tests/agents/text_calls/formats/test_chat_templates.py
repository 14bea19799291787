"""What the chat templates of families write is read, in auto too, and nothing else is taken for a call."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import Call, known_formats, parse

from tests.agents.text_calls.formats.chat_templates import MARKED, SEVERAL, TEMPLATES, Calls
from tests.agents.text_calls.forms import read
from tests.sampled import sampled

NESTED: dict[str, Any] = {
    "text": 'Zürich "old"\\ it\'s {"a": [1]} \t<b> & \u2028 😀',
    "lines": "one\ntwo\n\nthree",
    "count": 3,
    "half": -1.5e3,
    "yes": True,
    "no": False,
    "nothing": None,
    "list": [True, None, {"a": 1.5, "b": ["x", "y"]}],
    "object": {"a": {"b": {"c": "d"}}},
}
TEXTS = {"text": NESTED["text"], "lines": NESTED["lines"], "object": NESTED["object"]}
MARKERS = sorted(
    {
        piece
        for format in known_formats().values()
        for marker in (
            *(template for form in format.calls for template in (*form.open, *form.close)),
            *(
                each
                for pair in format.sections + format.thoughts + format.results
                for each in (pair.open, pair.close)
            ),
            *format.ends,
        )
        for piece in marker.replace("{name}", "ping").replace("{id}", "i1").splitlines()
    }
)

EVERY = pytest.mark.parametrize("every", sampled([3, 1], [3]))


def same(got: object, wanted: object) -> bool:
    """Whether a value of a call is the one that was written; text may stand for all but text."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(same(got[key], wanted[key]) for key in wanted)
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(got, str) and not isinstance(wanted, str):
        return json.loads(got) == wanted
    return type(got) is type(wanted) and got == wanted


def assert_calls(calls: tuple[Call, ...], wanted: Calls) -> None:
    assert [call.name for call in calls] == [name for name, _ in wanted]
    for call, (_, arguments) in zip(calls, wanted, strict=True):
        got = call.arguments if call.textual else json.loads(str(call.arguments))
        if call.textual:
            assert same(got, arguments), (got, arguments)
        else:
            assert got == arguments


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize(
    "arguments", [{}, {"city": "Rome"}, TEXTS, NESTED], ids=["none", "one", "texts", "nested"]
)
def test_a_turn_is_its_call_and_nothing_is_left(name: str, arguments: dict[str, Any]) -> None:
    template = TEMPLATES[name]
    if name == "minimax-m3":  # its template leaves out null
        arguments = {key: value for key, value in arguments.items() if key not in ("nothing", "list")}
    calls: Calls = [("get_weather", arguments)]
    text = template.write(calls) + template.end
    parsed = read(text, template.format)
    assert_calls(parsed.calls, calls)
    assert (parsed.text, parsed.problems) == ("", ())


@pytest.mark.parametrize("name", SEVERAL)
def test_several_calls_are_read_in_their_order(name: str) -> None:
    calls: Calls = [("get_weather", {"city": "Zürich"}), ("ping", {}), ("get_weather", {"city": "Rome"})]
    template = TEMPLATES[name]
    parsed = parse(template.write(calls) + template.end, template.format)
    assert_calls(parsed.calls, calls)
    assert (parsed.text, parsed.problems) == ("", ())


def test_one_marker_of_mistral_may_stand_before_several_calls() -> None:
    parsed = read('[TOOL_CALLS]f[ARGS]{"a": 1} g[CALL_ID]i2[ARGS]{}</s>', "mistral")
    assert [(call.name, call.arguments, call.id) for call in parsed.calls] == [
        ("f", '{"a": 1}', ""),
        ("g", "{}", "i2"),
    ]
    parsed = read('[TOOL_CALLS]f[ARGS]{"a": 1} g[ARGS]{"b":', "mistral", cut=True)
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


@pytest.mark.parametrize("name", MARKED)
def test_auto_reads_it_between_thoughts_and_words(name: str) -> None:
    template = MARKED[name]
    calls: Calls = [("get_weather", {"city": "Rome"}), ("ping", {})]
    text = f"<think>\n{template.write([('think', {})])}\n</think>\n\nI look it up.\n{template.write(calls)}"
    for format in ("auto", template.format):
        parsed = parse(text + template.end, format)
        assert_calls(parsed.calls, calls)
        assert (parsed.text, parsed.problems) == ("I look it up.", ())


@pytest.mark.parametrize("name", [name for name, each in TEMPLATES.items() if each.bare])
def test_auto_takes_no_bare_form_for_a_call(name: str) -> None:
    template = TEMPLATES[name]
    text = "I look it up.\n" + template.write([("get_weather", {"city": "Rome"}), ("ping", {})])
    parsed = parse(text)
    assert (parsed.calls, parsed.text, parsed.problems) == ((), text, ())


@EVERY
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_cut_answer_has_the_calls_before_the_cut_and_no_other(name: str, every: int) -> None:
    template = TEMPLATES[name]
    calls: Calls = [("get_weather", {"city": "Rome", "days": [1, {"a": "b"}]}), ("ping", {})]
    calls = calls if template.several else calls[:1]
    text = template.write(calls)
    for size in range(1, len(text), every):
        parsed = parse(text[:size], template.format, cut=True)
        assert_calls(parsed.calls, calls[: len(parsed.calls)])


@pytest.mark.parametrize("name", MARKED)
def test_a_call_without_its_end_is_a_problem_that_asks_for_it_again(name: str) -> None:
    template = MARKED[name]
    text = template.write([("get_weather", {"city": "Rome"})])
    cut = text[: text.index("Rome") + 2]
    for format in ("auto", template.format):
        parsed = parse(f"I look it up. {cut}", format, cut=True)
        assert parsed.calls == ()
        assert len(parsed.problems) == 1
        assert "again" in parsed.problems[0].reason
        assert parsed.text == "I look it up."


@pytest.mark.parametrize("name", MARKED)
def test_what_is_not_read_inside_a_call_is_a_problem(name: str) -> None:
    template = MARKED[name]
    text = template.write([("get_weather", {"city": "Rome"})])
    at = text.index("city")
    for broken in (
        text[: at - 1] + ' then "' + text[at:],
        text[:at].rstrip("\"'=<") + " and then " + text[at:],
    ):
        for format in ("auto", template.format):
            parsed = parse(broken, format)
            assert parsed.calls == () or template.unsafe, broken
            assert parsed.problems or parsed.calls, broken


@EVERY
@pytest.mark.parametrize("name", TEMPLATES)
def test_markers_of_all_families_inside_a_string_are_text(name: str, every: int) -> None:
    template = TEMPLATES[name]
    for marker in MARKERS[[*TEMPLATES].index(name) % every :: every]:
        if any(each in marker for each in template.unsafe):
            continue
        calls: Calls = [("write", {"text": f"a {marker} b", "list": [marker]})]
        parsed = parse(template.write(calls), template.format)
        assert_calls(parsed.calls, calls)
        assert (parsed.text, parsed.problems) == ("", ()), marker


KEYS = st.text("abcdefgh_", min_size=1, max_size=8)
STRINGS = st.text(st.characters(codec="utf-8"), max_size=24)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)


@given(data=st.data())
@pytest.mark.parametrize(
    "name", ["qwen25", "mistral-v13", "deepseek-v3", "lfm2", "olmo3", "plamo3", "llama4-pythonic", "xlam"]
)
def test_any_arguments_are_read_as_they_were_written(name: str, data: st.DataObject) -> None:
    arguments = data.draw(st.dictionaries(KEYS, VALUES, max_size=4))
    template = TEMPLATES[name]
    calls: Calls = [("write", arguments)]
    assert_calls(parse(template.write(calls), template.format).calls, calls)


@given(text=STRINGS)
@pytest.mark.parametrize("name", ["minimax-m2", "deepseek-v4", "longcat-lite", "qwen3-coder", "minimax-m3"])
def test_any_text_between_markers_is_read_as_it_was_written(name: str, text: str) -> None:
    template = TEMPLATES[name]
    calls: Calls = [("write", {"text": text})]
    assert_calls(parse(template.write(calls), template.format).calls, calls)
