"""The request for a person's approval of a call, its answer, and the calls that an answer *always* covers."""

import posixpath
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from ...binding import AnyBinding
from ...encode import to_builtins, without_defaults

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
