"""Answers whose calls are written into the text, for the loop."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .answer_streams import AnswerStream, TextPieces
from .answers import WITHHELD, Answers, ReadAnswer
from .dispatch.answer_end import AnswerEnd
from .dispatch.answer_facts import AnswerFacts
from .text_calls import TextAnswer, TextDispatcher, TextFormat, parse, render_results


class TextAnswers(Answers):
    """A response is a str or a TextAnswer; the next message of the user answers its calls."""

    name = "text"

    def __init__(self, tools: ToolView, limit: int, text_format: str | TextFormat | None) -> None:
        """Make an adapter.

        Args:
            tools: the tools of the run.
            limit: calls that run at once.
            text_format: the format in which calls are read, and results go back; None for any with marks.

        Raises:
            ValueError: `limit` is below 1, or there is no such format.
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

    def restore(self, response: Any) -> Any:
        return msgspec.convert(response, TextAnswer) if isinstance(response, dict) else response

    async def execute(self, calls: Sequence[Any], context: ToolContext | None = None) -> Sequence[ToolResult]:
        return await self._dispatcher.execute(calls, context)

    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[Any]:
        message = render_results(answer.calls, results, answer.problems, format=self._format)
        return self.say(message) if message else []

    def facts(self, response: str | TextAnswer) -> AnswerFacts:
        answer = TextAnswer(response) if isinstance(response, str) else response
        return AnswerFacts(stop=answer.stop, usage=answer.usage)

    def stream(self) -> AnswerStream:
        return TextPieces(self._format)
