"""Answers whose calls are written into the text, for the loop, whole or in pieces."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from ..runtime.arguments import MAX_TEXT
from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .answers import WITHHELD, Answers, AnswerStream, ReadAnswer
from .dispatch.answer_facts import AnswerEnd, AnswerFacts
from .dispatch.call import ArgumentsPiece, CallBegun, Discarded, DispatchError, Piece, TextPiece
from .text_calls import TextAnswer, TextDispatcher, TextFormat, TextStream, parse, render_results
from .text_calls import parsed_text as told

MAX_STREAMED_TEXT = 4 * MAX_TEXT
"""Characters of a streamed text at most."""


class TextPieces(AnswerStream):
    """Pieces of a text: str, or a TextAnswer with the reason to stop in the last one."""

    def __init__(self, format: str | TextFormat) -> None:
        self._stream = TextStream(format)
        self._pieces: list[str] = []
        self._size = 0
        self._last = TextAnswer("")
        self._calls = 0

    def feed(self, chunk: object) -> Sequence[Piece]:
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


class TextAnswers(Answers):
    """Answers that are a str or a TextAnswer; the user's next message answers their calls."""

    name = "text"

    def __init__(self, tools: ToolView, limit: int, text_format: str | TextFormat | None) -> None:
        """Raise ValueError where `limit` is below 1, or there is no such format. None reads any format with
        marks.
        """
        self._format = text_format or "auto"
        self._dispatcher = TextDispatcher(tools, limit=limit, format=self._format)

    def read(self, response: str | TextAnswer) -> ReadAnswer:
        answer = TextAnswer(response) if isinstance(response, str) else response
        parsed = parse(answer.text, self._format, cut=answer.cut)
        end = answer.end
        if end.reason == "complete" and parsed.problems:
            end = AnswerEnd("malformed_call")
        withheld = end.reason in WITHHELD
        return ReadAnswer(
            messages=[{"role": "assistant", "content": answer.text}],
            calls=() if withheld else parsed.calls,
            problems=() if withheld else parsed.problems,
            end=end,
            usage=answer.usage,
        )

    def restore(self, response: object) -> object:
        return msgspec.convert(response, TextAnswer) if isinstance(response, dict) else response

    async def execute(self, calls: Sequence[Any], context: ToolContext | None = None) -> Sequence[ToolResult]:
        return await self._dispatcher.execute(calls, context)

    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[object]:
        message = render_results(answer.calls, results, answer.problems, format=self._format)
        return self.say(message) if message else []

    def facts(self, response: str | TextAnswer) -> AnswerFacts:
        answer = TextAnswer(response) if isinstance(response, str) else response
        return AnswerFacts(stop=answer.stop, usage=answer.usage)

    def stream(self) -> AnswerStream:
        return TextPieces(self._format)
