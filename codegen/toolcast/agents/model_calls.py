"""Asking the model, through the hooks around it: its answer at once, or a stream that is put together."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from inspect import isawaitable
from typing import Any, TypeVar

from msgspec import Struct

from .answers import Answers
from .dispatch.call import Discarded, Piece
from .run_state import conversation

T = TypeVar("T")
_Stream = AsyncIterable[Any] | AbstractAsyncContextManager[Any]
"""The chunks of an answer: an async iterable, or a manager that gives one when it is entered."""
Model = Callable[[list[Any], bytes], Awaitable[Any] | _Stream]
"""(messages, definitions) → the provider's response, or a stream of it. `definitions` is the JSON array of
the round."""

_END: Any = object()


class ModelRequest(Struct, frozen=True, kw_only=True):
    """A request to the model in a round.

    Attributes:
        round: number of the round, from 1.
        messages: the conversation.
        definitions: the JSON array of definitions.
        container: id of the provider's container of the model's code, or "". Anthropic wants it in the
            request.
    """

    round: int
    messages: tuple[Any, ...]
    definitions: bytes
    container: str = ""


Proceed = Callable[[ModelRequest], Awaitable[Any]]
"""Asks with a request: the next hook, or the model after the last one. Gives the whole answer."""
AroundModel = Callable[[ModelRequest, Proceed], Awaitable[Any]]
"""A hook around each call of the model: from the request of a round to the whole answer."""


class ModelCalls:
    """Asks the model of a run, through hooks, the outermost first, and puts together what it streams."""

    def __init__(
        self,
        model: Model,
        around: Sequence[AroundModel],
        answers: Answers,
        tell: Callable[[Piece], Awaitable[None]],
    ) -> None:
        self._model = model
        self._around = tuple(around)
        self._answers = answers
        self._tell = tell
        self._told = False  # pieces of this round that count
        self._streamed: object = None  # the answer that they are of
        self._came: Callable[[], None] = _nothing

    async def ask(self, request: ModelRequest, came: Callable[[], None]) -> Any:
        """Ask for the whole answer of a round; `came` is called for each chunk of a stream.

        Raises what hooks and the model raise; TypeError for an iterator that blocks, a stream that the
        adapter cannot read, and no list of messages; DispatchError for a stream that broke off or does not
        fit.
        """
        self._told, self._streamed, self._came = False, None, came
        response = await self._through(0, request)
        if response is not self._streamed:
            await self._discard()
        return response

    async def _through(self, at: int, request: ModelRequest) -> Any:
        if at < len(self._around):
            made: Any = self._around[at](request, lambda changed: self._through(at + 1, changed))
        else:
            made = self._model([*conversation(request.messages)], request.definitions)
        response = await made if isawaitable(made) else made
        return await self._put_together(response) if _is_stream(response) else response

    async def _put_together(self, stream: _Stream) -> object:
        reader = self._answers.stream()
        await self._discard()  # a hook asks again
        async with _opened(stream) as chunks:
            async for chunk in chunks:
                self._came()
                await self._tell_all(reader.feed(chunk))
        await self._tell_all(reader.finish())
        self._streamed = reader.response()
        return self._streamed

    async def _tell_all(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            self._told = True
            await self._tell(piece)

    async def _discard(self) -> None:
        if self._told:
            self._told = False
            await self._tell(Discarded())


def _nothing() -> None: ...


def _is_stream(response: object) -> bool:
    """Tell whether a model returned a stream. Raises TypeError for one that would block the event loop."""
    kind = type(response)
    if hasattr(kind, "__aiter__") or hasattr(kind, "__aenter__"):
        return True
    # Generators and clients' streams; boto3's has no `__next__`, a manager only `__enter__`.
    closes = hasattr(kind, "__iter__") and hasattr(kind, "close")
    if hasattr(kind, "__next__") or hasattr(kind, "__enter__") or closes:
        raise TypeError(
            f"The model gave a {kind.__name__}, which blocks the program while it waits for the next chunk. "
            "Return in_thread(…) of an iterable of chunks (toolcast.agents), or use the async client."
        )
    return False


@asynccontextmanager
async def _opened(stream: Any) -> AsyncGenerator[AsyncIterable[Any]]:
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
