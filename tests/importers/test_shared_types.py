"""Equal schemas of one import become one file: the same values are valid, and one class serves all tools."""

import json
from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.importers.shared_types import SharedTypes, share_types

NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/Node"}, "leaf": {"$ref": "#/$defs/Leaf"}},
}
LEAF: dict[str, Any] = {
    "type": "object",
    "properties": {"up": {"$ref": "#/$defs/Node"}, "size": {"type": "integer"}},
}


def tool(properties: dict[str, Any], **defs: Any) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    return {"name": "t", "parameters": {**parameters, "$defs": defs} if defs else parameters}


def test_equal_definitions_of_several_tools_are_one_type() -> None:
    node = {"$ref": "#/$defs/Node", "description": "Where."}
    specs = [
        tool({"at": node}, Node=NODE, Leaf=LEAF),
        tool({"from": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}, Node=NODE, Leaf=LEAF),
        tool({"own": {"$ref": "#/$defs/Own"}}, Own={"type": "object"}),
    ]
    made = share_types(specs, "../_types/x")
    assert made.types == {
        "Node": {
            "type": "object",
            "properties": {"next": {"$ref": "Node.yaml"}, "leaf": {"$ref": "Leaf.yaml"}},
        },
        "Leaf": {"type": "object", "properties": {"up": {"$ref": "Node.yaml"}, "size": {"type": "integer"}}},
    }
    first, second, third = made.specs
    assert first["parameters"] == {
        "type": "object",
        "properties": {"at": {"$ref": "../_types/x/Node.yaml", "description": "Where."}},
    }
    assert second["parameters"]["properties"]["from"]["items"] == {"$ref": "../_types/x/Node.yaml"}
    assert third == specs[2]


def test_definitions_that_differ_below_are_not_one_type() -> None:
    other = {**LEAF, "properties": {**LEAF["properties"], "size": {"type": "string"}}}
    at = {"at": {"$ref": "#/$defs/Node"}}
    specs = [tool(at, Node=NODE, Leaf=LEAF), tool(at, Node=NODE, Leaf=other)]
    assert share_types(specs, "x") == SharedTypes(tuple(specs), {})
    both = share_types([*specs, *specs], "x")
    assert len(both.types) == 4  # two of each name
    assert len({json.dumps(each, sort_keys=True) for each in both.types.values()}) == 4


def test_what_refers_elsewhere_stays() -> None:
    for schema in (
        {"$ref": "#"},
        {"$ref": "#/$defs/Leaf/properties/size"},
        {"$ref": "#/properties/at"},
        {"$ref": "https://a.example/x"},
        {"$ref": "#/$defs/None"},
        {"$id": "https://a.example/y", "$ref": "#/$defs/Leaf"},
        {"$dynamicRef": "#a"},
    ):
        specs = [tool({"at": schema}, Leaf={"type": "object"})] * 2
        assert share_types(specs, "x") == SharedTypes(tuple(specs), {})


def test_names_are_fit_for_files() -> None:
    names = ["a/b", "import", "Page[Item]", "page", "Page", "ü"]
    defs = {name: {"type": "object", "title": name} for name in names}
    properties = {str(i): {"$ref": f"#/$defs/{name.replace('/', '~1')}"} for i, name in enumerate(names)}
    made = share_types([tool(properties, **defs)] * 2, "x")
    assert len(made.types) == len(names)
    assert len({stem.lower() for stem in made.types}) == len(names)
    assert all(stem.replace("_", "").isalnum() and stem != "import" for stem in made.types)


SCHEMA = st.recursive(
    st.sampled_from([{"type": "string"}, {"enum": ["a", "b"]}, {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]),
    lambda inner: (
        st.dictionaries(st.sampled_from("xy"), inner, min_size=1).map(
            lambda properties: {"type": "object", "properties": properties}
        )
        | inner.map(lambda item: {"type": "array", "items": item})
    ),
    max_leaves=4,
)
TOOLS = st.tuples(
    st.dictionaries(st.sampled_from("pq"), SCHEMA, min_size=1),
    st.sampled_from([{"type": "object", "properties": {"a": {"$ref": "#/$defs/B"}}}, {"type": "integer"}]),
    st.sampled_from([{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}, {"enum": [1, 2]}]),
).map(lambda parts: tool(parts[0], A=parts[1], B=parts[2]))
VALUES = st.recursive(
    st.sampled_from(["a", "s", 1, 5, None]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xyapq"), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(TOOLS, min_size=1, max_size=4), st.lists(VALUES, min_size=4, max_size=8))
def test_the_same_values_are_valid(specs: list[dict[str, Any]], values: list[Any]) -> None:
    made = share_types(specs, "types")
    base = "https://a.example/"
    registry = jsonschema_rs.Registry(
        [(f"{base}types/{stem}.yaml", schema) for stem, schema in made.types.items()]
    )
    for before, after in zip(specs, made.specs, strict=True):
        plain = jsonschema_rs.Draft202012Validator(before["parameters"])
        schema = {**after["parameters"], "$id": f"{base}spec.yaml"}
        shared = jsonschema_rs.Draft202012Validator(schema, registry=registry)
        for value in values:
            for arguments in (value, {"p": value, "q": value}):
                assert plain.is_valid(arguments) == shared.is_valid(arguments)
