"""Streams: any cut of the arguments and any interleaving give the calls of the whole answer."""

# ruff: noqa: ARG001 - an order is asked with the number of calls that wait

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.dispatch import Assembler, Call, DispatchError, assistant_messages, parse

from tests.agents.dispatch.answers import ANSWERS, TEXT, Asked, id_for
from tests.agents.dispatch.judges import judge_of
from tests.agents.dispatch.streaming import IN_PIECES, STREAMS, dump
from tests.clients.conftest import Client

VALUES = st.dictionaries(
    st.text(max_size=4),
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=6)
    | st.lists(st.text(max_size=2), max_size=2),
    max_size=3,
)


def assembled(format: str, events: Any, **options: Any) -> Assembler:
    stream = Assembler(format, **options)
    for event in events:
        stream.feed(event)
    return stream


def reported(calls: tuple[Call, ...]) -> list[tuple[str, str, Any]]:
    def value(arguments: Any) -> Any:
        return arguments if isinstance(arguments, dict) else json.loads(arguments or "{}")

    return [(call.id, call.name, value(call.arguments)) for call in calls]


def first(n: int) -> int:
    return 0


@given(st.sampled_from(IN_PIECES), st.lists(VALUES, min_size=1, max_size=4), st.data())
def test_any_cut_and_any_interleaving(format: str, values: list[Any], data: st.DataObject) -> None:
    calls = [Asked(id_for(format, i), f"tool_{i % 2}", dump(value)) for i, value in enumerate(values)]
    pieces: list[list[str]] = []
    for call in calls:
        places = sorted(data.draw(st.lists(st.integers(0, len(call.text)), max_size=6)))
        ends = zip([0, *places], [*places, len(call.text)], strict=True)
        pieces.append([call.text[a:b] for a, b in ends])
    stream = assembled(format, STREAMS[format](calls, pieces, lambda n: data.draw(st.integers(0, n - 1))))
    assert stream.complete
    # As text, to the character.
    assert [call.arguments for call in stream.calls()] == [call.text for call in calls]
    assert reported(stream.calls()) == [(call.id, call.name, call.value) for call in calls]
    assert [call.index for call in stream.calls()] == list(range(len(calls)))


TWO = [("tool_a", '{"a": [1, "é"]}'), ("tool_b", "{}")]


def two(format: str) -> list[Asked]:
    return [Asked(id_for(format, i), *each) for i, each in enumerate(TWO)]


@pytest.mark.parametrize("format", STREAMS)
def test_the_stream_and_the_answer_say_the_same(format: str) -> None:
    calls = two(format)
    events = list(STREAMS[format](calls, [list(call.text) for call in calls], first))
    stream = assembled(format, events)
    whole = ANSWERS[format](calls)
    assert reported(stream.calls()) == reported(parse(whole, format))
    message = json.dumps(assistant_messages(stream.response(), format))
    assert TEXT in message
    assert {call.name for call in calls} <= set(message.split('"'))
    # JSON text does as well as dicts.
    assert assembled(format, [json.dumps(event) for event in events]).calls() == stream.calls()


@pytest.mark.parametrize("format", STREAMS)
def test_reasoning_goes_back_with_its_signature(format: str) -> None:
    calls = two(format)
    stream = assembled(format, STREAMS[format](calls, [[call.text] for call in calls], first))
    message = assistant_messages(stream.response(), format)
    if format == "anthropic":
        thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
        assert message[0]["content"][0] == thinking
        assert message[0]["content"][2]["input"] == calls[0].value
    if format == "bedrock":
        reasoning = {"reasoningText": {"text": "hm", "signature": "c2ln"}}
        assert message[0]["content"][0] == {"reasoningContent": reasoning}
    if format == "gemini":
        assert message[0]["parts"][0] == {"text": TEXT}
        assert message[0]["parts"][1]["thoughtSignature"] == "//4A"


@pytest.mark.parametrize("format", STREAMS)
def test_a_stream_that_breaks_off_has_no_calls(format: str) -> None:
    calls = [Asked(id_for(format, 0), "wipe", "{}")]
    events = list(STREAMS[format](calls, [["", "{}"]], first))
    ends = [i for i in range(len(events)) if assembled(format, events[: i + 1]).complete]
    stream = assembled(format, events[: ends[0]])
    with pytest.raises(DispatchError, match="has not ended"):
        stream.calls()
    stream.end()
    assert len(stream.calls()) == 1


@pytest.mark.parametrize("format", STREAMS)
def test_text_alone(format: str) -> None:
    assert assembled(format, STREAMS[format]([], [], first)).calls() == ()


def chunk(*items: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(items)}}]}


def item(arguments: str | None = None, **given: Any) -> dict[str, Any]:
    name = given.pop("name", None)
    return {**given, "function": {**({"name": name} if name else {}), "arguments": arguments}}


@pytest.mark.parametrize(
    "events",
    [
        # no index at all
        [chunk(item("{}", id="x", name="a")), chunk(item('{"b":', id="y", name="b")), chunk(item("1}"))],
        # the same index for all, whole calls
        [chunk(item("{}", id="x", name="a", index=0)), chunk(item('{"b":1}', id="y", name="b", index=0))],
        # the id in every fragment
        [
            chunk(item("", id="x", name="a", index=0), item('{"b"', id="y", name="b", index=1)),
            chunk(item(":1}", id="y", index=1), item("{}", id="x", index=0)),
        ],
        # no index, the id in every fragment, interleaved
        [
            chunk(item("{", id="x", name="a"), item('{"b"', id="y", name="b")),
            chunk(item(":1}", id="y"), item("}", id="x", name="a")),
        ],
        # null and empty fragments
        [
            chunk(item(None, id="x", name="a", index=0), item("", id="y", name="b", index=7)),
            chunk(item("{}", index=0), item('{"b":1}', index=7), item(None, index=7), item("", index=0)),
        ],
    ],
)
def test_what_servers_make_of_index_and_id(events: list[Any]) -> None:
    stream = assembled("openai", [*events, "[DONE]"])
    assert reported(stream.calls()) == [("x", "a", {}), ("y", "b", {"b": 1})]


def test_calls_without_ids_get_ids() -> None:
    stream = assembled(
        "openai", [chunk(item("{}", name="a", index=0), item("{}", name="a", index=1)), b"[DONE]"]
    )
    ids = [call.id for call in stream.calls()]
    assert len(set(ids)) == 2
    assert all(ids)
    assert ids == [call.id for call in stream.calls()]
    echoed = assistant_messages(stream.response(), "openai")[0]["tool_calls"]
    assert [call["id"] for call in echoed] == ids


def vertex(**call: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": call}]}}]}


END = {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}]}


def test_vertex_streams_values() -> None:
    part = {"jsonPath": "$.city", "stringValue": "Par", "willContinue": True}
    other = {"content": {"role": "model", "parts": [{"text": "and", "thought": True}]}}
    stream = assembled(
        "gemini",
        [
            vertex(name="weather", willContinue=True),
            vertex(partialArgs=[part], willContinue=True),
            {"candidates": [other]},
            vertex(partialArgs=[{"jsonPath": "$.city", "stringValue": "is"}], willContinue=True),
            vertex(partialArgs=[{"jsonPath": "$.days[0]", "numberValue": 2}], willContinue=True),
            vertex(),
            vertex(name="news", args={"about": "x"}),
            END,
        ],
    )
    assert reported(stream.calls()) == [
        ("", "weather", {"city": "Paris", "days": [2]}),
        ("", "news", {"about": "x"}),
    ]
    assert "partialArgs" not in json.dumps(stream.response())


def test_vertex_may_repeat_the_name() -> None:
    def part(key: str) -> Any:
        return vertex(name="f", partialArgs=[{"jsonPath": f"$.{key}", "boolValue": True}], willContinue=True)

    events = [vertex(name="f", willContinue=True), part("a"), part("b"), vertex(), part("c"), vertex(), END]
    stream = assembled("gemini", events)
    assert reported(stream.calls()) == [("", "f", {"a": True, "b": True}), ("", "f", {"c": True})]


def test_vertex_streams_calls_at_once_by_id() -> None:
    def part(id: str, value: int, more: bool) -> Any:
        return vertex(
            id=id, partialArgs=[{"jsonPath": f"$.{id}{value}", "numberValue": value}], willContinue=more
        )

    events = [vertex(id=id, name="f", willContinue=True) for id in "pq"]
    stream = assembled("gemini", [*events, part("p", 1, True), part("q", 1, False), part("p", 2, False), END])
    assert reported(stream.calls()) == [("p", "f", {"p1": 1, "p2": 2}), ("q", "f", {"q1": 1})]


def test_the_final_answer_of_responses_counts() -> None:
    calls = two("openai-responses")
    events = list(STREAMS["openai-responses"](calls, [[call.text] for call in calls], first))
    events[-1]["response"] = ANSWERS["openai-responses"](calls)
    stream = assembled("openai-responses", events)
    assert stream.response()["output"] == ANSWERS["openai-responses"](calls)["output"]


@pytest.mark.parametrize(
    ("format", "event"),
    [
        ("openai", {"error": {"message": "overloaded"}}),
        ("openai-responses", {"type": "error", "message": "overloaded"}),
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}),
        ("gemini", {"error": {"code": 503, "message": "overloaded"}}),
        ("bedrock", {"modelStreamErrorException": {"message": "overloaded"}}),
        ("ollama", {"error": "overloaded"}),
    ],
)
def test_an_error_in_the_stream(format: str, event: Any) -> None:
    with pytest.raises(DispatchError, match="overloaded"):
        Assembler(format).feed(event)


@pytest.mark.parametrize("format", IN_PIECES)
def test_a_stream_is_bounded(format: str) -> None:
    call = Asked(id_for(format, 0), "t", "")
    events = list(STREAMS[format]([call], [["x" * 400] * 10], first))
    with pytest.raises(DispatchError, match="too large"):
        assembled(format, events, limit=3000)


@pytest.mark.parametrize("format", STREAMS)
def test_calls_are_bounded(format: str) -> None:
    """Those beyond 1,024 are there, to be refused one by one, up to a bound."""
    calls = [Asked(f"c{i}", "t", "{}") for i in range(4100)]
    some = assembled(format, STREAMS[format](calls[:1030], [["{}"]] * 1030, first)).calls()
    assert [call.index for call in some] == [*range(1030)]
    with pytest.raises(DispatchError, match=r"more than 4,?096|too large"):
        assembled(format, STREAMS[format](calls, [["{}"]] * 4100, first)).calls()


def test_formats_without_streams() -> None:
    with pytest.raises(ValueError, match="no stream"):
        Assembler("mcp")


ODD = st.sampled_from([None, 5, -1, "x", [], {}, True, [1], {"a": 1}, 2**70, "\ud800"])


@given(st.sampled_from(list(STREAMS)), st.data())
def test_hostile_events_end_in_a_dispatch_error(format: str, data: st.DataObject) -> None:
    def spoil(value: Any) -> Any:
        if data.draw(st.integers(0, 6)) == 0:
            return data.draw(ODD)
        if isinstance(value, dict):
            return {key: spoil(part) for key, part in value.items()}
        return [spoil(part) for part in value] if isinstance(value, list) else value

    events = list(STREAMS[format](two(format), [["{"], ["}"]], first))
    stream = Assembler(format)
    with suppress(DispatchError):
        for event in events:
            stream.feed(spoil(event) if data.draw(st.booleans()) else event)
        stream.end()
        stream.calls()
        assistant_messages(stream.response(), format)


@pytest.mark.parametrize("item", [{"item": None, "output_index": 0}, {"item": {}, "output_index": 0}, {}])
def test_an_item_that_ends_without_content_is_no_call(item: dict[str, Any]) -> None:
    stream = Assembler("openai-responses")
    with suppress(DispatchError):
        stream.feed({"type": "response.output_item.done", **item})
        stream.end()
        assert stream.calls() == ()


def stated(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}}]}


def test_a_signature_stays_with_its_part() -> None:
    parts = [
        {"text": "hm", "thought": True},
        {"text": "a"},
        {"text": "b", "thoughtSignature": "s1"},
        {"text": "c", "thoughtSignature": "s1"},
        {"text": "d"},
        {"text": "", "thoughtSignature": "s2"},
    ]
    stream = assembled("gemini", [*map(stated, parts), stated({"text": ""}), END])
    (message,) = assistant_messages(stream.response(), "gemini")
    # Blank text with a signature is no blank part; blank text alone is.
    assert message["parts"] == parts
    growing = [stated({"text": "a"}), stated({"text": "b"}), stated({"text": "c", "thought": True}), END]
    (message,) = assistant_messages(assembled("gemini", growing).response(), "gemini")
    assert message["parts"] == [{"text": "ab"}, {"text": "c", "thought": True}]


def test_a_block_that_begins_with_text() -> None:
    block = {"type": "text", "text": "be"}
    stream = assembled(
        "anthropic",
        [
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "gin"}},
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "citations_delta", "citation": {"n": 1}},
            },
            {"type": "message_stop"},
        ],
    )
    assert stream.response()["content"] == [{"type": "text", "text": "begin", "citations": [{"n": 1}]}]


@pytest.mark.parametrize("format", ["gemini", "ollama", "openai-responses", "anthropic"])
def test_what_comes_whole_is_bounded_too(format: str) -> None:
    calls = [Asked(f"c{i}", "t" * 400, dump({"a": "x" * 400})) for i in range(5)]
    with pytest.raises(DispatchError, match="too large"):
        assembled(format, STREAMS[format](calls, [[]] * 5, first), limit=1500)


def details_of(*pieces: dict[str, Any]) -> Any:
    """The reasoning of a streamed answer, and of it as it goes back."""
    stream = Assembler("openai")
    for piece in pieces:
        stream.feed({"choices": [{"index": 0, "delta": {"reasoning_details": [piece]}}]})
    stream.end()
    (message,) = assistant_messages(stream.response(), "openai")
    return message.get("reasoning_details")


def test_pieces_of_signed_reasoning_are_one_block() -> None:
    """As OpenRouter streams a thinking block of Anthropic's, whose signature is for the whole text."""
    block = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    streamed = [{**block, "text": "Let"}, {**block, "text": " me compute."}, {**block, "signature": "Et8B"}]
    assert details_of(*streamed) == [{**block, "text": "Let me compute.", "signature": "Et8B"}]
    # With null for what is not there, and two blocks.
    nulls = [{**piece, "id": None, "signature": piece.get("signature")} for piece in streamed]
    other = [{**piece, "index": 1} for piece in streamed]
    wanted = {**block, "text": "Let me compute.", "signature": "Et8B"}
    assert details_of(*nulls, *other) == [wanted, {**wanted, "index": 1}]


def test_reasoning_that_is_no_piece_of_the_block_before() -> None:
    text = {"type": "reasoning.text", "text": "a"}
    encrypted = {"type": "reasoning.encrypted", "data": "x", "index": 0}
    assert details_of(text, encrypted, encrypted, text) == [text, encrypted, encrypted, text]
    signed = {**text, "signature": "s"}
    assert details_of(signed, text, {**text, "id": "1"}, {**text, "id": "2"}) == [
        signed,
        {**text, "text": "aa", "id": "1"},
        {**text, "id": "2"},
    ]
    summary = {"type": "reasoning.summary", "summary": "b"}
    assert details_of(summary, summary, text) == [{**summary, "summary": "bb"}, text]
    hidden = {"type": "reasoning.text", "text": "", "signature": "s"}
    assert details_of(hidden) == [hidden]
    strange = [{"type": "reasoning.text", "text": [1]}, {"type": ["x"]}, {}]
    assert details_of(*strange) == strange


def test_reasoning_may_come_in_any_number_of_pieces() -> None:
    (block,) = details_of(*[{"type": "reasoning.text", "text": "word ", "index": 0}] * 17_000)
    assert len(block["text"]) == 85_000


def content_of(*contents: Any) -> Any:
    """The content of a streamed answer of Mistral's, as it goes back."""
    stream = Assembler("mistral")
    for content in contents:
        stream.feed({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]})
    stream.end()
    (message,) = assistant_messages(stream.response(), "mistral")
    return message["content"]


def thought(*parts: Any, **rest: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [*parts], **rest}


def word(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_pieces_of_a_thought_are_one_block(client: Client) -> None:
    """As Magistral streams them; its whole answers have one block."""
    cite = {"type": "reference", "reference_ids": [1]}
    content = content_of(
        [thought(word("'s a"))],
        [thought(word(" greeting"), cite)],
        [thought(word("so"), signature="Zm9v")],
        [thought(word("Again"), closed=True)],
        [thought(word("not"))],
        [word("Hel")],
        "lo",
    )
    assert content == [
        thought(word("'s a greeting"), cite, word("so"), signature="Zm9v"),
        thought(word("Again"), closed=True),
        thought(word("not")),
        word("Hello"),
    ]
    judge_of("mistral", client)({"role": "assistant", "content": content})
    # Whatever else stands there stays as it came.
    strange = [
        {"type": "thinking", "thinking": "hm"},
        {"type": ["x"]},
        thought(thought(word("a")), thought()),
    ]
    assert content_of(strange) == [*strange[:2], thought(thought(word("a")))]
    pieces = [[thought(word("word "))]] * 17_000
    (block,) = content_of(*pieces)
    assert block == thought(word("word " * 17_000))
