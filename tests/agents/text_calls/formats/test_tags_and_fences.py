"""Tags, blocks of Markdown and lines in which models write calls that have no form of their own."""

from typing import Any

import pytest
from toolcast.agents.text_calls import parse

from tests.agents.text_calls.forms import plain, read

CALL = '{"name": "shell", "arguments": {"command": "ls"}}'
FENCES = ("tool_call", "tool_calls", "tool-call", "toolcall", "invoke")
TAGS = ("tool_call", "tool_calls", "toolcall", "tool-call", "minimax:tool_call", "FunctionCall")


def calls(text: str, format: str) -> list[tuple[str, Any]]:
    return plain(read(text, format).calls)


@pytest.mark.parametrize("alias", FENCES)
@pytest.mark.parametrize("format", ["auto", "zeroclaw"])
def test_blocks_of_markdown_are_calls_where_no_prose_stands_beside_them(alias: str, format: str) -> None:
    block, one = f"```{alias}\n{CALL}\n```", ("shell", {"command": "ls"})
    assert calls(block, format) == [one]
    for text in (f"I list them.\n{block}", f"{block}\nThat is how.", f"{block}\n{block}\nand\n{block}"):
        assert calls(text, format) == []
        assert len(parse(text, format).problems) == 1
    text = f"<think>I list them.</think>\n{block}\n\n{block}\n<tool_call>{CALL}</tool_call>"
    assert calls(text, format) == [one] * 3
    text = f"Not so:\n{block}\nbut so:\n<tool_call>{CALL}</tool_call>"
    assert calls(text, format) == [one]
    assert parse(text, format).problems == ()


@pytest.mark.parametrize("opening", TAGS)
@pytest.mark.parametrize("closing", TAGS)
def test_each_tag_closes_each(opening: str, closing: str) -> None:
    assert calls(f"Now <{opening}>{CALL}</{closing}>.", "zeroclaw") == [("shell", {"command": "ls"})]


@pytest.mark.parametrize("tag", ["tool_call", "toolcall", "tool-call"])
def test_words_in_a_tag_that_are_no_call_are_a_problem(tag: str) -> None:
    for body in (f"I will now call {CALL}", f"{CALL} and more", "shell {command", "<a>1</a> or"):
        parsed = parse(f"<{tag}>{body}</{tag}>")
        assert (parsed.calls, len(parsed.problems)) == ((), 1)


def test_prose_that_names_tags_calls_nothing() -> None:
    for text in ("Write it between <tool_call> and </tool_call>.", "see the <tool_call> tags, too"):
        assert parse(text).calls == ()
    assert parse("see the <tool_call> tags, too").problems == ()


def test_lines_are_calls_only_where_the_format_is_named() -> None:
    text = "shell/command>ls -la | wc\n\n  http_request/url>https://example.com/?a=b>c\n"
    assert calls(text, "zeroclaw") == [
        ("shell", {"command": "ls -la | wc"}),
        ("http_request", {"url": "https://example.com/?a=b>c"}),
    ]
    assert parse(text).calls == ()
    assert parse(text).text == text.strip()


@pytest.mark.parametrize(
    "text", ["shell/command>ls\nDone.", "I run\nshell/command>ls", "and/or", "a/b>", "a/b> \n"]
)
def test_lines_among_words_are_words(text: str) -> None:
    assert calls(text, "zeroclaw") == []
    assert parse(text, "zeroclaw").text == text.strip()
