"""Answers that arrive in pieces, put together for the loop: one reader for native calls, one for text."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from ..runtime.arguments import MAX_TEXT
from .dispatch.assembler import Assembler
from .dispatch.call import DispatchError
from .dispatch.pieces import ArgumentsPiece, CallBegun, Discarded, Piece, TextPiece
from .text_calls import TextAnswer, TextFormat, TextStream
from .text_calls import parsed_text as told

MAX_STREAMED_TEXT = 4 * MAX_TEXT
"""Characters of a streamed text at most."""


class AnswerStream(ABC):
    """Puts one streamed answer together; the base of a program's own reader."""

    @abstractmethod
    def feed(self, chunk: Any) -> Sequence[Piece]:
        """Take the next chunk.

        Args:
            chunk: what the model's stream gives.

        Returns:
            What it adds.
        """

    def finish(self) -> Sequence[Piece]:
        """End the stream.

        Returns:
            What the end adds.
        """
        return ()

    @abstractmethod
    def response(self) -> Any:
        """Give the whole answer, after `finish`.

        Returns:
            What the model would have returned without a stream.
        """


class WireStream(AnswerStream):
    """The chunks or events of a provider."""

    def __init__(self, format: str) -> None:
        """Start an answer.

        Args:
            format: name of a wire format.

        Raises:
            ValueError: the format has no streams.
        """
        self._assembler = Assembler(format)

    def feed(self, chunk: Any) -> Sequence[Piece]:
        return self._assembler.feed(chunk)

    def finish(self) -> Sequence[Piece]:
        if not self._assembler.complete:
            raise DispatchError(
                "The model's stream broke off: it ended without the provider's mark of the end, so none of "
                "its calls were carried out. Ask again; for a server that never sends the mark, give "
                '"[DONE]" as the last chunk.'
            )
        return ()

    def response(self) -> Any:
        return self._assembler.response()


class TextPieces(AnswerStream):
    """Pieces of a text, each a str or a TextAnswer, which brings the reason to stop with the last piece."""

    def __init__(self, format: str | TextFormat) -> None:
        """Start an answer.

        Args:
            format: the text format in which calls are read.
        """
        self._stream = TextStream(format)
        self._pieces: list[str] = []
        self._size = 0
        self._last = TextAnswer("")
        self._calls = 0

    def feed(self, chunk: Any) -> Sequence[Piece]:
        if isinstance(chunk, TextAnswer):
            self._last = chunk
            chunk = chunk.text
        if not isinstance(chunk, str):
            raise TypeError(f"A stream of text has str and TextAnswer, not {type(chunk).__name__}.")
        self._size += len(chunk)
        if self._size > MAX_STREAMED_TEXT:
            raise DispatchError(f"the answer is too large: more than {MAX_STREAMED_TEXT} characters")
        if not chunk:
            return ()
        self._pieces.append(chunk)
        return self._tell(self._stream.feed(chunk))

    def finish(self) -> Sequence[Piece]:
        return self._tell(self._stream.finish(cut=self._last.cut))

    def response(self) -> TextAnswer:
        return replace(self._last, text="".join(self._pieces))

    def _tell(self, events: Sequence[told.Event]) -> list[Piece]:
        pieces: list[Piece] = []
        for event in events:
            if isinstance(event, told.Prose):
                pieces.append(TextPiece(event.text))
            elif isinstance(event, told.CallBegun):
                pieces.append(CallBegun(self._calls, event.name, event.id))
                self._calls += 1
            elif isinstance(event, told.ArgumentsPiece):
                pieces.append(ArgumentsPiece(self._calls - 1, event.text, event.key))
            elif isinstance(event, told.Discarded):
                pieces.append(Discarded())
                self._calls = 0
        return pieces
