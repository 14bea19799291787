"""An answer that arrives in pieces, put together."""

from collections.abc import Callable

from ...jsonschema.json_values import JsonObject
from ...runtime.arguments import MAX_TEXT
from .answer_fields import get_field, kind, load, plain
from .call import Call, DispatchError, Piece
from .parse_answer import parse
from .streams.chat import ChatStream, CohereStream, OllamaStream
from .streams.fragments import Pieces, Stream
from .streams.native import AnthropicStream, BedrockStream, GeminiStream, ResponsesStream
from .wire_formats import format_of

_STREAMS: dict[str, Callable[[Pieces], Stream]] = {
    "openai": ChatStream,
    "openai-responses": ResponsesStream,
    "anthropic": AnthropicStream,
    "gemini": GeminiStream,
    "bedrock": BedrockStream,
    "mistral": lambda pieces: ChatStream(pieces, no_id=("null",)),
    "cohere": CohereStream,
    "ollama": OllamaStream,
}

_REPEATS = {
    "openai": ("content.", "refusal.", "tool_calls.", "logprobs."),
    "anthropic": ("text", "thinking", "signature", "citation", "input_json"),
}
"""Beginnings of the types of events that a client's helper adds: they repeat what came, and grow with it."""
_REPEATED = object()


def _provider_event(event: object, format: str) -> object:
    """Return the provider's own event; _REPEATED for one that a client's helper adds to the stream."""
    if event is None or isinstance(event, (dict, str, bytes, bytearray, memoryview)):
        return event
    kind = get_field(event, "type", "$")
    if not isinstance(kind, str):
        return event
    if format == "openai" and kind == "chunk":
        return get_field(event, "chunk", "$")
    return _REPEATED if kind.startswith(_REPEATS.get(format, ())) else event


class Assembler:
    """Assembles one streamed answer from its chunks or events, in one thread."""

    __slots__ = ("_format", "_pieces", "_stream")

    def __init__(self, format: str, *, limit: int = 4 * MAX_TEXT) -> None:
        """Start an answer.

        Args:
            format: name of a wire format, or of a provider that uses one.
            limit: characters held at once.

        Raises:
            ValueError: the format does not exist, or has no streams.
        """
        self._format = format_of(format).name
        make = _STREAMS.get(self._format)
        if make is None:
            raise ValueError(f"The format {format!r} has no stream.")
        self._pieces = Pieces(limit)
        self._stream = make(self._pieces)

    def feed(self, event: object) -> list[Piece]:
        """Take the next event.

        Args:
            event: a dict, the official client's object, or its JSON text (`[DONE]` too).

        Returns:
            What the event adds: text, reasoning, calls that begin, arguments. No call must be carried out
            before `response`.

        Raises:
            DispatchError: the event does not fit the format, is an error in place of the rest, or exceeds the
                limit: the answer is lost. `read_end` tells of answers that end as failed.
        """
        if isinstance(event, (str, bytes)) and event in ("[DONE]", b"[DONE]"):
            self.end()
            return []
        event = _provider_event(event, self._format)
        if event is _REPEATED:
            return []
        made = plain(load(event))
        if not isinstance(made, dict):
            raise DispatchError(f"$: expected an event, got {kind(made)}")
        self._stream.feed(made)
        return self._pieces.take()

    def end(self) -> None:
        """End the stream, for servers that do not mark its end."""
        self._stream.ended = True

    @property
    def complete(self) -> bool:
        """True once the provider marked the end."""
        return self._stream.ended

    def response(self) -> JsonObject:
        """Return the whole answer, for `parse`, `assistant_messages` and `Dispatcher.run`.

        Returns:
            The answer as it is without a stream; arguments may still be JSON text.

        Raises:
            DispatchError: the stream has not ended: a cut call can look like one without arguments.
        """
        if not self._stream.ended:
            raise DispatchError("the stream has not ended; call end() if its server does not say so")
        return self._stream.response()

    def calls(self) -> tuple[Call, ...]:
        """Parse the calls of the answer.

        Returns:
            The calls, in order.

        Raises:
            DispatchError: the stream has not ended, or the answer does not fit the format.
        """
        return parse(self.response(), self._format)
