"""Asking the model: its answer at once, or a stream that is put together while it is told."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from inspect import isawaitable
from typing import Any, TypeVar

from .answers import Answers
from .dispatch.pieces import Piece

T = TypeVar("T")
Stream = AsyncIterable[Any] | AbstractAsyncContextManager[Any]
"""The chunks of an answer: an async iterable, or a manager that gives one when it is entered."""
Model = Callable[[list[Any], bytes], Awaitable[Any] | Stream]
"""(messages, definitions) → the provider's response, or a stream of it. `definitions` is the JSON array of
the round."""

_END: Any = object()


class ModelCalls:
    """Asks the model of a run, and puts together what it streams."""

    def __init__(self, model: Model, answers: Answers, tell: Callable[[Piece], Awaitable[None]]) -> None:
        """Start.

        Args:
            model: the model.
            answers: what reads its answers.
            tell: receives what a stream adds; the stream waits for it.
        """
        self._model = model
        self._answers = answers
        self._tell = tell

    async def ask(self, messages: list[Any], definitions: bytes) -> Any:
        """Ask the model once.

        Args:
            messages: the conversation.
            definitions: the JSON array of definitions.

        Returns:
            The whole answer. What the model raises passes through.

        Raises:
            TypeError: the model gave an iterator that blocks, or streams and the adapter reads no streams.
            DispatchError: the stream broke off, or does not fit its format.
        """
        made = self._model(messages, definitions)
        response = await made if isawaitable(made) else made
        return await self._put_together(response) if _is_stream(response) else response

    async def _put_together(self, stream: Stream) -> Any:
        reader = self._answers.stream()
        async with _opened(stream) as chunks:
            async for chunk in chunks:
                for piece in reader.feed(chunk):
                    await self._tell(piece)
        for piece in reader.finish():
            await self._tell(piece)
        return reader.response()


def _is_stream(response: Any) -> bool:
    """Whether a model's return is a stream. Raises TypeError for one that would block the event loop."""
    kind = type(response)
    if hasattr(kind, "__aiter__") or hasattr(kind, "__aenter__"):
        return True
    if hasattr(kind, "__next__"):
        raise TypeError(
            f"The model gave a {kind.__name__}, which blocks the program while it waits for the next chunk. "
            "Return in_thread(…) of it (toolcast.agents), or use the async client."
        )
    return False


@asynccontextmanager
async def _opened(stream: Any) -> AsyncGenerator[AsyncIterable[Any]]:
    """The chunks of a stream, which is closed whatever happens."""
    async with AsyncExitStack() as stack:
        if hasattr(type(stream), "__aenter__"):
            yield await stack.enter_async_context(stream)
            return
        if hasattr(stream, "aclose"):
            stack.push_async_callback(stream.aclose)
        yield stream


async def in_thread(chunks: Iterable[T]) -> AsyncGenerator[T]:
    """Read an iterable that blocks, such as the stream of a client that is not async, in a thread.

    Args:
        chunks: the iterable. It is closed where it has `close`, also while the thread waits for it.

    Yields:
        Its items.
    """
    iterator = iter(chunks)
    try:
        while (chunk := await asyncio.to_thread(next, iterator, _END)) is not _END:
            yield chunk
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            # A generator cannot be closed while the thread waits in it: it ends with its source.
            with suppress(ValueError):
                await asyncio.to_thread(close)
