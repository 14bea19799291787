"""The grammar of a contract admits what the contract accepts, and else only what a loss names."""

import json
import math
import random
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import OracleError
from toolcast.text_formats.values import UnwritableError

from bench.fuzz.schemas import compose
from tests.grammars.cases import whole
from tests.sampled import fewer
from tests.text_formats.contracts import Written, built

APPLICATORS = frozenset(("anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "additionalProperties"))
DECODING = frozenset(("nesting", "duplicate"))


@fewer(2)
@given(st.integers(0, 2**40))
def test_no_value_is_locked_out_and_nothing_is_looser_in_silence(seed: int) -> None:
    rng = random.Random(seed)
    made = built(compose(rng))
    assume(made is not None)
    assert made is not None
    try:
        written = Written(made)
        assert written.oracle
    except (UnwritableError, OracleError):
        return
    for value in instances(written.oracle, rng, 6):
        if written.oracle.accepts(value) and isinstance(value, dict) and _is_text(value):
            spellings = (whole(value), value)  # numbers past 20 digits are written with an exponent
            assert any(map(written.accepts_in_order, spellings)), value
    lost = {loss.keyword for loss in written.losses} - DECODING
    for judged, by in (("if", {"then", "else"}), ("prefixItems", {"items"})):
        lost |= by if judged in lost else set()
    for text in written.walks(seed, 5):
        if _repeats_a_key(text):  # decoding refuses it, which is a loss
            continue
        problems = list(written.oracle.problems(json.loads(text)))
        keywords = {str(step) for problem in problems for step in problem.schema_path}
        keywords |= (
            {"contains"} if keywords & {"minContains", "maxContains"} else set()
        )  # it is counted by them
        assert not problems or (lost and keywords & (lost | APPLICATORS)), (text, problems)


def _repeats_a_key(text: str) -> bool:
    repeats: list[bool] = []

    def read(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeats.append(len(pairs) > len(dict(pairs)))
        return dict(pairs)

    json.loads(text, object_pairs_hook=read)
    return any(repeats)


def _is_text(value: Any) -> bool:
    try:
        return len(json.dumps(value, ensure_ascii=False).encode()) < 3000
    except UnicodeEncodeError:  # half of a surrogate pair, which no decoder reads
        return False


BOUNDS = st.one_of(
    st.none(), st.integers(-300, 300), st.floats(-1e4, 1e4), st.sampled_from([0, 1, -1, 1e300])
)


@fewer(2)
@given(BOUNDS, BOUNDS, st.booleans(), st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_numbers_between_bounds(low: Any, high: Any, inclusive: bool, values: list[float]) -> None:
    names = ("minimum", "maximum") if inclusive else ("exclusiveMinimum", "exclusiveMaximum")
    bounds = {name: bound for name, bound in zip(names, (low, high), strict=True) if bound is not None}
    made = built({"type": "object", "properties": {"a": {"type": "number", **bounds}}, "required": ["a"]})
    assume(made is not None)
    assert made is not None
    written = Written(made)
    near = [each for bound in bounds.values() for each in _around(bound)]
    told = {loss.keyword for loss in written.losses}
    for value in (*values, *near):
        broken = _keywords(written, value)
        taken = written.accepts(f'{{"a":{value!r}}}')
        assert broken <= told if taken else broken, value
        if not taken or "e" in repr(value):
            continue
        whole = math.trunc(value)
        assert low is None or whole >= math.trunc(low)
        assert high is None or whole <= math.trunc(high)
    for text in written.walks(1, 8):
        value = msgspec.json.decode(text)["a"]
        assert math.isfinite(value)
        assert _keywords(written, value) <= told, text


def _keywords(written: Written, value: float) -> set[str]:
    return {str([*problem.schema_path][-1]) for problem in written.oracle.problems({"a": value})}


@pytest.mark.parametrize(
    ("schema", "inside", "outside"),
    [
        ({"minimum": 0, "maximum": 1}, ["0", "1", "0.5", "1.00", "1e-7", "9.9E-01"], ["1.1", "-0.1", "1e0"]),
        ({"minimum": -1, "exclusiveMaximum": 1}, ["-1.0", "-0.9", "0", "-1e-3"], ["1", "1.0", "-1.01"]),
        ({"minimum": -9, "maximum": 0}, ["-9", "-0.25", "0.0", "-2e-9"], ["0.1", "-9.1", "-1e0", "1e-9"]),
        ({"minimum": 1, "exclusiveMaximum": 100}, ["1", "99.9"], ["0.9", "100", "1e-1", "1e1", "9e2"]),
        ({"minimum": 5}, ["5", "5.5", "1e16", "1.7976931348623157e308"], ["4.9", "1e0", "1.8e308", "1e999"]),
    ],
)
def test_whole_bounds_of_numbers_are_exact(
    schema: dict[str, Any], inside: list[str], outside: list[str]
) -> None:
    written = Written.of({"type": "number", **schema})
    assert written.losses == ()
    assert [each for each in (*inside, *outside) if written.accepts(f'{{"a":{each}}}')] == inside


@pytest.mark.parametrize("bound", [2**53, 10**400, -(10**400), 1.7976931348623157e308])
def test_bounds_that_no_float_is_beside(bound: float) -> None:
    below = Written.of({"type": "number", "exclusiveMaximum": bound}, {"type": "integer"})
    assert below.accepts('{"a":-1e308,"b":1}')
    assert below.accepts(f'{{"a":{2**53 - 1},"b":1}}') is (bound > 0)
    if bound == 2**53:
        assert Written.of({"type": "number", "exclusiveMinimum": bound}).accepts({"a": bound + 1})
        assert not below.accepts({"a": bound + 2, "b": 1})


def _around(bound: float) -> list[float]:
    near = [math.nextafter(bound, -math.inf), float(bound), math.nextafter(bound, math.inf)]
    return [*near, bound - 1.0, bound + 1.0]


@given(
    st.integers(-(10**5), 10**5), st.integers(0, 10**4), st.lists(st.integers(-(10**6), 10**6), max_size=8)
)
def test_integers_between_bounds(low: int, more: int, values: list[int]) -> None:
    written = Written.of({"type": "integer", "minimum": low, "maximum": low + more})
    for value in (*values, low - 1, low, low + more // 2, low + more, low + more + 1):
        assert written.accepts({"a": value}) is (low <= value <= low + more)


@pytest.mark.parametrize(
    ("schema", "inside", "outside"),
    [
        ({"pattern": "^[a-z]{2,3}$"}, ["ab", "abc"], ["a", "abcd", "ab\n", "1ab"]),
        ({"pattern": "b+"}, ["b", "abbc", '"b"', "\nb"], ["", "ac", "\\"]),
        ({"pattern": "^a|b$"}, ["a", "ax", "xb", "b"], ["xa", "bx", ""]),
        ({"pattern": "^(?:a|b$)"}, ["a", "ac", "b"], ["bc", "cb"]),
        ({"pattern": "^[^\\x00-\\x7f]$"}, ["À", "😀"], ["a", "", "ÀÀ"]),
        ({"minLength": 1, "maxLength": 2}, ["a", "😀é", "\n\x00", "\\"], ["", "abc"]),
        ({"format": "date"}, ["2024-02-29", "2000-02-29"], ["2023-02-29", "1900-02-29", "2024-13-01"]),
        ({"format": "date-time"}, ["2024-01-01T00:00:00Z", "2016-12-31T23:59:60Z"], ["2024-01-01"]),
        ({"format": "ipv4"}, ["0.0.0.0", "255.1.20.3"], ["256.1.1.1", "01.1.1.1"]),
        ({"format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567"]),
    ],
)
def test_strings(schema: dict[str, Any], inside: list[str], outside: list[str]) -> None:
    written = Written.of({"type": "string", **schema})
    assert written.losses == ()
    for text in (*inside, *outside):
        assert written.oracle.accepts({"a": text}) is (text in inside)
        assert written.accepts({"a": text}) is (text in inside)


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "string", "pattern": "^(?=a)"}, "pattern"),
        ({"type": "string", "pattern": r"\ba"}, "pattern"),
        ({"type": "string", "pattern": "^[a-z]+$", "maxLength": 9}, "maxLength"),
        ({"type": "string", "format": "date", "minLength": 1}, "minLength"),
        ({"type": "string", "pattern": "a", "maxLength": 0}, "maxLength"),
        ({"type": "number", "exclusiveMinimum": 0}, "exclusiveMinimum"),
        ({"type": "number", "maximum": 0.5}, "maximum"),
        ({"type": "string", "format": "email"}, "format"),
        ({"type": "string", "format": "ipv6"}, "format"),
        ({"type": "number", "multipleOf": 0.01}, "multipleOf"),
        ({"type": "array", "uniqueItems": True}, "uniqueItems"),
        ({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]}, "oneOf"),
        ({"not": {"const": 1}}, "not"),
        ({"type": "object", "minProperties": 2, "properties": {"x": {}, "y": {}}}, "minProperties"),
        ({"type": "object", "maxProperties": 2, "properties": {"x": {}}}, "maxProperties"),
        ({"type": "object", "additionalProperties": {"type": "null"}}, "duplicate"),
        ({}, "nesting"),
    ],
)
def test_what_is_not_said_is_a_loss(schema: Any, keyword: str) -> None:
    found = [loss for loss in Written.of(schema).losses if loss.keyword == keyword]
    assert [loss.path for loss in found][:1] == ["/parameters/properties/a"]
    assert all(loss.reason for loss in found)


def test_undeclared_properties_come_last_and_never_have_a_declared_name() -> None:
    written = Written.of({}, {"type": "null"}, required=False)
    for text in ('{"a":1, "x": 2}', '{"x":2}', "{}", '{"b":null,"ab":{},"":0}', '{"aa":1,"c":[1, [{}]]}'):
        assert written.accepts(text), text
    for text in ('{"x":1,"a":2}', '{"b":1}', '{"a":1,"a":2}', '{"\\u0061":1}', '{"\\u0062":2}'):
        assert not written.accepts(text), text


def test_an_object_has_a_property_where_it_must_and_maps_are_counted() -> None:
    names = [name * count for count in (1, 2) for name in "pqrs"]
    closed = {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in names},
        "additionalProperties": False,
        "minProperties": 1,
    }
    written = Written.of(closed, {"type": "object", "minProperties": 1, "maxProperties": 2})
    rng = random.Random(1)
    for _ in range(60):
        chosen = [name for name in names if rng.random() < 0.2]
        value = {"a": dict.fromkeys(chosen, 0), "b": dict.fromkeys(chosen[:3], 1)}
        assert written.accepts(value) is written.oracle.accepts(value), value


TREE = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/T"}, "v": {"type": "integer"}},
    "required": ["v"],
    "additionalProperties": False,
}


DEFS: dict[str, Any] = {"$defs": {"T": TREE}}


def test_recursive_definitions() -> None:
    written = Written.of({"$ref": "#/$defs/T"}, **DEFS)
    assert written.accepts({"a": {"next": {"next": {"v": 1}, "v": 2}, "v": 3}})
    assert not written.accepts({"a": {"next": {"next": {}, "v": 2}, "v": 3}})
    assert written.losses == ()


def test_a_branch_without_finite_values_is_left_out() -> None:
    endless = {"type": "object", "properties": {"n": {"$ref": "#/$defs/E"}}, "required": ["n"]}
    made = built(
        {
            "type": "object",
            "properties": {"a": {"anyOf": [{"$ref": "#/$defs/E"}, {"type": "null"}]}},
            "$defs": {"E": endless},
        }
    )
    if made is not None:  # the compiler may refuse it first
        assert Written(made).accepts({"a": None})
        assert not Written(made).accepts('{"a": {')


@pytest.mark.parametrize("name", ["é", "😀", "'", "</x>", "a b", "\x7f", "$", "root", "€" * 60])
def test_names_and_constants_of_any_characters(name: str) -> None:
    value = f'"{name}\\\n\x00'
    made = built(
        {"type": "object", "properties": {name: {"const": value}, "z": {"enum": [name, 1.5, [name, {}]]}}}
    )
    assert made is not None
    written = Written(made)
    assert written.accepts({name: value, "z": name})
    assert written.accepts({name: value, "z": [name, {}]})
    assert not written.accepts({name: "x"})


def test_what_is_too_large_is_refused_in_words() -> None:
    made = built({"type": "object", "properties": {f"p{i}": {"type": "null"} for i in range(1100)}})
    assert made is not None
    with pytest.raises(UnwritableError, match="a grammar says at most") as refused:
        Written(made)
    assert (refused.value.path, refused.value.remedy) == ("/parameters", "nest them")


def test_large_repetitions_stay_small() -> None:
    written = Written.of(
        {"type": "string", "maxLength": 10**9},
        {"type": "string", "pattern": "^(?:a{1000}){1000}$"},
        {"type": "array", "items": {"type": "null"}, "maxItems": 10**6},
    )
    assert len(written.grammar.rules) < 20
    assert {loss.keyword for loss in written.losses} == {"maxLength", "pattern", "maxItems"}


@pytest.mark.parametrize(
    ("keyword", "schema"),
    [
        ("items", {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}, "type": "array"}),
        ("additionalProperties", {"patternProperties": {"^x": {}}, "properties": {"a": {}}}),
        ("additionalProperties", {"patternProperties": {"^x": {}, "^y": {}}}),
        ("additionalProperties", {"properties": {'a"b': {"type": "string"}}}),
    ],
)
def test_what_depends_on_a_keyword_that_is_not_said_is_told_too(keyword: str, schema: Any) -> None:
    closed = {} if keyword == "items" else {"type": "object", "additionalProperties": False}
    losses = Written.of({**schema, **closed}).losses
    assert keyword in {loss.keyword for loss in losses if not loss.stricter}
