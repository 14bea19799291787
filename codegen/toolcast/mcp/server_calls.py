"""Progress and result of one call, as a client gets them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec

from ..agents.dispatch.call import Call
from ..agents.dispatch.render_results import render, structured
from ..runtime.handler_results import fault_of_result
from ..runtime.result import ToolResult
from .listed import ListedTool, dialect_of

Send = Callable[[float, float | None, str | None], Awaitable[None]]


class Progress:
    """Sends what a handler reports, from whatever thread, in order and only while the call runs.

    The protocol wants values that grow; others are not sent. Reports that come faster than the connection
    takes them are skipped, but for the last. Made and ended in the event loop.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._waiting: tuple[float, float | None, str] | None = None
        self._sent = float("-inf")
        self._task: asyncio.Task[Any] | None = None
        self._over = False

    def report(self, done: float, total: float | None, message: str) -> None:
        """What `ToolContext.report` is given."""
        with suppress(RuntimeError):  # a thread that nobody waits for may outlive the loop
            self._loop.call_soon_threadsafe(self._take, done, total, message)

    def _take(self, done: float, total: float | None, message: str) -> None:
        last = self._sent if self._waiting is None else self._waiting[0]
        if self._over or not done > last:
            return
        self._waiting = (done, total, message)
        if self._task is None or self._task.done():
            self._task = self._loop.create_task(self._pump())

    async def _pump(self) -> None:
        while self._waiting is not None:
            (done, total, message), self._waiting = self._waiting, None
            self._sent = done
            await self._send(done, total, message or None)

    async def flush(self) -> None:
        """Send what was reported before the handler returned; nothing is sent afterwards."""
        await asyncio.sleep(0)  # reports from threads wait for the loop's next turn
        self._over = True
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    def stop(self) -> None:
        """Send nothing more: nobody waits for the call."""
        self._over = True
        self._waiting = None
        if self._task is not None:
            self._task.cancel()


_LOG = logging.getLogger("toolcast.mcp")


def answer(name: str, tool: ListedTool, result: ToolResult, version: str) -> dict[str, Any]:
    """A `CallToolResult` as plain data. A failure is `isError`, never a protocol error.

    A tool with an output schema must answer with what fits it (server/tools, "Output Schema"); a client would
    throw away what does not. So such a result becomes a failure, with its text.
    """
    binding = tool.binding
    if tool.output is None and binding.result is not None and structured(result) is not msgspec.UNSET:
        # This client sees no schema of results, whatever the definition of the newest revision has.
        result = msgspec.structs.replace(result, output=binding.encode_result(result.data).decode())
    (made,) = render([Call(id="", name=name, arguments={}, index=0)], [result], dialect_of(version))
    if not result.success or tool.output is None:
        return made
    if "structuredContent" not in made:
        return _broken(name, made, "has none of the data that its output schema promises")
    value = made["structuredContent"]
    if binding.defaults is not None and structured(result) is msgspec.UNSET:  # the text is another
        value = msgspec.json.decode(binding.encode_result(result.data, tool.provider))
    value = tool.output.settle(value)
    violations = tool.output.violations(value, limit=3)
    if violations:
        wrong = "; ".join(f"{violation.path}: {violation.message}" for violation in violations)
        return _broken(name, made, f"is not what its output schema says ({wrong})")
    return {**made, "structuredContent": value}


def _broken(name: str, made: dict[str, Any], how: str) -> dict[str, Any]:
    _LOG.warning("A result of tool %r %s.", name, how)
    text = fault_of_result(name, how)
    rest = {key: value for key, value in made.items() if key != "structuredContent"}
    return {**rest, "content": [{"type": "text", "text": text}, *made["content"]], "isError": True}
