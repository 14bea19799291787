"""What a provider's dialect made of a value is undone exactly; what is not in that form stays as it is."""

import copy
import json
import sys
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.wire import WireBranch, WireForm, WireForms
from toolcast.runtime.wire.decoder import WireDecoder, decode_wire

from tests.runtime.wire.wire_values import ANY, World, united, worlds


def there(form: WireForm, value: Any, document: dict[str, Any] | None = None, **definitions: WireForm) -> Any:
    return decode_wire(value, WireForms(root=form, definitions=definitions), document or {})


@given(worlds(), st.data())
def test_every_encoding_is_decoded(world: World, data: st.DataObject) -> None:
    plain = data.draw(world.plain)
    sent = world.send(plain)
    assert jsonschema_rs.is_valid(world.schema, sent)
    before = copy.deepcopy(sent)
    found = decode_wire(sent, WireForms(root=world.form), world.schema)
    assert json.dumps(found, sort_keys=True) == json.dumps(plain, sort_keys=True)
    assert sent == before


@given(st.lists(worlds(), min_size=1, max_size=4), st.data())
def test_of_a_union_the_right_branch(drawn: list[World], data: st.DataObject) -> None:
    branches = list({world.kind: world for world in drawn}.values())
    form, schema = united(branches)
    world = data.draw(st.sampled_from(branches))
    plain = data.draw(world.plain)
    found = decode_wire(world.send(plain), WireForms(root=form), schema)
    assert json.dumps(found, sort_keys=True) == json.dumps(plain, sort_keys=True)


@given(worlds(), ANY)
def test_any_value_comes_through_and_is_not_changed(world: World, value: Any) -> None:
    before = copy.deepcopy(value)
    decode_wire(value, WireForms(root=world.form), world.schema)
    assert value == before


@given(worlds(), st.data())
def test_ways_survive_their_file(world: World, data: st.DataObject) -> None:
    import msgspec

    wire_forms = WireForms(root=world.form)
    again = msgspec.json.decode(msgspec.json.encode(wire_forms), type=WireForms)
    sent = world.send(data.draw(world.plain))
    assert json.dumps(decode_wire(sent, again, world.schema)) == json.dumps(
        decode_wire(sent, wire_forms, world.schema)
    )


PAIRS = WireForm(encoding="pairs", values=WireForm(encoding="json"))


@pytest.mark.parametrize(
    ("sent", "intended"),
    [
        ([], {}),
        ([{"key": "a", "value": "1"}], {"a": 1}),
        ({"a": "1"}, {"a": 1}),  # the contract's form, its values encoded
        ([{"key": "a", "value": "1"}, {"key": "a", "value": "2"}], ...),
        ([{"key": "a", "value": "1", "note": "x"}], ...),
        ([{"key": "a"}], ...),
        ([{"key": 1, "value": "1"}], ...),
        (["a"], ...),
        ("a", ...),
        (None, ...),
    ],
)
def test_pairs(sent: Any, intended: Any) -> None:
    assert there(PAIRS, sent) == (sent if intended is ... else intended)


TUPLE = WireForm(
    encoding="positions",
    required=1,
    count=2,
    properties={"item_2": WireForm(encoding="json"), "more_items": WireForm(items=WireForm(encoding="json"))},
)


@pytest.mark.parametrize(
    ("sent", "intended"),
    [
        ({"item_1": "5"}, ["5"]),
        ({"item_1": "5", "item_2": "5"}, ["5", 5]),
        ({"item_1": "5", "item_2": None}, ["5"]),
        ({"item_1": "5", "item_2": None, "more_items": None}, ["5"]),
        ({"item_1": "5", "item_2": "6", "more_items": ["7", "8"]}, ["5", 6, 7, 8]),
        ({"item_1": "5", "item_2": "6", "more_items": []}, ["5", 6]),
        ({"item_1": None, "item_2": "6"}, [None, 6]),  # always there, so null is its value
        (["5", "6", "7"], ["5", 6, 7]),  # the contract's form
        ({"item_2": "6"}, ...),
        ({"item_1": "5", "item_2": None, "more_items": ["7"]}, ...),
        ({"item_1": "5", "more_items": ["7"]}, ...),
        ({"item_1": "5", "item_2": "6", "more_items": "7"}, ...),
        ({"item_1": "5", "x": 1}, ...),
    ],
)
def test_positions(sent: Any, intended: Any) -> None:
    assert there(TUPLE, sent) == (sent if intended is ... else intended)


def test_without_more_items_there_are_none() -> None:
    form = WireForm(encoding="positions", count=1)
    assert there(form, {"item_1": 1, "item_2": 2}) == {"item_1": 1, "item_2": 2}
    assert there(form, {}) == []


@pytest.mark.parametrize(
    ("sent", "intended"),
    [
        ("1", 1),
        ('"1"', "1"),
        ('{"a": [1]}', {"a": [1]}),
        ("hello", "hello"),
        ("", ""),
        ("1 2", "1 2"),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),  # which of the two was meant nobody knows
        ('{"a\\u003ab": 1}', {"a:b": 1}),
        ("[" * 100_000, "[" * 100_000),
        (5, 5),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_json_text(sent: Any, intended: Any) -> None:
    assert there(WireForm(encoding="json"), sent) == intended


def test_names_never_overwrite() -> None:
    form = WireForm(names={"a_b": "a-b"}, properties={"a_b": WireForm(encoding="json")})
    assert there(form, {"a_b": "1", "c": "1"}) == {"a-b": 1, "c": "1"}
    assert there(form, {"a-b": "1"}) == {"a-b": 1}
    assert there(form, {"a_b": "1", "a-b": "2"}) == {"a_b": 1, "a-b": 2}


def test_the_rest_of_an_object() -> None:
    form = WireForm(rest="rest", values=WireForm(encoding="json"), properties={"a": WireForm()})
    assert there(form, {"a": "1", "rest": [{"key": "b", "value": "2"}]}) == {"a": "1", "b": 2}
    assert there(form, {"a": "1", "rest": None}) == {"a": "1"}
    assert there(form, {"a": "1", "rest": {"b": "2"}}) == {"a": "1", "b": 2}
    assert there(form, {"a": "1", "b": "2"}) == {"a": "1", "b": 2}
    twice = {"a": "1", "rest": [{"key": "a", "value": "2"}]}
    assert there(WireForm(rest="rest"), twice) == twice


def test_values_are_not_those_of_declared_properties() -> None:
    form = WireForm(values=WireForm(encoding="json"), properties={"a": WireForm()})
    assert there(form, {"a": "1", "b": "1"}) == {"a": "1", "b": 1}


def test_nulls_are_given_back() -> None:
    assert there(WireForm(nulls=("a", "b")), {"a": 1}) == {"a": 1, "b": None}


def test_references_and_recursion() -> None:
    node = WireForm(properties={"more": WireForm(ref="node"), "x": WireForm(encoding="json")})
    assert there(WireForm(ref="node"), {"x": "1", "more": {"x": "2"}}, node=node) == {
        "x": 1,
        "more": {"x": 2},
    }
    assert there(WireForm(ref="a"), {"x": 1}, a=WireForm(ref="b"), b=WireForm(ref="a")) == {"x": 1}
    assert there(WireForm(ref="gone"), {"x": 1}) == {"x": 1}


def deep(levels: int) -> tuple[WireForm, Any, Any]:
    sent: Any = {"x": "1"}
    intended: Any = {"x": 1}
    for _ in range(levels):
        sent, intended = {"more": [sent]}, {"more": [intended]}
    node = WireForm(properties={"more": WireForm(items=WireForm(ref="node")), "x": WireForm(encoding="json")})
    return node, sent, intended


def test_deep_values_from_deep_stacks() -> None:
    node, sent, intended = deep(95)
    back = WireDecoder(WireForms(root=WireForm(ref="node"), definitions={"node": node}), {})

    def at(frames: int) -> Any:
        return back(sent) if frames == 0 else at(frames - 1)

    used = len(__import__("inspect").stack())
    assert at(sys.getrecursionlimit() - used - 60) == intended


def test_what_is_too_deep_stays() -> None:
    node, sent, _ = deep(2000)
    assert there(WireForm(ref="node"), sent, node=node) is sent


UNION = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": "a"}, "v": {"type": "string"}},
            "required": ["kind"],
        },
        {
            "type": "object",
            "properties": {"kind": {"const": "b"}, "v": {"type": "string"}},
            "required": ["kind"],
        },
        {"type": "array", "nullable": True, "items": {"$ref": "#/$defs/n"}},
    ],
    "$defs": {"n": {"type": "integer", "nullable": True}},
}
CHOICES = WireForm(
    choices=(
        WireBranch(at="/anyOf/0", form=WireForm(properties={"v": WireForm(encoding="json")})),
        WireBranch(at="/anyOf/1"),
        WireBranch(at="/anyOf/2", form=WireForm(items=WireForm(encoding="json"))),
    )
)


def test_choices_by_schema_and_by_type() -> None:
    assert there(CHOICES, {"kind": "a", "v": "1"}, UNION) == {"kind": "a", "v": 1}
    assert there(CHOICES, {"kind": "b", "v": "1"}, UNION) == {"kind": "b", "v": "1"}
    assert there(CHOICES, {"kind": "c", "v": "1"}, UNION) == {"kind": "c", "v": "1"}
    assert there(CHOICES, ["1"], UNION) == [1]  # the only branch that takes lists
    assert there(CHOICES, None, UNION) is None
    assert there(CHOICES, "1", UNION) == "1"


def test_choices_under_nullable() -> None:
    schema = {"anyOf": [{"type": "array", "items": {"type": "string", "nullable": True}}, {"type": "array"}]}
    form = WireForm(
        choices=(
            WireBranch(at="/anyOf/0", form=WireForm(items=WireForm(encoding="json"))),
            WireBranch(at="/anyOf/1"),
        )
    )
    assert there(form, [None, "1"], schema) == [None, 1]
    assert there(form, [5, "1"], schema) == [5, "1"]


def test_literals_are_no_ones_to_change() -> None:
    form = WireForm(encoding="texts", texts={"x": {"a": [1]}})
    back = WireDecoder(WireForms(root=form), {})
    back("x")["a"].append(2)
    assert back("x") == {"a": [1]}
