"""Forms without marks: read only where their format is named, and only as a whole."""

import pytest
from toolcast.agents.text_calls import Parsed, known_formats, parse
from toolcast.text_formats.text_format import find_format

from tests.agents.text_calls.forms import plain, read

CALL = '{"name": "f", "parameters": {"a": 1}}'


def test_auto_reads_the_marked_forms_of_a_format_and_not_its_bare_ones() -> None:
    assert [call.name for call in read(f"<|python_tag|>{CALL}", "auto").calls] == ["f"]
    assert read(CALL, "auto") == Parsed(calls=(), text=CALL)
    assert [call.name for call in read(CALL, "llama3-json").calls] == ["f"]


@pytest.mark.parametrize("end", ["", "\n", "<|eot_id|>", " <|eom_id|>\n"])
def test_what_ends_a_turn_may_follow_a_bare_call(end: str) -> None:
    parsed = read(CALL + end, "llama3-json")
    assert ([call.name for call in parsed.calls], parsed.text, parsed.problems) == (["f"], "", ())


@pytest.mark.parametrize("thought", ["<think>hm</think>", "hm</think>", "<think>hm</think>\n\n"])
def test_a_bare_call_may_follow_a_thought(thought: str) -> None:
    for text, format in ((CALL, "llama3-json"), (f"[{CALL}]", "llama3-json"), ("[f(a=1)]", "pythonic")):
        parsed = read(thought + text, format)
        assert ([call.name for call in parsed.calls], parsed.text, parsed.problems) == (["f"], "", ())


def test_several_bare_objects_are_calls() -> None:
    parsed = read(f"{CALL}; {CALL}\n", "llama3-json")
    assert ([call.name for call in parsed.calls], parsed.text.strip(" ;\n"), parsed.problems) == (
        ["f", "f"],
        "",
        (),
    )


@pytest.mark.parametrize("format", ["auto", "phi4-mini"])
def test_a_list_of_objects_behind_functools_is_a_call_or_a_problem(format: str) -> None:
    call = '{"name": "f", "arguments": {}}'
    parsed = read(f"Now functools[{call}, {call}].", format)
    assert ([call.name for call in parsed.calls], parsed.problems) == (["f", "f"], ())
    for broken in (
        f"functools[{call}",
        f"functools[{call}, 3]",
        'functools[{"name": "f", "argu',
        "functools[{]",
    ):
        parsed = read(broken, format)
        assert (parsed.calls, len(parsed.problems)) == ((), 1)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"name": "Ann", "age": 3}', "llama3-json"),
        ('{"parameters": {}}', "llama3-json"),
        ("[1, 2]", "llama3-json"),
        ('[{"name": "Ann"}]', "xlam"),
        ("[1, 2]", "pythonic"),
        ("[f(x)]", "pythonic"),
        ("f(x=1)", "pythonic"),
        ("Write [f(x) for x in y if x == 1] or [link(s)](https://example.com).", "pythonic"),
        ("all\nis well", "functionary-v3.2"),
        ("Use functools[partial], functools [0] or functools[f(a=1)].", "phi4-mini"),
        ("functools[", "phi4-mini"),
        (f"Now: {CALL}; {CALL} and more", "llama3-json"),
        ('Declared as {"name": "f", "parameters": {"type": "object", "properties": {}}}.', "llama3-json"),
    ],
)
def test_data_and_words_are_no_bare_call(text: str, format: str) -> None:
    parsed = read(text, format)
    assert (parsed.calls, parsed.problems) == ((), ())
    assert parsed.text == text.removeprefix("all\n")


@pytest.mark.parametrize(
    "text",
    [
        f"{CALL} and more",
        f"{CALL}; {CALL} I used {{f}}.",
        '{"name": "f", "parameters": {oops}}',
        '[{"name": "f", "parameters": ',
        '{"name": "f',
    ],
)
@pytest.mark.parametrize("format", ["llama3-json", "hyperclovax"])
def test_a_bare_call_that_is_broken_or_has_words_behind_it_is_a_problem(text: str, format: str) -> None:
    parsed = read(text, format)
    assert (parsed.calls, len(parsed.problems)) == ((), 1)
    assert parse(text) == Parsed(calls=(), text=text.strip())


def test_gemma_and_lfm_calls_whose_tokens_a_server_left_out() -> None:
    for text, format, words in (
        ('I look.\ncall:f{a:1,b:<|"|>{x: y}<|"|>}', "gemma4", "I look."),
        ('<|channel>thought\nHm<channel|>call:f{a:1,b:<|"|>{x: y}<|"|>}', "gemma4", ""),
        ('<|tool_call>:call:f{a:1,b:<|"|>{x: y}<|"|>}', "gemma4", ""),
        ('[f(a=1, b="{x: y}")]', "lfm2", ""),
        ('[f(a=1, b="{x: y}")]I looked.', "lfm2", "I looked."),
    ):
        parsed = read(text, format)
        assert plain(parsed.calls) == [("f", {"a": 1, "b": "{x: y}"})]
        assert (parsed.text, parsed.problems) == (words, ())
    for text, format, left in (
        ("<|tool_call_start|>[f(a=1)]<|tool_call_end|>", "lfm2", "[f(a=1)]"),
        ("<|tool_call>call:f{a:1}<tool_call|>", "gemma4", "Or call:f{a:1}"),
    ):
        parsed = read(f"{text}\n{left}", format)  # an echo
        assert (plain(parsed.calls), parsed.text, parsed.problems) == ([("f", {"a": 1})], left, ())
    for text in ("I call: f{x}, or call:f.", "See [1], [link](x) and [f(x)]."):
        assert read(text, "gemma4") == read(text, "lfm2") == Parsed(calls=(), text=text)
    for text, format in (("call:f{a:b c}", "gemma4"), ("[f(a=1), g(x)]", "lfm2")):
        assert len(read(text, format).problems) == 1


def test_words_around_python_lists_are_kept() -> None:
    parsed = read("Now: [f(a=1)] and [g(), f( a = 2)] as in [1].", "pythonic")
    assert [call.name for call in parsed.calls] == ["f", "g", "f"]
    assert (parsed.text.split(), parsed.problems) == (["Now:", "and", "as", "in", "[1]."], ())
    parsed = read("Now: [f(a=1), f(x)]", "pythonic")
    assert (parsed.calls, len(parsed.problems)) == ((), 1)


@pytest.mark.parametrize("cut", range(1, len(CALL)))
def test_half_a_bare_call_is_none(cut: int) -> None:
    for format in ("llama3-json", "functionary-v3.2"):
        assert read(CALL[:cut], format, cut=True).calls == ()


def test_the_first_name_of_functionary_has_no_mark() -> None:
    parsed = read('all\nI look it up.>>>f\n{"a": 1}>>>g\n{}<|eot_id|>', "functionary-v3.2")
    assert [(call.name, call.arguments) for call in parsed.calls] == [("f", '{"a": 1}'), ("g", "{}")]
    assert (parsed.text, parsed.problems) == ("I look it up.", ())


def test_no_name_is_given_to_two_formats() -> None:
    names = [name for each in known_formats().values() for name in (each.id, *each.aliases)]
    assert sorted(names) == sorted(set(names))
    assert all(find_format(name) for name in names)


@pytest.mark.parametrize("format", ["pythonic", "llama4-pythonic"])
def test_of_two_lists_between_words_none_is_passed_over(format: str) -> None:
    parsed = parse("[first(a=1)] and [second(b=2)] then", format)
    assert [call.name for call in parsed.calls] == ["first", "second"]
    assert parsed.problems == ()
