"""What a live server answers, as a ToolResult. Its words are data: nothing in them is acted upon."""

from typing import Any

import msgspec

from ..jsonschema import Validator
from ..runtime.content import Content
from ..runtime.result import ToolResult
from .listing_limits import Limits


class Oversized(Exception):  # noqa: N818 - never leaves the room
    """An answer with more content than is taken."""


def incoming(server: str, answer: Any, output: Validator | None, limits: Limits) -> ToolResult:
    """A `CallToolResult` of the SDK as ours. `output` judges the structured content that a tool promised.

    Texts before anything else are the output; what follows keeps its order in `content`.
    """
    given = "structured_content" in answer.model_fields_set
    data = answer.structured_content if given else None
    try:
        room = limits.result_size - (0 if data is None else len(msgspec.json.encode(data)))
        text, content = _content(answer.content, room)
    except Oversized:
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
        problem = _problem(output, data) if given else "it has none of the data that was promised"
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


def _content(blocks: list[Any], room: int) -> tuple[str, tuple[Content, ...]]:
    texts: list[str] = []
    pieces: list[Content] = []
    if room < 0:
        raise Oversized
    for block in blocks:
        if block.type == "text" and not pieces:
            texts.append(block.text)
            room -= _size(block.text)
        else:
            piece = _piece(block)
            pieces.append(piece)
            room -= len(piece.data) + _size(piece.text)
        room -= 1
        if room < 0:
            raise Oversized
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
