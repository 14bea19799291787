"""What a text format may say of its markers, each key with a format that has it and one that has it not."""

from typing import Any

import msgspec
import pytest
from toolcast.agents.text_calls import Call, TextFormat, TextStream, collect, parse
from toolcast.text_formats.text_format import CallForm, Markers

from tests.agents.text_calls.forms import read

VALUES: dict[str, Any] = {"open": ["<set {key}>"], "close": ["</set>"]}
PARAMETERS: dict[str, Any] = {
    "open": ["<<{name}>>"],
    "close": ["<<end>>"],
    "content": "parameters",
    "parameters": [VALUES],
}


def with_calls(*calls: dict[str, Any], **more: Any) -> TextFormat:
    return msgspec.convert({"id": "own", "title": "Own", "calls": list(calls), **more}, TextFormat)


def arguments(text: str, format: TextFormat, *, cut: bool = False) -> list[Any]:
    return [call.arguments for call in read(text, format, cut=cut).calls]


def test_a_value_may_hold_what_only_begins_like_a_parameter() -> None:
    format = with_calls(PARAMETERS)
    assert arguments("<<f>><set a> <set \n x </set><<end>>", format) == [{"a": " <set \n x "}]


def test_a_value_without_its_end_is_a_problem() -> None:
    parsed = parse("<<f>><set a>1<set b>2</set><<end>>", with_calls(PARAMETERS))
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_a_verbatim_value_may_hold_a_parameter() -> None:
    form = {**PARAMETERS, "parameters": [{**VALUES, "verbatim": True}]}
    assert arguments("<<f>><set a>1<set b>2</set><<end>>", with_calls(form)) == [{"a": "1<set b>2"}]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("value", ["x", "\r", "\n", "\r\n", " x\r", "\rx", "\n\n"])
def test_a_value_on_lines_of_its_own_loses_their_breaks_only(value: str, line_break: str) -> None:
    text = f"<<f>><set a>{line_break}{value}{line_break}</set><<end>>"
    assert arguments(text, with_calls(PARAMETERS)) == [{"a": value}]


def test_begins_says_what_must_follow() -> None:
    form = {"open": ["CALL"], "content": "json-calls", "begins": [" ["], "mark": "word"}
    assert arguments('CALL [{"name": "f", "arguments": {}}]', with_calls(form)) == ["{}"]
    assert parse('CALL {"name": "f", "arguments": {}}', with_calls(form)).calls == ()


def test_again_begins_another_call_before_the_closing_marker() -> None:
    form = {"open": ["<<go:{name}"], "close": [">>"], "content": "json-arguments"}
    text = '<<go:f{"a": 1} go:g{"b": 2}>>'
    assert arguments(text, with_calls({**form, "again": ["go:{name}"]})) == ['{"a": 1}', '{"b": 2}']
    (_, call) = parse("<<go:f{} g@7{}>>", with_calls({**form, "again": ["{name}@{id}"]})).calls
    assert (call.name, call.id) == ("g", "7")
    assert parse(text, with_calls(form)).calls == ()


def test_no_json_before_the_closing_marker_is_no_arguments() -> None:
    form = {"open": ["<<{name}>>"], "close": ["<<end>>"], "content": "json-arguments"}
    assert arguments("<<f>> <<end>>", with_calls(form)) == ["{}"]
    assert parse("<<f>> words <<end>>", with_calls(form)).calls == ()


def test_a_marker_that_holds_another_one_is_read_in_pieces() -> None:
    form = {"content": "json-calls", "mark": "word"}
    format = with_calls({**form, "open": ["<|call|>"]}, {**form, "open": ["call"]})
    assert arguments('so: <|call|>{"name": "f", "arguments": {}}', format) == ["{}"]


def test_a_closing_marker_that_holds_another_one_is_read_in_pieces() -> None:
    form = {"open": ["[X]"], "close": ["[/X]", "/X"], "content": "words", "mark": "tag"}
    assert arguments("[X]f[/X]", with_calls(form)) == ["{}"]
    assert arguments("[X] no call [/X]", with_calls(form)) == []


def test_words_in_a_section_have_one_place_in_pieces() -> None:
    format = with_calls(PARAMETERS, sections=[{"open": "<s>", "close": "</s>"}])
    assert arguments("<s> \n words </s>", format) == []


@pytest.mark.parametrize("size", range(2, 12))
def test_the_end_of_a_fence_is_read_in_pieces(size: int) -> None:
    format = with_calls({"open": ["go"], "content": "json-calls"})
    text = 'so: go\n```json\n{"name": "f", "arguments": {}}\n``` and more words after it'
    stream = TextStream(format)
    events = [event for at in range(0, len(text), size) for event in stream.feed(text[at : at + size])]
    parsed = collect([*events, *stream.finish()])
    assert parsed == parse(text, format)
    assert parsed.text == "so:  and more words after it"


def test_half_a_call_in_a_section_is_a_problem() -> None:
    for mark in ("word", "tag"):
        format = with_calls({**PARAMETERS, "mark": mark}, sections=[{"open": "<s>", "close": "</s>"}])
        parsed = parse("<s><<</s>", format)
        assert (parsed.calls, parsed.text, len(parsed.problems)) == ((), "", 1)


def test_a_number_behind_the_name_is_read_in_pieces() -> None:
    form = {"open": ["<<{name}:{number}>>"], "content": "json-arguments", "id": "{name}:{number}"}
    assert arguments("<<a:b:7>>{}", with_calls(form)) == ["{}"]
    (call,) = parse("<<a:b:7>>{}", with_calls(form)).calls
    assert (call.name, call.id) == ("a:b", "a:b:7")


MUSE = {"open": "<muse>", "close": "</muse>"}
THOUGHTS = with_calls(PARAMETERS, thoughts=[{**MUSE, "calls": True}])
CALL = "<<f>><set a>1</set><<end>>"


def test_a_call_in_a_thought_is_no_call() -> None:
    assert arguments(f"<muse>{CALL}</muse>", THOUGHTS) == []
    assert parse(f"<muse>{CALL}</muse>", THOUGHTS).problems == ()


def test_a_thought_without_an_end_ends_where_nothing_but_calls_follows() -> None:
    assert arguments(f"<muse>So: {CALL}\n{CALL}\n", THOUGHTS) == [{"a": "1"}, {"a": "1"}]


@pytest.mark.parametrize("after", ["no, rather not", "<<f>>", "<muse>" + CALL])
def test_a_call_and_more_in_a_thought_without_an_end_is_a_problem(after: str) -> None:
    parsed = parse(f"<muse>So: {CALL} {after}", THOUGHTS)
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_a_call_in_a_thought_without_an_end_is_a_problem_where_it_is_not_said_to_count() -> None:
    parsed = parse(f"<muse>So: {CALL}", with_calls(PARAMETERS, thoughts=[MUSE]))
    assert (parsed.calls, len(parsed.problems)) == ((), 1)
    assert parse("<muse>So: <<", with_calls(PARAMETERS, thoughts=[MUSE])).problems == ()


def test_a_call_in_a_thought_that_was_cut_off_is_a_problem() -> None:
    parsed = parse(f"<muse>So: {CALL}", THOUGHTS, cut=True)
    assert (parsed.calls, len(parsed.problems)) == ((), 1)
    assert "send the call again" in parsed.problems[0].reason


def test_offsets_of_a_call_in_a_thought_count_from_the_start_of_the_text() -> None:
    text = f"Hm. <muse>So: {CALL}"
    (call,) = parse(text, THOUGHTS).calls
    assert text[call.start : call.end] == CALL


def test_the_closing_marker_of_a_thought_that_began_in_the_prompt_ends_it() -> None:
    text = f"{CALL} perhaps</muse>Yes: {CALL}"
    assert len(arguments(text, with_calls(PARAMETERS, thoughts=[{**MUSE, "prefilled": True}]))) == 1
    assert isinstance(parse(text, with_calls(PARAMETERS, thoughts=[MUSE])).calls[0], Call)


NAMED = CallForm(open=("<f:{name}>",), close=("</f>",), content="json-arguments")
DROPS = TextFormat(id="drops", title="Drops", calls=(NAMED,), dropped=("<|x|>",))
THINKS = TextFormat(
    id="thinks", title="Thinks", calls=(NAMED,), thoughts=(Markers(open="<|x|>to me", close="<|y|>"),)
)


def test_what_one_format_drops_may_begin_a_thought_of_another() -> None:
    text = "a<|x|>to me <f:evil>{}</f><|y|>b<|x|>c <f:now>{}</f>"
    for formats in ([DROPS, THINKS], [THINKS, DROPS]):
        parsed = parse(text, formats)
        assert [call.name for call in parsed.calls] == ["now"]
        assert parsed.text == "abc"


def test_a_thought_is_none_of_the_markers_with_any_name() -> None:
    assert parse("<|start|>assistant to=self<|message|>hm<|eom|>Yes", "muse").text == "Yes"
    assert parse("<|start|>assistant to=user<|message|>Yes<|eom|>", "muse").text == "Yes"
