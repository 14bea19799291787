"""From results to the messages that carry them back."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ...runtime.encode import to_builtins
from ...runtime.result import ToolResult, structured, words
from . import media_blocks as blocks
from .call import Call, wire_ids
from .wire_formats import Format, SearchCalls, format_of

Message = dict[str, Any]
_EMPTY = "(no output)"


def render(calls: Sequence[Call], results: Sequence[ToolResult], format: str) -> list[Message]:
    """Render results as the next messages of the conversation.

    OpenAI chat, Mistral, Cohere, Ollama: one message each. OpenAI Responses: one item of `input` each.
    Anthropic, Bedrock, Gemini: one message for all, before what the user writes. MCP: one CallToolResult
    each.

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
    return _RENDER[known.name](calls, results, known)


def _pieces(result: ToolResult, make: blocks.Block, format: str, wrap: Callable[[str], Message]) -> list[Any]:
    """The content of a result, in the provider's blocks, or described in words."""
    out: list[Any] = []
    for piece in result.content:
        if piece.kind == "text":
            out += [wrap(piece.text)] if piece.text else []
        else:
            out.append(make(piece) or wrap(blocks.placeholder(piece, format)))
    return out


def _typed(kind: str) -> Callable[[str], Message]:
    return lambda text: {"type": kind, "text": text}


def _flagless(result: ToolResult) -> str:
    """The text where nothing else says that it is a failure."""
    return words(result) if result.success else f"Error: {words(result)}"


def _blocks(text: str, result: ToolResult, make: blocks.Block, format: str, kind: str) -> Any:
    """Text alone where there is nothing else, else a list of blocks."""
    if not result.content:
        return text
    wrap = _typed(kind)
    return [*([wrap(text)] if text else []), *_pieces(result, make, format, wrap)] or text


def _openai(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    return [
        {
            "role": "tool",
            "tool_call_id": call.id,
            "content": _blocks(_flagless(result), result, blocks.nothing, format.name, "text"),
        }
        for call, result in zip(calls, results, strict=True)
    ]


def _responses(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    return [
        _found(call, result, format.search)
        if call.search and format.search is not None
        else {
            "type": format.custom.answer if call.custom and format.custom else "function_call_output",
            "call_id": call.id,
            "output": _blocks(_flagless(result), result, blocks.responses, format.name, "input_text"),
            **call.repeated,
        }
        for call, result in zip(calls, results, strict=True)
    ]


def _found(call: Call, result: ToolResult, search: SearchCalls) -> Message:
    """The tools that a search found. The item has no place for words: where there are none, it is empty."""
    tools = [msgspec.json.decode(piece.data) for piece in result.content if piece.kind == "tool"]
    return {
        "type": search.answer,
        "call_id": call.id,
        "execution": search.execution,
        "status": "completed",
        "tools": tools,
    }


def _anthropic(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    content: list[Message] = []
    for call, result in zip(calls, results, strict=True):
        block: Message = {"type": "tool_result", "tool_use_id": call.id, **call.repeated}
        block["content"] = _blocks(words(result), result, blocks.anthropic, format.name, "text")
        if not result.success:
            block["is_error"] = True
        content.append(block)
    return [{"role": "user", "content": content}]


def _gemini(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    parts: list[Message] = []
    for call, result in zip(calls, results, strict=True):
        value = structured(result)
        output = words(result) if value is msgspec.UNSET else value
        made = _pieces(result, blocks.gemini, format.name, _typed(""))
        # There is no part for text: it gets a key of its own in the response.
        texts = [piece["text"] for piece in made if "text" in piece]
        response = {("output" if result.success else "error"): output}
        answer: Message = {"id": call.id} if call.id else {}
        answer["name"] = call.name
        answer["response"] = {**response, **({"content": texts} if texts else {})}
        media = [piece for piece in made if "text" not in piece]
        parts.append({"functionResponse": {**answer, **({"parts": media} if media else {})}})
    return [{"role": "user", "parts": parts}]


def _bedrock(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    content: list[Message] = []
    for call, result in zip(calls, results, strict=True):
        value, text = structured(result), words(result)
        # A `json` block is an object; a blank text is refused.
        first = [{"json": value}] if isinstance(value, dict) else [{"text": text}] if text.strip() else []
        made = first + _pieces(result, blocks.bedrock, format.name, lambda text: {"text": text})
        status = "success" if result.success else "error"
        answer = {"toolUseId": call.id, "content": made or [{"text": _EMPTY}], "status": status}
        content.append({"toolResult": answer})
    return [{"role": "user", "content": content}]


def _mistral(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    return [
        {
            "role": "tool",
            "tool_call_id": call.id,
            "name": call.name,
            "content": _blocks(_flagless(result), result, blocks.mistral, format.name, "text"),
        }
        for call, result in zip(calls, results, strict=True)
    ]


def _cohere(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    out: list[Message] = []
    for call, result in zip(calls, results, strict=True):
        key = "output" if result.success else "error"
        texts = [piece["text"] for piece in _pieces(result, blocks.nothing, format.name, _typed("text"))]
        # A document is a set of named texts.
        documents = [{key: words(result) or _EMPTY}, *({"content": text} for text in texts)]
        content = [{"type": "document", "document": {"data": data}} for data in documents]
        out.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return out


def _ollama(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    out: list[Message] = []
    for call, result in zip(calls, results, strict=True):
        made = _pieces(
            result, lambda p: {"image": p.base64} if p.kind == "image" else None, format.name, _typed("")
        )
        texts = [_flagless(result), *(piece["text"] for piece in made if "text" in piece)]
        images = [piece["image"] for piece in made if "image" in piece]
        message: Message = {"role": "tool", "tool_name": call.name}
        if call.id:
            message["tool_call_id"] = call.id
        message["content"] = "\n".join(text for text in texts if text)
        out.append({**message, **({"images": images} if images else {})})
    return out


def _mcp(calls: Sequence[Call], results: Sequence[ToolResult], format: Format) -> list[Message]:
    out: list[Message] = []
    for _, result in zip(calls, results, strict=True):
        text, wrap = words(result), _typed("text")
        first = [wrap(text)] if text else []
        answer: Message = {"content": first + _pieces(result, blocks.mcp, format.name, wrap)}
        value = _structured_content(result)
        # Up to 2025-11-25 structured content is an object; since then it is any JSON value.
        if isinstance(value, dict) or (value is not msgspec.UNSET and format.name == "mcp"):
            answer["structuredContent"] = value
        answer["isError"] = not result.success
        if format.name == "mcp":
            answer["resultType"] = "complete"
        out.append(answer)
    return out


def _structured_content(result: ToolResult) -> Any:
    """A tool with an output schema must answer with it, also where its text was cut."""
    value = structured(result)
    if value is msgspec.UNSET and result.success and result.data is not None:
        try:
            return to_builtins(result.data)
        except (TypeError, ValueError, RecursionError):
            return msgspec.UNSET  # a handler may keep in `data` what has no JSON form
    return value


_RENDER: dict[str, Callable[[Sequence[Call], Sequence[ToolResult], Format], list[Message]]] = {
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
