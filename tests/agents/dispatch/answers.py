"""Answers with calls, written as each provider's reference shows them; nothing here is the code's own."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

TEXT = "I will look that up."


class Asked(NamedTuple):
    """A call that an answer is to hold; `text` is its arguments as JSON."""

    id: str
    name: str
    text: str

    @property
    def value(self) -> Any:
        return json.loads(self.text) if self.text.strip() else {}


def _function(call: Asked, arguments: Any) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def openai(calls: list[Asked]) -> dict[str, Any]:
    listed = [_function(call, call.text) for call in calls]
    message = {"role": "assistant", "content": TEXT, "refusal": None, "annotations": [], "tool_calls": listed}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def openai_responses(calls: list[Asked]) -> dict[str, Any]:
    output: list[dict[str, Any]] = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": TEXT, "annotations": []}],
        },
    ]
    for i, call in enumerate(calls):
        item = {"type": "function_call", "id": f"fc_{i}", "call_id": call.id, "name": call.name}
        output.append({**item, "arguments": call.text, "status": "completed"})
    return {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "output": output}


def anthropic(calls: list[Asked]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": TEXT},
    ]
    content += [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.value} for call in calls]
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": "tool_use", "usage": usage,
    }  # fmt: skip


def gemini(calls: list[Asked]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": TEXT}]
    for i, call in enumerate(calls):
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": call.name, "args": call.value}}
        if i == 0:
            part["thoughtSignature"] = "//4AYWJj++8="
        parts.append(part)
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1}, "responseId": "r1"}


def bedrock(calls: list[Asked]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}},
        {"text": TEXT},
    ]
    content += [{"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.value}} for call in calls]
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use"}


def mistral(calls: list[Asked]) -> dict[str, Any]:
    # Arguments come as text or as an object.
    listed = [
        {**_function(call, call.value if i % 2 else call.text), "index": i} for i, call in enumerate(calls)
    ]
    message = {"role": "assistant", "content": TEXT, "tool_calls": listed, "prefix": False}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "1", "object": "chat.completion", "model": "m", "usage": usage, "created": 1,
        "choices": [choice],
    }  # fmt: skip


def cohere(calls: list[Asked]) -> dict[str, Any]:
    listed = [_function(call, call.text) for call in calls]
    message = {"role": "assistant", "tool_plan": TEXT, "tool_calls": listed}
    return {"id": "1", "finish_reason": "TOOL_CALL", "message": message}


def ollama(calls: list[Asked]) -> dict[str, Any]:
    listed = [
        {"id": call.id, "function": {"index": i, "name": call.name, "arguments": call.value}}
        for i, call in enumerate(calls)
    ]
    message = {"role": "assistant", "content": TEXT, "thinking": "hm", "tool_calls": listed}
    return {"model": "m", "created_at": "2026-11-21T00:00:00Z", "message": message, "done": True}


ANSWERS: dict[str, Callable[[list[Asked]], dict[str, Any]]] = {
    "openai": openai, "openai-responses": openai_responses, "anthropic": anthropic, "gemini": gemini,
    "bedrock": bedrock, "mistral": mistral, "cohere": cohere, "ollama": ollama,
}  # fmt: skip
MCP = ("mcp", "mcp-2025-11-25", "mcp-2025-06-18")


def mcp(call: Asked) -> dict[str, Any]:
    params = {"name": call.name, "arguments": call.value}
    return {"jsonrpc": "2.0", "id": call.id, "method": "tools/call", "params": params}


def id_for(format: str, i: int) -> str:
    return f"abc12345{i}" if format == "mistral" else f"call_{i}"


def answered(format: str, messages: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """What messages say to which call: its id (or name, where there is none), and the provider's result."""
    out: list[tuple[str, Any]] = []
    for message in messages:
        if format == "openai-responses":
            out.append((message["call_id"], message["output"]))
        elif format == "anthropic":
            out += [(block["tool_use_id"], block) for block in message["content"]]
        elif format == "gemini":
            for part in message["parts"]:
                answer = part["functionResponse"]
                out.append((answer.get("id", answer["name"]), answer))
        elif format == "bedrock":
            out += [(block["toolResult"]["toolUseId"], block["toolResult"]) for block in message["content"]]
        elif format == "ollama":
            out.append((message.get("tool_call_id", message["tool_name"]), message))
        else:
            out.append((message["tool_call_id"], message["content"]))
    return out
