"""What was not read whole is not carried out."""

import asyncio
import json
from typing import Any

import pytest
from toolcast.agents.text_calls import TextDispatcher, parse
from toolcast.runtime import ToolContext, ToolRegistry

from tests.runtime.sample.misc.note import NOTE

J = '{"name": "note", "arguments": {"text": "x"}}'
K = '{"name": "note", "arguments": {"text": "y"}}'
M3 = "]<]minimax[>["


def carried_out(text: str, **given: Any) -> tuple[list[str], str]:
    """The notes that a text made, and the message that answers it."""
    notes: list[str] = []
    registry = ToolRegistry()

    def note(params: Any, context: ToolContext) -> None:  # noqa: ARG001 - a handler's signature
        notes.append(params.text)

    registry.register(NOTE, note)
    outcome = asyncio.run(TextDispatcher(registry).run(text, **given))
    return notes, outcome.message


@pytest.mark.parametrize(
    "text",
    [
        f'<invoke name="note">{M3}<command>ls{M3}</command>{M3}</invoke>',
        f'<tool_call><invoke name="note">{M3}<text>ls{M3}</text></invoke></tool_call>',
        f"<tool_call>note{M3}<text>ls{M3}</text></tool_call>",
        f"<function=note>{M3}<text>ls</text></function>",
        '<invoke name="note">[[text]]ls[[/text]]</invoke>',
        '<invoke name="note"><parameter name="text">x</parameter>ls</invoke>',
        '<invoke name="note">ls<parameter name="text">x</parameter></invoke>',
    ],
)
def test_markup_of_another_family_is_no_value(text: str) -> None:
    notes, message = carried_out(text)
    assert notes == []
    assert "was not carried out" in message


@pytest.mark.parametrize("tag", ["tools", "tool_call", "invoke"])
def test_an_echoed_declaration_calls_nothing(tag: str) -> None:
    tool = {"name": "note", "description": "Keeps a note.", "parameters": {"text": "x"}}
    for echo in (tool, [tool, tool], {"type": "function", "function": tool}):
        notes, message = carried_out(f"<{tag}>{json.dumps(echo)}</{tag}>")
        assert (notes, message) == ([], "")
    mixed = f"<{tag}>{json.dumps([tool, json.loads(J)])}</{tag}>"
    assert carried_out(mixed)[0] == ([] if tag == "tools" else ["x"])


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{J}\n{K}</tool_call>",
        '<tool_call>note(text="x")\nnote(text="y")</tool_call>',
        '<|tool_call_start|>[note(text="x")]\n[note(text="y")]<|tool_call_end|>',
        '<|tool_call_start|>note(text="x")\nnote(text="y")<|tool_call_end|>',
        f"{J}\n{K}",
        f"[TOOL_CALLS]{J}\n{K}",
        f"<|python_tag|>{J}\n{K}",
        "<tool_call>\n<note><text>x</text></note>\n<note><text>y</text></note>\n</tool_call>",
        "<function=note>\n<parameter=text>\nx\n</parameter>\n</function>\n"
        "<function=note>\n<parameter=text>\ny\n</parameter>\n</function>",
    ],
)
def test_of_calls_on_lines_of_their_own_none_is_lost(text: str) -> None:
    assert carried_out(text)[0] == ["x", "y"]


@pytest.mark.parametrize(
    "text",
    [
        '<invoke name="note"><parameter name="text">rm -rf /tmp</parameter>',
        "<function=note><parameter=text>rm -rf /tmp</parameter>",
        "<tool_call>note<arg_key>text</arg_key><arg_value>rm -rf /tmp</arg_value>",
        "<tool_call>note>rm -rf /tmp",
        '<tool_call>note text="rm -rf /tmp"',
        "<tool_call><note><text>rm -rf /tmp</text></note>",
        "<tool_call>\nname: note\ntext: rm -rf /tmp",
        '<tool_call>note(text="rm -rf /tmp',
        '<tool_call>{"name": "note", "arguments": {"text": "rm -rf /tmp',
        '<tool_call>[{"name": "note", "arguments": {"text": "rm -rf /tmp"}},',
        '{"name": "note", "arguments": {"text": "rm -rf /tmp',
        '[{"name": "note", "arguments": {"text": "rm -rf /tmp"}},',
    ],
)
def test_a_call_that_the_end_of_the_answer_cuts_off_does_not_run(text: str) -> None:
    notes, message = carried_out(text)
    assert notes == []
    assert message.count("was not carried out") == 1
    notes, message = carried_out(text, cut=True)
    assert notes == []
    assert "send the call again" in message


def test_a_call_at_the_end_of_a_cut_answer_runs_only_with_its_marker() -> None:
    for text in (f"<tool_call>{J}", '<tool_call>note(text="x")', f"[TOOL_CALLS][{J}"):
        notes, message = carried_out(text, cut=True)
        assert notes == []
        assert "send the call again" in message
    assert carried_out(f"<tool_call>{J}</tool_call>", cut=True)[0] == ["x"]
    notes, message = carried_out(f"<tool_call>{J}</tool_call>\n<tool_call>{K[:20]}", cut=True)
    assert notes == ["x"]
    assert "send the call again" in message


@pytest.mark.parametrize(
    "fence",
    [f"```tool_call\n{J}\n```", '```tool note\n{"text": "x"}\n```', f"```invoke\n{J}\n```"],
)
def test_a_fence_after_words_is_an_example(fence: str) -> None:
    for words in ("Here is how you would call it:\n", "You would write:\n\n", "That is how.\n"):
        notes, message = carried_out(f"{words}{fence}")
        assert notes == []
        assert "may be an example" in message
    assert carried_out(fence)[0] == ["x"]


def test_nothing_runs_that_follows_what_was_not_read() -> None:
    for broken in ("<tool_call>{bad}</tool_call>", "[TOOL_CALLS]", '<invoke name="note">words</invoke>'):
        notes, message = carried_out(f"{broken}\n<tool_call>{J}</tool_call>")
        assert notes == []
        assert "Nothing after it was read" in message


def test_a_broken_call_in_a_thought_is_thought() -> None:
    parsed = parse(f"<think><tool_call>{{bad}}</tool_call></think><tool_call>{J}</tool_call>")
    assert [call.name for call in parsed.calls] == ["note"]
    assert parsed.problems == ()


@pytest.mark.parametrize("rest", ['"key": 1}', ', "key": 1}', " , {}", "}", "[1, 2]", ': "x"', "```"])
def test_what_goes_on_behind_the_last_bracket_is_no_prose(rest: str) -> None:
    for text in ('[TOOL_CALLS]f[ARGS]{"a": 1}', '[TOOL_CALLS]f{"a": 1}'):
        parsed = parse(text + rest, "mistral")
        assert parsed.calls == ()
        assert len(parsed.problems) == 1
        (call,) = parse(f"{text} Words, and more.", "mistral").calls
        assert call.name == "f"


@pytest.mark.parametrize(
    "begun",
    ['<tool_call>note text="it is ', '<tool_call>\nname: note\ntext "', "<tool_call> note ", "<toolcall>it "],
)
def test_a_call_behind_a_marker_that_is_never_closed_may_stand_in_its_value(begun: str) -> None:
    notes, message = carried_out(f"{begun}<function=note><parameter=text>x</parameter></function>")
    assert notes == []
    assert "may enclose it" in message


def test_of_formats_that_share_a_form_the_most_common_one_is_told() -> None:
    (call,) = parse(f"<tool_call>{J}</tool_call>").calls
    assert call.format == "hermes"
