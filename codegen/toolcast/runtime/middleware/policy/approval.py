"""The request for a person's approval of a call, in a terminal or elsewhere, its answer, and the calls that
an answer *always* covers.
"""

import os
import posixpath
import select
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from ....hidden_characters import escape_hidden
from ...binding import AnyBinding
from ...codec import to_builtins, without_defaults
from ...unicode_text import escape_control
from ...workers import abandoned

Freedom: TypeAlias = Literal["exact", "folder", "any"]
"""Freedom of a later value to differ: not at all; it is a path in the same folder or below; in any way."""

FREEDOMS = ("exact", "folder", "any")
_encode = msgspec.json.Encoder(order="deterministic").encode


class Shape(Struct, frozen=True):
    """The calls that an approval covers: one tool with these parameters, each as free as the policy states.

    An absent parameter counts as its default, in both directions. A parameter that the policy frees with
    "any" may have any value, and be absent. The tool's words for the approver (`described_by`) are no part.
    Values are as the model wrote them: references, never secrets.

    Attributes:
        tool: name of the tool.
        parts: (parameter, freedom, value or folder as JSON), sorted. A parameter with its default has no
            part, unless it is free.
    """

    tool: str
    parts: tuple[tuple[str, Freedom, str], ...]

    def covers(self, other: "Shape") -> bool:
        """Tell whether an approval of this shape covers a call of the shape `other`."""
        if self.tool != other.tool or len(self.parts) != len(other.parts):
            return False
        return all(_covers(mine, its) for mine, its in zip(self.parts, other.parts, strict=True))

    def __str__(self) -> str:
        """Return words for a person: `edit with file_path in "/src/", any new_string`."""
        words = []
        for name, freedom, value in self.parts:
            if freedom == "any":
                words.append(f"any {name}")
            else:
                words.append(f"{name} {'in' if freedom == 'folder' else '='} {value}")
        return f"{self.tool} with {', '.join(words) or 'no arguments'}"


def _covers(mine: tuple[str, Freedom, str], its: tuple[str, Freedom, str]) -> bool:
    name, freedom, value = mine
    if name != its[0] or freedom != its[1]:
        return False
    if freedom == "folder":
        below: str = msgspec.json.decode(its[2])
        return below.startswith(msgspec.json.decode(value))
    return value == its[2]


def shape_of(binding: AnyBinding, params: Any, freedoms: Mapping[str, Freedom]) -> Shape:
    """Return the shape of one call. Parameters without a freedom are exact; so is a path that steps up."""
    plain: Any = without_defaults(params)
    parts: list[tuple[str, Freedom, str]] = []
    for name, value in plain.items():
        freedom = freedoms.get(name, "exact")
        folder = _folder(value) if freedom == "folder" else None
        if freedom == "any" or (name == binding.described_by and name not in freedoms):
            continue
        if folder is not None:
            parts.append((name, "folder", _encode(folder).decode()))
        else:
            parts.append((name, "exact", _encode(value).decode()))
    # Also where the call leaves them out: another time limit is no reason to ask anew.
    parts.extend((name, freedom, "") for name, freedom in freedoms.items() if freedom == "any")
    return Shape(binding.name, tuple(sorted(parts)))


def words_of(binding: AnyBinding, params: Any) -> str:
    """Return the model's words for the person who approves the call; "" for none."""
    if binding.described_by is None:
        return ""
    plain: Any = to_builtins(params)
    words = plain.get(binding.described_by)
    return words if isinstance(words, str) else ""


def _folder(value: object) -> str | None:
    """Return the folder of a path, with a slash at its end; None if the text does not tell."""
    if not isinstance(value, str) or "\0" in value or ".." in value.split("/"):
        return None
    path = posixpath.normpath(value)
    if path.startswith("//"):
        path = path[1:]
    folder = posixpath.dirname(path)
    return folder if folder.endswith("/") else f"{folder or '.'}/"


Verdict: TypeAlias = Literal["yes", "no", "always"]


class ApprovalRequest(Struct, frozen=True, kw_only=True):
    """A request for approval.

    Attributes:
        tool: name of the tool.
        summary: its summary.
        permission: its permission.
        params: typed parameters, with references in place of secrets.
        shape: the calls that *always* would cover; None if it would not be remembered.
        call_id: the provider's id of the call.
        words: the model's description of the call, in the parameter that the tool's `described_by` names; ""
            for none. Nobody checked that it is true.
        injected: names of the parameters that the program filled in (`inject`).
    """

    tool: str
    summary: str
    permission: str
    params: Any
    shape: Shape | None
    call_id: str = ""
    words: str = ""
    injected: tuple[str, ...] = ()


class Answer(Struct, frozen=True):
    """An approver's answer.

    Attributes:
        verdict: "yes", "no" or "always".
        reason: for the model, if the verdict is "no".
    """

    verdict: Verdict
    reason: str = ""


Approver: TypeAlias = Callable[[ApprovalRequest], Verdict | Answer | Awaitable[Verdict | Answer]]
"""Somebody to ask. A plain one runs in a worker thread, one question at a time; an async one as it likes."""


def checked_answer(value: Any) -> Answer:
    """Return an approver's value as an Answer. Raises TypeError for any other value; the call does not run
    then."""
    answer = value if isinstance(value, Answer) else Answer(value)
    if not isinstance(answer.verdict, str) or answer.verdict not in ("yes", "no", "always"):
        kind = type(answer.verdict).__name__
        raise TypeError(f"an approver must answer 'yes', 'no' or 'always', not a value of {kind}")
    return answer


def not_approved(tool: str, reason: str) -> str:
    """Return the text for the model about a call that was answered *no*."""
    end = "" if reason.endswith((".", "!", "?")) else "."
    why = f": {reason}{end}" if reason else "."
    return (
        f"The call of {tool!r} was not approved{why} Do not repeat it unchanged; ask the user what to do "
        "instead."
    )


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
