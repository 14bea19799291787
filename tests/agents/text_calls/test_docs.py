"""docs/reference/text-calls.md: its examples run, and its tables are those of the formats."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest
from toolcast.agents.text_calls import known_formats, parse

from bench.marked import replaced
from bench.text_formats.__main__ import tables
from bench.text_formats.formats_table import KEY, NAME, VALUE, sample_call

DOC = Path(__file__).resolve().parents[3] / "docs/reference/text-calls.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", DOC.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def printed(code: str, **names: object) -> list[str]:
    """What an example prints, and what its comments say that it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "docs/reference/text-calls.md", "exec"), names)
    return out.getvalue().splitlines()


def test_the_first_example_prints_what_it_says() -> None:
    assert printed(blocks("python")[0]) == ["Let me look.", 'read {"path": "a.md"}']


def test_the_example_of_a_cut_answer_runs_no_call() -> None:
    names = {"parse": parse}
    (line,) = printed(blocks("python")[1], **names)
    assert line.startswith("() the answer was cut off inside this call")


def test_the_example_of_a_stream_runs_a_whole_call_and_tells_half_of_one() -> None:
    pieces = [
        "Look: <tool_",
        "call><function=read><parameter=path>a.md</param",
        "eter></function></tool_call>",
    ]
    assert printed(blocks("python")[2], pieces=pieces, stop="stop") == ["Look: run read"]
    (line,) = printed(blocks("python")[2], pieces=pieces[:2], stop="length")
    assert "cut off" in line


def test_the_tables_are_those_of_the_formats() -> None:
    """`make text-formats` writes them."""
    page = DOC.read_text("utf-8")
    for name, body in tables().items():
        assert replaced(page, name, body) == page


@pytest.mark.parametrize("id", known_formats())
def test_each_format_reads_the_call_that_the_table_shows(id: str) -> None:
    parsed = parse(sample_call(known_formats()[id]), id)
    (call,) = parsed.calls
    arguments = call.arguments if call.textual else json.loads(str(call.arguments))
    assert (call.name, arguments) == (NAME, {KEY: VALUE})
    assert parsed.problems == ()
    assert parsed.text == ""
