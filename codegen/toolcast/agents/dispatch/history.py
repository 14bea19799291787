"""The model's own turn, as it goes into the history before the results of its calls.

Providers want all of it back: text, reasoning with its signatures, and each call under its id.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ...jsonschema.json_values import JsonObject
from ...runtime.bounded_json import UnreadableJSONError, read_json
from .answer_fields import calls_path, get_field, load, locate, plain, written
from .call import Call, wire_ids
from .parse_answer import call_shape, read_calls
from .wire_formats import Format, format_of

_DROPPED = {
    "openai": ("annotations", "parsed"),
    "openai-responses": ("parsed_arguments",),
    "anthropic": ("parsed_output",),
}
"""Keys that clients and answers add, and no request takes."""

_INVALID = "INVALID_JSON"
"""The key for a text that should have been an object: its provider requires an object."""


def assistant_messages(response: Any, format: str) -> list[JsonObject]:
    """Return what an answer adds to the conversation, before the messages of `render`.

    One message, the items of OpenAI Responses, or nothing for MCP. New ids, for those that are missing, came
    twice or are not accepted by the provider, are the same in both.

    Args:
        response: the answer: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        Plain dicts, ready for the next request.

    Raises:
        DispatchError: the response is no answer of the format.
        ValueError: the format does not exist.
    """
    known = format_of(format)
    if known.name.startswith("mcp"):
        return []
    response = load(response)
    return own_messages(response, known, read_calls(response, known))


def own_messages(response: object, known: Format, calls: Sequence[Call]) -> list[JsonObject]:
    """Return what a loaded answer with these calls adds to the conversation."""
    if known.ids is not None:
        sent = wire_ids((call.id for call in calls), known.ids)
        calls = [msgspec.structs.replace(call, id=sent[call.id]) for call in calls]
    message = _message(response, known)
    if message is None:
        return []
    if known.name == "openai-responses":
        return [_cleaned(item, known) for item in _with_calls(message["output"], calls, known)]
    key = str(known.calls[0][-1])
    message = _cleaned(message, known)
    if key == "tool_calls":
        if not message.get(key):
            message.pop(key, None)  # servers have [] or null for no calls, which OpenAI refuses
        if calls and calls[0].older and known.older is not None:
            older = known.older.inner
            message[older] = {**message[older], known.arguments: _sent(calls[0], known)}
        elif calls:
            message[key] = _with_calls(message[key], calls, known)
        return [{"role": "assistant", **message}]
    listed = message.get(key)
    if isinstance(listed, list):
        listed = [_cleaned(item, known) for item in _with_calls(listed, calls, known) if not _is_blank(item)]
    role = "model" if known.name == "gemini" else "assistant"
    return [{"role": role, key: listed}] if listed else []


def _message(response: Any, format: Format) -> JsonObject | None:
    path = calls_path(response, format)
    if path is None:
        if get_field(response, "role", "$") is None:
            return None
        path = format.calls[-1]
    found, at = locate(response, path[:-1]), written(path[:-1])
    if found is None:
        return None
    if format.name == "openai-responses":
        return {"output": plain(locate(response, path) or [], f"{at}.output")}
    made: JsonObject = plain(found, at)
    return made


def _with_calls(listed: list[Any], calls: Sequence[Call], format: Format) -> list[Any]:
    """Return the items, calls with their ids and with arguments as a request takes them."""
    waiting = {call.index: call for call in calls}
    out: list[Any] = []
    index = 0
    for item in listed:
        call = waiting.get(index)
        shape = None if call is None else call_shape(item, format)
        if call is None or shape is None:
            out.append(item)
            continue
        index += 1
        if shape.custom or shape.search:
            out.append({**item, format.id: call.id})
            continue
        inner = item[format.inner] if format.inner else item
        sent = _sent(call, format)
        changed = {**inner, format.arguments: sent}
        if format.inner:
            changed = {**item, format.inner: {k: v for k, v in changed.items() if k != "parsed_arguments"}}
        holder = changed[format.inner] if format.mark else changed
        if call.id:
            holder[format.id] = call.id
        out.append(changed)
    return out


def _sent(call: Call, format: Format) -> Any:
    arguments = call.arguments
    if isinstance(arguments, dict):
        return (
            arguments
            if format.objects or format.name == "mistral"
            else msgspec.json.encode(arguments).decode()
        )
    text = arguments.decode("utf-8", "replace") if isinstance(arguments, bytes) else arguments
    if not format.objects:
        return text if text.strip() else "{}"
    return as_object(text)


def as_object(text: str) -> JsonObject:
    """Return JSON text as an object; any other text under the key INVALID."""
    if not text.strip():
        return {}
    try:
        value = read_json(text)
    except UnreadableJSONError:
        return {_INVALID: text}
    return value if isinstance(value, dict) else {_INVALID: text}


def _cleaned(item: Any, format: Format) -> Any:
    dropped = _DROPPED.get(format.name, ())
    if not isinstance(item, dict):
        return item
    kept = {key: value for key, value in item.items() if key not in dropped}
    if format.name == "openai" and isinstance(kept.get("audio"), dict):
        kept["audio"] = {"id": kept["audio"].get("id")}  # the provider keeps the audio
    return kept


def _is_blank(item: object) -> bool:
    """Tell whether a block is empty text: APIs give such and refuse them, save with a signature (Gemini)."""
    if not isinstance(item, dict) or not isinstance(item.get("text"), str) or item["text"].strip():
        return False
    return not (set(item) - {"text", "type", "citations"})
