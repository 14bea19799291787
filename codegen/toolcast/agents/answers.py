"""How the loop reads a model's answers and writes its own: one adapter for native calls, one for text.

The steps are apart, so that a call may wait for a person or another program between them: an answer is read,
its calls are carried out, and the messages that answer them are written.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from ..runtime.context import ToolContext
from ..runtime.result import ToolResult
from ..runtime.view import ToolView
from .dispatch import Dispatcher, assistant_messages, parse, read_container, read_end, read_usage, render
from .dispatch.answer_facts import AnswerEnd, AnswerFacts, read_facts
from .dispatch.assembler import Assembler
from .dispatch.call import DispatchError, Piece
from .record import CallRecord
from .usage import Usage

WITHHELD = frozenset(("refusal", "filtered", "provider_error"))
"""Ends of answers that count for nothing: their calls are answered, not carried out, and the run ends."""


_UNREAD = "(a call of a tool that could not be read)"


def refused_call(call: Any, result: ToolResult) -> CallRecord:
    """The record of a call that was answered without calling a tool."""
    return CallRecord(
        id=call.id, name=call.name, arguments=call.arguments, result=result, seconds=0.0, executed=False
    )


class ReadAnswer(Struct, frozen=True, kw_only=True):
    """An answer of a model, as the loop sees it.

    Attributes:
        messages: what the answer leaves in the conversation.
        calls: its calls, in order; of the adapter's own type.
        problems: calls that could not be read; of the adapter's own type.
        end: why the answer ended.
        usage: the tokens that it used; None where it states none.
        container: id of the container in which the provider runs code of the model; "" for none.
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


class Answers(ABC):
    """What the loop asks about the answers of a model; the base of a program's own adapter.

    `run_tools(dispatcher=MyAnswers)` makes one with the tools of the run. For a run that can be resumed, a
    call has the attributes `id`, `name` and `arguments`, as given to `execute` of the tools.

    Attributes:
        name: name of the format, for the state of a run.
    """

    name: str = ""

    @abstractmethod
    def read(self, response: Any) -> ReadAnswer:
        """Read an answer.

        Args:
            response: what the model returned.

        Returns:
            The answer; the same calls each time.
        """

    def restore(self, response: Any) -> Any:
        """Give the form of a response that `read` takes.

        Args:
            response: a response out of the state of a run: as the model returned it, or as plain data.

        Returns:
            The response.
        """
        return response

    @abstractmethod
    async def execute(self, calls: Sequence[Any], context: ToolContext | None = None) -> Sequence[ToolResult]:
        """Carry out calls with the tools of the run.

        Args:
            calls: some of the calls of an answer.
            context: circumstances for every handler; pass it on, with the id of the call: it has what was
                decided of calls that waited.

        Returns:
            One result for each call, in their order.
        """

    def refused(self, calls: Sequence[Any]) -> Sequence[CallRecord]:
        """Give the calls that `execute` answers without calling a tool, such as one that was cut off.

        Args:
            calls: some of the calls of an answer.

        Returns:
            A record of each such call, with the result that `execute` gives; none by default.
        """
        del calls
        return ()

    @abstractmethod
    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[Any]:
        """Write the messages that answer calls, and problems.

        Args:
            answer: the answer.
            results: one result for each of its calls, in their order.

        Returns:
            Messages; none where there is nothing to answer.
        """

    def say(self, text: str) -> Sequence[Any]:
        """Write a message of the user.

        Args:
            text: the message.

        Returns:
            Messages.
        """
        return [{"role": "user", "content": text}]

    def facts(self, response: Any) -> AnswerFacts:
        """Read what an answer says of itself, for traces.

        Args:
            response: what the model returned.

        Returns:
            The facts; none by default.
        """
        del response
        return AnswerFacts()

    def stream(self) -> AnswerStream:
        """Make what puts one streamed answer together.

        Returns:
            A reader of its chunks, for one answer.

        Raises:
            TypeError: the adapter reads no streams.
        """
        raise TypeError(
            f"{type(self).__name__} reads no streams: return the whole answer, or give the adapter a method "
            "stream() that makes a toolcast.agents.answers.AnswerStream."
        )


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


class WireAnswers(Answers):
    """Answers in one of the wire formats of `toolcast.agents.dispatch`."""

    _PARTS: ClassVar[dict[str, str]] = {"gemini": "parts", "bedrock": "content"}
    """Formats whose messages consist of parts, and the key of these."""

    def __init__(self, tools: ToolView, format: str, provider: str, limit: int) -> None:
        """Make an adapter.

        Args:
            tools: the tools of the run.
            format: name of a wire format, or of a provider that uses one.
            provider: id of the provider whose definitions the model sees.
            limit: calls that run at once.

        Raises:
            ValueError: the format does not exist, or `limit` is not above 0.
        """
        self._dispatcher = Dispatcher(tools, format, provider=provider, limit=limit)
        self.name = self._format = self._dispatcher.format

    def read(self, response: Any) -> ReadAnswer:
        end = read_end(response, self._format)
        usage = read_usage(response, self._format)
        try:
            calls = parse(response, self._format)
            messages = assistant_messages(response, self._format)
        except DispatchError:
            if end.reason != "provider_error":
                raise
            return ReadAnswer(messages=(), calls=(), end=end, usage=usage)  # an error in place of an answer
        if end.reason == "malformed_call" and not messages and self._format == "bedrock":
            messages = [{"role": "assistant", "content": [{"text": _UNREAD}]}]  # roles alternate there
        if end.reason in WITHHELD:
            calls = tuple(msgspec.structs.replace(call, cut=True) for call in calls)
        container = read_container(response, self._format)
        return ReadAnswer(messages=messages, calls=calls, end=end, usage=usage, container=container)

    def refused(self, calls: Sequence[Any]) -> Sequence[CallRecord]:
        found = ((call, self._dispatcher.refused(call)) for call in calls)
        return [refused_call(call, result) for call, result in found if result is not None]

    async def execute(self, calls: Sequence[Any], context: ToolContext | None = None) -> Sequence[ToolResult]:
        return await self._dispatcher.execute(calls, context)

    def render(self, answer: ReadAnswer, results: Sequence[ToolResult]) -> Sequence[Any]:
        return render(answer.calls, results, self._format)

    def say(self, text: str) -> Sequence[Any]:
        parts = self._PARTS.get(self._format)
        return [{"role": "user", parts: [{"text": text}]}] if parts else super().say(text)

    def facts(self, response: Any) -> AnswerFacts:
        try:
            return read_facts(response, self._format)
        except DispatchError:  # `read` says what is wrong with it
            return AnswerFacts()

    def stream(self) -> AnswerStream:
        return WireStream(self._format)
