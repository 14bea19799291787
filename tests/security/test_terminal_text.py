"""Text of models, tools and files on a terminal: it moves no cursor, hides nothing and asks nothing."""

import io
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.agents import RunState
from toolcast.agents.dispatch import TextPiece, ThinkingPiece
from toolcast.agents.events import Called, Calling
from toolcast.agents.record import CallRecord
from toolcast.runtime import ToolResult
from toolcast.runtime.middleware.policy import ApprovalRequest
from toolcast.runtime.middleware.policy.approval import Shape, question

from examples.agent.terminal import Screen
from tests.examples.agent.terminal import piped

SEQUENCES = {
    "cursor": "\x1b[2A\x1b[2K",
    "screen": "\x1bc\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;cm0gLXJmIH4=\x1b\\",
    "link": "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "answer": "\x1b[6n\x1b[c\x1bP$q\x1b\\",
    "colour that hides": "\x1b[8mrm -rf ~\x1b[0m",
    "C1": "\x9b2J\x9d0;owned\x9c",
    "return": "harmless\rharmful",
    "backspaces": "harmful" + "\b" * 7,
    "order of letters": "\u202emrof\u202c \u2066x\u2069",
    "zero width": "a\u200bb\u2060c\ufeff",
    "line separators": "a\u2028Run it? [y]es\u2029\x85\x0b\x0c",
    "fillers": "a\u3164\u115f\u1160\uffa0\u2800b",
    "selectors": "a" + "".join(chr(0xE0100 + ord(letter)) for letter in "rm -rf"),
    "tags": "a" + "".join(chr(0xE0000 + ord(letter)) for letter in "rm -rf"),
    "marks of vowels": "a\u034f\u17b4\u17b5b",
}
every_sequence = pytest.mark.parametrize("name", SEQUENCES)
TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("".join(SEQUENCES.values()))), max_size=60
) | st.sampled_from([*SEQUENCES.values()])


def unseen(text: str, keep: str = "\n") -> list[str]:
    """Characters that a terminal acts on or shows as nothing, by the Unicode database; with neither our
    tables nor our code. Spaces and letters of any script are none."""
    blank = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    return [
        letter
        for letter in text
        if letter not in keep
        and (
            unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
            or letter in blank
            or 0xE0100 <= ord(letter) <= 0xE01EF
        )
    ]


def asked(hostile: str) -> str:
    shape = Shape(hostile, (("a", "exact", hostile),))
    return question(
        ApprovalRequest(
            tool=hostile,
            summary=hostile,
            permission=hostile,
            params={hostile or "a": [hostile]},
            shape=shape,
            words=f"{hostile}.",
        )
    )


@every_sequence
def test_a_terminal_sequence_in_an_approval_question_is_escaped(name: str) -> None:
    """An escape sequence, a turned order of letters or an invisible character in what a person approves."""
    text = asked(SEQUENCES[name])
    assert unseen(text) == []
    assert "\\" in text


@given(TEXT.filter(lambda text: text.isascii() or not re.search("[\ud800-\udfff]", text)))  # no JSON text
@example("\x1b[1A")
def test_no_text_adds_a_line_to_an_approval_question(hostile: str) -> None:
    """Any text in a call that a person is asked about: the question has the lines that it has without."""
    text = asked(hostile)
    assert unseen(text) == []
    assert len(text.splitlines()) == len(asked("a").splitlines())
    assert text.splitlines()[-1] == "Run it? [y]es, [N]o, [a]lways: "


def test_an_argument_that_is_too_long_to_show_says_so() -> None:
    """A command behind so many blanks that a person does not see it."""
    params = {"command": "ls" + " " * 5000 + "; rm -rf ~"}
    text = question(ApprovalRequest(tool="bash", summary="", permission="execute", params=params, shape=None))
    assert "more characters NOT SHOWN" in text


def events(hostile: str) -> list[Any]:
    """What a run tells of a model and a tool that write a text wherever they can."""
    arguments = {"file_path": hostile, hostile: hostile}
    calls = [
        CallRecord(id="c1", name=hostile, arguments=arguments, result=result, seconds=0.1)
        for result in (
            ToolResult.ok(hostile),
            ToolResult.failed(hostile or "no"),
            ToolResult.ok(json.dumps({"text": hostile, hostile: 1})),
        )
    ]
    return [
        TextPiece(hostile),
        ThinkingPiece(hostile),
        Calling(round=1, id="c1", name=hostile, arguments=arguments),
        *(Called(round=1, call=call) for call in calls),
    ]


@every_sequence
def test_a_terminal_sequence_in_a_run_does_nothing_to_the_screen_of_the_agent(name: str) -> None:
    """An escape sequence in an answer, a thought, a call, a result, an error or the text of a file."""
    out = io.StringIO()
    screen = Screen(out)
    for event in events(SEQUENCES[name]):
        screen.show(event)
    shown = out.getvalue()
    assert {letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cf")} <= {"\n", "\t"}


@given(TEXT)
@example("\ud800")
def test_on_a_colour_terminal_the_agent_writes_no_sequence_but_its_own(hostile: str) -> None:
    """Any text of a run on a terminal with colours: bold, dim, red and plain are the only sequences."""

    class Coloured(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Coloured()
    screen = Screen(out)
    for event in events(hostile):
        screen.show(event)
    left = re.sub(r"\x1b\[(?:0|1|2|31)m", "", out.getvalue())
    assert not [letter for letter in left if unicodedata.category(letter) == "Cc" and letter not in "\n\t"]


def test_arguments_that_no_json_text_has_do_not_end_the_conversation() -> None:
    """Half a surrogate pair or endless nesting in arguments, which the client of a provider parsed."""
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    out = io.StringIO()
    screen = Screen(out)
    for arguments in ({"a": "\ud800", "\udfff": 1}, {"a": deep}, {"a": float("nan")}, None, "\ud800"):
        screen.show(Calling(round=1, id="c1", name="bash", arguments=arguments))
    assert out.getvalue().count("> bash ") == 5
    assert out.getvalue().encode()


def recording(folder: Path, *calls: tuple[str, dict[str, Any]]) -> Path:
    """A conversation in which a model makes calls and then answers."""
    texts = [
        f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"
        for name, arguments in calls
    ]
    lines = [{"question": "Go."}, *({"provider": "text", "answer": [{"text": t}]} for t in [*texts, "Done."])]
    file = folder / "conversation.jsonl"
    file.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    return file


def test_a_terminal_sequence_in_a_stored_conversation_is_escaped(tmp_path: Path) -> None:
    """A stored state whose fields hold escape sequences, in the error that refuses it."""
    state = tmp_path / "run.state"
    state.write_bytes(RunState(messages=(), format="x\x1b]0;owned\x07\x1b[2J").encode())
    done = piped(["--replay", str(recording(tmp_path)), "--state", str(state), str(tmp_path)])
    assert done.returncode == 2
    assert "--provider x\\x1b]0;owned" in done.stderr
    assert unseen(done.stdout + done.stderr) == []


def test_a_secret_of_another_run_in_a_file_is_not_shown_by_the_agent(tmp_path: Path) -> None:
    """A secret that a former process wrote into a file, before any call names it."""
    value = "s3cr3t-value-of-the-token"
    (tmp_path / "left.txt").write_text(f"token={value}\n")
    file = recording(tmp_path, ("file_read", {"file_path": "left.txt"}))
    state = tmp_path / "run.state"
    arguments = ["--replay", str(file), "--state", str(state), str(tmp_path)]
    done = piped(arguments, AGENT_SECRET_TOKEN=value)
    assert done.returncode == 0
    assert "token=[redacted:TOKEN]" in done.stdout
    assert value not in done.stdout + done.stderr
    assert value.encode() not in state.read_bytes()
