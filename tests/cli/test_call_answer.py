"""`toolcast call --answer`: how a model's answer is read."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from toolcast.cli.main import cli

from tests.cli.conftest import Command

CALL = '<tool_call>{"name": "read", "arguments": {"path": "a.md"}}</tool_call>'
FORMAT = (
    'id = "acme"\ntitle = "Acme"\n[[calls]]\nopen = ["[[{name}]]"]\n'
    'close = ["[[end]]"]\ncontent = "json-arguments"\n'
)


@pytest.fixture
def answer(empty: Path) -> Path:
    file = empty / "answer.txt"
    file.write_text(f"Let me look.\n{CALL}\n", encoding="utf-8")
    return file


@pytest.mark.usefixtures("answer")
def test_calls_and_text_are_shown(run: Command) -> None:
    done = run("call", "--answer", "answer.txt", "--in", "hermes")
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        'call: read {"path": "a.md"}, hermes, 13-83',
        "text: Let me look.",
    ]


def test_a_call_that_cannot_be_read_is_the_exit_status(run: Command, answer: Path) -> None:
    answer.write_text(CALL[:-20], encoding="utf-8")
    done = run("call", "--answer", "answer.txt", "--cut")
    assert done.exit_code == 1
    assert done.output.startswith("problem: the answer was cut off inside this call")


@pytest.mark.usefixtures("answer")
def test_programs_get_json(run: Command) -> None:
    parsed = json.loads(run("call", "--answer", "answer.txt", "--in", "hermes", "--json").output)
    assert [call["name"] for call in parsed["calls"]] == ["read"]
    assert parsed["text"] == "Let me look."
    events = json.loads(run("call", "--answer", "answer.txt", "--in", "hermes", "--events", "--json").output)
    assert [event["event"] for event in events] == ["prose", "call-begun", "arguments-piece", "call", "prose"]
    formats = json.loads(run("call", "--formats", "--json").output)
    assert "hermes" in [each["id"] for each in formats]


@pytest.mark.usefixtures("answer")
def test_the_lines_of_the_input_are_the_pieces_of_the_stream(run: Command) -> None:
    lines = run("call", "--answer", "answer.txt", "--in", "hermes", "--events").output.splitlines()
    assert lines[0] == 'prose: {"text":"Let me look.\\n"}'
    assert lines[1] == 'call-begun: {"name":"read","id":""}'


@pytest.mark.usefixtures("empty")
def test_stdin_is_read() -> None:
    done = CliRunner().invoke(cli, ["call", "--answer", "-"], input=CALL)
    assert (done.exit_code, done.output.startswith("call: read")) == (0, True), done.output
    assert "no call in it" in CliRunner().invoke(cli, ["call", "--answer", "-"], input="words").output


@pytest.mark.parametrize(
    "words", [(), ("--cut",), ("read", "--answer", "answer.txt"), ("read", "--formats"), ("read", "--events")]
)
@pytest.mark.usefixtures("answer")
def test_options_that_exclude_each_other_are_refused(run: Command, words: tuple[str, ...]) -> None:
    assert run("call", *words).exit_code == 2


@pytest.mark.usefixtures("answer")
def test_a_format_of_ones_own_is_read_and_its_problems_are_told(run: Command, empty: Path) -> None:
    (empty / "acme.toml").write_text(FORMAT, encoding="utf-8")
    (empty / "acme.txt").write_text('[[go]] {"a": 1} [[end]]', encoding="utf-8")
    assert run("call", "--answer", "acme.txt", "--in", "auto", "--in", "acme.toml").output.startswith(
        'call: go {"a": 1}'
    )
    (empty / "acme.toml").write_text(FORMAT.replace("{name}", "name"), encoding="utf-8")
    done = run("call", "--answer", "acme.txt", "--in", "acme.toml")
    assert done.exit_code == 1
    assert "acme.toml:4:1: error[missing-hole]" in done.stderr


@pytest.mark.usefixtures("answer")
def test_what_cannot_be_read_is_refused_in_words(run: Command, empty: Path) -> None:
    done = run("call", "--answer", "answer.txt", "--in", "hermess")
    assert (done.exit_code, "Did you mean 'hermes'?" in done.stderr) == (2, True)
    done = run("call", "--answer", "none.txt")
    assert (done.exit_code, "No such file" in done.stderr) == (1, True)
    (empty / "latin.txt").write_bytes(b"\xe9")
    done = run("call", "--answer", "latin.txt")
    assert (done.exit_code, "no UTF-8" in done.stderr) == (1, True)


def test_an_answer_steers_no_terminal(run: Command, answer: Path) -> None:
    answer.write_text('\x1b[2J::error::x\n<tool_call>{"name": "f", "arguments": {"a": "\u202e"}}</tool_call>')
    for arguments in ((), ("--events",), ("--json")):
        shown = run("call", "--answer", "answer.txt", *arguments).output
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert not any(line.startswith("::") for line in shown.splitlines())
