"""The loop's adapters, which read a model's answers and write its own: their base, and that for native calls.

Reading, carrying out and answering are apart, so that a call may wait for a person or another program.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .dispatch import Dispatcher, read_container, read_end, read_usage, render
from .dispatch.answer_facts import AnswerEnd, AnswerFacts, lacked_call, read_facts
from .dispatch.answer_fields import load
from .dispatch.assembler import Assembler
from .dispatch.call import DispatchError, Piece
from .dispatch.history import own_messages
from .dispatch.parse_answer import read_calls
from .dispatch.wire_formats import format_of
from .record import CallRecord
from .usage import Usage

WITHHELD = frozenset(("refusal", "filtered", "provider_error"))
"""Ends of answers that count for nothing: their calls are answered, not carried out, and the run ends."""


_UNREAD = "(a call of a tool that could not be read)"


def _refused_call(call: Any, result: ToolResult) -> CallRecord:
    """Record a call that was answered without calling a tool."""
    return CallRecord(
        id=call.id, name=call.name, arguments=call.arguments, result=result, seconds=0.0, executed=False
    )


class ReadAnswer(Struct, frozen=True, kw_only=True):
    """An answer of a model, as the loop sees it. `messages` is what it leaves in the conversation; `calls`
    and `problems` (calls that could not be read) are of the adapter's own type. `container` is the id of
    the provider's container of the model's code.
    """

    messages: Sequence[Any]
    calls: Sequence[Any]
    problems: Sequence[Any] = ()
    end: AnswerEnd = AnswerEnd()
    usage: Usage | None = None
    container: str = ""


class AnswerStream(ABC):
    """Puts one streamed answer together; the base of a program's own reader."""

    @abstractmethod
    def feed(self, chunk: object) -> Sequence[Piece]:
        """Take the next chunk; return what it adds."""

    def finish(self) -> Sequence[Piece]:
        """End the stream; return what the end adds."""
        return ()

    @abstractmethod
    def response(self) -> Any:
        """Return the whole answer, after `finish`, as a model without streams returns it."""


class Answers(ABC):
    """Reads a model's answers for the loop; the base of a program's own adapter.

    `run_tools(dispatcher=MyAnswers)` makes one with the tools of the run. For a run that can be resumed, a
    call has the attributes `id`, `name` and `arguments`, as `execute` of the tools gets them. `name` is that
    of the format, for the state of a run.
    """

    name: str = ""

    @abstractmethod
    def read(self, response: Any) -> ReadAnswer:
        """Read what the model returned; the same calls each time."""

    def restore(self, response: object) -> object:
        """Return a response that `read` takes; that of a stored state may be plain data."""
        return response

    @abstractmethod
    async def execute(
        self, calls: Sequence[object], context: ToolContext | None = None
    ) -> Sequence[ToolResult]:
        """Carry out some calls of an answer; return a result for each, in order.

        Pass `context` on, with the id of each call: it has what was decided of calls that waited.
        """

    def refused(self, calls: Sequence[Any]) -> Sequence[CallRecord]:
        """Return records of the calls that `execute` answers without a tool, such as one that was cut off."""
        del calls
        return ()

    @abstractmethod
    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[object]:
        """Write the messages that answer the calls of an answer, and its problems."""

    def say(self, text: str) -> Sequence[object]:
        """Write a message of the user."""
        return [{"role": "user", "content": text}]

    def facts(self, response: Any) -> AnswerFacts:
        """Read what an answer says of itself, for traces."""
        del response
        return AnswerFacts()

    def stream(self) -> AnswerStream:
        """Make the reader of one streamed answer. Raises TypeError where the adapter reads no streams."""
        raise TypeError(
            f"{type(self).__name__} reads no streams: return the whole answer, or give the adapter a method "
            "stream() that makes a toolcast.agents.answers.AnswerStream."
        )


class _WireStream(AnswerStream):
    def __init__(self, format: str) -> None:
        self._assembler = Assembler(format)

    def feed(self, chunk: object) -> Sequence[Piece]:
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


class WireAnswers(Answers):
    _PARTS: ClassVar[dict[str, str]] = {"gemini": "parts", "bedrock": "content"}
    """Formats whose messages consist of parts, and the key of these."""

    def __init__(self, tools: ToolView, format: str, provider: str, limit: int) -> None:
        """Raise ValueError where the format does not exist, or `limit` is below 1."""
        self._dispatcher = Dispatcher(tools, format, provider=provider, limit=limit)
        self.name = self._format = self._dispatcher.format

    def read(self, response: Any) -> ReadAnswer:
        response = load(response)
        end = read_end(response, self._format)
        usage = read_usage(response, self._format)
        try:
            known = format_of(self._format)
            calls = read_calls(response, known, end.reason)
            messages = [] if known.name.startswith("mcp") else own_messages(response, known, calls)
        except DispatchError:
            if end.reason != "provider_error":
                raise
            return ReadAnswer(messages=(), calls=(), end=end, usage=usage)  # an error in place of an answer
        if not calls and end == AnswerEnd():
            end = AnswerEnd("complete", lacked_call(response, known))
        if end.reason == "malformed_call" and not messages and self._format == "bedrock":
            messages = [{"role": "assistant", "content": [{"text": _UNREAD}]}]  # roles alternate there
        if end.reason in WITHHELD:
            calls = tuple(msgspec.structs.replace(call, cut=True) for call in calls)
        container = read_container(response, self._format)
        return ReadAnswer(messages=messages, calls=calls, end=end, usage=usage, container=container)

    def refused(self, calls: Sequence[Any]) -> Sequence[CallRecord]:
        found = ((call, self._dispatcher.refused(call)) for call in calls)
        return [_refused_call(call, result) for call, result in found if result is not None]

    async def execute(self, calls: Sequence[Any], context: ToolContext | None = None) -> Sequence[ToolResult]:
        return await self._dispatcher.execute(calls, context)

    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[object]:
        return render(answer.calls, results, self._format)

    def say(self, text: str) -> Sequence[object]:
        parts = self._PARTS.get(self._format)
        return [{"role": "user", parts: [{"text": text}]}] if parts else super().say(text)

    def facts(self, response: Any) -> AnswerFacts:
        try:
            return read_facts(response, self._format)
        except DispatchError:  # `read` says what is wrong with it
            return AnswerFacts()

    def stream(self) -> AnswerStream:
        return _WireStream(self._format)
