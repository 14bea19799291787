"""Texts that arrive in pieces: whatever the cuts, the events are those of the whole text."""

import json
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import (
    ArgumentsPiece,
    Call,
    CallBegun,
    Discarded,
    Event,
    Problem,
    Prose,
    TextFormat,
    TextStream,
    collect,
    known_formats,
    parse,
)

from tests.agents.text_calls.forms import ANY
from tests.agents.text_calls.forms import FORMS as EXAMPLES
from tests.agents.text_calls.rendered import ECHOES, FORMS, HOLE, PROSE, THOUGHTS, Piece, blocks, broken

AUTO = [form for form in FORMS if not (form.format.bare or form.form.bare)]
MIXED = st.lists(
    blocks(AUTO) | broken(AUTO) | PROSE | THOUGHTS | ECHOES | ANY.map(lambda text: Piece(text, [], False)),
    max_size=5,
).map(lambda pieces: "".join(piece.text for piece in pieces))


def events(pieces: Sequence[str], format: str = "auto", *, cut: bool = False) -> list[Event]:
    stream = TextStream(format)
    found = [event for piece in pieces for event in stream.feed(piece)]
    return found + stream.finish(cut=cut)


def joined(found: Sequence[Event]) -> list[Event]:
    """The events with pieces of one thing put together."""
    merged: list[Event] = []
    for event in found:
        last = merged[-1] if merged else None
        if isinstance(event, Prose) and isinstance(last, Prose):
            merged[-1] = Prose(last.text + event.text)
        elif isinstance(event, ArgumentsPiece) and isinstance(last, ArgumentsPiece) and last.key == event.key:
            merged[-1] = ArgumentsPiece(event.key, last.text + event.text)
        else:
            merged.append(event)
    return merged


def cuts(text: str, places: Sequence[int]) -> list[str]:
    at = sorted({place % (len(text) + 1) for place in places})
    return [text[start:end] for start, end in zip([0, *at], [*at, len(text)], strict=True)]


def check_cuts(text: str, places: Sequence[int], format: str, *, cut: bool) -> None:
    whole = joined(events([text], format, cut=cut))
    assert joined(events(cuts(text, places), format, cut=cut)) == whole
    assert joined(events([*text], format, cut=cut)) == whole
    assert collect(whole) == parse(text, format, cut=cut)


@given(MIXED, st.lists(st.integers(0), max_size=8), st.booleans())
def test_the_events_do_not_depend_on_the_cuts(text: str, places: list[int], cut: bool) -> None:
    check_cuts(text, places, "auto", cut=cut)


@given(
    st.sampled_from(FORMS).flatmap(
        lambda form: st.tuples(
            st.lists(blocks([form]) | broken([form]) | PROSE | THOUGHTS, max_size=4), st.just(form.format.id)
        )
    ),
    st.lists(st.integers(0), max_size=8),
    st.booleans(),
)
def test_nor_where_the_format_is_named(given_: tuple[list[Piece], str], places: list[int], cut: bool) -> None:
    pieces, format = given_
    check_cuts("".join(piece.text for piece in pieces), places, format, cut=cut)


@pytest.mark.parametrize("form", EXAMPLES)
def test_nor_within_any_form(form: str) -> None:
    text = f"A\r\n{EXAMPLES[form][0]}\r\n b"
    check_cuts(text, [], "auto", cut=False)


@given(MIXED, st.lists(st.integers(0), max_size=8))
def test_what_is_told_of_arguments_is_what_the_call_has(text: str, places: list[int]) -> None:
    begun: list[CallBegun] = []
    told: list[dict[str, str]] = []
    for event in events(cuts(text, places)):
        if isinstance(event, CallBegun):
            begun.append(event)
            told.append({})
        elif isinstance(event, ArgumentsPiece):
            assert told, "a piece of arguments before any call began"
            told[-1][event.key] = told[-1].get(event.key, "") + event.text
        elif isinstance(event, Call) and begun:
            # calls of a block are told together, after all of their pieces
            at = next((at for at, one in enumerate(begun) if one.name == event.name), None)
            if at is None:
                continue
            pieces = told[at]
            if isinstance(event.arguments, str):
                assert pieces.get("", event.arguments) == event.arguments
            else:
                assert set(pieces) <= set(event.arguments)
                for key, piece in pieces.items():
                    value = event.arguments[key]
                    assert piece == value or json.loads(piece) == value
            del begun[: at + 1], told[: at + 1]
        elif isinstance(event, (Problem, Discarded)):
            begun, told = [], []


@cache
def opening_literals() -> frozenset[str]:
    """What the markers of all formats begin with, as their TOML has it."""
    templates = [template for each in known_formats().values() for template in markers(each)]
    first = (HOLE.split(template)[0].strip().partition(" ")[0] for template in templates)
    return frozenset(literal for literal in first if literal)


def markers(each: TextFormat) -> list[str]:
    found = [template for form in each.calls for template in (*form.open, *form.close)]
    for enclosed in (*each.sections, *each.thoughts, *each.results):
        found += [enclosed.open, enclosed.close]
    return [*found, *each.dropped, *each.ends, "<think>", "</think>", "<thinking>", "</thinking>"]


@given(st.lists(PROSE, max_size=6).map(lambda pieces: "".join(piece.text for piece in pieces)))
def test_prose_is_told_as_soon_as_it_cannot_be_markup(text: str) -> None:
    """What is held back is the beginning of a marker, or bare JSON that begins the text."""
    literals = opening_literals()
    stream, told = TextStream(), ""
    for at, character in enumerate(text, 1):
        told += "".join(event.text for event in stream.feed(character) if isinstance(event, Prose))
        read = text[:at]
        if read.lstrip()[:1] in ("{", "[", ""):
            continue
        held = read.lstrip()[len(told.lstrip()) :]
        assert held == "" or any(literal.startswith(held) for literal in literals), (read, held)
    told += "".join(event.text for event in stream.finish() if isinstance(event, Prose))
    assert told.strip() == text.strip()


def test_a_call_is_told_with_its_last_character() -> None:
    for name in ("json in tool_call", "invoke", "function=", "keys and values", "model tokens, list"):
        text, expected = EXAMPLES[name]
        stream = TextStream()
        assert not any(isinstance(event, Call) for event in stream.feed(text[:-1]))
        assert [event.name for event in stream.feed(text[-1]) if isinstance(event, Call)] == [
            name for name, _ in expected
        ]


def test_values_are_told_as_they_arrive() -> None:
    for text, key in (
        ('<invoke name="f"><parameter name="x">' + "abc " * 200, "x"),
        ("<tool_call>f<arg_key>x</arg_key><arg_value>" + "abc " * 200, "x"),
        ('<tool_call>{"name": "f", "arguments": {"x": "' + "abc " * 200, ""),
        ('[TOOL_CALLS]f[ARGS]{"x": "' + "abc " * 200, ""),
    ):
        stream = TextStream()
        found = [event for character in text for event in stream.feed(character)]
        assert [event.name for event in found if isinstance(event, CallBegun)] == ["f"]
        pieces = [event for event in found if isinstance(event, ArgumentsPiece)]
        assert {event.key for event in pieces} == {key}
        assert len("".join(event.text for event in pieces)) > 750
        assert [type(event) for event in stream.finish()] == [Problem]


def test_a_stream_ends_once() -> None:
    stream = TextStream()
    stream.feed("a")
    stream.finish()
    with pytest.raises(ValueError, match="has ended"):
        stream.feed("b")
    with pytest.raises(ValueError, match="has ended"):
        stream.finish()
