"""What is read at the start of a text alone, and bare forms of a format of one's own."""

from typing import Any

import msgspec
import pytest
from toolcast.agents.text_calls import TextFormat

from tests.agents.text_calls.forms import read

CALL = '{"name": "f", "arguments": {}}'
MARKED: dict[str, Any] = {"open": ["<f>"], "close": ["</f>"], "content": "json-calls"}
NAMED: dict[str, Any] = {"open": ["{name}\n"], "content": "json-arguments", "place": "start"}
WHOLE: dict[str, Any] = {"open": ["{", "["], "content": "json-calls", "place": "whole", "peek": True}


def own(*calls: dict[str, Any], **more: Any) -> TextFormat:
    return msgspec.convert({"id": "own", "title": "Own", "calls": list(calls), **more}, TextFormat)


def test_what_a_text_may_start_with_is_dropped_there_alone() -> None:
    format = own(MARKED, starts=["Reply: "])
    assert read("Reply: Yes. Reply: no.", format).text == "Yes. Reply: no."
    assert [call.name for call in read(f"Reply: <f>{CALL}</f>", format).calls] == ["f"]
    assert read("Rep", format).text == "Rep"


@pytest.mark.parametrize("thought", ["", "<think>hm</think>\n", "hm</think>"])
def test_a_name_may_begin_a_text(thought: str) -> None:
    parsed = read(f'{thought}shell.run\n{{"a": 1}}', own(NAMED))
    assert [(call.name, call.arguments) for call in parsed.calls] == [("shell.run", '{"a": 1}')]
    assert (parsed.text, parsed.problems) == ("", ())
    assert read("shell.run\nis a tool", own(NAMED)).text == "shell.run\nis a tool"


@pytest.mark.parametrize("end", ["", "<end>", " <end>\n"])
def test_the_end_of_a_turn_may_follow_a_text_that_is_nothing_but_calls(end: str) -> None:
    parsed = read(f"[{CALL}]{end}", own(WHOLE, ends=["<end>"]))
    assert ([call.name for call in parsed.calls], parsed.text, parsed.problems) == (["f"], "", ())
    assert read(f"[{CALL}]<other>", own(WHOLE, ends=["<end>"])).calls == ()


def test_a_bare_form_is_read_where_its_format_is_named() -> None:
    format = own(MARKED, {**WHOLE, "bare": True})
    assert [call.name for call in read(CALL, format).calls] == ["f"]
    assert [call.name for call in read(f"<f>{CALL}</f>", format).calls] == ["f"]
