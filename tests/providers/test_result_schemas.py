"""Schemas of results: what is left out widens them, and they describe what is really sent back."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.agents.dispatch.call import Call
from toolcast.agents.dispatch.render_results import render
from toolcast.providers import ToolInfo, load_profile, normalize, tool_object
from toolcast.providers.profiles.profile import ResultRules
from toolcast.providers.result_schemas import fitted, in_cycles, in_response, may_be_text
from toolcast.runtime.result import ToolResult

from tests.providers.strategies import contracts
from tests.providers.values import instances

GEMINI = load_profile("gemini").result
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 2.5, "", "a", "aaa", "2020-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "type"]), inner),
    max_leaves=5,
)


def accepts(schema: Any, value: Any) -> bool:
    return bool(jsonschema_rs.Draft202012Validator(schema).is_valid(value))


@given(data=st.data(), contract=contracts())
def test_no_result_is_refused_that_the_contract_accepts(data: st.DataObject, contract: Any) -> None:
    """Under Gemini's list and under any other list of keywords."""
    words = sorted({word for node in _nodes(contract) for word in node})
    kept = data.draw(
        st.one_of(st.just(GEMINI.keep), st.lists(st.sampled_from([*words, "$defs"]), unique=True))
    )
    made, ledger = fitted(contract, ResultRules(keep=tuple(kept)))
    value = data.draw(st.one_of(instances(contract, contract), VALUES))
    if accepts(contract, value):
        assert accepts(made, value)
    found = {word for node in _nodes(made) for word in node}
    assert found <= {*kept, "enum", "anyOf"} if kept else made == contract
    assert all(entry.of == "result" for entry in ledger)


@given(contract=contracts())
def test_what_a_result_lacks_is_in_the_ledger(contract: Any) -> None:
    """Every keyword of the contract stands at its place, or an entry names it or what it stands in."""
    made, ledger = fitted(contract, GEMINI)
    named = {f"{entry.path}/{entry.keyword}" for entry in ledger}
    there = {place.replace("/oneOf/", "/anyOf/") for place in _places(made)}
    for place in _places(contract):
        steps = place.split("/")
        covered = any("/".join(steps[:count]) in named for count in range(2, len(steps) + 1))
        assert covered or place.replace("/oneOf/", "/anyOf/") in there or _shifted(place)


def _shifted(place: str) -> bool:
    """Whether the place is in a list of branches, where one that accepts nothing is left out."""
    return any(f"/{word}/" in place for word in ("anyOf", "oneOf"))


def _nodes(schema: Any) -> list[dict[str, Any]]:
    return [node for _, node in _walk(schema, "")]


def _places(schema: Any) -> list[str]:
    return [f"{at}/{word}" for at, node in _walk(schema, "") for word in node]


def _walk(schema: Any, at: str) -> list[tuple[str, dict[str, Any]]]:
    """Every schema with its pointer: read by the names of 2020-12 alone."""
    if not isinstance(schema, dict):
        return []
    found = [(at, schema)]
    for word, value in schema.items():
        if word in ("properties", "patternProperties", "$defs", "dependentSchemas"):
            found += [
                each for name, item in value.items() for each in _walk(item, f"{at}/{word}/{_step(name)}")
            ]
        elif word in ("anyOf", "oneOf", "allOf", "prefixItems"):
            found += [
                each for index, item in enumerate(value) for each in _walk(item, f"{at}/{word}/{index}")
            ]
        elif word in (
            "items",
            "additionalProperties",
            "not",
            "if",
            "then",
            "else",
            "propertyNames",
            "contains",
        ):
            found += _walk(value, f"{at}/{word}")
    return found


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


TREE = {
    "$ref": "#/$defs/Tree",
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {"next": {"$ref": "#/$defs/Tree"}, "leaf": {"$ref": "#/$defs/Leaf"}},
        },
        "Leaf": {"type": "string"},
    },
}


def test_a_definition_that_contains_itself_ends_where_it_does() -> None:
    made, ledger = fitted(TREE, GEMINI)
    assert made["$ref"] == "#/$defs/Tree"
    assert made["$defs"]["Tree"]["properties"] == {"next": {}, "leaf": {"$ref": "#/$defs/Leaf"}}
    assert [(each.path, each.keyword) for each in ledger] == [("/$defs/Tree/properties/next", "$ref")]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (TREE, {"Tree"}),
        ({"properties": {"a": {"$ref": "#"}}}, {""}),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "null"}}}, set()),
        ({"$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {"not": {"$ref": "#/$defs/A"}}}}, {"A", "B"}),
        ({"enum": [{"$ref": "#"}], "properties": {"$ref": {"type": "string"}}}, set()),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"items": {"$ref": "#/$defs/a~1b/items"}}}}, {"a/b"}),
    ],
)
def test_definitions_that_contain_themselves(schema: dict[str, Any], expected: set[str]) -> None:
    assert in_cycles(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, True),
        ({"type": ["object", "string"]}, True),
        ({"type": ["object", "null"]}, False),
        ({}, True),
        ({"enum": [1, "a"]}, True),
        ({"enum": [1, 2]}, False),
        ({"const": None}, False),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "array"}}}, False),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, True),
        ({"anyOf": [{"type": "object"}, {"$ref": "#/$defs/A"}], "$defs": {"A": {"type": "string"}}}, True),
        ({"oneOf": [{"type": "object"}, {"type": "number"}]}, False),
        ({"anyOf": [False, {"type": "object"}]}, False),
    ],
)
def test_which_results_may_be_text(schema: dict[str, Any], expected: bool) -> None:
    assert may_be_text(schema) is expected


@pytest.mark.parametrize("provider", ["gemini", "gemini-json-schema", "vertex"])
@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}, {"n": 1}),
        ({"type": "array", "items": {"type": "string"}}, ["a"]),
        ({"type": "string", "minLength": 1}, "text"),
        ({"type": "integer"}, 3),
        (TREE, {"next": {"next": {}}, "leaf": "a"}),
        ({"type": "array", "items": {"$ref": "#"}}, [[], [[]]]),
    ],
)
def test_the_object_of_a_response_is_described(provider: str, schema: dict[str, Any], data: Any) -> None:
    """What the dispatcher sends back, for a success and for a failure, fits the schema that was sent."""
    profile = load_profile(provider)
    info = ToolInfo(name="t", description="A tool.", result_schema=schema)
    sent = tool_object(info, profile, normalize({"type": "object"}, profile))["responseJsonSchema"]
    jsonschema_rs.meta.validate(sent)
    call = Call(id="c", name="t", arguments={}, index=0)
    text = data if isinstance(data, str) else json.dumps(data)
    for result in (ToolResult.ok(text, data), ToolResult.failed("It broke.")):
        (message,) = render([call], [result], "gemini")
        response = message["parts"][0]["functionResponse"]["response"]
        assert accepts(sent, response)
    assert not accepts(sent, [])


def test_a_reference_to_the_root_means_the_output() -> None:
    wrapped = in_response({"type": "array", "items": {"$ref": "#"}})
    assert accepts(wrapped, {"output": [[[]]]})
    assert not accepts(wrapped, {"output": [[1]]})


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, {"n": 1}),
        ({"type": "array", "items": {"type": "boolean"}}, [True]),
        ({"type": ["number", "null"]}, 2.5),
    ],
)
def test_a_string_output_is_the_json_that_its_schema_describes(schema: dict[str, Any], data: Any) -> None:
    profile = load_profile("openai-responses")
    info = ToolInfo(name="t", description="A tool.", result_schema=schema)
    sent = tool_object(info, profile, normalize({"type": "object"}, profile))["output_schema"]
    assert sent == schema
    call = Call(id="c", name="t", arguments={}, index=0)
    (item,) = render([call], [ToolResult.ok(json.dumps(data), data)], "openai-responses")
    assert accepts(sent, json.loads(item["output"]))


def test_a_text_has_no_schema_where_it_is_sent_as_it_is() -> None:
    profile = load_profile("openai-responses")
    info = ToolInfo(name="t", description="A tool.", result_schema={"type": "string"})
    assert "output_schema" not in tool_object(info, profile, normalize({"type": "object"}, profile))
    object_info = replace(info, result_schema={"type": "object"})
    assert "output_schema" in tool_object(object_info, profile, normalize({"type": "object"}, profile))
