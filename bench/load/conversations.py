"""Conversations with the scripted model, by three loops: ours, one written by hand, and pydantic-ai's."""

# ruff: noqa: ARG001 - a handler has its signature, whatever it uses

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from toolcast.agents import run_tools
from toolcast.runtime import ToolContext
from toolcast_tools import toolset
from toolcast_tools.files import Files
from toolcast_tools.generated.files.file_read import FILE_READ, FileReadParams
from toolcast_tools.generated.files.multi_edit import MULTI_EDIT, MultiEditParams

THREADS = 32
"""Threads for handlers, in each loop."""


class Connection:
    """One connection to the server that is kept open: HTTP/1.1, as little of it as is needed."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes) -> bytes:
        """Send a request; returns the answer's body."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=4 * 2**20)
        reader, writer = self._streams
        writer.write(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        head = await reader.readuntil(b"\r\n\r\n")
        return await reader.readexactly(int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]))

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()


class Clock:
    """The times of one conversation's current round, and the overhead of those before.

    A round begins when the model has answered and ends when it is asked again. What of it is not between the
    start of the first handler and the end of the last is overhead: the loop's work, its queues, and the time
    that other conversations hold the event loop.
    """

    def __init__(self) -> None:
        self.overheads: list[float] = []
        self._answered: float | None = None
        self._first: float | None = None
        self._last = 0.0

    def asked(self) -> None:
        """The model is asked."""
        if self._answered is not None and self._first is not None:
            handlers = self._last - self._first
            self.overheads.append(time.perf_counter() - self._answered - handlers)
        self._answered = self._first = None

    def answered(self) -> None:
        """The model has answered."""
        self._answered = time.perf_counter()

    def timed(self, handler: Callable[..., Any], *arguments: Any) -> Any:
        """Call a handler."""
        begun = time.perf_counter()
        self._first = begun if self._first is None else min(self._first, begun)
        try:
            return handler(*arguments)
        finally:
            self._last = max(self._last, time.perf_counter())


CLOCK: ContextVar[Clock] = ContextVar("CLOCK")
Converse: TypeAlias = Callable[[Connection, Clock, str], Awaitable[None]]
"""One conversation: its connection, its clock, and the user's message."""


def ours(folder: Path) -> tuple[Converse, Callable[[], Awaitable[None]]]:
    """`run_tools` with the reference toolset. Returns a conversation and what ends it all."""
    from toolcast.runtime.middleware.policy import Policy

    registry = toolset(folder, policy=Policy("full"), shell=False, web=False)
    for binding in (FILE_READ, MULTI_EDIT):
        registry.replace(binding, _timed(registry.get(binding.name).handler))

    async def converse(connection: Connection, clock: Clock, user: str) -> None:
        async def model(messages: list[Any], definitions: bytes) -> Any:
            clock.asked()
            body = msgspec.json.encode({"messages": messages, "tools": msgspec.Raw(definitions)})
            response = msgspec.json.decode(await connection.post(body))
            clock.answered()
            return response

        CLOCK.set(clock)
        record = await run_tools(model, registry, [{"role": "user", "content": user}], format="openai")
        if record.stopped != "answer":
            raise RuntimeError(f"a conversation ended: {record.stopped} {record.detail}")

    return converse, registry.aclose


def _timed(handler: Callable[..., Any]) -> Callable[..., Any]:
    def call(params: Any, context: ToolContext) -> Any:
        return CLOCK.get().timed(handler, params, context)

    return call


def by_hand(folder: Path) -> tuple[Converse, Callable[[], Awaitable[None]]]:
    """The loop that a program would write: no policy, limits, records, errors or hooks."""
    files = Files(folder)
    pool = ThreadPoolExecutor(THREADS)
    types = {"file_read": FileReadParams, "multi_edit": MultiEditParams}
    tools = [json.loads(binding.definition("openai")) for binding in (FILE_READ, MULTI_EDIT)]
    context = ToolContext()

    async def converse(connection: Connection, clock: Clock, user: str) -> None:
        loop = asyncio.get_running_loop()
        messages: list[Any] = [{"role": "user", "content": user}]
        while True:
            clock.asked()
            body = msgspec.json.encode({"messages": messages, "tools": tools})
            response = msgspec.json.decode(await connection.post(body))
            clock.answered()
            message = response["choices"][0]["message"]
            messages.append(message)
            if not message.get("tool_calls"):
                return

            async def call(asked: Any) -> dict[str, Any]:
                name = asked["function"]["name"]
                params = msgspec.json.decode(asked["function"]["arguments"], type=types[name])
                result = await loop.run_in_executor(pool, clock.timed, getattr(files, name), params, context)
                content = msgspec.json.encode(result).decode()
                return {"role": "tool", "tool_call_id": asked["id"], "content": content}

            messages += await asyncio.gather(*map(call, message["tool_calls"]))

    async def end() -> None:
        pool.shutdown()
        files.close()

    return converse, end


def with_pydantic_ai(folder: Path) -> tuple[Converse, Callable[[], Awaitable[None]]]:
    """pydantic-ai's agent with a model that is a function, and plain tools with annotated parameters."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
    from pydantic_ai.models.function import FunctionModel

    files = Files(folder)
    context = ToolContext()
    connections: ContextVar[Connection] = ContextVar("connections")
    written = {"request": "user", "response": "assistant"}

    def wire(message: Any) -> list[dict[str, Any]]:
        """A message in OpenAI's form."""
        if message.kind == "response":
            return [{"role": written[message.kind], "content": None}]
        found: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                found.append({"role": "user", "content": part.content})
            elif isinstance(part, ToolReturnPart):
                content = part.model_response_str()
                found.append({"role": "tool", "tool_call_id": part.tool_call_id, "content": content})
        return found

    async def model(messages: Any, info: Any) -> Any:
        clock = CLOCK.get()
        clock.asked()
        body = msgspec.json.encode({"messages": [each for message in messages for each in wire(message)]})
        response = msgspec.json.decode(await connections.get().post(body))
        clock.answered()
        message = response["choices"][0]["message"]
        if not message.get("tool_calls"):
            return ModelResponse(parts=[TextPart(message["content"])])
        return ModelResponse(
            parts=[
                ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"])
                for call in message["tool_calls"]
            ]
        )

    agent: Any = Agent(FunctionModel(model))

    @agent.tool_plain  # type: ignore[untyped-decorator]
    def file_read(file_path: str) -> Any:
        params = msgspec.convert({"file_path": file_path}, FileReadParams)
        return msgspec.to_builtins(CLOCK.get().timed(files.file_read, params, context))

    @agent.tool_plain  # type: ignore[untyped-decorator]
    def multi_edit(file_path: str, edits: list[dict[str, str]], dry_run: bool) -> Any:
        arguments = {"file_path": file_path, "edits": edits, "dry_run": dry_run}
        params = msgspec.convert(arguments, MultiEditParams)
        return msgspec.to_builtins(CLOCK.get().timed(files.multi_edit, params, context))

    async def converse(connection: Connection, clock: Clock, user: str) -> None:
        CLOCK.set(clock)
        connections.set(connection)
        await agent.run(user)

    async def end() -> None:
        files.close()

    return converse, end


LOOPS: dict[str, Callable[[Path], tuple[Converse, Callable[[], Awaitable[None]]]]] = {
    "toolcast": ours,
    "by hand": by_hand,
    "pydantic-ai": with_pydantic_ai,
}
