"""Numbered blocks: Anthropic's and Bedrock's messages."""

from ....jsonschema.json_values import JsonObject
from ..answer_fields import text
from ..call import DispatchError, TextPiece, ThinkingPiece
from ..history import as_object
from .fragments import Event, Pieces, number, report, section, small

_TEXTS: dict[str, tuple[str, type[TextPiece | ThinkingPiece] | None]] = {
    "text_delta": ("text", TextPiece),
    "input_json_delta": ("partial_json", None),
    "thinking_delta": ("thinking", ThinkingPiece),
    "signature_delta": ("signature", None),
}
"""The key of the text in each type of delta, and the piece as which it is told."""


class AnthropicStream:
    """Reads `content_block_*`, `message_delta` and `message_stop`; no other event is needed."""

    def __init__(self, pieces: Pieces) -> None:
        self.ended = False
        self._pieces = pieces
        self._blocks: dict[int, JsonObject] = {}
        self._citations: dict[int, list[object]] = {}
        self._id = self._model = self._reason = ""
        self._details: object = None
        self._usage: JsonObject = {}
        self._container = ""

    def feed(self, event: Event) -> None:
        kind = event.get("type")
        if kind == "content_block_start":
            self._start(number(event, "index", "$"), section(event, "content_block", "$"))
        elif kind == "content_block_delta":
            self._delta(number(event, "index", "$"), section(event, "delta", "$"))
        elif kind == "content_block_stop":
            index = number(event, "index", "$")
            self._pieces.tell_all_arguments(index, self._blocks.get(index, {}).get("input"))
        elif kind == "message_start":
            message = section(event, "message", "$")
            self._id = self._pieces.keep_text(message, "id", "$.message")
            self._model = self._pieces.keep_text(message, "model", "$.message")
            self._place(message, "$.message")
            self._count(section(message, "usage", "$.message"), "$.message.usage")
        elif kind == "message_delta":
            delta = section(event, "delta", "$")
            self._reason = text(delta.get("stop_reason"), "$.delta.stop_reason") or self._reason
            self._place(delta, "$.delta")
            self._details = small(delta.get("stop_details"), "$.delta.stop_details") or self._details
            self._count(section(event, "usage", "$"), "$.usage")
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error":
            raise report(event.get("error"))

    def _place(self, event: Event, path: str) -> None:
        """Take the id of the container of the model's code, which the next request needs."""
        container = section(event, "container", path)
        self._container = self._pieces.keep_text(container, "id", f"{path}.container") or self._container

    def _count(self, usage: Event, path: str) -> None:
        """Merge usage: the last event has the sums, and may leave out what the first one had."""
        known = {key: value for key, value in usage.items() if value is not None}
        self._usage = small({**self._usage, **known}, path)

    def _start(self, index: int, block: Event) -> None:
        if index in self._blocks:
            raise DispatchError(f"$.index: block {index} begins twice")
        self._blocks[index] = self._pieces.keep({**block}, "$.content_block")
        if block.get("type") == "tool_use":
            name = text(block.get("name"), "$.content_block.name")
            self._pieces.tell_call(index, name, text(block.get("id"), "$.content_block.id"))
        self._pieces.tell_text(text(block.get("text"), "$.content_block.text"))
        self._pieces.tell_thought(text(block.get("thinking"), "$.content_block.thinking"))

    def _delta(self, index: int, delta: Event) -> None:
        block = self._blocks.get(index)
        if block is None:
            raise DispatchError(f"$.index: a piece of block {index}, which has not begun")
        kind = text(delta.get("type"), "$.delta.type")
        if kind in _TEXTS:
            key, tell = _TEXTS[kind]
            self._pieces.add((index, key), delta.get(key), f"$.delta.{key}", tell)
            if key == "partial_json":
                self._pieces.tell_arguments(index, delta.get(key))
        elif kind == "citations_delta":
            citation = self._pieces.keep(delta.get("citation"), "$.delta.citation")
            self._citations.setdefault(index, []).append(citation)

    def response(self) -> JsonObject:
        """Return a message. A call's input is its JSON text, if any came."""
        content = [self._whole(index, block) for index, block in sorted(self._blocks.items())]
        made: JsonObject = {
            "id": self._id,
            "role": "assistant",
            "content": content,
            "stop_reason": self._reason,
        }
        made |= {"model": self._model} if self._model else {}
        made |= {"stop_details": self._details} if self._details else {}
        made |= {"container": {"id": self._container}} if self._container else {}
        return {**made, **({"usage": self._usage} if self._usage else {})}

    def _whole(self, index: int, block: JsonObject) -> JsonObject:
        out = {**block}
        for key in ("text", "thinking", "signature"):
            if self._pieces.has((index, key)):
                out[key] = f"{block.get(key) or ''}{self._pieces.text((index, key))}"
        if index in self._citations:
            out["citations"] = self._citations[index]
        arguments = self._pieces.text((index, "partial_json"))
        if arguments:
            # The server's own calls are not dispatched; they go back as objects.
            out["input"] = arguments if block.get("type") == "tool_use" else as_object(arguments)
        return out


class BedrockStream:
    """Reads `contentBlockStart`, `contentBlockDelta`, `messageStop` and `metadata` of ConverseStream."""

    def __init__(self, pieces: Pieces) -> None:
        self.ended = False
        self._pieces = pieces
        self._blocks: dict[int, JsonObject] = {}
        self._reason = ""
        self._usage: JsonObject = {}

    def feed(self, event: Event) -> None:
        for key in event:
            if key.endswith("Exception"):
                raise report(event[key])
        start = section(event, "contentBlockStart", "$")
        if start:
            index = number(start, "contentBlockIndex", "$.contentBlockStart")
            if index in self._blocks:
                raise DispatchError(f"$.contentBlockStart.contentBlockIndex: block {index} begins twice")
            self._start(index, section(start, "start", "$.contentBlockStart"), "$.contentBlockStart.start")
        delta = section(event, "contentBlockDelta", "$")
        if delta:
            index = number(delta, "contentBlockIndex", "$.contentBlockDelta")
            self._delta(index, section(delta, "delta", "$.contentBlockDelta"), "$.contentBlockDelta.delta")
        stop = section(event, "messageStop", "$")
        if stop:
            self._reason = text(stop.get("stopReason"), "$.messageStop.stopReason")
            self.ended = True
        usage = section(section(event, "metadata", "$"), "usage", "$.metadata")
        self._usage = small(usage, "$.metadata.usage") or self._usage

    def _start(self, index: int, start: Event, path: str) -> None:
        self._blocks[index] = self._pieces.keep({**start}, path)
        call = section(start, "toolUse", path)
        if call and call.get("type") != "server_tool_use":
            id, name = (text(call.get(key), f"{path}.toolUse.{key}") for key in ("toolUseId", "name"))
            self._pieces.tell_call(index, name, id)

    def _delta(self, index: int, delta: Event, path: str) -> None:
        block = self._blocks.setdefault(index, {})  # a block of text has no start
        if "toolUse" in delta:
            if "toolUse" not in block:
                raise DispatchError(f"{path}.toolUse: a piece of block {index}, which has not begun")
            fragment = section(delta, "toolUse", path).get("input")
            self._pieces.add((index, "input"), fragment, f"{path}.toolUse.input")
            self._pieces.tell_arguments(index, fragment)
        if "text" in delta:
            self._pieces.add((index, "text"), delta["text"], f"{path}.text", TextPiece)
        reasoning = section(delta, "reasoningContent", path)
        for key in ("text", "signature"):
            if key in reasoning:
                self._pieces.add(
                    (index, f"reasoning {key}"), reasoning[key], f"{path}.reasoningContent.{key}"
                )
        self._pieces.tell_thought(reasoning.get("text"))
        if "redactedContent" in reasoning:
            whole = self._pieces.keep(reasoning["redactedContent"], f"{path}.reasoningContent")
            block["reasoningContent"] = {"redactedContent": whole}

    def response(self) -> JsonObject:
        """Return a Converse response. A call's input is its JSON text."""
        content = [self._whole(index, block) for index, block in sorted(self._blocks.items())]
        message = {"role": "assistant", "content": [block for block in content if block]}
        made = {"output": {"message": message}, "stopReason": self._reason}
        return {**made, **({"usage": self._usage} if self._usage else {})}

    def _whole(self, index: int, block: JsonObject) -> JsonObject:
        if isinstance(block.get("toolUse"), dict):
            return {"toolUse": {**block["toolUse"], "input": self._pieces.text((index, "input"))}}
        if self._pieces.has((index, "text")):
            return {"text": self._pieces.text((index, "text"))}
        reasoning = {
            key: self._pieces.text((index, f"reasoning {key}"))
            for key in ("text", "signature")
            if self._pieces.has((index, f"reasoning {key}"))
        }
        return {"reasoningContent": {"reasoningText": {"text": "", **reasoning}}} if reasoning else block
