"""Asking a person at the terminal."""

import os
import select
from importlib import import_module
from typing import Any

import msgspec

from ....hidden_characters import escape_hidden
from ...encode import to_builtins
from ...unicode_text import escape_control
from ...workers import abandoned
from .approval import Answer, ApprovalRequest

_SHOWN = 4000
_WORDS = 300
_ANSWERS = {"y": "yes", "yes": "yes", "a": "always", "always": "always"}


class TerminalApprover:
    """An approver that shows a call on the terminal and waits for y, n or a. Any other input, and no
    terminal, is no. It reads the terminal itself, not standard input, and discards what was typed before the
    question: neither a pipe nor an early key press approves anything. POSIX only."""

    def __init__(self, path: str = "/dev/tty") -> None:
        """Make an approver.

        Args:
            path: the terminal's device.

        Raises:
            NotImplementedError: the system has no POSIX terminals.
        """
        try:
            import_module("termios")
        except ImportError:
            raise NotImplementedError(
                "TerminalApprover needs a POSIX terminal, which this system lacks. Give the policy an "
                "approver of your own: a function that takes an ApprovalRequest and returns an Answer."
            ) from None
        self._path = path

    def __call__(self, request: ApprovalRequest) -> Answer:
        """Return the answer to a `request`, asked in this thread. Gives up when the call is cancelled."""
        try:
            terminal = os.open(self._path, os.O_RDWR | os.O_NOCTTY)
        except OSError:
            return Answer("no", "there is no terminal to ask at.")
        try:
            if not os.isatty(terminal):
                return Answer("no", "there is no terminal to ask at.")
            _flush(terminal)
            _write(terminal, question(request))
            line = _read_line(terminal)
        except OSError:
            return Answer("no", "the terminal went away.")
        finally:
            os.close(terminal)
        if line is None:
            return Answer("no", "nobody answered.")
        verdict: Any = _ANSWERS.get(line.strip().lower(), "no")
        if verdict == "always" and request.shape is None:
            verdict = "yes"
        return Answer(verdict)


def question(request: ApprovalRequest) -> str:
    """Return the question for a person: every argument, escaped, and the calls that *always* would cover."""
    lines = ["", *described(request)]
    if request.shape is None:
        lines.append("Run it? [y]es, [N]o: ")
    else:
        lines.append(f"  always = {_visible(str(request.shape))[:_SHOWN]}")
        lines.append("Run it? [y]es, [N]o, [a]lways: ")
    return "\n".join(lines)


def described(request: ApprovalRequest) -> list[str]:
    """Return the lines about a call for a person: the model's own words, marked as such, then tool,
    permission, summary, every argument, escaped."""
    shown: Any = to_builtins(request.params)
    tool, permission = _visible(request.tool), _visible(request.permission)
    lines = []
    if request.words:
        # In quotes and cut, so that they cannot pass for lines of the question where a terminal wraps them.
        text = _visible(msgspec.json.encode(request.words[:_WORDS]).decode("utf-8", "replace"))
        more = len(request.words) - _WORDS
        cut = f"… ({more} more characters, see below)" if more > 0 else ""
        lines.append(f"The model's own words, which nobody checked: {text}{cut}")
    lines.append(f"Tool {tool} ({permission}): {_visible(request.summary)}")
    for name, value in shown.items():
        text = _visible(msgspec.json.encode(value).decode("utf-8", "replace"))
        if len(text) > _SHOWN:
            text = f"{text[:_SHOWN]}… ({len(text) - _SHOWN} more characters NOT SHOWN)"
        lines.append(f"  {_visible(name)}: {text}")
    return lines


def _visible(text: str) -> str:
    return escape_control(escape_hidden(text))


def _flush(terminal: int) -> None:
    import termios

    termios.tcflush(terminal, termios.TCIFLUSH)


def _write(terminal: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(terminal, data) :]


def _read_line(terminal: int) -> str | None:
    """Read one line; None at the end of input, or after the call was cancelled."""
    data = b""
    while not data.endswith(b"\n"):
        if abandoned():
            return None
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if not ready:
            continue
        read = os.read(terminal, 256)
        if not read or len(data) > 4096:
            return None
        data += read
    return data.decode("utf-8", "replace")
