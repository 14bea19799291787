"""docs/reports/text-formats.md is up to date, and no text runs a call that it does not ask for."""

from pathlib import Path

import pytest

from bench.text_formats.__main__ import report
from bench.text_formats.judge import judge_all
from bench.text_formats.parsers import missing
from bench.text_formats.reference import read
from bench.text_formats.texts import load

PAGE = Path(__file__).resolve().parents[3] / "docs/reports/text-formats.md"


@pytest.mark.corpora
def test_the_report_is_up_to_date_and_no_call_runs_that_is_not_asked_for(shared_dir: Path) -> None:
    """`make text-formats` writes it."""
    text, wrong = report(shared_dir)
    assert [line for line in wrong if "not asked for" in line] == []
    assert PAGE.read_text("utf-8") == text


def test_each_parser_of_vllm_and_sglang_has_a_format_of_its_name() -> None:
    assert missing() == []


@pytest.mark.corpora
@pytest.mark.parametrize(("auto", "least"), [(True, 0.95), (False, 0.95)])
def test_most_calls_are_read_and_texts_without_calls_stay_texts(
    shared_dir: Path, auto: bool, least: float
) -> None:
    judged = judge_all(load(shared_dir), auto=auto)
    calls = [each.verdict == "right" for each in judged if each.text.group == "calls"]
    others = [each.verdict == "right" for each in judged if each.text.group == "none"]
    assert sum(calls) >= least * len(calls)
    assert sum(others) >= 0.98 * len(others)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>', [("f", {"a": 1})]),
        ("<function=f><parameter=a>1</parameter></function>", [("f", {"a": "1"})]),
        ("<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value></tool_call>", [("f", {"a": "x"})]),
        ('[TOOL_CALLS]f[ARGS]{"a": 1}', [("f", {"a": 1})]),
        ('<|tool_call>call:f{a:<|"|>x<|"|>,b:1}<tool_call|>', [("f", {"a": "x", "b": 1})]),
        ('[f(a="x"), g()]', [("f", {"a": "x"}), ("g", {})]),
        ('{"name": "f", "parameters": {}}', [("f", {})]),
        ('<think><tool_call>{"name": "f", "arguments": {}}</tool_call></think>', []),
    ],
)
def test_the_reference_reads_whole_calls(text: str, calls: list[tuple[str, object]]) -> None:
    asked = read(text)
    assert ([*asked.calls], asked.broken) == (calls, False)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "f"',
        "<function=f><parameter=a>1",
        '[TOOL_CALLS]f[ARGS]{"a"',
        "<tool_call>no call",
        "Now: [f(a=",
    ],
)
def test_the_reference_knows_what_is_broken(text: str) -> None:
    assert read(text).broken
