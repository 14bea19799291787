"""Circles of references, open objects that say so, dialects that are always strict, and sound profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.providers import Dialect, Profile, load_profile_file, normalize
from toolcast.providers.profiles.dialect import contradictions
from toolcast.providers.profiles.profile import ProfileError

from tests.providers.axes.common import NONE, PLAIN, actions, laws, profile, stated

NODE = {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}}
PLAIN_NODE = {"type": "object", "properties": {"leaf": {"$ref": "#/$defs/Leaf"}}}


def rooted(**definitions: Any) -> dict[str, Any]:
    properties = {name: {"$ref": f"#/$defs/{name}"} for name in definitions}
    return {"type": "object", "properties": properties, "$defs": definitions}


def depth(node: Any) -> int:
    return 1 + depth(node["properties"]["next"]) if "properties" in node else 0


@pytest.mark.parametrize("recursion", [1, 2])
def test_circles_are_unrolled_and_other_references_stay(recursion: int) -> None:
    contract = rooted(Node=NODE, Plain=PLAIN_NODE, Leaf={"type": "string"})
    result = laws(contract, profile(cycles="unroll", recursion=recursion))
    assert result.schema["properties"] == contract["properties"]
    assert result.schema["$defs"]["Plain"] == PLAIN_NODE
    assert depth(result.schema["$defs"]["Node"]) == 1 + recursion
    assert ("/$defs/Node/properties/next", "$ref", "inlined") in actions(result)
    value: Any = {"v": 0}
    for i in range(5):
        value = {"v": i, "next": value}
    assert jsonschema_rs.validator_for(result.schema).is_valid({"Node": value})


def circles(schema: Any) -> bool:
    """Whether something in an output leads to itself; `#` is all that stands outside definitions."""
    definitions = schema.get("$defs", {})
    refers = {name: set(_references(one)) for name, one in definitions.items()}
    refers["#"] = set(_references({key: one for key, one in schema.items() if key != "$defs"}))
    for start in refers:
        seen, waiting = set[str](), list(refers[start])
        while waiting:
            name = waiting.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                waiting += refers.get(name, ())
    return False


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"].removeprefix("#/$defs/")] if isinstance(node.get("$ref"), str) else []
        return own + [name for child in node.values() for name in _references(child)]
    return [name for child in node for name in _references(child)] if isinstance(node, list) else []


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Definitions that refer to each other, and to the root, at random."""
    names = ["A", "B", "C", "D"]
    targets = st.sampled_from([*(f"#/$defs/{name}" for name in names), "#"])
    reference = targets.map(lambda target: {"$ref": target})
    inner = st.one_of(
        reference,
        reference.map(lambda one: {**one, "description": "more"}),
        reference.map(lambda one: {"type": "array", "items": one}),
        st.lists(reference, min_size=1, max_size=2).map(lambda ones: {"anyOf": [*ones, {"type": "null"}]}),
    )
    objects = st.dictionaries(st.sampled_from(["p", "q"]), inner, max_size=2).map(
        lambda properties: {"type": "object", "properties": properties}
    )
    root = draw(objects)
    return {**root, "$defs": {name: draw(objects) for name in names}}


@given(contract=graphs(), siblings=st.booleans())
def test_no_circle_is_left(contract: Any, siblings: bool) -> None:
    axes = {} if siblings else {"ref_siblings": False}
    result = laws(contract, profile(cycles="unroll", ref_targets="definitions", **axes))
    assert not circles(result.schema)
    jsonschema_rs.validator_for(result.schema)


PRUNED: dict[str, Any] = {"prune_definitions": True, "ref_targets": "definitions"}


@given(contract=graphs())
def test_a_circle_blocks_where_it_cannot_be_expressed(contract: Any) -> None:
    strict = Profile(id="t", dated="2026-11-21", envelope={}, strict=Dialect(cycles="block", **PRUNED))
    result = normalize(contract, strict)
    used = normalize(contract, profile(**PRUNED)).schema
    assert result.strict == (not circles(used))


ROOM = {"type": "object", "properties": {"x": {"type": "string"}}}
ITEMS = {"$ref": "#/properties/d/items"}


@pytest.mark.parametrize(
    ("properties", "strict"),
    [
        ({"c": ITEMS, "d": {"type": "array", "items": ROOM}}, True),
        ({"c": ITEMS, "d": {"type": "array", "items": {"$ref": "#/$defs/E"}}}, True),
        ({"c": ITEMS, "d": {"type": "array", "items": {"type": "array", "items": ITEMS}}}, False),
        ({"c": ITEMS, "d": {"type": "array", "items": {"type": "array", "items": {"$ref": "#"}}}}, False),
        ({"c": ITEMS, "d": {"type": "array", "items": {"$ref": "#/$defs/F"}}}, False),
    ],
)
def test_a_reference_into_the_root_is_no_circle_of_itself(properties: Any, strict: bool) -> None:
    definitions = {"E": ROOM, "F": {"type": "object", "properties": {"c": {"$ref": "#/properties/c"}}}}
    contract = {"type": "object", "properties": properties, "$defs": definitions}
    of = Profile(id="t", dated="2026-11-21", envelope={}, strict=Dialect(cycles="block", **PRUNED))
    assert normalize(contract, of).strict is strict


def test_open_objects_say_so() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    contract = {
        "type": "object",
        "properties": {
            "silent": inner,
            "closed": {**inner, "additionalProperties": False},
            "both": {"allOf": [inner, {"properties": {"b": {"type": "string"}}}]},
            "not": {"not": {"required": ["a"]}},
            "evaluated": {"type": "object", "unevaluatedProperties": False},
        },
        "default": {"properties": {}},
    }
    result = laws(contract, profile(open="explicit"))
    wide = {"additionalProperties": True}
    properties = result.schema["properties"]
    assert properties["silent"] == {**inner, **wide}
    assert properties["closed"] == {**inner, "additionalProperties": False}
    branches = [{**inner, **wide}, {"properties": {"b": {"type": "string"}}, **wide}]
    assert properties["both"] == {"allOf": branches}
    assert properties["not"] == {"not": {"required": ["a"], **wide}}
    assert properties["evaluated"] == {"type": "object", **wide}
    assert ("/properties/evaluated", "unevaluatedProperties", "dropped") in actions(result)
    assert result.schema["default"] == {"properties": {}}
    assert result.schema["additionalProperties"] is True
    assert ("/properties/silent", "additionalProperties", "rewritten") in actions(result)


def test_what_is_always_strict_has_nothing_to_fall_back_to() -> None:
    always = Profile(
        id="t", dated="2026-11-21", envelope={}, dialect=Dialect(block=("not",)), always_strict=True
    )
    contract = {"type": "object", "properties": {"a": {"not": {"type": "string"}}}}
    for strict in (None, True, False):
        result = normalize(contract, always, strict=strict)
        assert result.schema == {"type": "object", "properties": {"a": {}}}
        assert result.strict is None
        assert [(entry.path, entry.keyword, entry.severity) for entry in result.ledger] == [
            ("/properties/a", "not", "reject")
        ]
    assert normalize({"type": "object"}, always, strict=True).ledger == ()


@pytest.mark.parametrize(
    ("axes", "reported"),
    [
        ({"maps": "pairs"}, 'maps = "pairs" change what is sent, and not, if'),
        ({"tuples": "object"}, 'tuples = "object"'),
        ({"enums": "strings"}, 'enums = "strings"'),
        ({"any_of": "none"}, "allOf"),
        ({**PLAIN, "null": "absent", "type_arrays": "nullable"}, "contradict"),
        ({**NONE, "null": "keep"}, 'type-arrays = "single" needs'),
        ({**NONE, "untyped": "union"}, "needs a union"),
        ({**NONE, "optional": "also-null"}, "contradict"),
        ({"open": "explicit", "drop": ("additionalProperties",)}, "needs additionalProperties"),
        ({**PLAIN, "tuples": "keep", "untyped": "json"}, "prefixItems"),
        ({"open": "explicit", "closed": True}, "contradict"),
        ({"any_of": "alone", "one_of": "any-of", "max_branches": 7}, "at least 8"),
        ({"max_branches": 10}, "max-branches needs"),
        ({"cycles": "unroll", "refs": "inline"}, "cycles"),
        ({**PLAIN, "any_of": "only", "type_arrays": "nullable"}, 'refs = "inline"'),
    ],
)
def test_axes_that_cannot_go_together_are_named(axes: dict[str, Any], reported: str) -> None:
    assert any(reported in sentence for sentence in contradictions(Dialect(**axes)))


def test_a_profile_whose_axes_contradict_each_other_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "acme.toml"
    file.write_text(
        'base = "mcp"\nid = "acme"\n[dialect]\nopen = "explicit"\nclosed = true\n', encoding="utf-8"
    )
    with pytest.raises(ProfileError, match="contradict each other"):
        load_profile_file(file)


@pytest.mark.parametrize(
    "axes",
    [
        *({}, PLAIN, NONE, {**PLAIN, "maps": "pairs"}, {"optional": "also-null"}, {"open": "explicit"}),
        {**PLAIN, "tuples": "keep", "enums": "alike"},
    ],
)
def test_axes_that_go_together(axes: dict[str, Any]) -> None:
    assert contradictions(Dialect(**axes)) == ()


def test_enums_inside_tuples_are_sent_as_strings_too() -> None:
    inner = {"type": "array", "prefixItems": [{"type": "object", "properties": {"k": {"enum": [1, "a"]}}}]}
    result = laws(
        {"type": "object", "properties": {"a": inner}}, profile(**{**PLAIN, "tuples": "keep"}, enums="alike")
    )
    kind = result.schema["properties"]["a"]["prefixItems"][0]["properties"]["k"]
    assert kind == {"type": "string", "enum": ["1", "a"]}
    assert result.wire_forms is not None
    fixed = result.wire_forms.root.properties["a"].prefix[0]
    assert fixed is not None
    assert fixed.properties["k"].texts == {"1": 1, "a": "a"}


def test_the_plain_dialect_changes_nothing() -> None:
    contract = {"type": ["string", "null"], "pattern": "a", "anyOf": [{"type": "string"}]}
    assert stated(contract).schema["properties"]["a"] == contract
