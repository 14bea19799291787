"""One call of a live server's tool. Whatever the server or the connection does is a result."""

import asyncio
from typing import Any

from ..jsonschema import Validator
from ..runtime.context import ToolContext
from ..runtime.errors import RefusalError
from ..runtime.result import ToolResult
from .incoming import incoming, mismatch
from .listing_limits import Limits
from .sdk import load
from .visible import visible

CLOSED = -32000
"""The SDK's code for a connection that is closed."""
LATE = -32001
"""The SDK's code for an answer that did not come in time."""
_WORDS = 500


def client_session(session: Any) -> Any:
    """The SDK's `ClientSession` behind a `Client`, or itself. Raises RefusalError where a client is not
    connected."""
    try:
        return getattr(session, "session", session)
    except RuntimeError:
        raise RefusalError("not connected") from None


async def call_live(
    session: Any,
    server: str,
    tool: str,
    arguments: dict[str, Any],
    context: ToolContext,
    output: Validator | None,
    limits: Limits,
    seconds: float | None,
) -> ToolResult:
    """The tool's answer. Cancelling cancels the request at the server, too."""

    async def hear(done: float, total: float | None, message: str | None) -> None:
        context.progress(done, total, visible(message or "")[:_WORDS])

    given: dict[str, Any] = {} if context.report is None else {"progress_callback": hear}
    try:
        below = client_session(session)
        if below is session:  # a bare session hands questions of the server back; a Client answers them
            given["allow_input_required"] = True
        async with asyncio.timeout(seconds):
            answer = await session.call_tool(tool, arguments, **given)
    except TimeoutError:
        return ToolResult.failed(_late(server, seconds))
    except RefusalError:
        return ToolResult.failed(closed(server))
    except Exception as problem:
        return _failed(problem, server, seconds)
    if not hasattr(answer, "content"):
        return ToolResult.failed(
            f"MCP server {server!r} asks for input that this program cannot give, so the tool did not run."
        )
    return incoming(server, answer, output, limits)


def is_closed(problem: Exception) -> bool:
    """Whether the SDK says that there is no connection."""
    if isinstance(problem, load("mcp.shared.exceptions").MCPError):
        return getattr(problem, "code", 0) == CLOSED
    return isinstance(problem, (load("anyio").ClosedResourceError, load("anyio").BrokenResourceError))


def closed(server: str) -> str:
    """The text for a connection that is gone."""
    return (
        f"MCP server {server!r} is not connected any more; whether the call took effect is not known. Its "
        "tools cannot be called until the program connects again: go on without them, or tell the user."
    )


def _late(server: str, seconds: float | None) -> str:
    within = "in time" if seconds is None else f"within {seconds:g} s"
    return (
        f"MCP server {server!r} did not answer {within}. The call was cancelled and may have taken effect in "
        "part: look before you call it again, and ask for less at once."
    )


def _failed(problem: Exception, server: str, seconds: float | None) -> ToolResult:
    """What the SDK raised, in words. Raises it again where it means a bug of this program."""
    if is_closed(problem):
        return ToolResult.failed(closed(server))
    if isinstance(problem, load("mcp.shared.exceptions").MCPError):
        code: int = getattr(problem, "code", 0)
        if code == LATE:
            return ToolResult.failed(_late(server, seconds))
        words = visible(str(problem))[:_WORDS]
        return ToolResult.failed(f"MCP server {server!r} refused the call: {words} (error {code}).")
    if isinstance(problem, load("pydantic").ValidationError):
        return ToolResult.failed(
            f"MCP server {server!r} answered with something that is no result of a tool."
        )
    if type(problem) is RuntimeError and "structured content" in str(problem):
        return ToolResult.failed(mismatch(server, "the client library refused it"))
    raise problem
