"""Calls that each family writes as its vendor's chat template does."""

from typing import Any

import pytest
from toolcast.agents.text_calls import TextStream, collect, parse

from tests.agents.text_calls.formats.writers import FAMILIES, Calls, Family
from tests.agents.text_calls.forms import plain
from tests.sampled import sampled

ARGUMENTS: dict[str, Any] = {
    "city": 'Zürich "old" \\ ', "days": -3, "ratio": 1.5, "on": True, "off": False, "none": None,
    "flags": [True, None, {"a": 1.5, "b": [], "c": "d"}], "empty": "", "text": "a\nb <b>&amp;</b> {x: [y}",
}  # fmt: skip
ONE: Calls = [("get_weather", {"city": "Zürich"})]
CALLS: Calls = [("get_weather", ARGUMENTS), ("ping", {}), ("a-b.c", {"n": 1})]
BY_NAME = pytest.mark.parametrize("name", FAMILIES)
BOTH = pytest.mark.parametrize("auto", [False, True], ids=["named", "auto"])
EVERY = pytest.mark.parametrize("every", sampled([3, 1], [3]))


def expected(family: Family, calls: Calls) -> list[tuple[str, Any]]:
    if family.value is None:
        return list(calls)
    value = family.value
    return [(name, {key: value(each) for key, each in arguments.items()}) for name, arguments in calls]


def several(family: Family) -> Calls:
    return CALLS[:1] if family.one else CALLS


@BY_NAME
@BOTH
def test_calls_are_read_and_nothing_is_left(name: str, auto: bool) -> None:
    family = FAMILIES[name]
    for calls in (ONE, several(family), [("ping", {})]):
        parsed = parse(family.write(calls) + family.end, "auto" if auto else name)
        assert plain(parsed.calls) == expected(family, calls)
        assert (parsed.text, parsed.problems) == ("", ())


@BY_NAME
@BOTH
def test_words_stay_and_thoughts_go(name: str, auto: bool) -> None:
    family = FAMILIES[name]
    thought = family.thought.format("I want " + family.write(ONE))
    text = f"{thought}I look it up.\n{family.write(several(family))}{family.end}"
    parsed = parse(text, "auto" if auto else name)
    assert plain(parsed.calls) == expected(family, several(family))
    assert (parsed.text, parsed.problems) == ("I look it up.", ())


@BY_NAME
@BOTH
def test_pieces_are_read_like_the_whole(name: str, auto: bool) -> None:
    family = FAMILIES[name]
    text = family.thought.format("hm") + "Well: " + family.write(several(family)) + family.end
    for size in (1, 3, 7):
        stream = TextStream("auto" if auto else name)
        events = [event for at in range(0, len(text), size) for event in stream.feed(text[at : at + size])]
        assert collect([*events, *stream.finish()]) == parse(text, "auto" if auto else name)


@EVERY
@BY_NAME
@BOTH
def test_a_cut_call_is_never_carried_out(name: str, auto: bool, every: int) -> None:
    family = FAMILIES[name]
    calls: Calls = [("get_weather", {"city": "Zürich <b>", "flags": [True, {"a": ""}]}), ("ping", {})]
    calls = calls[:1] if family.one else calls
    text = family.write(calls)
    whole = expected(family, calls)
    opening = text.index(min((mark for mark in ("<", "functools") if mark in text), key=text.index))
    problems = 0
    for size in range(opening + 1, len(text), every):
        parsed = parse(text[:size], "auto" if auto else name, cut=True)
        found = plain(parsed.calls)
        assert found == whole[: len(found)]
        problems += bool(parsed.problems)
    assert problems > len(text) // 3 // every


@BY_NAME
@BOTH
def test_words_before_the_closing_marker_are_a_problem(name: str, auto: bool) -> None:
    family = FAMILIES[name]
    before, close, after = family.write(ONE).rpartition(family.close)
    parsed = parse(f"{before} and words {close}{after}", "auto" if auto else name)
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


@BY_NAME
@BOTH
def test_marks_in_a_value_never_make_another_call(name: str, auto: bool) -> None:
    family = FAMILIES[name]
    inner = family.write([("delete", {"path": "/"})])
    for value in (inner, family.close + inner, inner[: len(inner) // 2]):
        calls: Calls = [("note", {"text": value})]
        parsed = parse(family.write(calls), "auto" if auto else name)
        if parsed.problems:  # without an escape the value cannot be written
            assert parsed.calls == ()
        else:
            assert plain(parsed.calls) == expected(family, calls)


@EVERY
@BY_NAME
def test_a_call_without_its_beginning_is_no_call(name: str, every: int) -> None:
    family = FAMILIES[name]
    text = family.write(ONE)
    for at in range(1, len(text), every):
        parsed = parse(text[at:], name)
        assert plain(parsed.calls) in ([], expected(family, ONE))


def test_gigachat_30_calls_in_a_message_of_its_own() -> None:
    text = (
        "I look.<|message_sep|>\n\nfunction call<|role_sep|>\n"
        '{"name": "ping", "arguments": {}}<|message_sep|>\n\n'
    )
    for format in ("auto", "gigachat3"):
        parsed = parse(text, format)
        assert plain(parsed.calls) == [("ping", {})]
        assert (parsed.text, parsed.problems) == ("I look.", ())
        assert plain(parse(text[text.index("function") :], format).calls) == [("ping", {})]
        parsed = parse("function call<|role_sep|>\n{}", format)
        assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_a_granite_object_is_no_list_and_a_problem() -> None:
    parsed = parse('<|tool_call|> {"name": "ping", "arguments": {}}')
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_a_harmony_header_has_the_recipient_before_or_after_the_channel() -> None:
    for header in (
        " to=functions.ping<|channel|>commentary json<|message|>",
        "<|channel|>commentary to=functions.ping code<|message|>",
        "<|channel|>analysis to=functions.ping\n<|constrain|>json\n<|message|>",
    ):
        text = header + "{}<|call|>"
        assert plain(parse(text).calls) == [("ping", {})]
        assert plain(parse(f"{text}<|start|>assistant{text}").calls) == [("ping", {})] * 2


def test_a_harmony_call_of_what_is_no_function_is_a_problem() -> None:
    for header in ("analysis to=python code", "commentary to=browser.search", "commentary to=math.sum json"):
        parsed = parse(f"<|channel|>{header}<|message|>{{}}<|call|>")
        assert (parsed.calls, len(parsed.problems)) == ((), 1)


@pytest.mark.parametrize("name", ["gemma4", "apertus", "harmony"])
def test_calls_end_a_thought_of_these_families_if_only_calls_follow(name: str) -> None:
    family = FAMILIES[name]
    begun = family.thought.partition("{}")[0] + "I look it up. "
    call = family.write(ONE)
    for format in ("auto", name):
        parsed = parse(begun + call, format)
        assert (plain(parsed.calls), parsed.text) == (list(ONE), "")
        for text, cut in ((begun + call + " Or not", False), (begun + call, True)):
            parsed = parse(text, format, cut=cut)
            assert (parsed.calls, len(parsed.problems)) == ((), 1)


# The end of Inkling's call is the end of a thought, too.
@pytest.mark.parametrize("name", sorted(FAMILIES.keys() - {"gemma4", "apertus", "harmony", "inkling"}))
def test_a_call_in_an_open_thought_is_a_problem_else(name: str) -> None:
    family = FAMILIES[name]
    parsed = parse(family.thought.partition("{}")[0] + "Perhaps " + family.write(ONE), name)
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_kimi_ids_are_kept_with_and_without_the_namespace() -> None:
    for id in ("functions.ping:3", "ping:3"):
        (call,) = parse(f"<|tool_call_begin|>{id}<|tool_call_argument_begin|>{{}}<|tool_call_end|>").calls
        assert (call.name, call.id) == ("ping", id)


def test_gemma_words_without_quotes_are_strings_and_sentences_are_problems() -> None:
    (call,) = parse("<|tool_call>call:light{area:kitchen,on:true,tags:[a,b_1]}<tool_call|>").calls
    assert plain((call,)) == [("light", {"area": "kitchen", "on": True, "tags": ["a", "b_1"]})]
    for value in ("the kitchen", "kitchen.", "1.2.3", "'x'", "a:b"):
        parsed = parse(f"<|tool_call>call:light{{area:{value}}}<tool_call|>")
        assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_gemma_falls_back_to_python() -> None:
    for text in ('<|tool_call>call:ping(host="a")<tool_call|>', '```tool_code\nping(host="a")\n```'):
        assert plain(parse(text, "gemma4").calls) == [("ping", {"host": "a"})]


def test_several_gemma_calls_share_a_block() -> None:
    text = "<|tool_call>call:ping{}call:pong{n:1}<tool_call|>"
    assert plain(parse(text).calls) == [("ping", {}), ("pong", {"n": 1})]


def test_gemma3_calls_are_the_whole_answer_and_only_where_it_is_named() -> None:
    for text in ('[ping(host="a"), ping(host="a")]', '{"name": "ping", "parameters": {"host": "a"}}'):
        found = plain(parse(text, "gemma3").calls)
        assert found == [("ping", {"host": "a"})] * len(found) != []
        assert parse(f"Sure: {text}", "gemma3").calls == ()
    assert parse('[ping(host="a")]').calls == ()


def test_minicpm_keeps_what_a_cdata_section_encloses() -> None:
    value = ' <param name="x">1</param>\n</function> '
    text = f'<function name="note"><param name="text"><![CDATA[{value}]]></param></function>'
    for format in ("auto", "minicpm5"):
        assert plain(parse(text, format).calls) == [("note", {"text": value})]


def test_a_step3_call_of_another_type_is_a_problem() -> None:
    text = FAMILIES["step3"].write(ONE).replace(">function<", ">observe<")
    parsed = parse(text)
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_other_ways_in_which_families_write_a_call() -> None:
    for text, format in (
        ('<tool_call>f>{"a": "x"}', "glm4"),
        ('<|tool_call:start|>f\n{"a": "x"}\n<|tool_call:end|>', "solar-open2"),
        ("<invoke name=f><parameter name=a>x</parameter></invoke>", "dots"),
        ('<functionname="f"><paramname="a">x</param></function>', "minicpm5"),
        ('<tool_call>{"name": "f", "arguments": {"a": "x"}}</arg_value>', "zeroclaw"),
    ):
        parsed = parse(text, format)
        assert (plain(parsed.calls), parsed.text, parsed.problems) == ([("f", {"a": "x"})], "", ())


def test_values_of_hyperclovax_are_json_where_it_is_named() -> None:
    text = FAMILIES["glm4"].write([("f", {"a": '"x \\"y\\""', "b": "3", "c": "two words", "d": '"x'})])
    assert plain(parse(text, "hyperclovax").calls) == [
        ("f", {"a": 'x "y"', "b": 3, "c": "two words", "d": '"x'})
    ]
    assert plain(parse(text).calls)[0][1]["a"] == '"x \\"y\\""'


def test_solar_calls_that_begin_as_a_block_of_markdown_are_the_whole_answer() -> None:
    text = "```f\n<|tool_arg:start|>a<|tool_arg:value|>1<|tool_arg:end|>\n<|tool_call:end|>"
    assert plain(parse(text, "solar-open2").calls) == [("f", {"a": "1"})]
    parsed = parse(f"As in:\n{text}", "solar-open2")
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_an_interpreter_of_internlm_is_a_problem() -> None:
    parsed = parse("<|action_start|><|interpreter|>\nprint(1)<|action_end|>")
    assert (parsed.calls, len(parsed.problems)) == ((), 1)
