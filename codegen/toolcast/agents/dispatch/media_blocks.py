"""The content of a result in each provider's blocks.

A block function returns None for what its provider does not accept; a text then states what is
missing, so that the model does not take the result for the whole.
"""

import re
from binascii import b2a_base64
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...runtime.result import Content

Block = Callable[[Content], dict[str, Any] | None]

_ANTHROPIC_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_GEMINI = ("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain")
_BEDROCK_IMAGES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_BEDROCK_VIDEOS = {
    "video/x-matroska": "mkv",
    "video/quicktime": "mov",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/mpeg": "mpeg",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
}
_BEDROCK_DOCUMENTS = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}


def placeholder(piece: Content, format: str) -> str:
    """Words for what could not be sent: the text of a resource that is one, else what is left out."""
    if piece.uri and (text := resource_contents(piece.uri, piece.data, piece.media_type).get("text")):
        return f"[resource: {piece.uri}]\n{text}"
    name = f" {piece.name[:100]!r}" if piece.name else ""
    return (
        f"[{piece.kind}{name}, {piece.media_type}, {len(piece.data)} bytes: "
        f"left out, a tool result of {format} cannot hold it]"
    )


def nothing(_: Content) -> None:
    """For formats whose results are text."""


def responses(piece: Content) -> dict[str, Any] | None:
    """An item of `function_call_output.output`."""
    if piece.kind == "image":
        return {"type": "input_image", "image_url": piece.data_url, "detail": "auto"}
    if piece.kind == "file":
        return {"type": "input_file", "filename": piece.name or "file", "file_data": piece.data_url}
    return None


def anthropic(piece: Content) -> dict[str, Any] | None:
    """A block of `tool_result.content`."""
    if piece.kind == "tool":
        return {"type": "tool_reference", "tool_name": piece.name}
    source = {"type": "base64", "media_type": piece.media_type, "data": piece.base64}
    if piece.kind == "image" and piece.media_type in _ANTHROPIC_IMAGES:
        return {"type": "image", "source": source}
    if piece.kind != "file":
        return None
    if piece.media_type == "text/plain" and (words := _utf8(piece.data)) is not None:
        source = {"type": "text", "media_type": "text/plain", "data": words}
    elif piece.media_type != "application/pdf":
        return None
    return {"type": "document", "source": source, **({"title": piece.name} if piece.name else {})}


def gemini(piece: Content) -> dict[str, Any] | None:
    """A part of `functionResponse.parts`."""
    if piece.media_type not in _GEMINI:
        return None
    return {"inlineData": {"mimeType": piece.media_type, "data": piece.base64}}


def bedrock(piece: Content) -> dict[str, Any] | None:
    """A block of `toolResult.content`; bytes as they are, the client encodes them."""
    source = {"bytes": piece.data}
    if piece.kind == "image" and piece.media_type in _BEDROCK_IMAGES:
        return {"image": {"format": _BEDROCK_IMAGES[piece.media_type], "source": source}}
    if piece.kind != "file":
        return None
    if piece.media_type in _BEDROCK_VIDEOS:
        return {"video": {"format": _BEDROCK_VIDEOS[piece.media_type], "source": source}}
    if piece.media_type in _BEDROCK_DOCUMENTS:
        # Letters, digits, single spaces, hyphens, parentheses and brackets: anything else is refused.
        name = " ".join(re.sub(r"[^A-Za-z0-9()\[\]-]+", " ", piece.name).split())[:200].rstrip()
        form = _BEDROCK_DOCUMENTS[piece.media_type]
        return {"document": {"format": form, "name": name or "file", "source": source}}
    return None


def mistral(piece: Content) -> dict[str, Any] | None:
    """A chunk of a tool message."""
    if piece.kind == "image":
        return {"type": "image_url", "image_url": piece.data_url}
    if piece.kind == "audio":
        return {"type": "input_audio", "input_audio": piece.base64}
    return None


def mcp(piece: Content) -> dict[str, Any]:
    """A content block of a CallToolResult."""
    if piece.kind in ("image", "audio"):
        return {"type": piece.kind, "data": piece.base64, "mimeType": piece.media_type}
    if piece.uri:
        return {"type": "resource", "resource": resource_contents(piece.uri, piece.data, piece.media_type)}
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", piece.name) or "file"
    resource = {"uri": f"attachment:///{name}", "mimeType": piece.media_type, "blob": piece.base64}
    return {"type": "resource", "resource": resource}


_TEXTS = re.compile(r"text/.*|application/(json|xml|yaml|javascript|.*\+(json|xml))")
"""Media types of what people read."""


def resource_contents(uri: str, data: bytes, media_type: str) -> dict[str, Any]:
    """The contents of an MCP resource: text where they are text, else base64."""
    resource = {"uri": uri, "mimeType": media_type}
    if _TEXTS.fullmatch(media_type):
        with suppress(UnicodeDecodeError):
            return {**resource, "text": data.decode()}
    return {**resource, "blob": b2a_base64(data, newline=False).decode()}


def _utf8(data: bytes) -> str | None:
    try:
        return data.decode() or None
    except UnicodeDecodeError:
        return None
