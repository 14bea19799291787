"""The same answers as their providers stream them. `cuts` says where the arguments of each call are cut;
`order` takes the pieces of parallel calls in any order that keeps each call's own."""

# ruff: noqa: ARG001 - every stream is made with the same arguments

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.agents.dispatch.answers import TEXT, Asked

Pieces = list[list[str]]
Order = Callable[[int], int]


def interleaved(pieces: Pieces, order: Order) -> Iterator[tuple[int, str]]:
    """(call, fragment), with `order(n)` choosing one of n calls that have more to say."""
    waiting = {call: list(fragments) for call, fragments in enumerate(pieces) if fragments}
    while waiting:
        call = sorted(waiting)[order(len(waiting))]
        yield call, waiting[call].pop(0)
        if not waiting[call]:
            del waiting[call]


def openai(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {
            "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice],
        }  # fmt: skip

    yield chunk({"role": "assistant", "content": ""})
    for letter in TEXT:
        yield chunk({"content": letter})
    for i, call in enumerate(calls):
        function = {"name": call.name, "arguments": ""}
        item = {"index": i, "id": call.id, "type": "function", "function": function}
        yield chunk({"tool_calls": [item]})
    for i, fragment in interleaved(pieces, order):
        yield chunk({"tool_calls": [{"index": i, "function": {"arguments": fragment}}]})
    yield chunk({}, "tool_calls")
    yield {
        **chunk({}),
        "choices": [],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def mistral(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    """A name in every fragment, empty in those that go on: the client's type asks for one."""
    for event in openai(calls, pieces, order):
        for choice in event["choices"]:
            for item in choice["delta"].get("tool_calls", ()):
                item["function"] = {"name": "", **item["function"]}
        yield event


def openai_responses(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": {"id": "resp_1", "output": []}}
    text = {"type": "output_text", "text": TEXT, "annotations": []}
    message = {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text],
    }  # fmt: skip
    yield {"type": "response.output_item.done", "output_index": 0, "item": message}
    items = [
        {"type": "function_call", "id": f"fc_{i}", "call_id": call.id, "name": call.name, "arguments": ""}
        for i, call in enumerate(calls, 1)
    ]
    for i, item in enumerate(items, 1):
        yield {"type": "response.output_item.added", "output_index": i, "item": item}
    for i, fragment in interleaved(pieces, order):
        event = {"type": "response.function_call_arguments.delta", "delta": fragment}
        yield {**event, "item_id": items[i]["id"], "output_index": i + 1}
    yield {"type": "response.completed", "response": {"id": "resp_1", "status": "completed"}}


def anthropic(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 0}
    message = {"id": "msg_1", "role": "assistant", "content": [], "usage": usage}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}
    for delta in (
        {"type": "thinking_delta", "thinking": "h"},
        {"type": "thinking_delta", "thinking": "m"},
        {"type": "signature_delta", "signature": "c2ln"},
    ):
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "ping"}
    yield {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": TEXT}}
    for i, call in enumerate(calls, 2):
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        yield {"type": "content_block_start", "index": i, "content_block": block}
    for i, fragment in interleaved(pieces, order):
        delta = {"type": "input_json_delta", "partial_json": fragment}
        yield {"type": "content_block_delta", "index": i + 2, "delta": delta}
    for i in range(len(calls) + 2):
        yield {"type": "content_block_stop", "index": i}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def bedrock(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    yield {"messageStart": {"role": "assistant"}}
    for delta in ({"reasoningContent": {"text": "hm"}}, {"reasoningContent": {"signature": "c2ln"}}):
        yield {"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}}
    for letter in TEXT:
        yield {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": letter}}}
    for i, call in enumerate(calls, 2):
        start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        yield {"contentBlockStart": {"contentBlockIndex": i, "start": start}}
    for i, fragment in interleaved(pieces, order):
        delta = {"toolUse": {"input": fragment}}
        yield {"contentBlockDelta": {"contentBlockIndex": i + 2, "delta": delta}}
    yield {"contentBlockStop": {"contentBlockIndex": 2}}
    yield {"messageStop": {"stopReason": "tool_use"}}
    yield {"metadata": {"usage": {"inputTokens": 1}}}


def event_stream(events: Iterable[dict[str, Any]]) -> bytes:
    """Events as AWS frames them on the wire (application/vnd.amazon.eventstream): lengths, headers, payload,
    and checksums of the lengths and of the whole."""
    return b"".join(_frame(kind, payload) for event in events for kind, payload in event.items())


def _frame(kind: str, payload: dict[str, Any]) -> bytes:
    names = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(map(_header, names, names.values()))
    body = json.dumps(payload).encode()
    lengths = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    frame = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + body
    return frame + struct.pack(">I", zlib.crc32(frame))


def _header(name: str, value: str) -> bytes:
    string = 7  # the type of the value
    return struct.pack(f">B{len(name)}sBH", len(name), name.encode(), string, len(value)) + value.encode()


def cohere(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    yield {"type": "message-start", "id": "1", "delta": {"message": {"role": "assistant", "content": []}}}
    for letter in TEXT:
        yield {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": letter}}}
    for i, call in enumerate(calls):
        item = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        yield {"type": "tool-call-start", "index": i, "delta": {"message": {"tool_calls": item}}}
    for i, fragment in interleaved(pieces, order):
        item = {"function": {"arguments": fragment}}
        yield {"type": "tool-call-delta", "index": i, "delta": {"message": {"tool_calls": item}}}
    for i in range(len(calls)):
        yield {"type": "tool-call-end", "index": i}
    yield {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}


def gemini(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    """Whole calls, as the Developer API streams them."""

    def chunk(part: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
        return {"candidates": [{**candidate, **({"finishReason": reason} if reason else {})}]}

    for letter in TEXT:
        yield chunk({"text": letter})
    for i, call in enumerate(calls):
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": call.name, "args": call.value}}
        yield chunk({**part, "thoughtSignature": "//4A"} if i == 0 else part)
    yield chunk({"text": ""}, "STOP")


def ollama(calls: list[Asked], pieces: Pieces, order: Order) -> Iterator[dict[str, Any]]:
    """Whole calls, one in a line."""
    for letter in TEXT:
        yield {"message": {"role": "assistant", "content": letter}, "done": False}
    for i, call in enumerate(calls):
        item = {"id": call.id, "function": {"index": i, "name": call.name, "arguments": call.value}}
        yield {"message": {"role": "assistant", "content": "", "tool_calls": [item]}, "done": False}
    yield {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}


STREAMS: dict[str, Callable[[list[Asked], Pieces, Order], Iterator[dict[str, Any]]]] = {
    "openai": openai, "openai-responses": openai_responses, "anthropic": anthropic, "gemini": gemini,
    "bedrock": bedrock, "mistral": mistral, "cohere": cohere, "ollama": ollama,
}  # fmt: skip
IN_PIECES = ("openai", "openai-responses", "anthropic", "bedrock", "mistral", "cohere")


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
