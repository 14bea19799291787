"""Scalars: what the output shares with the input, their number, and malformed enums."""

from __future__ import annotations

import pytest
from toolcast.providers import SchemaError, normalize


def test_a_scalar_shares_nothing_with_what_was_given() -> None:
    given_ = {
        "type": "object",
        "properties": {"a": {"type": "string", "enum": ["x", "y"]}},
        "required": ["a"],
    }
    made = normalize(given_, "mcp").schema
    made["properties"]["a"]["enum"].append("z")
    made["properties"]["a"]["title"] = "changed"
    assert given_["properties"]["a"] == {"type": "string", "enum": ["x", "y"]}


def test_scalars_count_towards_the_bounds() -> None:
    many = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(50_001)}}
    with pytest.raises(SchemaError, match="more than 50000 schemas"):
        normalize(many, "mcp")


@pytest.mark.parametrize(("value", "severity"), [(None, "kept elsewhere"), ("a", "lost"), (3, "lost")])
def test_an_enum_that_is_no_list_is_left_out(value: object, severity: str) -> None:
    document = {"type": "object", "properties": {"a": {"type": "string", "enum": value}}}
    result = normalize(document, "openai")
    assert result.schema["properties"]["a"] == {"type": ["string", "null"]}
    assert (result.ledger[0].keyword, result.ledger[0].severity) == ("enum", severity)
