"""The forward encoding, by hand-made wire forms: what is sent, and that decoding brings the value back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.instances.oracle import Oracle
from toolcast.analysis.verify.provider_laws import WireEncoder, encode
from toolcast.providers.schema_judge import as_json_schema
from toolcast.runtime.wire import WireBranch, WireForm, WireForms
from toolcast.runtime.wire.decoder import decode_wire

PAIRS: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": {"type": "integer"}},
        "required": ["key", "value"],
        "additionalProperties": False,
    },
}
TEXTS = {"1": 1, "2.5": 2.5, "true": True, "null": None, "a": "a"}


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def wire_forms(form: WireForm, **definitions: WireForm) -> WireForms:
    return WireForms(root=form, definitions={f"#/$defs/{name}": each for name, each in definitions.items()})


def inside(form: WireForm) -> WireForms:
    return wire_forms(WireForm(properties={"x": form}))


def nullable(schema: Any) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def choice(number: int, form: WireForm | None = None, at: str = "/properties/x/anyOf") -> WireBranch:
    return WireBranch(at=f"{at}/{number}", form=form)


STRICT_PAIR = closed(a={"type": "string"}, b={"type": ["string", "null"]})
CASES: list[tuple[str, Any, WireForms | None, Any, Any]] = [
    ("nothing to do", {"type": "object"}, None, {"a": [1]}, {"a": [1]}),
    ("null for absent", STRICT_PAIR, None, {"a": "x"}, {"a": "x", "b": None}),
    (
        "null for absent, in a list behind a reference",
        {**closed(x={"type": "array", "items": {"$ref": "#/$defs/P"}}), "$defs": {"P": STRICT_PAIR}},
        None,
        {"x": [{"a": "x"}, {"a": "y", "b": "z"}]},
        {"x": [{"a": "x", "b": None}, {"a": "y", "b": "z"}]},
    ),
    (
        "the branch that takes it",
        closed(x={"anyOf": [closed(k={"const": "p"}, b={"type": ["string", "null"]}), STRICT_PAIR]}),
        None,
        {"x": {"a": "q"}},
        {"x": {"a": "q", "b": None}},
    ),
    (
        "pairs",
        closed(x=PAIRS),
        inside(WireForm(encoding="pairs")),
        {"x": {"a": 1, "b": 2}},
        {"x": [{"key": "a", "value": 1}, {"key": "b", "value": 2}]},
    ),
    (
        "pairs that take null, absent",
        closed(x=nullable(PAIRS)),
        inside(WireForm(choices=(choice(0, WireForm(encoding="pairs")), choice(1)))),
        {},
        {"x": None},
    ),
    (
        "pairs that take null, present",
        closed(x=nullable(PAIRS)),
        inside(WireForm(choices=(choice(0, WireForm(encoding="pairs")), choice(1)))),
        {"x": {"a": 1}},
        {"x": [{"key": "a", "value": 1}]},
    ),
    (
        "pairs below nullable, as OpenAPI says it",
        {"type": "object", "properties": {"x": {**PAIRS, "nullable": True}}},
        inside(WireForm(encoding="pairs")),
        {"x": {"a": 1}},
        {"x": [{"key": "a", "value": 1}]},
    ),
    (
        "pairs of pairs",
        closed(x={**PAIRS, "items": closed(key={"type": "string"}, value=PAIRS)}),
        inside(WireForm(encoding="pairs", values=WireForm(encoding="pairs"))),
        {"x": {"a": {"b": 1}, "c": {}}},
        {"x": [{"key": "a", "value": [{"key": "b", "value": 1}]}, {"key": "c", "value": []}]},
    ),
    (
        "pairs of strict objects",
        closed(x={**PAIRS, "items": closed(key={"type": "string"}, value=STRICT_PAIR)}),
        inside(WireForm(encoding="pairs")),
        {"x": {"k": {"a": "v"}}},
        {"x": [{"key": "k", "value": {"a": "v", "b": None}}]},
    ),
    (
        "positions",
        closed(x=closed(item_1={"type": "string"}, item_2={"type": ["integer", "null"]})),
        inside(WireForm(encoding="positions", required=1, count=2)),
        {"x": ["a"]},
        {"x": {"item_1": "a", "item_2": None}},
    ),
    (
        "positions and more",
        closed(x=closed(item_1={"type": "string"}, more_items={"type": "array", "items": STRICT_PAIR})),
        inside(WireForm(encoding="positions", count=1)),
        {"x": ["a", {"a": "v"}]},
        {"x": {"item_1": "a", "more_items": [{"a": "v", "b": None}]}},
    ),
    (
        "positions and no more",
        closed(x=closed(item_1={"type": "string"}, more_items={"type": "array"})),
        inside(WireForm(encoding="positions", count=1)),
        {"x": ["a"]},
        {"x": {"item_1": "a", "more_items": []}},
    ),
    (
        "positions that hold pairs",
        closed(x=closed(item_1=PAIRS)),
        inside(WireForm(encoding="positions", count=1, properties={"item_1": WireForm(encoding="pairs")})),
        {"x": [{"a": 1}]},
        {"x": {"item_1": [{"key": "a", "value": 1}]}},
    ),
    (
        "texts",
        closed(x={"enum": list(TEXTS)}),
        inside(WireForm(encoding="texts", texts=TEXTS)),
        {"x": 2.5},
        {"x": "2.5"},
    ),
    (
        "true is not 1",
        closed(x={}),
        inside(WireForm(encoding="texts", texts=TEXTS)),
        {"x": True},
        {"x": "true"},
    ),
    ("1.0 is 1", closed(x={}), inside(WireForm(encoding="texts", texts=TEXTS)), {"x": 1.0}, {"x": "1"}),
    (
        "json",
        closed(x={"type": "string"}),
        inside(WireForm(encoding="json")),
        {"x": {"a": [1, "é", None]}},
        {"x": '{"a": [1, "é", null]}'},
    ),
    (
        "json of a string",
        closed(x={"type": "string"}),
        inside(WireForm(encoding="json")),
        {"x": "1"},
        {"x": '"1"'},
    ),
    (
        "names",
        closed(a_b={"type": "integer"}, c={"type": "integer"}),
        wire_forms(WireForm(names={"a_b": "a b"})),
        {"a b": 1, "c": 2},
        {"a_b": 1, "c": 2},
    ),
    (
        "names, one of them left out",
        closed(a_b={"type": ["integer", "null"]}, c={"type": "integer"}),
        wire_forms(WireForm(names={"a_b": "a b"})),
        {"c": 2},
        {"a_b": None, "c": 2},
    ),
    (
        "names beside pairs",
        closed(a_b=PAIRS),
        wire_forms(WireForm(names={"a_b": "a b"}, properties={"a_b": WireForm(encoding="pairs")})),
        {"a b": {"k": 1}},
        {"a_b": [{"key": "k", "value": 1}]},
    ),
    (
        "rest",
        closed(a={"type": "integer"}, more=PAIRS),
        wire_forms(WireForm(rest="more")),
        {"a": 1, "b": 2},
        {"a": 1, "more": [{"key": "b", "value": 2}]},
    ),
    (
        "rest, none",
        closed(a={"type": "integer"}, more=PAIRS),
        wire_forms(WireForm(rest="more")),
        {"a": 1},
        {"a": 1, "more": []},
    ),
    (
        "rest that takes null, none",
        closed(more=nullable(PAIRS)),
        wire_forms(WireForm(rest="more")),
        {},
        {"more": None},
    ),
    (
        "rest whose values are encoded",
        closed(more=nullable({**PAIRS, "items": closed(key={"type": "string"}, value={"type": "string"})})),
        wire_forms(WireForm(rest="more", values=WireForm(encoding="json"))),
        {"a": [1]},
        {"more": [{"key": "a", "value": "[1]"}]},
    ),
    (
        "rest, when a key is called like it",
        closed(more=PAIRS),
        wire_forms(WireForm(rest="more")),
        {"more": 1},
        {"more": [{"key": "more", "value": 1}]},
    ),
    (
        "no null: absent means null",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        wire_forms(WireForm(nulls=("a",))),
        {"a": None, "b": "x"},
        {"b": "x"},
    ),
    (
        "values of additional properties",
        {"type": "object", "additionalProperties": PAIRS},
        wire_forms(WireForm(values=WireForm(encoding="pairs"))),
        {"k": {"a": 1}},
        {"k": [{"key": "a", "value": 1}]},
    ),
    (
        "items",
        closed(x={"type": "array", "items": PAIRS}),
        inside(WireForm(items=WireForm(encoding="pairs"))),
        {"x": [{"a": 1}, {}]},
        {"x": [[{"key": "a", "value": 1}], []]},
    ),
    (
        "a definition that holds itself",
        {
            **closed(x={"$ref": "#/$defs/T"}),
            "$defs": {"T": {**PAIRS, "items": closed(key={"type": "string"}, value={"$ref": "#/$defs/T"})}},
        },
        wire_forms(
            WireForm(properties={"x": WireForm(ref="#/$defs/T")}),
            T=WireForm(encoding="pairs", values=WireForm(ref="#/$defs/T")),
        ),
        {"x": {"a": {"b": {}}}},
        {"x": [{"key": "a", "value": [{"key": "b", "value": []}]}]},
    ),
    (
        "the branch of the value's kind, though another would take it as it is",
        closed(x={"anyOf": [PAIRS, {"type": "string"}]}),
        inside(WireForm(choices=(choice(0, WireForm(encoding="pairs")), choice(1)))),
        {"x": "a"},
        {"x": "a"},
    ),
    (
        "the second of two encodings",
        closed(x={"anyOf": [closed(item_1={"type": "string"}), PAIRS]}),
        inside(
            WireForm(
                choices=(
                    choice(0, WireForm(encoding="positions", count=1)),
                    choice(1, WireForm(encoding="pairs")),
                )
            )
        ),
        {"x": {"a": 1}},
        {"x": [{"key": "a", "value": 1}]},
    ),
    (
        "one way for all branches",
        closed(x={"anyOf": [{"type": "string"}, PAIRS, {"type": "null"}]}),
        inside(WireForm(encoding="pairs")),
        {"x": {"a": 1}},
        {"x": [{"key": "a", "value": 1}]},
    ),
    (
        "one way for all branches, of which it is not the one",
        closed(x={"anyOf": [PAIRS, {"anyOf": [{"type": "string"}, STRICT_PAIR]}]}),
        inside(WireForm(encoding="pairs")),
        {"x": "a"},
        {"x": "a"},
    ),
    (
        "a branch behind a reference",
        {**closed(x={"anyOf": [{"$ref": "#/$defs/M"}, {"type": "string"}]}), "$defs": {"M": PAIRS}},
        wire_forms(
            WireForm(properties={"x": WireForm(choices=(choice(0, WireForm(ref="#/$defs/M")), choice(1)))}),
            M=WireForm(encoding="pairs"),
        ),
        {"x": {"a": 1}},
        {"x": [{"key": "a", "value": 1}]},
    ),
    (
        "what cannot be encoded stays",
        closed(x=PAIRS, y=STRICT_PAIR),
        inside(WireForm(encoding="pairs")),
        {"x": "neither", "y": {"a": "b"}},
        {"x": "neither", "y": {"a": "b", "b": None}},
    ),
]


each_case = pytest.mark.parametrize(
    ("schema", "form", "value", "sent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)


@each_case
def test_what_is_sent(schema: Any, form: WireForms | None, value: Any, sent: Any) -> None:
    before = json.dumps(value)
    found = encode(value, form, as_json_schema(schema))
    assert found == sent
    assert list(found) == list(sent), "in the order of the schema"
    assert json.dumps(value) == before, "the value itself is left alone"


@each_case
def test_the_way_back_brings_it_back(schema: Any, form: WireForms | None, value: Any, sent: Any) -> None:
    """Both directions are implemented apart. Null for absent is settled by the contract, later."""
    back = sent if form is None else decode_wire(sent, form, schema)
    assert without_nulls(back) == without_nulls(value)


def without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return value


def test_the_branch_that_takes_every_key_comes_before_one_that_loses_some() -> None:
    """Where the ledger says that objects are closed, a key may go; but not if another branch has it."""
    text = {"type": "string"}
    union = {"anyOf": [closed(a=text), {"type": "object", "properties": {"a": text}}]}
    schema = {"type": "object", "properties": {"x": union, "y": {"anyOf": [closed(a=text)]}}}
    value = {"x": {"a": "b", "c": 1}, "y": {"a": "b", "c": 1}}
    sent = WireEncoder(Oracle(schema), None, closes=True).encoded(value)
    assert sent == {"x": value["x"], "y": {"a": "b"}}


KEYS = st.sampled_from(["a", "b c", "", "key", "value"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=6,
)


@given(value=st.fixed_dictionaries({"x": JSON}))
def test_any_value_is_encoded_in_bounded_time(value: Any) -> None:
    """Also where unions of unions are tried, and none of them fits."""
    union = {"$ref": "#/$defs/U"}
    branches = [{"type": "array", "items": union}, {"type": "object", "additionalProperties": union}]
    encode(value, None, {**closed(x=union), "$defs": {"U": {"anyOf": [{"anyOf": branches}, *branches]}}})


@given(maps=st.dictionaries(KEYS, st.dictionaries(KEYS, st.integers(), max_size=2), max_size=3))
def test_pairs_say_every_key_once(maps: Any) -> None:
    schema = closed(x={**PAIRS, "items": closed(key={"type": "string"}, value=PAIRS)})
    sent = encode({"x": maps}, inside(WireForm(encoding="pairs", values=WireForm(encoding="pairs"))), schema)[
        "x"
    ]
    assert {pair["key"]: {p["key"]: p["value"] for p in pair["value"]} for pair in sent} == maps
    assert len(sent) == len(maps)
