"""Every character is looked at a bounded number of times, whatever stands before it, however it arrives."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import Prose, TextStream, known_formats, parse

from tests.agents.text_calls.forms import ANY, PIECES
from tests.agents.text_calls.forms import FORMS as EXAMPLES
from tests.agents.text_calls.rendered import FORMS, calls, fill
from tests.counting import lines_executed

MOST = 60
"""Looks at one character, at most. In prose it is one for each rare character of the markers."""

CALL = '<tool_call>{"name":"a","arguments":{}}</tool_call>'
CHARACTERS = [*map(chr, range(32, 127)), *"\n\t\r\x0b\x85\u2028\u3000é｜▁", "\r\n", " \n", '\\"', "\\n"]
INNER = [
    "{}", "[{", "[[", '{"a":', '{"a":1,', '""', "''", "a(", "a()", "b=1,", 'b="1" ', "a: b\n", "a>b\n",
    "<a>", "<a></a>", "<a b", "</a>", "[/", "{tool => ", '--a "b" ', "<br/>", "-1.5e3,", "true,", "\\u0041",
    CALL, "<think>", "</think>", "<think></think>", '["</think>', '[1]</think>{"a', "<tool_call>x ",
    "TOOL_CALL x ",
]  # fmt: skip
TAILS = ["", "{", '["', "<x>", 'a="', '{"k":"', "word ", "</think>", " {", "`", "\n"]


def markers() -> list[str]:
    """Every marker of every format, with its holes filled."""
    found: set[str] = set()
    for each in known_formats().values():
        for form in each.calls:
            found |= {fill(template, "f", "k") for template in form.open} | {*form.close}
            for parameter in form.parameters:
                found |= {fill(template, "f", "k") for template in parameter.open} | {*parameter.close}
        for enclosed in (*each.sections, *each.thoughts, *each.results):
            found |= {enclosed.open, enclosed.close}
        found |= {*each.dropped, *each.ends}
    return sorted(each for each in found if each.strip())


MARKERS = markers()
BEGINNINGS = ["", *(calls(form, [("f", {"k": "v"})], form.form.open[0])[:-1] for form in FORMS)]


def steps(text: str, format: str = "auto", *, size: int = 0, cut: bool = False) -> float:
    """Looks at each character, on average, where the text arrives in pieces of a size; 0 for at once."""
    stream = TextStream(format)
    for start in range(0, len(text), size or len(text) or 1):
        stream.feed(text[start : start + (size or len(text))])
    stream.finish(cut=cut)
    return stream.steps / max(1, len(text))


def check(unit: str, before: str = "", format: str = "auto", *, size: int = 0, length: int = 300) -> None:
    """Quadratic reading would look at each character three times as often in a text of its threefold."""
    few, many = (
        steps(before + unit * (1 + scale * length // len(unit)), format, size=size) for scale in (1, 3)
    )
    assert many <= MOST, (before, unit)
    assert many <= 1.5 * few + 3, (before, unit)


@given(ANY, st.sampled_from([0, 1, 7]))
def test_arbitrary_texts(text: str, size: int) -> None:
    check(text or " ", size=size)


@pytest.mark.parametrize(
    "tail",
    [tail if tail in ("", "{") else pytest.param(tail, marks=pytest.mark.thorough) for tail in TAILS],
)
def test_a_marker_repeated(tail: str) -> None:
    for marker in MARKERS:
        check(marker + tail)


def test_a_character_or_a_line_repeated_is_passed_over_at_once() -> None:
    for unit in [
        *CHARACTERS,
        *(f"{each}\n" for each in CHARACTERS),
        "```\n",
        "``` ",
        "[ ",
        "({\n",
        "1[",
        "</",
    ]:
        text = unit * (4_000 // len(unit))
        parse(text)  # expressions are compiled at first use
        assert lines_executed(lambda text=text: parse(text)) < 1_000, unit  # type: ignore[misc]


def test_a_marker_repeated_in_its_own_format() -> None:
    for id, each in known_formats().items():
        for form in each.calls:
            for template in form.open:
                check(fill(template, "f", "k") + " x", format=id)


@pytest.mark.parametrize("before", ["", "<tool_call>", "["])
def test_what_stands_in_calls_repeated(before: str) -> None:
    for unit in (*INNER, *(text for text, _ in EXAMPLES.values()), *PIECES):
        check(unit, before)


@pytest.mark.thorough
@pytest.mark.parametrize("before", BEGINNINGS)
def test_a_long_run_of_anything_behind_a_call_that_begins(before: str) -> None:
    for unit in (*CHARACTERS, *INNER, *MARKERS):
        check(unit, before, length=10_000)


@pytest.mark.thorough
@pytest.mark.parametrize("first", MARKERS)
def test_pairs_of_markers_repeated(first: str) -> None:
    for second in MARKERS:
        check(first + second, length=1_000)


@pytest.mark.parametrize("unit", ["<tool_call", "<", "[TOOL_CALL", "`", "</think", " ", "{", '"', "x"])
def test_a_text_that_arrives_character_by_character(unit: str) -> None:
    """What is held back is not looked at from its beginning for each character."""
    for before in (
        "",
        '<tool_call>{"name":"a","arguments":{"x":"',
        "<function=a><parameter=b>",
        "<tool_call>",
    ):
        check(unit, before, size=1, length=600)


def test_lists_around_a_call_are_not_read_again_for_each_of_them() -> None:
    call = json.dumps({"name": "a", "arguments": {"x": "y" * 100_000}})
    assert steps("[" * 900 + call + "]" * 900) <= MOST
    assert steps("<tool_call>" + "[" * 900 + call + "]" * 900) <= MOST


CONTAINERS = ["`", "``", "` ", "\\`", "~~~\n", "```\n", "> ", "- ", "1. ", "<!--", "-->", "<code>", "</code>"]
CONTAINERS += ["<tools>", "</tools>", "<pre>\n", "    ", "\n\n", "\n", "<code", "# "]


@pytest.mark.parametrize(
    "first",
    [
        first if first in ("` ", "<code>") else pytest.param(first, marks=pytest.mark.thorough)
        for first in CONTAINERS
    ],
)
def test_containers_repeated(first: str) -> None:
    for second in CONTAINERS:
        for marker in ("<tool_call>", f"{CALL}", "</think>", "x"):
            check(f"{first}{second}{marker}")
            check(f"{first}{marker}{second}", "` <code> <tools>\n<!-- ")


def test_runs_of_all_lengths_before_markers() -> None:
    few, many = (
        steps("".join("`" * (1 + at % top) + " <tool_call " for at in range(top * 4)), "hermes")
        for top in (40, 120)
    )
    assert many <= 1.5 * few + 3


@pytest.mark.parametrize("character", ["`", "<", "[", "{", "|", '"'])
def test_a_flood_of_one_character_is_read_in_a_few_events(character: str) -> None:
    stream = TextStream()
    events = [*stream.feed(character * 3_000), *stream.finish()]
    assert len(events) <= 5
    assert "".join(event.text for event in events if isinstance(event, Prose)) == character * 3_000
