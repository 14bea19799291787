"""The short way of leaves says what the long one says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.providers import Normalized, SchemaError, available, load_profile, normalize
from toolcast.providers import endings as endings_module
from toolcast.providers import structure as structure_module
from toolcast.providers import walk as walk_module

from tests.providers.strategies import contracts

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["string", "number", "integer", "boolean", "null", "any", ["string", "null"], 3]),
    "title": st.text(max_size=4),
    "description": st.one_of(st.text(max_size=4), st.none()),
    "default": st.one_of(st.none(), st.integers(), st.text(max_size=2), st.lists(st.integers(), max_size=1)),
    "enum": st.lists(st.sampled_from(["", "a", "b", 1, True, None, "1"]), max_size=3),
    "minimum": st.integers(),
    "maxLength": st.integers(0, 9),
    "minLength": st.integers(0, 9),
    "multipleOf": st.integers(1, 9),
    "format": st.sampled_from(["uri", "date-time", "int32", 3]),
    "pattern": st.sampled_from(["^a$", "a", "(?=a)", "(", 3]),
    "nullable": st.booleans(),
    "required": st.booleans(),
    "exclusiveMinimum": st.one_of(st.booleans(), st.integers()),
}
near = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["string", "string", "integer"]),
        "enum": st.one_of(st.lists(st.sampled_from(["", "a", "b"]), max_size=3), st.lists(st.just("a"))),
    },
    optional={
        "description": st.just("told"),
        "default": st.sampled_from(["", "a", 1]),
        "format": st.sampled_from(["uri", "date-time"]),
        "pattern": st.sampled_from(["^a$", "(?=a)"]),
    },
)
nodes = st.one_of(near, st.fixed_dictionaries({}, optional=VALUES))
places = st.sampled_from(["properties", "items", "anyOf", "oneOf", "prefixItems", "additionalProperties"])


objects = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["object", "object", "array", ["object", "null"]]),
        "properties": st.dictionaries(
            st.sampled_from(["a", "b", "x y"]), st.one_of(near, near, st.booleans()), max_size=2
        ),
    },
    optional={
        "required": st.one_of(
            st.lists(st.sampled_from(["a", "b", "x y", "c"]), max_size=3, unique=True), st.booleans()
        ),
        "additionalProperties": st.one_of(st.booleans(), st.booleans(), st.just({}), near),
        "items": st.one_of(near, near, st.booleans(), st.lists(near, max_size=2), st.just({})),
        "minItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "minProperties": st.integers(0, 2),
        "description": st.just("told"),
        "default": st.just({}),
        "x-vendor": st.just(True),
    },
)


def _document(node: dict[str, Any], other: dict[str, Any], place: str) -> dict[str, Any]:
    held: Any = {
        "properties": {"type": "object", "properties": {"x": node, "y": other}, "required": ["x"]},
        "items": {"type": "array", "items": node},
        "anyOf": {"anyOf": [node, other]},
        "oneOf": {"oneOf": [node, other]},
        "prefixItems": {"type": "array", "prefixItems": [node, other], "items": False},
        "additionalProperties": {"type": "object", "additionalProperties": node},
    }[place]
    return {"type": "object", "properties": {"value": held, "plain": node}, "required": ["value"]}


def _said(document: Any, provider: str) -> Normalized | str:
    try:
        return normalize(document, load_profile(provider))
    except SchemaError as problem:
        return str(problem)


def _long_way(document: Any, provider: str) -> Normalized | str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(walk_module.leaves, "leaf", lambda _node, _longest: None)
        patched.setattr(walk_module, "plain", lambda _node: False)
        patched.setattr(endings_module, "complete", lambda _out: False)
        patched.setattr(structure_module, "complete", lambda _out: False)
        return _said(document, provider)


@settings(max_examples=40, deadline=None)
@given(node=nodes, other=nodes, place=places)
def test_both_ways_say_the_same_of_scalars_wherever_they_stand(
    node: dict[str, Any], other: dict[str, Any], place: str
) -> None:
    document = _document(node, other, place)
    for provider in available():
        assert _said(document, provider) == _long_way(document, provider)


@settings(max_examples=60, deadline=None)
@given(node=objects, other=nodes, place=places)
def test_both_ways_say_the_same_of_objects_and_arrays(
    node: dict[str, Any], other: dict[str, Any], place: str
) -> None:
    document = _document(node, other, place)
    for provider in available():
        assert _said(document, provider) == _long_way(document, provider)


@settings(max_examples=15, deadline=None)
@given(contract=contracts())
def test_both_ways_say_the_same_of_contracts(contract: Any) -> None:
    for provider in available():
        assert _said(contract, provider) == _long_way(contract, provider)


def test_a_leaf_shares_nothing_with_what_was_given() -> None:
    given_ = {
        "type": "object",
        "properties": {"a": {"type": "string", "enum": ["x", "y"]}},
        "required": ["a"],
    }
    made = normalize(given_, "mcp").schema
    made["properties"]["a"]["enum"].append("z")
    made["properties"]["a"]["title"] = "changed"
    assert given_["properties"]["a"] == {"type": "string", "enum": ["x", "y"]}


def test_leaves_count_towards_the_bounds() -> None:
    many = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(50_001)}}
    with pytest.raises(SchemaError, match="more than 50000 schemas"):
        normalize(many, "mcp")


@pytest.mark.parametrize("provider", available())
@pytest.mark.parametrize(
    "values", [["", "a"], ["a", "a"], [], ["a", 1], ["a", None], "a", None, [f"v{i}" for i in range(600)]]
)
def test_an_enum_that_some_dialect_changes_is_no_leaf(provider: str, values: Any) -> None:
    document = {"type": "object", "properties": {"a": {"type": "string", "enum": values}}}
    assert _said(document, provider) == _long_way(document, provider)


def test_an_enum_past_the_limit_of_a_dialect_is_no_leaf() -> None:
    node = {"type": "string", "enum": ["a", "b", "c"]}
    assert walk_module.leaves.leaf(node, 3) == node
    assert walk_module.leaves.leaf(node, 2) is None


@pytest.mark.parametrize(("value", "severity"), [(None, "kept elsewhere"), ("a", "lost"), (3, "lost")])
def test_an_enum_that_is_no_list_is_left_out(value: object, severity: str) -> None:
    document = {"type": "object", "properties": {"a": {"type": "string", "enum": value}}}
    result = normalize(document, "openai")
    assert result.schema["properties"]["a"] == {"type": ["string", "null"]}
    assert (result.ledger[0].keyword, result.ledger[0].severity) == ("enum", severity)
