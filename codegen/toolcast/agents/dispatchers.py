"""What the loop of an agent asks of a dispatcher, and the two kinds that it makes itself."""

from collections.abc import Sequence
from typing import Any, Protocol

from ..runtime.context import ToolContext
from ..runtime.view import ToolView


class Answers(Protocol):
    """What the loop asks of a dispatcher: a response's part in the conversation, and what comes after it."""

    def assistant(self, response: Any) -> Sequence[Any]:
        """The messages that the response leaves in the conversation."""
        ...

    async def run(self, response: Any, context: ToolContext | None = None) -> Sequence[Any]:
        """Carry out the response's calls; the messages that answer them, none where there are none."""
        ...


class Native:
    """A wire format's dispatcher."""

    def __init__(self, tools: ToolView, format: str, provider: str, limit: int) -> None:
        from .dispatch import Dispatcher

        self._dispatcher = Dispatcher(tools, format, provider=provider, limit=limit)
        self._format = format

    def assistant(self, response: Any) -> Sequence[Any]:
        from .dispatch import assistant_messages

        return assistant_messages(response, self._format)

    async def run(self, response: Any, context: ToolContext | None = None) -> Sequence[Any]:
        return await self._dispatcher.run(response, context)


class Text:
    """Calls written into the text: a response is a str, its answers are the next message of the user."""

    def __init__(self, tools: ToolView, limit: int) -> None:
        from .text_calls import TextDispatcher

        self._dispatcher = TextDispatcher(tools, limit=limit)

    def assistant(self, response: str) -> Sequence[Any]:
        return [{"role": "assistant", "content": response}]

    async def run(self, response: str, context: ToolContext | None = None) -> Sequence[Any]:
        message = (await self._dispatcher.run(response, context)).message
        return [{"role": "user", "content": message}] if message else []
