"""Programs whose calls are served: one end of a socket in this process, or a process with the other end."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.code import CodeLimits, CodeRun, CodeServer

from tests.runtime.sample.files.edit import EDIT, EditParams, EditResult
from tests.runtime.sample.misc.note import NOTE, NoteParams

GOOD = {"file_path": "/a", "old_string": "a", "new_string": "b"}


def registry(**options: Any) -> ToolRegistry:
    """`files.edit` with a typed result, `misc.note` with a text."""
    made = ToolRegistry(**options)

    async def edit(params: EditParams, _: ToolContext) -> EditResult:
        return EditResult(replaced=len(params.new_string))

    async def note(params: NoteParams, _: ToolContext) -> str:
        return f"noted {params.text}"

    made.register(EDIT, edit)
    made.register(NOTE, note)
    return made


def note(id: int, text: str = "x") -> dict[str, Any]:
    return {"id": id, "call": "misc.note", "arguments": {"text": text}}


class Sandbox:
    """The program's end, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes | dict[str, Any]) -> None:
        self.writer.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")

    async def answer(self) -> Any:
        """The next line; None at the end."""
        try:
            line = await asyncio.wait_for(self.reader.readline(), 60)
        except ConnectionError:  # closed before all was read that this end sent
            return None
        return json.loads(line) if line else None

    async def ask(self, data: bytes | dict[str, Any]) -> Any:
        """The answer to a line, where no other is on its way."""
        self.send(data)
        return await self.answer()


@asynccontextmanager
async def serving(
    server: CodeServer, context: ToolContext | None = None
) -> AsyncIterator[tuple[Sandbox, "asyncio.Task[CodeRun]"]]:
    """A program's end, and the run that serves it."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    made = Sandbox(*await asyncio.open_connection(sock=theirs, limit=2**26))
    run = asyncio.create_task(server.serve(reader, writer, context))
    try:
        yield made, run
    finally:
        made.writer.close()
        run.cancel()
        await asyncio.wait([run])


Program = Callable[[Sandbox], Any]


def run_program(
    program: Program,
    tools: ToolRegistry | None = None,
    limits: CodeLimits | None = None,
    context: ToolContext | None = None,
) -> CodeRun:
    """What becomes of a program: a coroutine function of its end, which closes that."""

    async def main() -> CodeRun:
        server = CodeServer(registry() if tools is None else tools, None, limits=limits)
        async with serving(server, context) as (sandbox, run):
            await program(sandbox)
            sandbox.writer.close()
            return await asyncio.wait_for(run, 60)

    return asyncio.run(main())


def renamed(binding: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(binding, **changes)
