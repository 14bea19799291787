"""The terminal: what a run does as it happens, in colour where somebody sees it, and who is asked."""

import json
import os
import sys
from contextlib import suppress
from typing import TextIO

import msgspec
from toolcast.agents.dispatch import Discarded, TextPiece, ThinkingPiece
from toolcast.agents.events import Called, Calling, LoopEvent
from toolcast.agents.record import Record
from toolcast.runtime import ToolResult
from toolcast.runtime.middleware.policy import TerminalApprover
from toolcast.runtime.unicode_text import escape_control

BOLD, DIM, RED = "1", "2", "31"
_ARGUMENTS = 300  # characters of a call's arguments that are shown
_LINES = 6  # lines of a result that are shown; the model reads more
_WIDTH = 160


class Screen:
    """Writes to a stream. Nothing that a model or a tool wrote moves the cursor or changes a colour."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        # As no-color.org has it; a pipe gets text alone.
        self._colours = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._at_start = True

    def show(self, event: LoopEvent) -> None:
        """Show what happened in a run."""
        match event:
            case TextPiece(text=text):
                self.write(text)
            case ThinkingPiece(text=text):
                self.write(text, DIM)
            case Discarded():
                self.line("(The answer begins anew.)", DIM)
            case Calling(name=name, arguments=arguments):
                text = arguments if isinstance(arguments, str) else _json(arguments)
                more = f"… ({len(text)} characters)" if len(text) > _ARGUMENTS else ""
                self.line(f"> {name} {text[:_ARGUMENTS]}{more}", BOLD)
            case Called(call=call):
                self.line(f"< {call.name} {'ok' if call.result.success else 'failed'}", BOLD)
                self._result(call.result)
            case _:
                pass

    def show_calls(self, event: LoopEvent) -> None:
        """Show what an agent inside of a call does; what it says is in its report."""
        if isinstance(event, (Calling, Called)):
            self.show(event)

    def end(self, record: Record, problem: str) -> None:
        """Show why a run ended, unless it did with an answer."""
        why = f"{record.stopped} {problem or record.exceeded or record.detail}".rstrip()
        self.line("" if record.stopped == "answer" else f"(The run ended: {why})", RED)

    def write(self, text: str, style: str = "") -> None:
        """Write text: a piece of a line, or several lines."""
        if text:
            self._at_start = text.endswith("\n")
            safe = escape_control(text, keep="\n\t")
            self._out.write(f"\x1b[{style}m{safe}\x1b[0m" if style and self._colours else safe)
            self._out.flush()

    def line(self, text: str, style: str = "") -> None:
        """Write a line of its own."""
        self.write("" if self._at_start else "\n")
        self.write(text, style)
        self.write("" if self._at_start else "\n")

    def _result(self, result: ToolResult) -> None:
        lines = _lines(result.output) if result.success else (result.error or "").splitlines()
        for line in lines[:_LINES]:
            self.line(f"  {line[:_WIDTH]}", DIM if result.success else RED)
        if len(lines) > _LINES:
            self.line(f"  … {len(lines) - _LINES} more lines", DIM)


def _json(arguments: object) -> str:
    """Arguments as a provider's client parsed them; they may hold what no JSON text has."""
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(cannot be shown)"


def _lines(output: str) -> list[str]:
    """The lines of a result; of typed data each member that says something."""
    try:
        data = msgspec.json.decode(output, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeError):
        return output.splitlines()
    return [line for name, value in data.items() if value for line in f"{name}: {value}".splitlines()]


def approver() -> TerminalApprover | None:
    """What asks for y, n or a (always); None without a terminal."""
    with suppress(OSError, NotImplementedError):
        found = TerminalApprover()
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
        return found
    return None


def question() -> str | None:
    """The next question: a line at the terminal, or all of a pipe; None at the end."""
    if not sys.stdin.isatty():
        return sys.stdin.read().strip() or None
    with suppress(ImportError):
        import readline  # noqa: F401 - `input` edits lines with it
    with suppress(EOFError, KeyboardInterrupt):
        while not (words := input("\n? ").strip()):
            pass
        return words
    return None
