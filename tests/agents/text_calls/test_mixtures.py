"""Texts whose calls are known: what is executed was written as a call, whole, at the top level."""

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import Parsed, parse

from tests.agents.text_calls.rendered import (
    ECHOES,
    EVIL,
    FORMS,
    PROSE,
    THOUGHTS,
    Form,
    Piece,
    Truth,
    blocks,
    broken,
)

AUTO = [
    form
    for form in FORMS
    if not (form.format.bare or form.form.bare or form.form.fence) and form.format.id != "hyperclovax"
]
"""Those that may stand anywhere. (Blocks of Markdown are examples where other text stands before them; the
strings in JSON of HyperCLOVA X are texts with quotes in GLM's form, which is the same.)"""
EDGES = ("start", "whole")


def texts(forms: Sequence[Form], parts: st.SearchStrategy[Piece]) -> st.SearchStrategy[list[Piece]]:
    """Pieces one after the other; only the first may be in a form that begins the text."""
    anywhere = [form for form in forms if form.form.place not in EDGES]
    return st.lists(blocks(anywhere) | parts, max_size=5)


def read(parsed: Parsed) -> list[Truth]:
    return [
        (call.name, call.arguments if isinstance(call.arguments, dict) else json.loads(call.arguments))
        for call in parsed.calls
    ]


def as_text(value: object) -> object:
    """A value as forms read it that have no types."""
    if isinstance(value, dict):
        return {key: as_text(item) for key, item in value.items()}
    return value if isinstance(value, str) else json.dumps(value)


def is_subsequence(found: Sequence[Truth], pieces: Sequence[Piece]) -> bool:
    """Whether each call is one of the pieces', in their order; a broken one may be a call of its own."""
    rest = ((one, piece.whole) for piece in pieces for one in piece.calls)
    return all(any(as_text(one) == as_text(known) or not whole for known, whole in rest) for one in found)


def check_whole(pieces: list[Piece], format: str) -> None:
    text = "\n".join(piece.text for piece in pieces)
    parsed = parse(text, format)
    assert parsed.problems == (), text
    assert [as_text(one) for one in read(parsed)] == [
        as_text(one) for piece in pieces for one in piece.calls
    ], text


@given(texts(AUTO, PROSE | THOUGHTS | ECHOES))
def test_whole_calls_of_mixed_formats_are_read_as_they_were_written(pieces: list[Piece]) -> None:
    check_whole(pieces, "auto")


NAMED = st.sampled_from([form for form in FORMS if form.form.place not in EDGES])


def parts_beside(form: Form) -> st.SearchStrategy[Piece]:
    """Calls in one form, and what may stand beside them: nothing beside blocks of Markdown."""
    return blocks([form]) if form.form.fence else blocks([form]) | PROSE | THOUGHTS


@given(NAMED.flatmap(lambda form: st.tuples(st.lists(parts_beside(form), max_size=4), st.just(form))))
def test_whole_calls_of_a_named_format_are_read_as_they_were_written(
    given_: tuple[list[Piece], Form],
) -> None:
    pieces, form = given_
    check_whole(pieces, form.format.id)


@given(texts(AUTO, PROSE | THOUGHTS | ECHOES), st.integers(0))
def test_of_a_text_that_is_cut_a_beginning_is_read(pieces: list[Piece], place: int) -> None:
    text = "\n".join(piece.text for piece in pieces)
    calls = read(parse(text))
    part = text[: place % (len(text) + 1)]
    for cut in (True, False):
        found = read(parse(part, cut=cut))
        assert found == calls[: len(found)], part


@given(texts(AUTO, PROSE | THOUGHTS | ECHOES | broken(AUTO)))
def test_what_is_broken_sets_nothing_free(pieces: list[Piece]) -> None:
    """Whatever stands in a value is a value, also where the call around it cannot be read."""
    text = "\n".join(piece.text for piece in pieces)
    for cut in (False, True):
        found = read(parse(text, cut=cut))
        assert all(name != EVIL for name, _ in found), text
        assert is_subsequence(found, pieces), text
