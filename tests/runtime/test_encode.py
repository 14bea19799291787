"""Typed values go back to the JSON they came from."""

import json
from typing import Any, ClassVar

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType
from toolcast.runtime.codec import with_defaults, without_defaults
from toolcast.runtime.support import encode_json, to_builtins

from tests.python.compiled import package, spec
from tests.runtime.sample.misc.note import NOTE


class Open(Struct, frozen=True, kw_only=True):
    __toolcast_extra__: ClassVar[str] = "extra"

    name: str = msgspec.field(name="the-name", default="n")
    inner: "Open | UnsetType | None" = UNSET
    extra: "dict[str, Open | int]" = {}


class Holder(Struct, frozen=True, tag_field="kind", tag="holder"):
    items: list[Open]
    by_name: dict[str, Open]
    pair: tuple[Open, int]
    flat: int = 1


def test_further_properties_stand_beside_named_ones() -> None:
    value = Open(name="a", extra={"x": 1, "y": Open(name="b", extra={"z": 2})})
    assert to_builtins(value) == {"the-name": "a", "x": 1, "y": {"the-name": "b", "z": 2}}


def test_at_any_depth() -> None:
    one = Open(extra={"q": 1})
    flat = {"the-name": "n", "q": 1}
    encoded = json.loads(encode_json(Holder([one], {"k": one}, (one, 3))))
    assert encoded == {
        "kind": "holder",
        "items": [flat],
        "by_name": {"k": flat},
        "pair": [flat, 3],
        "flat": 1,
    }


def test_unset_stays_absent_and_null_stays_null() -> None:
    assert to_builtins(Open(inner=None)) == {"the-name": "n", "inner": None}
    assert "inner" not in to_builtins(Open())


def test_a_named_property_is_not_overwritten() -> None:
    assert to_builtins(Open(name="real", extra={"the-name": 5})) == {"the-name": "real"}


class Filled(Struct, frozen=True, kw_only=True):
    flags: list[bool] = msgspec.field(default_factory=lambda: [True])
    parts: dict[str, Open] = msgspec.field(default_factory=lambda: {"p": Open()})
    empty: list[int] = []
    size: int | UnsetType = UNSET
    inner: "Filled | None" = None


def test_both_ways_to_treat_defaults() -> None:
    assert without_defaults(Filled(inner=Filled())) == {"inner": {}}
    complete = {"flags": [True], "parts": {"p": {"the-name": "n"}}, "empty": []}
    assert with_defaults(Filled(inner=Filled())) == {**complete, "inner": complete}


def test_what_only_resembles_a_default_is_written() -> None:
    alike: Any = [1]  # Python has 1 == True; JSON has not
    assert without_defaults(Filled(flags=alike, size=0)) == {"flags": [1], "size": 0}
    assert without_defaults(Filled(parts={"p": Open(name="m")})) == {"parts": {"p": {"the-name": "m"}}}


def test_without_further_properties_it_is_msgspec() -> None:
    class Plain(Struct, array_like=True):
        a: int
        b: frozenset[str]

    value = {"p": [Plain(1, frozenset({"x"}))], 3: None}
    assert encode_json(value) == msgspec.json.encode(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["a", "extra", "b", "text2"]), JSON, min_size=1))
def test_decode_then_encode_gives_the_same_object(value: dict[str, Any]) -> None:
    decoded = NOTE.decode(json.dumps(value))
    assert decoded.extra == value
    assert json.loads(NOTE.encode(decoded)) == value


def test_a_null_that_is_a_default_is_written_where_the_property_is_asked_for() -> None:
    parameters = {
        "type": "object",
        "properties": {"a": {"type": ["array", "null"], "default": None}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}],
    }
    with package({"t.json": spec(parameters)}) as found:
        binding = found["t"]
        assert json.loads(binding.encode(binding.decode('{"a": null}'))) == {"a": None}


def test_a_huge_float_that_only_counts_as_itself_is_written_as_it_is() -> None:
    """10**300 is no multiple of 1.5, and the integer nearest to it in binary is one."""
    condition = {"if": {"multipleOf": 1.5}, "then": {"type": "null"}}
    value = {"if": condition, "then": {"type": "integer"}, "else": {"type": "array"}}
    with package({"t.json": spec({"type": "object", "properties": {"value": value}})}) as found:
        binding = found["t"]
        assert json.loads(binding.encode(binding.decode('{"value": 1e300}'))) == {"value": 1e300}
