"""Texts from other parsers' own tests. Their expectations are code of theirs; what a text asks for is
written in it: the names of the tools that stand at the marks of its form."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from toolcast.agents.text_calls import parse

pytestmark = pytest.mark.corpora

NAMES = {
    *("get_weather", "get_tourist_attractions", "make_next_step_decision", "search", "get_date", "get_time"),
    *("get_favorite_tourist_spot", "get_current_weather", "sql_interpreter", "TodoWrite", "todo_write"),
    *("invalid_func", "unknown_function", "calculator", "manage_user_memory", "list_filenames", "action"),
    *("create_task", "create_todos", "create_note", "execute_command", "process_data", "create_structure"),
    *("multi_param", "calculate", "store_data", "nonexistent_function", "update_settings", "stream_test"),
    *("complex_search", "search_docs", "unknown_tool", "multiply", "read_file", "schedule", "log"),
}
HEADS = re.compile(
    r'"name": ?"(?P<a>\w+)"|<tool_call>(?P<b>\w+)(?=\\n|[\s<])|<function=(?P<c>\w+)>|invoke name="(?P<d>\w+)"'
    r"|functions\.(?P<e>\w+):\d|sep｜>(?P<f>\w+)|\](?P<g>\w+)\[ARGS\]|[\[ ](?P<h>\w+)\((?=\w+=|\))"
)
"""How each of the suite's forms writes the name of a tool. Knows nothing of how calls are read."""

UNMARKED = "a call without any marker, in prose or as a list: JSON or code that is shown is never executed"
STREAMED = "a chunk of a stream, no text of a model"
TEMPLATE = "a prompt template, no text of a model"
BROKEN = "a call that is cut off or broken: reported as a problem, and not carried out"
OFTEN = "only the marker, without a call"
NAMED = "bare JSON with `parameters`, as tools are declared, too: a call where the family is named"
ESCAPED = "`\\n` as two characters between the markers: a text of a test, no text of a model"


def texts(shared: Path) -> list[tuple[int, str, str]]:
    """Line, test and text of each case."""
    lines = (shared / "suites" / "text-tool-calls" / "cases.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [(at, row["test"], text) for at, row in enumerate(rows) for text in row["texts"]]


def named(text: str) -> list[str]:
    """The tools that a text asks for, as its form writes them."""
    found = [next(name for name in match.groups() if name) for match in HEADS.finditer(text)]
    return [name for name in found if name in NAMES]


def is_whole(text: str) -> bool:
    """Whether a chunk happens to be a whole call."""
    if text.startswith("<|tool_call_start|>"):
        return text.endswith("}<|tool_call_end|>")
    try:
        return isinstance(json.loads(text), dict) and text.startswith('{"name"') and text.endswith("}}")
    except ValueError:
        return False


def is_json(text: str) -> bool:
    try:
        return bool(json.loads(text))
    except ValueError:
        return False


def deviation(at: int, test: str, text: str) -> str | None:
    """Why a text has no call; None where it has one."""
    if "template" in test or at in range(171, 175):
        return TEMPLATE
    if at <= 9 or at in (28, 29, 183):
        return UNMARKED
    if text in ("<tool_call>", "<|tool_call_start|>", "<|tool_call_start|><|tool_call_end|>") or at == 63:
        return OFTEN
    if at in (21, 36, 62, 96, 125, 126, 133) and '"name"' not in text.partition("}")[2]:
        return BROKEN if text.startswith("<") or "<" in text else STREAMED
    if at == 71 and "\\n<arg_key>" in text:
        return ESCAPED
    if at in (25, 86, 93, *range(175, 179)) and text[0] in "[{" and is_json(text):
        return NAMED
    if is_whole(text):
        return None
    if at in (37, 38, 118, 135, 159) or 179 <= at <= 181 or 80 <= at <= 94:
        return STREAMED
    if at in (19, 20, 111, 113, 115, 117):
        return STREAMED
    if text.lstrip()[:2] == '{"' and '"name"' not in text:
        return STREAMED  # the arguments that a test compares with
    return None


def test_every_text_is_read_or_has_a_reason(shared_dir: Path) -> None:
    counts: dict[str, int] = {}
    for at, test, text in texts(shared_dir):
        reason = deviation(at, test, text)
        counts[reason or "read"] = counts.get(reason or "read", 0) + 1
        parsed = parse(text)
        called = [call.name for call in parsed.calls]
        if reason is None:
            assert called == named(text) != [], (at, text)
            assert parsed.problems == (), (at, text)
        elif reason == NAMED:
            assert called == [], (at, text)
            assert [call.name for call in parse(text, "llama3-json").calls] == named(text) != [], (at, text)
        elif reason == BROKEN:
            assert len(parsed.problems) == 1, (at, text)
            assert called == named(text)[:-1] or called == [], (at, text)
        else:
            assert called == [], (at, text)
            assert reason in (STREAMED, OFTEN, ESCAPED) or parsed.problems == (), (at, text)
    page = (Path(__file__).parents[3] / "docs" / "reference" / "text-calls.md").read_text("utf-8")
    for reason, count in counts.items():
        assert f"| {count} | {reason} |" in page, (reason, count)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (111, [("get_weather", {"city": "Vienna"})]),
        (115, [("get_weather", {"city": "Munich"})]),
        (179, [("get_current_date", {})]),
    ],
)
def test_chunks_put_together(at: int, expected: list[tuple[str, Any]], shared_dir: Path) -> None:
    whole = "".join(text for line, _, text in texts(shared_dir) if line == at)
    assert [(call.name, json.loads(str(call.arguments))) for call in parse(whole).calls] == expected


@pytest.mark.parametrize("at", [180, 181])
def test_chunks_that_never_become_a_call(at: int, shared_dir: Path) -> None:
    whole = "".join(text for line, _, text in texts(shared_dir) if line == at)
    assert parse(whole).calls == ()
    assert len(parse(whole).problems) == 1


def test_malformed_arguments_are_handed_on_or_a_problem(shared_dir: Path) -> None:
    """What is no JSON inside a call never becomes a call of something else."""
    lines = (shared_dir / "suites" / "malformed-arguments" / "cases.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        given = json.loads(line)["input"]
        parsed = parse(f'<tool_call>{{"name": "f", "arguments": {given}}}</tool_call>')
        try:
            valid = isinstance(json.loads(given), dict)
        except ValueError:
            valid = False
        assert all(call.name == "f" for call in parsed.calls), given
        assert len(parsed.calls) <= 1, given
        assert not valid or len(parsed.calls) == 1, given
        assert bool(parsed.calls) != bool(parsed.problems), given
