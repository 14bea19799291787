"""A model's answer as text, and what it was read as: the calls, and the events by which a text that arrives
in pieces tells them.
"""

from typing import NamedTuple, TypeAlias

from msgspec import Struct

from ...jsonschema.json_values import JsonObject
from ..dispatch.answer_facts import WHOLE, AnswerEnd, end_of
from ..usage import Usage


class Call(Struct, frozen=True, kw_only=True):
    """One call in a text.

    Attributes:
        name: name of the tool.
        arguments: JSON text as the model wrote it. Where `textual`: texts by parameter, which the tool's
            contract types, or one text for a call that names no parameter.
        id: the model's id of the call, or "".
        start: offset of the first character of the block.
        end: offset after its last character.
        format: id of the text format.
        textual: whether values are text.
    """

    name: str
    arguments: str | JsonObject
    id: str = ""
    start: int
    end: int
    format: str = ""
    textual: bool = False


class Problem(Struct, frozen=True, kw_only=True):
    """A call that begins in a text and cannot be carried out.

    Attributes:
        start: offset of the first character.
        end: offset at which reading stopped.
        reason: tells the model what to change.
    """

    start: int
    end: int
    reason: str


class Parsed(Struct, frozen=True, kw_only=True):
    """The calls of a text.

    Attributes:
        calls: in their order.
        text: what is left for the user.
        problems: calls that cannot be carried out.
    """

    calls: tuple[Call, ...]
    text: str
    problems: tuple[Problem, ...] = ()


class Prose(Struct, frozen=True):
    """Text for the user.

    Attributes:
        text: the next piece.
    """

    text: str


class CallBegun(Struct, frozen=True):
    """The name of a tool was read. The call must not be carried out before its `Call`, which may never come.

    Attributes:
        name: name of the tool.
        id: the model's id of the call, or "".
    """

    name: str
    id: str


class ArgumentsPiece(Struct, frozen=True):
    """A piece of the arguments of the call that began last.

    Attributes:
        key: the parameter whose value goes on; "" where `text` is a piece of the arguments' JSON.
        text: the piece.
    """

    key: str
    text: str


class Discarded(Struct, frozen=True):
    """All that came before was a thought: its text, calls and problems count for nothing."""


Event: TypeAlias = Prose | CallBegun | ArgumentsPiece | Call | Problem | Discarded
"""An event of a text that arrives in pieces."""


class Found(NamedTuple):
    """A call, before its place in the text is known."""

    name: str
    arguments: str | JsonObject
    id: str = ""
    textual: bool = False


class BrokenError(Exception):
    """A block that must be a call and cannot be read; the text states why."""


class TextAnswer(Struct, frozen=True):
    """An answer as text. The loop takes it, or a str, for a response where `format` is "text".

    Attributes:
        text: the answer.
        stop: the provider's reason to stop as it writes it, `length` or `max_tokens`; "" for none.
        usage: the tokens that it used; None where they are not known.
    """

    text: str
    stop: str = ""
    usage: Usage | None = None

    @property
    def end(self) -> AnswerEnd:
        """Return why the answer ended, by `stop`."""
        return end_of(self.stop)

    @property
    def cut(self) -> bool:
        """True where a limit of length, or the provider, cut the answer off."""
        return self.end.reason not in WHOLE
