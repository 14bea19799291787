"""What a streamed answer tells while it arrives is what it holds in the end."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.dispatch import (
    ArgumentsPiece,
    Assembler,
    CallBegun,
    DispatchError,
    Piece,
    TextPiece,
    ThinkingPiece,
)

from tests.agents.dispatch.answers import TEXT, Asked, id_for
from tests.agents.dispatch.streaming import IN_PIECES, STREAMS, dump

VALUES = st.dictionaries(
    st.text(max_size=4), st.none() | st.integers(-5, 5) | st.text(max_size=6), max_size=3
)


def told(format: str, events: Iterable[Any]) -> tuple[Assembler, list[Piece]]:
    stream = Assembler(format)
    return stream, [piece for event in events for piece in stream.feed(event)]


def arguments(pieces: list[Piece]) -> list[str]:
    """The arguments of each call that began, put together."""
    begun = [piece for piece in pieces if isinstance(piece, CallBegun)]
    assert [piece.index for piece in begun] == list(range(len(begun)))
    texts = [""] * len(begun)
    for at, piece in enumerate(pieces):
        if isinstance(piece, ArgumentsPiece):
            assert begun[piece.index] in pieces[:at]
            texts[piece.index] += piece.text
    return texts


def texts(pieces: list[Piece], kind: type[TextPiece | ThinkingPiece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, kind))


@given(st.sampled_from([*STREAMS]), st.lists(VALUES, max_size=3), st.data())
def test_pieces_are_the_answer(format: str, values: list[Any], data: st.DataObject) -> None:
    calls = [Asked(id_for(format, i), f"tool_{i % 2}", dump(value)) for i, value in enumerate(values)]
    pieces: list[list[str]] = []
    for call in calls:
        places = sorted(data.draw(st.lists(st.integers(0, len(call.text)), max_size=4)))
        ends = zip([0, *places], [*places, len(call.text)], strict=True)
        pieces.append([call.text[a:b] for a, b in ends])
    events = STREAMS[format](calls, pieces, lambda n: data.draw(st.integers(0, n - 1)))
    _, found = told(format, events)
    begun = [(piece.id, piece.name) for piece in found if isinstance(piece, CallBegun)]
    assert begun == [(call.id, call.name) for call in calls]
    if format in IN_PIECES:
        assert arguments(found) == [call.text for call in calls]
    else:
        assert [json.loads(text) for text in arguments(found)] == values
    # Cohere's plan is a thought.
    assert texts(found, ThinkingPiece if format == "cohere" else TextPiece) == TEXT
    if format in ("anthropic", "bedrock"):
        assert texts(found, ThinkingPiece) == "hm"


def delta(**values: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": values}]}


@pytest.mark.parametrize(
    ("format", "events", "expected"),
    [
        # Thoughts of compatible servers, and a refusal, which is for the user.
        (
            "openai",
            [delta(reasoning_content="h"), delta(reasoning="m"), delta(refusal="No.")],
            [ThinkingPiece("h"), ThinkingPiece("m"), TextPiece("No.")],
        ),
        # Mistral's thoughts are blocks.
        (
            "mistral",
            [
                delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]),
                delta(content="a"),
            ],
            [ThinkingPiece("hm"), TextPiece("a")],
        ),
        # A name that comes after the first arguments.
        (
            "openai",
            [
                delta(tool_calls=[{"index": 0, "id": "x", "function": {"arguments": '{"a"'}}]),
                delta(tool_calls=[{"index": 0, "function": {"name": "t", "arguments": ":1}"}}]),
            ],
            [CallBegun(0, "t", "x"), ArgumentsPiece(0, '{"a"'), ArgumentsPiece(0, ":1}")],
        ),
        # Only the whole item of a call, and of a refusal.
        (
            "openai-responses",
            [
                {
                    "type": "response.output_item.done",
                    "output_index": 0,
                    "item": {"type": "function_call", "call_id": "x", "name": "t", "arguments": "{}"},
                },
                {"type": "response.reasoning_summary_text.delta", "delta": "hm"},
                {
                    "type": "response.output_item.done",
                    "output_index": 1,
                    "item": {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]},
                },
            ],
            [CallBegun(0, "t", "x"), ArgumentsPiece(0, "{}"), ThinkingPiece("hm"), TextPiece("No.")],
        ),
        # The pieces of a text, and then its item.
        (
            "openai-responses",
            [
                {"type": "response.output_text.delta", "output_index": 0, "delta": "a"},
                {
                    "type": "response.output_item.done",
                    "output_index": 0,
                    "item": {"type": "message", "content": [{"type": "output_text", "text": "a"}]},
                },
            ],
            [TextPiece("a")],
        ),
        # A block that has its input at once; a call of the server's own is none of the program's.
        (
            "anthropic",
            [
                {
                    "type": "content_block_start",
                    "index": 0,
                    "content_block": {"type": "server_tool_use", "id": "s", "name": "web", "input": {}},
                },
                {"type": "content_block_stop", "index": 0},
                {
                    "type": "content_block_start",
                    "index": 1,
                    "content_block": {"type": "tool_use", "id": "x", "name": "t", "input": {"a": 1}},
                },
                {"type": "content_block_stop", "index": 1},
            ],
            [CallBegun(0, "t", "x"), ArgumentsPiece(0, '{"a":1}')],
        ),
    ],
)
def test_what_servers_send_is_told_once(format: str, events: list[Any], expected: list[Piece]) -> None:
    assert told(format, events)[1] == expected


def part(**call: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": call}]}}]}


def test_values_of_vertex_are_told_when_their_call_is_whole() -> None:
    text = {"jsonPath": "$.city", "stringValue": "Par", "willContinue": True}
    rest = {"jsonPath": "$.city", "stringValue": "is"}
    _, found = told(
        "gemini",
        [
            part(name="weather", willContinue=True),
            part(partialArgs=[text], willContinue=True),
            part(partialArgs=[rest], willContinue=True),
            part(),
        ],
    )
    assert found == [CallBegun(0, "weather"), ArgumentsPiece(0, '{"city":"Paris"}')]


def test_a_value_of_vertex_that_its_call_leaves_open() -> None:
    text = {"jsonPath": "$.city", "stringValue": "Par", "willContinue": True}
    with pytest.raises(DispatchError, match="ended inside of the string"):
        told("gemini", [part(name="weather", partialArgs=[text])])


class Misbehaving:
    """An object of a client whose fields raise."""

    @property
    def type(self) -> str:
        raise RuntimeError


class Helper:
    """What a client's helper adds to its stream, with all that came so far."""

    def __init__(self, type: str, **fields: Any) -> None:
        self.type = type
        self.__dict__ |= fields


@pytest.mark.parametrize("event", [Misbehaving(), 5, None, [], object()])
@pytest.mark.parametrize("format", ["openai", "anthropic"])
def test_an_event_that_is_none_is_a_dispatch_error(format: str, event: Any) -> None:
    with pytest.raises(DispatchError):
        Assembler(format).feed(event)


def test_what_a_helper_of_the_client_adds_is_told_once() -> None:
    openai = [Helper("chunk", chunk=delta(content="a")), Helper("content.delta", delta="a", snapshot="a")]
    assert told("openai", openai)[1] == [TextPiece("a")]
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}}
    assert told("anthropic", [block, Helper("text", text="a", snapshot="a")])[1] == [TextPiece("a")]
