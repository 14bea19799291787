"""What the next event of a streamed answer adds: text, thoughts, and calls piece by piece."""

from typing import TypeAlias

from msgspec import Struct


class TextPiece(Struct, frozen=True):
    """Text for the user.

    Attributes:
        text: the next piece.
    """

    text: str


class ThinkingPiece(Struct, frozen=True):
    """Text of the model's reasoning, as far as its provider shows it.

    Attributes:
        text: the next piece.
    """

    text: str


class CallBegun(Struct, frozen=True):
    """The model begins to write a call. It is not carried out before the answer is whole.

    Attributes:
        index: position among the calls of the answer, in the order in which they begin, from 0.
        name: name of the tool.
        id: the provider's id of the call, or "".
    """

    index: int
    name: str
    id: str = ""


class ArgumentsPiece(Struct, frozen=True):
    """The next piece of a call's arguments.

    Attributes:
        index: `index` of the call's `CallBegun`.
        text: the piece: of the arguments' JSON, of a custom tool's text, or of the value of `key`.
        key: the parameter whose value goes on, where a text format writes values one by one; else "".
    """

    index: int
    text: str
    key: str = ""


class Discarded(Struct, frozen=True):
    """The pieces of the answer so far count for nothing: the model is asked again, or all that came before
    was a thought."""


Piece: TypeAlias = TextPiece | ThinkingPiece | CallBegun | ArgumentsPiece | Discarded
"""What a streamed answer tells while it arrives, in its order."""
