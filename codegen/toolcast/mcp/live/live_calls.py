"""One call of a live server's tool. Whatever the server or the connection does is a result."""

import asyncio
from typing import Any

import msgspec

from ...hidden_characters import without_hidden
from ...jsonschema import Validator
from ...runtime.context import ToolContext
from ...runtime.errors import RefusalError
from ...runtime.result import Content, ToolResult
from ..sdk import load
from .server_tool import Limits

CLOSED = -32000
"""The SDK's code for a connection that is closed, or an answer that broke off."""
_CLOSED = "Connection closed"
_BROKEN = "SSE stream"
"""How the SDK's messages for that begin."""
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

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        context.progress(done, total, without_hidden(message or "")[:_WORDS])

    options: dict[str, Any] = {} if context.report is None else {"progress_callback": on_progress}
    try:
        below = client_session(session)
        if below is session:  # a bare session hands questions of the server back; a Client answers them
            options["allow_input_required"] = True
        # The SDK judges results, too, and lists all tools for it, by a model that one of them can break.
        getattr(below, "_tool_output_schemas", {})[tool] = None
        async with asyncio.timeout(seconds):
            answer = await session.call_tool(tool, arguments, **options)
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
    return to_result(server, answer, output, limits)


def is_closed(problem: BaseException) -> bool:
    """Whether an exception of the SDK means that there is no connection. Servers use its code for faults of
    their own, and the SDK for an answer that broke off."""
    if isinstance(problem, load("mcp.shared.exceptions").MCPError):
        return getattr(problem, "code", 0) == CLOSED and str(problem) == _CLOSED
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
    """The result for an exception of the SDK. Raises it again where it is a bug of this program."""
    if is_closed(problem):
        return ToolResult.failed(closed(server))
    if isinstance(problem, load("mcp.shared.exceptions").MCPError):
        code: int = getattr(problem, "code", 0)
        if code == LATE:
            return ToolResult.failed(_late(server, seconds))
        words = without_hidden(str(problem))[:_WORDS]
        if code == CLOSED and words.startswith(_BROKEN):
            return ToolResult.failed(
                f"The answer of MCP server {server!r} broke off: {words}. The call may have taken effect: "
                "look before you call it again, and ask for less at once."
            )
        return ToolResult.failed(f"MCP server {server!r} refused the call: {words} (error {code}).")
    if isinstance(problem, load("pydantic").ValidationError):
        return ToolResult.failed(
            f"MCP server {server!r} answered with something that is no result of a tool."
        )
    raise problem


class OversizedError(Exception):
    """An answer with more content than is taken."""


def to_result(server: str, answer: Any, output: Validator | None, limits: Limits) -> ToolResult:
    """A `CallToolResult` of the SDK as ours. `output` validates the structured content of a tool that has an
    output schema.

    Texts before anything else are the output; what follows keeps its order in `content`.
    """
    has_data = "structured_content" in answer.model_fields_set
    data = answer.structured_content if has_data else None
    try:
        budget = limits.result_size - (0 if data is None else len(msgspec.json.encode(data)))
        text, content = _content(answer.content, budget)
    except OversizedError:
        return ToolResult.failed(
            f"MCP server {server!r} answered with more than {limits.result_size} bytes, which are not taken. "
            "Ask for less at once."
        )
    if answer.is_error:
        return ToolResult(
            success=False,
            error=text or f"The tool of MCP server {server!r} failed, and does not say why.",
            content=content,
        )
    if output is not None:
        problem = _problem(output, data) if has_data else "it has none of the data that was promised"
        if problem:
            return ToolResult.failed(mismatch(server, problem))
        data = output.settle(data)
    if data is not None and not text and not content:
        text = msgspec.json.encode(data).decode()
    return ToolResult.ok(text, data, content)


def mismatch(server: str, problem: str) -> str:
    """The text for an answer that breaks its own schema."""
    return (
        f"The tool ran, but the answer of MCP server {server!r} is not what its output schema says: "
        f"{problem}. This is a fault of the server; do not repeat the call unchanged more than once."
    )


def _problem(output: Validator, data: Any) -> str:
    violations = output.violations(output.settle(data), limit=3)
    return "; ".join(f"{violation.path}: {violation.message}" for violation in violations)


def _content(blocks: list[Any], budget: int) -> tuple[str, tuple[Content, ...]]:
    texts: list[str] = []
    pieces: list[Content] = []
    if budget < 0:
        raise OversizedError
    for block in blocks:
        if block.type == "text" and not pieces:
            texts.append(block.text)
            budget -= _size(block.text)
        else:
            piece = _piece(block)
            pieces.append(piece)
            budget -= len(piece.data) + _size(piece.text)
        budget -= 1
        if budget < 0:
            raise OversizedError
    return "\n".join(texts), tuple(pieces)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _piece(block: Any) -> Content:
    if block.type == "text":
        return Content.of(block.text)
    if block.type in ("image", "audio"):
        return _binary(block.type, block.data, block.mime_type, "")
    if block.type == "resource_link":
        facts = [block.mime_type, None if block.size is None else f"{block.size} bytes", block.description]
        words = ", ".join(str(fact) for fact in facts if fact)
        return Content.of(f"[link: {block.name}, {block.uri}{', ' + words if words else ''}]")
    resource = block.resource
    uri = str(resource.uri)
    if hasattr(resource, "blob"):
        name = uri.rstrip("/").rpartition("/")[2][:100]
        return _binary("file", resource.blob, resource.mime_type or "application/octet-stream", name)
    return Content.of(f"[resource: {uri}]\n{resource.text}")


def _binary(kind: Any, data: str, media_type: str, name: str) -> Content:
    """Bytes of a kind; in words where they are no base64, or of no type that a provider could be told."""
    plain = media_type.partition(";")[0].strip()
    try:
        return Content.from_base64(kind, data, plain, name)
    except (ValueError, TypeError) as problem:
        return Content.of(f"[{kind} that cannot be read: {problem}]")
