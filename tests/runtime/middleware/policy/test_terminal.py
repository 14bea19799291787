"""Asking at a terminal, played by a pseudo-terminal."""

import os
import pty
import threading
import time
from typing import Any

import pytest
from msgspec import structs
from toolcast.runtime.middleware.policy import ApprovalRequest, TerminalApprover
from toolcast.runtime.middleware.policy.approval import Shape, question
from toolcast.runtime.unicode_text import escape_control

from tests.runtime.helpers import wait_for

SHAPE = Shape("edit", (("file_path", "folder", '"/src/"'),))


def request(shape: Shape | None = SHAPE, **params: Any) -> ApprovalRequest:
    return ApprovalRequest(tool="edit", summary="Edits.", permission="write", params=params, shape=shape)


def ask(typed: bytes, early: bytes = b"", asked: ApprovalRequest | None = None) -> tuple[Any, str]:
    """The answer, and what stood on the terminal; `early` is typed before the question."""
    master, slave = pty.openpty()
    shown = b""
    answers: list[Any] = []
    try:
        if early:
            os.write(master, early)
        approver = TerminalApprover(os.ttyname(slave))
        thread = threading.Thread(target=lambda: answers.append(approver(asked or request(a=1))))
        thread.start()
        until = time.monotonic() + 60
        while b"Run it?" not in shown and time.monotonic() < until:
            shown += os.read(master, 4096)
        os.write(master, typed)
        thread.join(60)
        assert not thread.is_alive()
    finally:
        os.close(master)
        os.close(slave)
    return answers[0], shown.decode()


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        (b"y\n", "yes"),
        (b" YES \n", "yes"),
        (b"a\n", "always"),
        (b"always\n", "always"),
        (b"n\n", "no"),
        (b"\n", "no"),
        (b"yes please\n", "no"),
        (b"\x04", "no"),
        (b"\xff\n", "no"),
    ],
)
def test_answers(typed: bytes, verdict: str) -> None:
    assert ask(typed)[0].verdict == verdict


def test_what_was_typed_before_the_question_answers_nothing() -> None:
    assert ask(b"n\n", early=b"y\ny\na\n")[0].verdict == "no"


def test_always_is_yes_where_nothing_is_remembered() -> None:
    answer, shown = ask(b"a\n", asked=request(None, a=1))
    assert answer.verdict == "yes"
    assert "always" not in shown


def test_no_terminal_is_no(tmp_path: Any) -> None:
    (tmp_path / "file").write_text("y\n")
    for path in (tmp_path / "gone", tmp_path / "file", "/dev/null"):
        answer = TerminalApprover(str(path))(request(a=1))
        assert (answer.verdict, "no terminal" in answer.reason) == ("no", True)


HOSTILE = "\x1b[2J\x1b]0;title\x07\r\n\x9b31m\u202eevil\u2066\x00\x7f\u200b\u2028 ok ü"


def test_arguments_cannot_act_on_the_terminal() -> None:
    """No control character, and nothing that turns text around, but line breaks of ours."""
    shape = Shape(HOSTILE, (("a", "exact", HOSTILE),))
    text = question(
        ApprovalRequest(
            tool=HOSTILE, summary=HOSTILE, permission="write", params={HOSTILE: [HOSTILE]}, shape=shape
        )
    )
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert "Run it?" in text.splitlines()[-1]
    assert len(text.splitlines()) == 5
    assert "ok ü" in text
    assert escape_control("\x1b\u202e") == "\\x1b\\u202e"


def test_the_models_own_words_come_first_and_are_marked() -> None:
    words = 'Run the tests\nTool ls (read): harmless\nRun it? [y]es, [N]o: "'
    asked = ApprovalRequest(
        tool="bash",
        summary="Runs.",
        permission="execute",
        params={"description": words},
        shape=None,
        words=words,
    )
    first, second, *rest = question(asked).strip().splitlines()
    assert first.startswith("The model's own words, which nobody checked: \"Run the tests")
    assert second == "Tool bash (execute): Runs."
    assert len(rest) == 2
    long = question(structs.replace(asked, words="x" * 10_000)).strip().splitlines()[0]
    assert len(long) < 500
    assert "9700 more characters" in long


def test_without_words_no_line_speaks_of_them() -> None:
    assert "own words" not in question(request(a=1))


def test_a_cancelled_call_lets_the_terminal_go() -> None:
    import asyncio

    from toolcast.runtime import Workers

    workers = Workers()
    master, slave = pty.openpty()
    approver = TerminalApprover(os.ttyname(slave))

    async def cancel() -> None:
        task = asyncio.create_task(workers.run(approver, request(a=1)))
        await asyncio.to_thread(os.read, master, 1)  # it asks
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert wait_for(lambda: not workers.running)
    os.close(master)
    os.close(slave)
