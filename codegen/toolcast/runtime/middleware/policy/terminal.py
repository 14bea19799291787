"""Asking a person at the terminal."""

import os
import select
from typing import Any

import msgspec

from ...encode import to_builtins
from ...unicode_text import escaped
from ...workers import abandoned
from .approval import Answer, ApprovalRequest

_SHOWN = 4000
_ANSWERS = {"y": "yes", "yes": "yes", "a": "always", "always": "always"}


class TerminalApprover:
    """An approver that shows a call on the terminal and waits for y, n or a. Any other input, and no
    terminal, is no.

    It reads the terminal itself, not standard input, and discards what was typed before the question: neither
    a pipe nor an early key press approves anything.
    """

    def __init__(self, path: str = "/dev/tty") -> None:
        """Make an approver.

        Args:
            path: the terminal's device.
        """
        self._path = path

    def __call__(self, request: ApprovalRequest) -> Answer:
        """Ask, in the calling thread. Gives up when the call is cancelled.

        Args:
            request: what to show.

        Returns:
            The answer.
        """
        try:
            terminal = os.open(self._path, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
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
    """What a person reads: every argument, escaped, and what *always* would stand for."""
    shown: Any = to_builtins(request.params)
    lines = [
        "",
        f"Tool {escaped(request.tool)} ({escaped(request.permission)}): {escaped(request.summary)}",
    ]
    for name, value in shown.items():
        text = escaped(msgspec.json.encode(value).decode("utf-8", "replace"))
        if len(text) > _SHOWN:
            text = f"{text[:_SHOWN]}… ({len(text) - _SHOWN} more characters NOT SHOWN)"
        lines.append(f"  {escaped(name)}: {text}")
    if request.shape is None:
        lines.append("Run it? [y]es, [N]o: ")
    else:
        lines.append(f"  always = {escaped(str(request.shape))[:_SHOWN]}")
        lines.append("Run it? [y]es, [N]o, [a]lways: ")
    return "\n".join(lines)


def _flush(terminal: int) -> None:
    import termios

    termios.tcflush(terminal, termios.TCIFLUSH)


def _write(terminal: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(terminal, data) :]


def _read_line(terminal: int) -> str | None:
    """One line; None at the end of input, or where nobody waits for the answer any more."""
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
