"""Streams of formats of their own: blocks of Anthropic and Bedrock, items of OpenAI Responses and Gemini."""

from ....jsonschema.json_values import JsonObject
from ....runtime.wire.fragments import MAX_CALLS, MOST_CALLS, FragmentError, PartialArguments
from ..answer_fields import text
from ..call import DispatchError, TextPiece, ThinkingPiece
from ..history import as_object
from .fragments import Event, Pieces, number, objects, report, section, small

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


_ARGUMENTS = {
    "response.function_call_arguments.": "arguments",
    "response.custom_tool_call_input.": "input",
}
"""The events with pieces of a call, and the key that they fill."""
_KEYS = {"function_call": "arguments", "custom_tool_call": "input"}
"""The items that are calls, and their key."""


class ResponsesStream:
    """Reads `response.output_item.*`, the pieces of calls, and the whole answer at the end."""

    _ITEM = "response.output_item."
    _TEXTS = ("response.output_text.delta", "response.refusal.delta")
    _THOUGHTS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
    _KEPT = ("id", "model", "status", "incomplete_details", "error", "output", "usage")
    _ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")

    def __init__(self, pieces: Pieces) -> None:
        self.ended = False
        self._pieces = pieces
        self._items: dict[int, JsonObject] = {}
        self._at: dict[str, int] = {}
        self._final: dict[int, str] = {}
        self._whole: JsonObject = {}
        self._with_text: set[object] = set()  # items of which a piece of the text was told

    def feed(self, event: Event) -> None:
        kind = text(event.get("type"), "$.type")
        if kind == "error":
            raise report(event)
        if kind.startswith(self._ITEM):
            index, item = number(event, "output_index", "$"), section(event, "item", "$")
            self._item(index, item)
            if kind == "response.output_item.done":
                self._tell_item(index, item)
        elif kind in self._TEXTS:
            self._with_text.add(event.get("output_index"))
            self._pieces.tell_text(text(event.get("delta"), "$.delta"))
        elif kind in self._THOUGHTS:
            self._pieces.tell_thought(text(event.get("delta"), "$.delta"))
        elif kind.startswith(tuple(_ARGUMENTS)):
            prefix, _, step = kind.rpartition(".")
            self._arguments(event, _ARGUMENTS[f"{prefix}."], step)
        elif kind == "response.created":
            self._whole["id"] = self._pieces.keep(section(event, "response", "$").get("id"), "$.response.id")
        elif kind in self._ENDS:
            whole = section(event, "response", "$")
            self._whole["status"] = kind.removeprefix("response.")
            self._whole |= self._pieces.keep(
                {key: whole[key] for key in self._KEPT if whole.get(key)}, "$.response"
            )
            self.ended = True

    def _item(self, index: int, item: Event) -> None:
        self._items[index] = self._pieces.keep(item, "$.item")
        if isinstance(item.get("id"), str):
            self._at[item["id"]] = index
        if str(item.get("type")) in _KEYS:
            name = text(item.get("name"), "$.item.name")
            self._pieces.tell_call(index, name, text(item.get("call_id"), "$.item.call_id"))

    def _tell_item(self, index: int, item: Event) -> None:
        key = _KEYS.get(str(item.get("type")))
        if key is not None:
            self._pieces.tell_all_arguments(index, text(item.get(key), f"$.item.{key}"))
        if item.get("type") == "message" and index not in self._with_text:
            for part in objects(item.get("content"), "$.item.content"):
                for key in ("text", "refusal"):
                    self._pieces.tell_text(text(part.get(key), f"$.item.content.{key}"))

    def _arguments(self, event: Event, key: str, step: str) -> None:
        index = event.get("output_index")
        if index is None:
            index = self._at.get(text(event.get("item_id"), "$.item_id"))
        if not isinstance(index, int) or index not in self._items:
            raise DispatchError("$.output_index: a piece of a call that has not begun")
        if step == "delta":
            self._pieces.add(index, event.get("delta"), "$.delta")
            self._pieces.tell_arguments(index, event.get("delta"))
        elif step == "done" and event.get(key) is not None:
            self._final[index] = self._pieces.keep(text(event[key], f"$.{key}"), f"$.{key}")
            self._pieces.tell_all_arguments(index, event[key])

    def response(self) -> JsonObject:
        """Return a response with the last event's output, or with the items that came."""
        if self._whole.get("output"):
            return self._whole
        output = [self._put_together(index, item) for index, item in sorted(self._items.items())]
        return {**self._whole, "output": output}

    def _put_together(self, index: int, item: JsonObject) -> JsonObject:
        key = _KEYS.get(str(item.get("type")))
        if key is None or item.get(key):
            return item
        return {**item, key: self._final.get(index) or self._pieces.text(index)}


class GeminiStream:
    """Reads `candidates[0].content.parts`; Vertex AI may send a call's arguments value by value."""

    def __init__(self, pieces: Pieces) -> None:
        self.ended = False
        self._pieces = pieces
        self._parts: list[JsonObject] = []
        self._growing: dict[int, PartialArguments] = {}  # the place of a part → its arguments
        self._open: list[int] = []
        self._id = self._reason = ""
        self._top: JsonObject = {}
        self._message: str = ""

    def feed(self, event: Event) -> None:
        if event.get("error"):
            raise report(event["error"])
        self._id = self._id or self._pieces.keep_text(event, "responseId", "$")
        for key in ("promptFeedback", "usageMetadata", "modelVersion"):
            if event.get(key):
                self._top[key] = small(event[key], f"$.{key}")
        if section(event, "promptFeedback", "$").get("blockReason"):
            self.ended = True  # there will be no candidate
        for at, candidate in enumerate(objects(event.get("candidates"), "$.candidates")):
            if candidate.get("index") not in (None, 0):
                continue
            path = f"$.candidates[{at}]"
            content = section(candidate, "content", path)
            for i, part in enumerate(objects(content.get("parts"), f"{path}.content.parts")):
                self._part(part, f"{path}.content.parts[{i}]")
            if candidate.get("finishMessage"):
                self._message = small(candidate["finishMessage"], f"{path}.finishMessage")
            if candidate.get("finishReason"):
                self._reason, self.ended = text(candidate["finishReason"], f"{path}.finishReason"), True

    def _part(self, part: Event, path: str) -> None:
        call = section(part, "functionCall", path)
        if "functionCall" in part and (self._open or call.get("willContinue") or call.get("partialArgs")):
            self._grow(part, call, path)
        elif self._continues(part):
            self._add_text(part, path)
        else:
            rest = {key: value for key, value in part.items() if key != "text"}
            self._parts.append(self._pieces.keep(rest, path))
            if "text" in part:
                self._add_text(part, path)
            self._tell_call(len(self._parts) - 1, call, path)
            self._pieces.tell_arguments(len(self._parts) - 1, call.get("args"))

    def _add_text(self, part: Event, path: str) -> None:
        tell = ThinkingPiece if part.get("thought") else TextPiece
        self._pieces.add(len(self._parts) - 1, part["text"], f"{path}.text", tell)

    def _tell_call(self, at: int, call: Event, path: str) -> None:
        id, name = (text(call.get(key), f"{path}.functionCall.{key}") for key in ("id", "name"))
        self._pieces.tell_call(at, name, id)

    def _continues(self, part: Event) -> bool:
        """Tell whether a part goes on with the text before it: of the same kind, without a signature."""
        if not self._parts or "text" not in part or not self._pieces.has(len(self._parts) - 1):
            return False
        signed = "thoughtSignature" in part or "thoughtSignature" in self._parts[-1]
        rest = {key: value for key, value in part.items() if key != "text"}
        return not signed and rest == self._parts[-1]

    def _grow(self, part: Event, call: Event, path: str) -> None:
        id, name = (text(call.get(key), f"{path}.functionCall.{key}") for key in ("id", "name"))
        at = self._which(id, name, bool(call.get("partialArgs")), path)
        if at is None:
            at = len(self._parts)
            kept = {key: value for key, value in part.items() if key != "functionCall"}
            kept["functionCall"] = {key: call[key] for key in ("id", "name", "args") if key in call}
            self._parts.append(self._pieces.keep(kept, path))
            self._tell_call(at, call, path)
            if not (call.get("willContinue") or call.get("partialArgs")):
                self._pieces.tell_arguments(at, call.get("args"))
                return  # a whole call beside one that goes on
            self._growing[at] = PartialArguments(limit=self._pieces.limit)
            self._open.append(at)
        if part.get("thoughtSignature"):
            self._parts[at]["thoughtSignature"] = self._pieces.keep(part["thoughtSignature"], path)
        partial = objects(call.get("partialArgs"), f"{path}.functionCall.partialArgs")
        try:
            self._pieces.keep(partial, path)
            self._growing[at].add(partial)
            if not call.get("willContinue"):
                self._open.remove(at)
                self._pieces.tell_arguments(at, self._growing[at].done())
        except FragmentError as problem:
            raise DispatchError(f"{path}.functionCall.partialArgs: {problem}") from None

    def _which(self, id: str, name: str, goes_on: bool, path: str) -> int | None:
        """Return the open call that a part goes on with; None where it begins one.

        `goes_on`: it brings values, so that a name may be there again.
        """
        if len(self._open) >= MAX_CALLS or len(self._growing) >= MOST_CALLS:
            raise DispatchError(f"{path}: more than {MAX_CALLS} calls at once")
        if id:
            return next((at for at in self._open if self._parts[at]["functionCall"].get("id") == id), None)
        last = self._parts[self._open[-1]]["functionCall"] if self._open else {}
        if name and (name != last.get("name") or last.get("id") or not goes_on):
            return None
        if not self._open:
            raise DispatchError(f"{path}.functionCall: a piece of a call that has not begun")
        return self._open[-1]

    def response(self) -> JsonObject:
        parts = [self._whole(at, part) for at, part in enumerate(self._parts)]
        if not parts and not self._reason:
            return {"responseId": self._id, "candidates": [], **self._top}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": self._reason}
        candidate |= {"finishMessage": self._message} if self._message else {}
        return {"responseId": self._id, "candidates": [candidate], **self._top}

    def _whole(self, at: int, part: JsonObject) -> JsonObject:
        if self._pieces.has(at):
            return {**part, "text": self._pieces.text(at)}
        growing = self._growing.get(at)
        if growing is None:
            return part
        try:
            args = growing.done()
        except FragmentError as problem:
            raise DispatchError(f"$.candidates[0].content.parts[{at}].functionCall: {problem}") from None
        return {**part, "functionCall": {**part["functionCall"], "args": args}}
