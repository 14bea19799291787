"""From results to the messages that carry them back, and their content in each provider's blocks.

A block function returns None for what its provider does not accept; a text then states what is missing, so
that the model does not take the result for the whole.
"""

import re
from binascii import b2a_base64
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from ...jsonschema.json_values import JsonObject
from ...runtime.codec import to_builtins
from ...runtime.result import Content, ToolResult, structured, words
from .call import Call, wire_ids
from .wire_formats import Format, SearchCalls, format_of

Message = JsonObject
_EMPTY = "(no output)"
_Block = Callable[[Content], JsonObject | None]

_ANTHROPIC_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_GEMINI_MEDIA = ("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain")
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


def render(calls: Sequence[Call], results: Sequence[ToolResult], format: str) -> list[Message]:
    """Render results as the next messages of the conversation.

    One message each; for OpenAI Responses one item of `input`, for MCP one CallToolResult each; for
    Anthropic, Bedrock and Gemini one message for all, before what the user writes.

    Args:
        calls: calls of one answer.
        results: one result for each call, in the same order.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        Plain dicts.

    Raises:
        ValueError: there are not as many results as calls, or the format does not exist.
    """
    known = format_of(format)
    if len(calls) != len(results):
        raise ValueError(f"There are {len(calls)} calls, and {len(results)} results.")
    if not calls:
        return []
    if known.ids is not None:
        sent = wire_ids((call.id for call in calls), known.ids)
        calls = [msgspec.structs.replace(call, id=sent[call.id]) for call in calls]
    make, key = _RENDER[known.name], _TOGETHER.get(known.name)
    made = [make(call, result, known) for call, result in zip(calls, results, strict=True)]
    return made if key is None else [{"role": "user", key: made}]


def _pieces(result: ToolResult, make: _Block, format: str, wrap: Callable[[str], Message]) -> list[Any]:
    out: list[Any] = []
    for piece in result.content:
        if piece.kind == "text":
            out += [wrap(piece.text)] if piece.text else []
        else:
            out.append(make(piece) or wrap(placeholder(piece, format)))
    return out


def _typed(kind: str) -> Callable[[str], Message]:
    return lambda text: {"type": kind, "text": text}


def _flagless(result: ToolResult) -> str:
    return words(result) if result.success else f"Error: {words(result)}"


def _blocks(text: str, result: ToolResult, make: _Block, format: str, kind: str) -> Any:
    if not result.content:
        return text
    wrap = _typed(kind)
    return [*([wrap(text)] if text else []), *_pieces(result, make, format, wrap)] or text


def _openai(call: Call, result: ToolResult, format: Format) -> Message:
    content = _blocks(_flagless(result), result, _no_block, format.name, "text")
    if call.older:
        text = content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)
        return {"role": "function", "name": call.name, "content": text}
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def _responses(call: Call, result: ToolResult, format: Format) -> Message:
    if call.search and format.search is not None:
        return _found(call, result, format.search)
    return {
        "type": format.custom.answer if call.custom and format.custom else "function_call_output",
        "call_id": call.id,
        "output": _blocks(_flagless(result), result, _responses_block, format.name, "input_text"),
        **call.repeated,
    }


def _found(call: Call, result: ToolResult, search: SearchCalls) -> Message:
    """Write the tools that a search found. The item has no place for words."""
    tools = [msgspec.json.decode(piece.data) for piece in result.content if piece.kind == "tool"]
    return {
        "type": search.answer,
        "call_id": call.id,
        "execution": search.execution,
        "status": "completed",
        "tools": tools,
    }


def _anthropic(call: Call, result: ToolResult, format: Format) -> Message:
    block: Message = {"type": "tool_result", "tool_use_id": call.id, **call.repeated}
    block["content"] = _blocks(words(result), result, _anthropic_block, format.name, "text")
    return block if result.success else {**block, "is_error": True}


def _gemini(call: Call, result: ToolResult, format: Format) -> Message:
    value = structured(result)
    output = words(result) if value is msgspec.UNSET else value
    made = _pieces(result, _gemini_block, format.name, _typed(""))
    # There is no part for text: it gets a key of its own in the response.
    texts = [piece["text"] for piece in made if "text" in piece]
    response = {("output" if result.success else "error"): output}
    answer: Message = {"id": call.id} if call.id else {}
    answer["name"] = call.name
    answer["response"] = {**response, **({"content": texts} if texts else {})}
    media = [piece for piece in made if "text" not in piece]
    return {"functionResponse": {**answer, **({"parts": media} if media else {})}}


def _bedrock(call: Call, result: ToolResult, format: Format) -> Message:
    value, text = structured(result), words(result)
    # A `json` block is an object; a blank text is refused.
    first = [{"json": value}] if isinstance(value, dict) else [{"text": text}] if text.strip() else []
    made = first + _pieces(result, _bedrock_block, format.name, lambda text: {"text": text})
    status = "success" if result.success else "error"
    return {"toolResult": {"toolUseId": call.id, "content": made or [{"text": _EMPTY}], "status": status}}


def _mistral(call: Call, result: ToolResult, format: Format) -> Message:
    content = _blocks(_flagless(result), result, _mistral_block, format.name, "text")
    return {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": content}


def _cohere(call: Call, result: ToolResult, format: Format) -> Message:
    key = "output" if result.success else "error"
    texts = [piece["text"] for piece in _pieces(result, _no_block, format.name, _typed("text"))]
    # A document is a set of named texts.
    documents = [{key: words(result) or _EMPTY}, *({"content": text} for text in texts)]
    content = [{"type": "document", "document": {"data": data}} for data in documents]
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def _ollama(call: Call, result: ToolResult, format: Format) -> Message:
    made = _pieces(result, _ollama_block, format.name, _typed(""))
    texts = [_flagless(result), *(piece["text"] for piece in made if "text" in piece)]
    images = [piece["image"] for piece in made if "image" in piece]
    message: Message = {"role": "tool", "tool_name": call.name}
    if call.id:
        message["tool_call_id"] = call.id
    message["content"] = "\n".join(text for text in texts if text)
    return {**message, **({"images": images} if images else {})}


def _mcp(_: Call, result: ToolResult, format: Format) -> Message:
    text, wrap = words(result), _typed("text")
    first = [wrap(text)] if text else []
    answer: Message = {"content": first + _pieces(result, mcp_block, format.name, wrap)}
    value = _structured_content(result)
    # Up to 2025-11-25 structured content is an object; since then it is any JSON value.
    if isinstance(value, dict) or (value is not msgspec.UNSET and format.name == "mcp"):
        answer["structuredContent"] = value
    answer["isError"] = not result.success
    if format.name == "mcp":
        answer["resultType"] = "complete"
    return answer


def _structured_content(result: ToolResult) -> object:
    """Return the typed value: a tool with an output schema must send it, also where its text was cut."""
    value = structured(result)
    if value is msgspec.UNSET and result.success and result.data is not None:
        try:
            return to_builtins(result.data)
        except (TypeError, ValueError, RecursionError):
            return msgspec.UNSET  # a handler may keep in `data` what has no JSON form
    return value


_RENDER: dict[str, Callable[[Call, ToolResult, Format], Message]] = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "mistral": _mistral,
    "cohere": _cohere,
    "ollama": _ollama,
    "mcp": _mcp,
    "mcp-2025-11-25": _mcp,
    "mcp-2025-06-18": _mcp,
}
_TOGETHER = {"anthropic": "content", "bedrock": "content", "gemini": "parts"}
"""Formats in which one message answers all calls, and its key for them."""


def placeholder(piece: Content, format: str) -> str:
    """Describe content that cannot be sent; the text of a resource that is one."""
    if piece.uri and (text := resource_contents(piece.uri, piece.data, piece.media_type).get("text")):
        return f"[resource: {piece.uri}]\n{text}"
    name = f" {piece.name[:100]!r}" if piece.name else ""
    return (
        f"[{piece.kind}{name}, {piece.media_type}, {len(piece.data)} bytes: "
        f"left out, a tool result of {format} cannot hold it]"
    )


def _no_block(_: Content) -> None: ...


def _responses_block(piece: Content) -> JsonObject | None:
    if piece.kind == "image":
        return {"type": "input_image", "image_url": piece.data_url, "detail": "auto"}
    if piece.kind == "file":
        return {"type": "input_file", "filename": piece.name or "file", "file_data": piece.data_url}
    return None


def _anthropic_block(piece: Content) -> JsonObject | None:
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


def _gemini_block(piece: Content) -> JsonObject | None:
    if piece.media_type not in _GEMINI_MEDIA:
        return None
    return {"inlineData": {"mimeType": piece.media_type, "data": piece.base64}}


def _bedrock_block(piece: Content) -> JsonObject | None:
    """Write a block of `toolResult.content`; the client encodes the bytes."""
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


def _mistral_block(piece: Content) -> JsonObject | None:
    if piece.kind == "image":
        return {"type": "image_url", "image_url": piece.data_url}
    if piece.kind == "audio":
        return {"type": "input_audio", "input_audio": piece.base64}
    return None


def _ollama_block(piece: Content) -> JsonObject | None:
    return {"image": piece.base64} if piece.kind == "image" else None


def mcp_block(piece: Content) -> JsonObject:
    """Write a content block of a CallToolResult."""
    if piece.kind in ("image", "audio"):
        return {"type": piece.kind, "data": piece.base64, "mimeType": piece.media_type}
    if piece.uri:
        return {"type": "resource", "resource": resource_contents(piece.uri, piece.data, piece.media_type)}
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", piece.name) or "file"
    resource = {"uri": f"attachment:///{name}", "mimeType": piece.media_type, "blob": piece.base64}
    return {"type": "resource", "resource": resource}


_TEXTS = re.compile(r"text/.*|application/(json|xml|yaml|javascript|.*\+(json|xml))")
"""Media types of what people read."""


def resource_contents(uri: str, data: bytes, media_type: str) -> JsonObject:
    """Write the contents of an MCP resource: text where they are text, else base64."""
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
