"""The independent verdict, against cases worked out by hand from the wording of the law."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.instances.oracle import Oracle, path_of
from toolcast.analysis.instances.shrink import inside

PLAIN = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0},
        "note": {"type": ["string", "null"]},
        "inner": {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": False},
        "list": {"type": "array", "items": {"type": "object", "properties": {"y": {"const": 1}}}},
    },
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ({"name": "a"}, True),
        ({"name": "a", "age": None}, True),  # optional, not nullable: absent
        ({"name": "a", "age": 3.0}, True),  # a whole float is an integer
        ({"name": "a", "age": 3.5}, False),
        ({"name": "a", "note": None}, True),
        ({"name": None}, False),  # required: null is no absence
        ({"name": "a", "other": None}, False),  # undeclared: null is a value
        ({"name": "a", "inner": {"x": None}}, True),
        ({"name": "a", "inner": {"z": None}}, False),
        ({"name": "a", "list": [{"y": None}, {"y": 1}]}, True),
        ({"name": "a", "list": [None]}, False),
        ([], False),
    ],
)
def test_allowances_of_plain_objects(value: Any, verdict: bool) -> None:
    assert Oracle(PLAIN).verdict(value) is verdict


KEYS = ("", "0", "1", "01", "+1", "-1", "a", "/", "~")
NUMBERS_ONLY = {
    "additionalProperties": {"$ref": "#"},
    "items": {"$ref": "#"},
    "type": ["object", "array", "integer"],
}


@given(
    st.recursive(
        st.integers() | st.text(max_size=3),
        lambda below: st.dictionaries(st.sampled_from(KEYS), below, max_size=3) | st.lists(below, max_size=3),
    )
)
def test_a_violation_is_found_at_its_place(value: Any) -> None:
    found = [path_of(problem, value) for problem in Oracle(NUMBERS_ONLY).problems(value)]
    wrong = {path for path, each in inside(value) if isinstance(each, str)}
    assert bool(found) == bool(wrong)
    assert set(found) <= wrong


@pytest.mark.parametrize("key", ["+7", "007", pytest.param("0" * 5000 + "7", id="zeros")])
def test_a_violation_is_found_at_a_key_that_reads_like_a_number(key: str) -> None:
    (problem,) = Oracle(NUMBERS_ONLY).problems({key: "no number"})
    assert tuple(problem.instance_path) == (7,)
    assert path_of(problem, {key: "no number"}) == (key,)


def test_alternatives_leave_a_null_open_but_never_what_no_reading_accepts() -> None:
    oracle = Oracle({"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["b"]}, False]})
    assert oracle.verdict({"a": None, "b": 1}) is None
    assert oracle.verdict({"a": None}) is False


def test_definitions_recursion_and_named_roots() -> None:
    document = {
        "parameters": {
            "type": "object",
            "properties": {"next": {"$ref": "#/parameters"}, "v": {"$ref": "#/$defs/V"}},
        },
        "$defs": {"V": {"type": "integer"}},
    }
    oracle = Oracle(document, "/parameters")
    assert oracle.verdict({"next": {"next": {"v": 1}}}) is True
    assert oracle.verdict({"next": {"next": {"v": "1"}}}) is False
    assert oracle.verdict({"next": {"next": None, "v": None}}) is True


def test_formats_are_annotations_unless_named() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"format": "ipv4"}, "b": {"format": "uuid"}},
    }
    assert Oracle(schema).accepts({"a": "x", "b": "x"})
    named = Oracle(schema, formats=frozenset({"ipv4"}))
    assert not named.accepts({"a": "x"})
    assert named.accepts({"b": "x"})
    assert schema["properties"]["b"] == {"format": "uuid"}, "the input is left alone"


def test_a_large_float_is_not_refused_for_how_it_is_written() -> None:
    oracle = Oracle({"maximum": 2**64, "items": {"minimum": 0}})
    assert not oracle.refuses(2.0**64), "it is the bound itself"
    assert oracle.refuses(2.0**65)
    assert oracle.refuses([2.0**64, -1])


def test_a_large_float_is_not_accepted_for_how_it_is_written() -> None:
    oracle = Oracle({"exclusiveMinimum": 2**63})
    assert not oracle.surely_accepts(2.0**63), "it is the bound itself"
    assert oracle.surely_accepts(2.0**64)


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028", "\u2029"])
def test_a_dot_stops_at_every_end_of_a_line(end: str) -> None:
    dot = Oracle({"type": "string", "pattern": "^.$"})
    assert not dot.accepts(end)
    assert dot.accepts("a")
    assert Oracle({"type": "string", "pattern": r"^[.]\.$"}).accepts("..")


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("time", "12:00:00.5Z", "12:00:0.Z"),
        ("date", "2020-02-29", "+020-01-01"),
        ("date-time", "1996-12-19T16:39:57-08:00", "1996-12-19T1-:39:57-08:00"),
        ("date-time", "1990-12-31t23:59:60z", "2020-01-01T12:00:0.Z"),
        ("date", "2024-02-29", "2023-02-29"),
    ],
)
def test_dates_and_times_are_those_of_the_rfc(name: str, right: str, wrong: str) -> None:
    judge = Oracle({"format": name}, formats=frozenset({name}))
    assert judge.accepts(right)
    assert judge.accepts(5)
    assert not judge.accepts(wrong)
    assert Oracle({"format": name}).accepts(wrong)  # an annotation
