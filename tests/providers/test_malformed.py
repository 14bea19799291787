"""Schemas of servers that no one checked: what comes out is JSON Schema, or the tool is refused by name."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.providers import SchemaError, available, decode, normalize

from tests.providers.strategies import contracts
from tests.sampled import sampled

JUNK = (None, True, "x", 3, -1, 0.5, [], {}, ["x"], ["x", "x"], [1, None], {"x": 1})
WORDS = ("title", "description", "$comment", "format", "pattern", "contentEncoding")
NUMBERS = ("minimum", "maximum", "exclusiveMaximum", "multipleOf")
COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
FLAGS = ("uniqueItems", "deprecated", "readOnly", "writeOnly")
LISTS = ("required", "enum", "examples")
MAPS = ("dependentRequired", "properties", "$defs", "patternProperties")
SCHEMAS = ("items", "additionalProperties", "not", "if", "contains", "propertyNames")
BRANCHES = ("anyOf", "oneOf", "allOf", "prefixItems")
ALL = (*WORDS, *NUMBERS, *COUNTS, *FLAGS, *LISTS, *MAPS, *SCHEMAS, *BRANCHES, "type", "$schema", "$id")
PROVIDERS = ("anthropic", "anthropic-strict", "gemini", "mcp", "ollama", "openai", "xai")


def is_json_schema(schema: dict[str, Any]) -> bool:
    """By the metaschema of 2020-12, whatever `$schema` says."""
    return jsonschema_rs.meta.is_valid({key: value for key, value in schema.items() if key != "$schema"})


def tool(**node: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string", **node}, "b": {"type": "integer"}}}


@pytest.mark.parametrize("provider", sampled(PROVIDERS, ("anthropic-strict", "gemini", "mcp", "openai")))
@pytest.mark.parametrize("keyword", ALL)
def test_what_comes_out_is_json_schema(provider: str, keyword: str) -> None:
    for junk in JUNK:
        inside = [tool(**{"type": kind, keyword: junk}) for kind in ("string", "object", "array", "integer")]
        for schema in (*inside, {**tool(), keyword: junk}):
            before = json.dumps(schema)
            try:
                result = normalize(schema, provider)
            except SchemaError:
                continue
            finally:
                assert json.dumps(schema) == before
            assert is_json_schema(result.schema), (schema, result.schema)


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("required", True),
        ("description", None),
        ("title", None),
        ("format", None),
        ("minLength", "3"),
        ("minimum", None),
        ("examples", None),
        ("deprecated", "no"),
    ],
)
def test_a_malformed_word_costs_no_tool_and_is_reported(keyword: str, value: Any) -> None:
    """Servers send nulls for what is not set, `required` at the property itself, and numbers as text."""
    severity = "kept elsewhere" if value is None else "lost"
    for provider in available():
        result = normalize(tool(**{keyword: value}), provider)
        reported = [entry for entry in result.ledger if entry.keyword == keyword and entry.path]
        assert [(entry.path, entry.action, entry.severity) for entry in reported] == [
            ("/properties/a", "dropped", severity)
        ], provider
        assert keyword not in result.schema["properties"]["a"], provider
        clean = normalize(tool(), provider)
        assert (result.schema, result.strict) == (clean.schema, clean.strict), provider
        assert decode({"a": "x"}, provider, schema=tool(**{keyword: value})) == {"a": "x"}, provider


def test_the_ledger_shows_what_was_malformed() -> None:
    (entry,) = normalize(tool(minLength="three"), "mcp").ledger
    assert entry.reason == "is left out, because its value 'three' is malformed"


def test_names_that_are_required_twice_are_so_once() -> None:
    result = normalize({**tool(), "required": ["a", "b", "a"]}, "mcp")
    assert result.schema["required"] == ["a", "b"]
    assert [(entry.keyword, entry.severity) for entry in result.ledger] == [("required", "kept elsewhere")]


@given(contract=contracts(), data=st.data(), provider=st.sampled_from(PROVIDERS))
def test_junk_anywhere(contract: Any, data: st.DataObject, provider: str) -> None:
    nodes = [contract, *(one for one in contract.get("properties", {}).values() if isinstance(one, dict))]
    node = data.draw(st.sampled_from(range(len(nodes))))
    nodes[node][data.draw(st.sampled_from(ALL))] = data.draw(st.sampled_from(JUNK))
    try:
        result = normalize(contract, provider)
    except SchemaError:
        return
    assert is_json_schema(result.schema), result.schema
