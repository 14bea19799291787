"""The constructs that transformers are judged by, and whether the judge sees what is wrong with an output."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.providers import LedgerEntry

from bench.marked import replaced
from bench.peers.construct import Construct
from bench.peers.constructs import CONSTRUCTS
from bench.peers.judge import Output, judged
from bench.peers.plain import plain

BY_NAME = {each.name: each for each in CONSTRUCTS}


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda each: each.name)
def test_instances_stand_on_the_side_they_are_listed_on(construct: Construct) -> None:
    assert [value for value in construct.valid if not construct.accepts(value)] == []
    assert [value for value in construct.invalid if construct.accepts(value)] == []
    assert construct.valid


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(CONSTRUCTS) > 50


def _strict(value: dict[str, Any], **further: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"value": value},
        "required": ["value"],
        "additionalProperties": False,
        **further,
    }


def _verdict(name: str, schema: dict[str, Any], ledger: tuple[LedgerEntry, ...] | None = None) -> str:
    function = {"name": "tool", "description": "A tool.", "parameters": schema, "strict": True}
    tool = {"type": "function", "function": function}
    output = Output(profile="openai", tool=tool, schema=schema, strict=True, ledger=ledger)
    return judged(BY_NAME[name], output).verdict


def _mcp(name: str, schema: dict[str, Any], ledger: tuple[LedgerEntry, ...] | None = None) -> str:
    tool = {"name": "tool", "description": "A tool.", "inputSchema": schema}
    output = Output(profile="mcp", tool=tool, schema=schema, strict=None, ledger=ledger)
    return judged(BY_NAME[name], output).verdict


def test_an_output_that_says_the_same_is_exact() -> None:
    assert _verdict("anyOf with null", _strict({"type": ["string", "null"]})) == "exact"


def test_null_for_what_is_optional_is_exact() -> None:
    properties = {"path": {"type": "string"}, "limit": {"type": ["integer", "null"]}}
    properties["note"] = {"type": ["string", "null"]}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    assert _verdict("optional properties", {**schema, "additionalProperties": False}) == "exact"


def test_an_optional_property_that_is_forced_refuses_valid_calls() -> None:
    properties = {"path": {"type": "string"}, "limit": {"type": "integer"}, "note": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    assert _verdict("optional properties", {**schema, "additionalProperties": False}) == "refuses"


def test_a_closed_map_refuses_valid_calls() -> None:
    closed = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert _verdict("map of numbers", _strict(closed)) == "refuses"


def test_branches_closed_against_each_other_are_unsatisfiable() -> None:
    branches = [
        {
            "type": "object",
            "properties": {name: {"type": kind}},
            "required": [name],
            "additionalProperties": False,
        }
        for name, kind in (("a", "string"), ("b", "integer"))
    ]
    schema = {**_strict({"allOf": branches}), "additionalProperties": True}
    assert _mcp("allOf of two objects", schema) == "unsatisfiable"


def test_a_union_that_says_nothing_is_distinguished_from_a_wider_one() -> None:
    assert _mcp("oneOf of two types", {**_strict({}), "additionalProperties": True}) == "empty"
    wider = {"type": ["string", "integer", "null"]}
    assert _mcp("oneOf of two types", {**_strict(wider), "additionalProperties": True}) == "wider"


def test_ours_must_tell_that_it_is_wider() -> None:
    schema = {**_strict({"type": "string"}), "additionalProperties": True}
    assert _mcp("pattern", schema, ()) == "untold"
    entry = LedgerEntry(
        path="/properties/value",
        keyword="pattern",
        action="described",
        severity="lost",
        reason="said in words",
    )
    assert _mcp("pattern", schema, (entry,)) == "wider"


def test_what_the_provider_refuses_is_invalid_whatever_it_means() -> None:
    assert _verdict("oneOf of two types", _strict({"oneOf": [{"type": "string"}]})) == "invalid"


def test_spellings_of_protobuf_are_read_and_names_of_properties_are_not() -> None:
    given = {"type": "OBJECT", "properties": {"any_of": {"any_of": [{"type": "STRING"}]}}, "max_items": 1}
    assert plain(given) == {
        "type": "object",
        "properties": {"any_of": {"anyOf": [{"type": "string"}]}},
        "maxItems": 1,
    }


def test_only_the_marked_part_of_a_page_is_replaced() -> None:
    page = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"
    assert replaced(page, "x", "new\n") == "a\n<!-- x:begin -->\n\nnew\n\n<!-- x:end -->\nb\n"
    with pytest.raises(ValueError, match="no part"):
        replaced("nothing here", "x", "new")
