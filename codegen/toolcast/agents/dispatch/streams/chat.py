"""Chunks of chat messages: OpenAI and compatible servers, Mistral, Cohere, Ollama.

OpenRouter and gateways like it stream `reasoning_details`, blocks of reasoning, word by word. A signature is
for the text of a whole block, so pieces that went back as they came would be refused ("Invalid `signature` in
`thinking` block").
"""

from collections.abc import Hashable
from typing import Any, NamedTuple

from ....jsonschema.json_values import JsonObject
from ..answer_fields import text
from ..call import DispatchError, TextPiece, ThinkingPiece
from .fragments import Event, Pieces, goes_on, number, objects, report, section, small

_TEXTS = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""The types of blocks that come in pieces, and the key of their text."""


class _ReasoningDetails:
    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._blocks: list[Event] = []

    def feed(self, detail: Event, path: str) -> None:
        key = _TEXTS.get(str(detail.get("type")), "")
        text = detail.get(key)
        if not key or not (text is None or isinstance(text, str)):
            self._blocks.append(self._pieces.keep(detail, path))
            return
        rest = {name: value for name, value in detail.items() if name != key and value is not None}
        if not (self._blocks and goes_on(self._blocks[-1], rest)):
            self._blocks.append(self._pieces.keep(rest, path))
        elif new := {name: value for name, value in rest.items() if name not in self._blocks[-1]}:
            self._blocks[-1] |= self._pieces.keep(new, path)
        if text is not None:
            self._pieces.add(("detail", len(self._blocks) - 1), text, f"{path}.{key}")

    def listed(self) -> list[Event]:
        return [
            {**block, _TEXTS[block["type"]]: self._pieces.text(("detail", at))}
            if self._pieces.has(("detail", at))
            else block
            for at, block in enumerate(self._blocks)
        ]


_WORDS: dict[str, type[TextPiece | ThinkingPiece]] = {
    "refusal": TextPiece,
    "reasoning_content": ThinkingPiece,
    "reasoning": ThinkingPiece,
    "thinking": ThinkingPiece,
}
"""Texts other than the content. Some servers require their reasoning back with the calls."""


_OLDER = -1
"""The index of the one call in `function_call`, which no server gives to another."""


class _Calls:
    """Calls that arrive in fragments, identified by index or by id."""

    def __init__(self, pieces: Pieces, no_id: tuple[str, ...] = ()) -> None:
        self._pieces = pieces
        self._no_id = no_id
        self._calls: list[JsonObject] = []
        self._at: dict[int, int | None] = {}  # the server's index → ours; None: no call of a function
        self._ids: dict[str, int] = {}
        self._last: int | None = None

    def feed(self, item: Event, path: str) -> None:
        custom = item.get("custom") is not None
        key, arguments = ("custom", "input") if custom else ("function", "arguments")
        function = section(item, key, path)
        id = text(item.get("id"), f"{path}.id")
        id = "" if id in self._no_id else id
        name = text(function.get("name"), f"{path}.{key}.name")
        index = None if item.get("index") is None else number(item, "index", path)
        if item.get("type") not in (None, "", "function", "custom"):
            at = None
        else:
            at = self._find(index, id, name, path)
        if index is not None:
            self._at[index] = at
        if at is None:
            return
        self._last = at
        call = self._calls[at]
        if item.get(key) is not None:
            call["kind"] = call["kind"] or key
            if call["kind"] != key:
                raise DispatchError(f"{path}.{key}: a piece of a call that began as {call['kind']!r}")
        for part, value in (("id", id), ("name", name)):
            call[part] = call[part] or self._pieces.keep(value, path)
        self._ids.setdefault(call["id"], at)
        if name and name != call["name"]:
            raise DispatchError(f"{path}.{key}.name: {name!r:.80} in a call of {call['name']!r:.80}")
        if self._pieces.tell_call(("call", at), call["name"], call["id"]):
            # What came before the name.
            self._pieces.tell_arguments(("call", at), call["whole"] or self._pieces.text(("call", at)))
        self._take(call, at, function.get(arguments), f"{path}.{key}.{arguments}")

    def message(self) -> JsonObject:
        """Return what a message has of the calls: the list, and the one of the older API."""
        calls, older = self._listed(), self._at.get(_OLDER)
        made = {} if older is None else {"function_call": calls.pop(older)["function"]}
        return {**made, **({"tool_calls": calls} if calls else {})}

    def _listed(self) -> list[JsonObject]:
        out: list[JsonObject] = []
        for at, call in enumerate(self._calls):
            kind = call["kind"] or "function"
            arguments = self._pieces.text(("call", at)) if call["whole"] is None else call["whole"]
            made = {"name": call["name"], "input" if kind == "custom" else "arguments": arguments}
            out.append({**({"id": call["id"]} if call["id"] else {}), "type": kind, kind: made})
        return out

    def _take(self, call: JsonObject, at: int, arguments: object, path: str) -> None:
        if not isinstance(arguments, dict):
            self._pieces.add(("call", at), arguments, path)
        elif call["whole"] is None and not self._pieces.text(("call", at)):
            call["whole"] = self._pieces.keep(arguments, path)
        else:
            raise DispatchError(f"{path}: an object after other arguments of the same call")
        self._pieces.tell_arguments(("call", at), arguments)

    def _find(self, index: int | None, id: str, name: str, path: str) -> int | None:
        if index is not None and index in self._at:
            at = self._at[index]
            # Servers that stream whole calls may give all of them the index 0.
            if at is None or not (id and name and self._calls[at]["id"] not in ("", id)):
                return at
            return self._begin(path)
        if index is not None:
            return self._begin(path)
        known = self._ids.get(id) if id else None
        if known is not None:
            return known
        if id or name:
            return self._begin(path)
        if self._last is None:
            raise DispatchError(f"{path}: a fragment of a call that has not begun")
        return self._last

    def _begin(self, path: str) -> int:
        at = len(self._calls)
        self._pieces.add(("call", at), None, path)
        self._calls.append({"id": "", "name": "", "kind": "", "whole": None})
        return at


class Content:
    """The content of a message: text, or blocks where one came that is no text."""

    def __init__(self, pieces: Pieces, name: Hashable = "content") -> None:
        self._pieces = pieces
        self._name = name
        # Each the key of a text, a block as it came, or what Mistral's block of a thought has beside it.
        self._blocks: list[tuple[Hashable, int] | Event | _Thought] = []

    def feed(self, content: Any, path: str) -> None:
        """Take the next text, or a list of blocks."""
        if not isinstance(content, list):
            self._text(content, path)
            return
        for block in objects(content, path):
            if block.get("type") == "text":
                self._text(block.get("text"), path)
            elif block.get("type") == "thinking" and isinstance(block.get("thinking"), list):
                self._thought(block, path)
            else:
                self._blocks.append(self._pieces.keep(block, path))

    def whole(self) -> Any:
        """Return text, or the list of blocks."""
        made = self.listed()
        if all(isinstance(block, tuple) and not isinstance(block, _Thought) for block in self._blocks):
            return "".join(block["text"] for block in made)
        return made

    def listed(self) -> list[Event]:
        out: list[Event] = []
        for block in self._blocks:
            if isinstance(block, _Thought):
                out.append({**block.rest, "thinking": block.content.listed()})
            elif isinstance(block, tuple):
                out.append({"type": "text", "text": self._pieces.text(block)})
            else:
                out.append(block)
        return out

    def _text(self, fragment: object, path: str) -> None:
        if fragment is None or fragment == "":
            return
        last = self._blocks[-1] if self._blocks else None
        if not isinstance(last, tuple) or isinstance(last, _Thought):
            last = (self._name, len(self._blocks))
            self._blocks.append(last)
        self._pieces.add(last, fragment, path, TextPiece if self._name == "content" else ThinkingPiece)

    def _thought(self, block: Event, path: str) -> None:
        """Take Mistral's texts and references, streamed word by word."""
        rest = {key: value for key, value in block.items() if key != "thinking" and value is not None}
        last = self._blocks[-1] if self._blocks else None
        if not isinstance(last, _Thought) or not goes_on(last.rest, rest):
            last = _Thought(
                self._pieces.keep(rest, path), Content(self._pieces, (self._name, len(self._blocks)))
            )
            self._blocks.append(last)
        elif new := {key: value for key, value in rest.items() if key not in last.rest}:
            last.rest.update(self._pieces.keep(new, path))
        last.content.feed(block["thinking"], f"{path}.thinking")


class _Thought(NamedTuple):
    rest: Event
    content: Content


class ChatStream:
    """Reads `choices[0].delta` of OpenAI chat and Mistral, whose client has the event under `data`."""

    def __init__(self, pieces: Pieces, no_id: tuple[str, ...] = ()) -> None:
        self.ended = False
        self._pieces = pieces
        self._content = Content(self._pieces)
        self._calls = _Calls(self._pieces, no_id)
        self._details = _ReasoningDetails(self._pieces)
        self._id = self._model = self._reason = ""
        self._usage: JsonObject = {}

    def feed(self, event: Event) -> None:
        chunk = section(event, "data", "$") or event
        if chunk.get("error"):
            raise report(chunk["error"])
        self._count(chunk, section(chunk, "x_groq", "$"))
        self._id = self._id or self._pieces.keep_text(chunk, "id", "$")
        self._model = self._model or self._pieces.keep_text(chunk, "model", "$")
        for at, choice in enumerate(objects(chunk.get("choices"), "$.choices")):
            if choice.get("index") in (None, 0):  # the others are alternatives to this one
                self._count(choice)
                self._choice(choice, f"$.choices[{at}]")

    def _count(self, *places: Event) -> None:
        """Take the usage: in the last chunk, or growing in each; Groq and Moonshot have it elsewhere."""
        for place in places:
            if place.get("usage"):
                self._usage = small(place["usage"], "$.usage")

    def _choice(self, choice: Event, path: str) -> None:
        delta = section(choice, "delta", path)
        path = f"{path}.delta"
        self._content.feed(delta.get("content"), f"{path}.content")
        for key, tell in _WORDS.items():
            if delta.get(key):
                self._pieces.add(key, delta[key], f"{path}.{key}", tell)
        for detail in objects(delta.get("reasoning_details"), f"{path}.reasoning_details"):
            self._details.feed(detail, f"{path}.reasoning_details")
        for at, item in enumerate(objects(delta.get("tool_calls"), f"{path}.tool_calls")):
            self._calls.feed(item, f"{path}.tool_calls[{at}]")
        if older := section(delta, "function_call", path):
            self._calls.feed({"index": _OLDER, "function": older}, f"{path}.function_call")
        reason = choice.get("finish_reason")
        if reason:
            self._reason, self.ended = text(reason, f"{path}.finish_reason"), True

    def response(self) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": self._content.whole()}
        message |= {key: self._pieces.text(key) for key in _WORDS if self._pieces.has(key)}
        details = self._details.listed()
        message |= {"reasoning_details": details} if details else {}
        message |= self._calls.message()
        choice = {"index": 0, "message": message, "finish_reason": self._reason}
        made = {"id": self._id, "choices": [choice], **({"usage": self._usage} if self._usage else {})}
        return {**made, **({"model": self._model} if self._model else {})}


class OllamaStream:
    """Reads `message` of each line; calls come whole, content and thinking in fragments."""

    def __init__(self, pieces: Pieces) -> None:
        self.ended = False
        self._pieces = pieces
        self._calls: list[Any] = []
        self._top: JsonObject = {}

    def feed(self, event: Event) -> None:
        if event.get("error"):
            raise report(event["error"])
        message = section(event, "message", "$")
        for key, tell in (("content", TextPiece), ("thinking", ThinkingPiece)):
            if message.get(key):
                self._pieces.add(key, message[key], f"$.message.{key}", tell)
        path = "$.message.tool_calls"
        for item in objects(message.get("tool_calls"), path):
            at, function = len(self._calls), section(item, "function", path)
            self._calls.append(self._pieces.keep(item, path))
            name = text(function.get("name"), f"{path}.function.name")
            self._pieces.tell_call(at, name, text(item.get("id"), f"{path}.id"))
            self._pieces.tell_arguments(at, function.get("arguments"))
        for key in ("model", "created_at", "done_reason"):
            if event.get(key):
                self._top[key] = text(event[key], f"$.{key}")[:200]
        for key in ("prompt_eval_count", "eval_count"):
            if event.get(key) is not None:
                self._top[key] = small(event[key], f"$.{key}")
        self.ended = self.ended or event.get("done") is True

    def response(self) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": self._pieces.text("content")}
        message |= {"thinking": self._pieces.text("thinking")} if self._pieces.has("thinking") else {}
        message |= {"tool_calls": self._calls} if self._calls else {}
        return {**self._top, "message": message, "done": self.ended}


class CohereStream:
    """Reads `tool-plan-delta`, `tool-call-*`, `content-*` and `message-end`."""

    def __init__(self, pieces: Pieces) -> None:
        self.ended = False
        self._pieces = pieces
        self._calls = _Calls(self._pieces)
        self._content: dict[int, JsonObject] = {}
        self._id = self._reason = ""
        self._ending: JsonObject = {}

    def feed(self, event: Event) -> None:
        kind = event.get("type")
        delta = section(event, "delta", "$")
        message, path = section(delta, "message", "$.delta"), "$.delta.message"
        if kind == "message-start":
            self._id = self._pieces.keep_text(event, "id", "$")
        elif kind == "tool-plan-delta":
            self._pieces.add("plan", message.get("tool_plan"), f"{path}.tool_plan", ThinkingPiece)
        elif kind in ("tool-call-start", "tool-call-delta"):
            index = number(event, "index", "$")
            self._calls.feed({**section(message, "tool_calls", path), "index": index}, f"{path}.tool_calls")
        elif kind in ("content-start", "content-delta"):
            self._take(number(event, "index", "$"), section(message, "content", path), f"{path}.content")
        elif kind == "message-end":
            self._reason, self.ended = text(delta.get("finish_reason"), "$.delta.finish_reason"), True
            for key in ("usage", "error"):
                if delta.get(key):
                    self._ending[key] = small(delta[key], f"$.delta.{key}")

    def _take(self, index: int, content: Event, path: str) -> None:
        block = self._content.get(index)
        if block is None:
            kind = "thinking" if content.get("type") == "thinking" or "thinking" in content else "text"
            block = self._content[index] = {"type": self._pieces.keep(kind, path)}
        key = block["type"]
        tell = TextPiece if key == "text" else ThinkingPiece
        self._pieces.add(("content", index), content.get(key), f"{path}.{key}", tell)

    def response(self) -> JsonObject:
        message: JsonObject = {"role": "assistant"}
        message |= {"tool_plan": self._pieces.text("plan")} if self._pieces.has("plan") else {}
        texts = [
            {**block, block["type"]: self._pieces.text(("content", index))}
            for index, block in self._content.items()
        ]
        message |= {"content": texts} if texts else {}
        message |= self._calls.message()
        return {"id": self._id, "message": message, "finish_reason": self._reason, **self._ending}
