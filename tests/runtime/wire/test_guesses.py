"""Guesses: by name, at refused arguments only, and only where the contract accepts what comes of them."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.jsonschema.json_values import count_parts
from toolcast.jsonschema.pointers import steps_of, value_at
from toolcast.jsonschema.validator import Validator
from toolcast.runtime import ArgumentError, Guesses, ToolRegistry
from toolcast.runtime.repairs.values import Fitting
from toolcast.runtime.wire.guesses import NAMES

from tests.runtime.wire.conftest import PLAIN, Binding
from tests.runtime.wire.wire_values import ANY


@pytest.mark.parametrize(
    ("name", "sent", "intended"),
    [
        ("number", '{"path": "a", "count": "5"}', {"path": "a", "count": 5}),
        ("number", '{"path": "a", "count": "5.0"}', {"path": "a", "count": 5}),
        ("number", '{"path": "a", "tags": [1, "-2"]}', {"path": "a", "tags": [1, -2]}),
        ("boolean", '{"path": "a", "dry": "true"}', {"path": "a", "dry": True}),
        ("empty-string", '{"path": "a", "count": ""}', {"path": "a"}),
        ("null-text", '{"path": "a", "note": "null"}', {"path": "a", "note": None}),
        ("null-text", '{"path": "a", "count": "null"}', {"path": "a"}),
        ("json-text", '{"path": "a", "range": "{\\"from\\": 1}"}', {"path": "a", "range": {"from": 1}}),
        ("json-text", '{"path": "a", "note": "\\"abc\\""}', {"path": "a", "note": "abc"}),
        ("fence", '```json\n{"path": "a"}\n```', {"path": "a"}),
        ("missing-bracket", '{"path": "a"', {"path": "a"}),
        ("surplus-bracket", '{"path": "a"}}', {"path": "a"}),
        ("missing-bracket", b'{"path": "\xc3\xa9"', {"path": "é"}),
        ("boolean", '{"path": "a", "dry": "True"}', {"path": "a", "dry": True}),
        ("boolean", '{"path": "a", "dry": "no"}', {"path": "a", "dry": False}),
        ("boolean", '{"path": "a", "dry": "1"}', {"path": "a", "dry": True}),
        ("boolean", '{"path": "a", "dry": 0}', {"path": "a", "dry": False}),
        ("number-to-string", '{"path": 12}', {"path": "12"}),
        ("blanks", '{"path": "a", "note": " abc\\n"}', {"path": "a", "note": "abc"}),
        ("surplus-nesting", '{"arguments": {"path": "a"}}', {"path": "a"}),
        ("surplus-nesting", '[{"path": "a"}]', {"path": "a"}),
        ("surplus-nesting", '{"path": ["a"]}', {"path": "a"}),
        (
            "surplus-nesting",
            '{"path": "a", "range": {"range": {"from": 1}}}',
            {"path": "a", "range": {"from": 1}},
        ),
        ("trailing-comma", '{"path": "a", "tags": [1,],}', {"path": "a", "tags": [1]}),
        ("missing-comma", '{"path": "a" "tags": [1 2]}', {"path": "a", "tags": [1, 2]}),
        ("missing-colon", '{"path" "a"}', {"path": "a"}),
        ("prose", 'The arguments are: {"path": "a"}. Go on!', {"path": "a"}),
        ("comments", '{"path": /* which */ "a", // a file\n "count": 1 # one\n}', {"path": "a", "count": 1}),
        ("single-quotes", "{'path': 'it\\'s'}", {"path": "it's"}),
        ("typographic-quotes", "{“path”: “a”}", {"path": "a"}),
        ("doubled-quotes", '{""path"": ""a""}', {"path": "a"}),
        ("missing-quote", '{"path: "a"}', {"path": "a"}),
        ("inner-quotes", '{"path": "a "b" c"}', {"path": 'a "b" c'}),
        ("unquoted-keys", '{path: "a"}', {"path": "a"}),
        ("unquoted-values", '{"path": New York}', {"path": "New York"}),
        ("raw-newlines", '{"path": "a\nb\tc"}', {"path": "a\nb\tc"}),
        ("escapes", '{\\"path\\": \\"a\\"}', {"path": "a"}),
        ("number-forms", '{"path": "a", "range": {"from": .5}}', {"path": "a", "range": {"from": 0.5}}),
        ("number-forms", '{"path": "a", "range": {"from": 1.}}', {"path": "a", "range": {"from": 1}}),
        (
            "python-literals",
            '{"path": "a", "dry": True, "note": None}',
            {"path": "a", "dry": True, "note": None},
        ),
        ("python-literals", '{"path": "a", "tags": (1, 2_000)}', {"path": "a", "tags": [1, 2000]}),
        ("single-item", '{"path": "a", "tags": 5}', {"path": "a", "tags": [5]}),
    ],
)
def test_each_guess(strict: Binding, name: Any, sent: Any, intended: Any) -> None:
    for others in (None, Guesses(), Guesses([each for each in NAMES if each != name])):
        with pytest.raises(ArgumentError):
            strict.decode(sent, guesses=others)
    guesses = Guesses((name,))
    assert json.loads(strict.encode(strict.decode(sent, guesses=guesses))) == intended
    assert [each for each, count in guesses.counts.items() if count] == [name]


@pytest.mark.parametrize(
    "sent",
    [
        '{"path": "a", "count": "5x"}',
        '{"path": "a", "count": "05"}',
        '{"path": "a", "count": "1e999"}',
        '{"path": "", "count": "5"}',  # one that cannot be helped: none is made
        '{"path": ""}',  # required
        '{"count": 5',
        '{"path": "a", "count": 5',  # digits may be missing
        '{"path": "a", "tags": [1',
        '{"path": "a',
        '{"path": "a\\',
        '{"path": "a", "path": "b"',
        '{"path": "a", "range": "{\\"from\\": 1, \\"from\\": 2}"}',
        "```\nno\n```",
        "[" * 5000,
        b"\xff",
        5,
    ],
)
def test_nothing_else_is_guessed(strict: Binding, sent: Any) -> None:
    guesses = Guesses("all")
    with pytest.raises(ArgumentError) as without:
        strict.decode(sent)
    with pytest.raises(ArgumentError) as caught:
        strict.decode(sent, guesses=guesses)
    assert str(caught.value) == str(without.value)
    assert not any(guesses.counts.values())


def test_what_is_accepted_is_left_alone(strict: Binding) -> None:
    guesses = Guesses("all")
    assert strict.decode('{"path": "5", "cursor": "", "note": "abc"}', guesses=guesses).path == "5"
    assert not any(guesses.counts.values())


def test_several_at_once_and_below_each_other(strict: Binding) -> None:
    sent = '```\n{"path": "a", "tags": "5", "range": "{\\"from\\": \\"1.5\\"}", "dry": "false"\n```'
    guesses = Guesses("all")
    params = strict.decode(sent, guesses=guesses)
    assert json.loads(strict.encode(params)) == {
        "path": "a",
        "tags": [5],
        "range": {"from": 1.5},
        "dry": False,
    }
    assert guesses.counts["number"] == 2
    assert guesses.counts["fence"] == 2  # its first line and its last one
    assert guesses.counts["missing-bracket"] == 1


def test_together_with_a_way_back(rich: Binding) -> None:
    sent = '{"headers": [{"key": "a", "value": "1"}], "x_level": "2"'
    params = rich.decode(sent, "acme", Guesses("all"))
    assert json.loads(rich.encode(params)) == {"headers": {"a": 1}, "x-level": 2}


def test_the_registry_makes_them(strict: Binding) -> None:
    async def run(registry: ToolRegistry, **options: Any) -> bool:
        registry.register(strict, lambda *_: None)
        return (await registry.execute("strict", '{"path": "a", "count": "5"}', **options)).success

    guesses = Guesses(["number"])
    assert not asyncio.run(run(ToolRegistry()))
    assert asyncio.run(run(ToolRegistry(guesses=guesses)))
    assert asyncio.run(run(ToolRegistry(), guesses=guesses))
    assert guesses.counts["number"] == 2


def test_all_may_stand_among_names() -> None:
    assert Guesses(["all", "cut-value"]).allow == {*NAMES}
    assert Guesses(["all"]).allow == Guesses("all").allow == {*NAMES} - {"cut-value"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no guess 'numbers'"):
        Guesses(["numbers"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="'all'"):
        Guesses("number")  # type: ignore[arg-type]


VALIDATOR = Validator(PLAIN)


@given(
    st.fixed_dictionaries(
        {"path": ANY},
        optional={
            name: ANY | st.sampled_from(["5", "true", "null", "", "[1]"])
            for name in PLAIN["properties"]
            if name != "path"
        },
    )
)
def test_what_comes_out_is_accepted_and_what_is_accepted_stays(value: Any) -> None:
    found = Fitting(VALIDATOR, Guesses("all").allow, count_parts(value)).fits(value)
    if VALIDATOR.accepts(VALIDATOR.settle(value)):
        assert found == [(VALIDATOR.settle(value), [])]
    assert all(VALIDATOR.accepts(fit.value) for fit in found)


TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
FORMS = {
    "properties": {
        "part": {
            "anyOf": [
                {"properties": {"text": TEXT}, "required": ["text"], "additionalProperties": False},
                {
                    "properties": {
                        "size": WHOLE,
                        "in": {"anyOf": [{"properties": {"n": WHOLE}}, {"properties": {"b": FLAG}}]},
                        "tags": {"type": "array"},
                        "more": {"type": ["object", "null"]},
                    },
                    "required": ["size"],
                    "additionalProperties": False,
                },
            ]
        },
        "note": TEXT,
    }
}  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"part": {"text": "5"}, "note": ""}, {"part": {"text": "5"}, "note": ""}),
        ({"part": {"size": "5", "tags": ""}}, {"part": {"size": 5, "tags": []}}),
        (
            {"part": {"size": "5", "in": {"n": "1", "b": "x"}, "more": ""}},
            {"part": {"size": 5, "in": {"n": 1, "b": "x"}, "more": {}}},
        ),
        ({"part": {"size": "five"}}, None),
        ({"part": {"size": "5", "in": {"n": "1", "b": "true"}}}, None),
    ],
)
def test_texts_in_one_of_several_forms_are_read_as_that_form_wants_them(sent: Any, read: Any) -> None:
    fitting = Fitting(Validator(FORMS), ("number", "boolean", "json-text", "empty-string"), 5)
    found = [fit.value for fit in fitting.fits(sent)]
    assert found == [read] if read is not None else len(found) != 1


@given(st.lists(st.text(max_size=4) | st.integers(0, 3), max_size=4))
@example(["A·", "℘", "a b", "a.b", 0, '"'])  # the first two are names, though `\w` does not match them
def test_paths_are_read_as_they_are_written(steps: list[str | int]) -> None:
    from toolcast.jsonschema.messages import member

    path = "$"
    value: Any = "here"
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else member(path, step)
    for step in reversed(steps):
        value = [value] * 4 if isinstance(step, int) else {step: value}
    assert steps_of(path) == tuple(steps)
    assert value_at(value, tuple(steps)) == "here"
