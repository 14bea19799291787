"""Annotations that no model needs: which providers get them, and what the ledger tells of the others."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema_rs
import pytest
from toolcast.project.core.compiled import Options
from toolcast.providers import available, normalize
from toolcast.providers.constraint_texts import describes_default

from tests.python.compiled import package, spec

KEEPING = {
    "title": {
        *("mcp", "mcp-2025-06-18", "mcp-2025-11-25", "openai", "openai-responses", "groq", "azure-openai"),
        *("anthropic-strict", "bedrock-strict", "gemini", "vertex", "gemini-json-schema", "deepseek"),
        *("cloud-code-assist",),
    },
    "$schema": {"mcp", "mcp-2025-11-25", "openai", "openai-responses", "groq", "azure-openai"},
}
"""Whose rules list the keyword (strict modes by what their SDKs keep); MCP's is for clients."""
NEWEST = "https://json-schema.org/draft/2020-12/schema"


def tool(**more: Any) -> dict[str, Any]:
    """Parameters of which every mode can say all."""
    properties = {"title": {"type": "string", "title": "Title of a page", "description": "The title."}}
    return {
        "type": "object",
        "title": "Search of pages",
        "properties": properties,
        "required": ["title"],
        "additionalProperties": False,
        **more,
    }


def test_a_title_without_the_number_of_its_definition_is_left_out() -> None:
    definitions = {"Foo": {"type": "string", "title": "Foo"}, "Foo_2": {"type": "integer", "title": "Foo"}}
    properties = {"a": {"$ref": "#/$defs/Foo"}, "b": {"$ref": "#/$defs/Foo_2"}}
    for provider in ("openai", "mcp", "gemini"):
        made = normalize({"type": "object", "properties": properties, "$defs": definitions}, provider).schema
        assert "title" not in str(made), provider
        assert normalize(made, provider).schema == made


@pytest.mark.parametrize("provider", available())
def test_a_title_is_sent_to_those_alone_whose_profile_keeps_it(provider: str) -> None:
    found = normalize(tool(), provider)
    assert "title" in found.schema["properties"]  # which is a property
    keeps = provider in KEEPING["title"]
    assert ("title" in found.schema) is keeps
    assert ("title" in found.schema["properties"]["title"]) is keeps
    reported = [
        (entry.path, entry.action, entry.severity) for entry in found.ledger if entry.keyword == "title"
    ]
    lost = ("dropped", "kept elsewhere")
    assert reported == ([] if keeps else [("", *lost), ("/properties/title", *lost)])


ADDRESS = {
    "type": "object",
    "title": "homeAddress",
    "properties": {"street": {"type": "string", "title": "Street and number"}},
    "required": ["street"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("provider", sorted(KEEPING["title"]))
@pytest.mark.parametrize(
    ("name", "schema", "place"),
    [
        ("file_path", {"type": "string", "title": "File Path"}, "/properties/file_path"),
        ("userID", {"type": "string", "title": "user-id"}, "/properties/userID"),
        ("at", {"anyOf": [{"type": "string"}, {"type": "integer"}], "title": "At"}, "/properties/at"),
        ("pair", {"$ref": "#/$defs/HomeAddress"}, ""),
    ],
)
def test_a_title_that_repeats_a_name_is_left_out(
    provider: str, name: str, schema: dict[str, Any], place: str
) -> None:
    properties = {name: schema, "to": {"$ref": "#/$defs/HomeAddress"}}
    definitions = {"HomeAddress": ADDRESS}
    given = {
        "type": "object",
        "title": "lookArguments",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
        "$defs": definitions,
    }
    found = normalize(given, provider)
    assert {*re.findall(r'"title": "(.*?)"', json.dumps(found.schema))} == {"Street and number"}
    noted = {entry.path for entry in found.ledger if entry.keyword == "title"}
    assert {"", place} <= noted
    assert normalize(found.schema, provider).schema == found.schema


def test_a_title_that_comes_to_its_name_in_the_walk_is_left_out() -> None:
    """The walk merges `allOf`, and a second one would read the title beside the name."""
    branches = [{"type": "string", "title": "X"}]
    found = normalize({"type": "object", "properties": {"x": {"allOf": branches}}}, "gemini")
    assert found.schema["properties"]["x"] == {"type": "string"}


@pytest.mark.parametrize("provider", available())
def test_the_name_of_the_draft_is_sent_to_those_alone_whose_profile_keeps_it(provider: str) -> None:
    found = normalize(tool(**{"$schema": NEWEST}), provider)
    assert ("$schema" in found.schema) is (provider in KEEPING["$schema"])
    reported = [entry.action for entry in found.ledger if entry.keyword == "$schema"]
    assert reported == ([] if provider in KEEPING["$schema"] else ["dropped"])


def test_the_anchor_of_a_definition_is_sent_to_mcp_and_in_no_copies() -> None:
    """Clients of MCP are promised every keyword (SEP-2106); inlining would repeat the anchor."""
    inner = {"type": "string", "$anchor": "inner"}
    named = {"a": "#/$defs/A", "b": "#there", "c": "#/$defs/C"}
    schema = tool(properties={name: {"$ref": target} for name, target in named.items()}, required=["a"])
    schema["$defs"] = {
        "A": {"$anchor": "there", "type": "object", "properties": {"x": inner}},
        "C": {"$anchor": "1 is no name", "type": "integer"},
    }
    with package({"t.yaml": spec(schema)}, options=Options(providers=("mcp", "gemini", "openai"))) as made:
        sent = {each: made["t"].definition(each).decode() for each in ("mcp", "gemini", "openai")}
    assert [text.count("$anchor") for text in sent.values()] == [1, 0, 0]
    found = json.loads(sent["mcp"])["inputSchema"]
    assert found["$defs"]["A"]["$anchor"] == "there"
    jsonschema_rs.validator_for({"$ref": "#there", "$defs": found["$defs"]})


def test_a_title_that_is_dropped_changes_nothing_else() -> None:
    """`oneOf` stays where its branches differ in their titles alone from what is sent."""
    branches = [{"title": "A", "type": "string"}, {"title": "B", "type": "integer"}]
    found = normalize({"type": "object", "properties": {"a": {"oneOf": branches}}}, "anthropic")
    assert found.schema["properties"]["a"] == {"oneOf": [{"type": "string"}, {"type": "integer"}]}


@pytest.mark.parametrize(
    ("description", "value"),
    [
        ("How many (default: 10).", 10),
        ("How many. Defaults to 10", 10),
        ("How many; default is `10`.", 10),
        ("How many, 10 by default.", 10),
        ("Zone. Default: UTC", "UTC"),
        ('Zone. Defaults to "UTC".', "UTC"),
        ("Whether to follow links (default: True)", True),
        ("default=0.5", 0.5),
        ("Tags (default [])", []),
        ("The default value is 10.", 10),
        ("`a`, 'b' (default) or c", "b"),
    ],
)
def test_a_default_that_the_description_states_is_not_repeated(description: str, value: Any) -> None:
    schema = tool(properties={"title": {"description": description, "default": value}})
    for provider in ("anthropic-strict", "openai", "gemini", "ollama", "moonshot"):
        found = normalize(schema, provider).schema["properties"]["title"]
        assert "Default:" not in found["description"].removeprefix(description), provider
    ledger = normalize(schema, "ollama").ledger
    assert [entry.action for entry in ledger if entry.keyword == "default"] == ["described"]


@pytest.mark.parametrize(
    ("description", "value"),
    [
        ("How many (default: 100).", 10),
        ("How many. Defaults to 10.5", 10),
        ("10 of them, unlike the default.", 10),
        ("Defaults to -10", 10),
        ("The default is chosen by the server.", "server"),
        ("Defaults to UTC+1", "UTC+2"),
        ("", 10),
    ],
)
def test_another_default_is_reported(description: str, value: Any) -> None:
    assert not describes_default(description, value)
    schema = tool(properties={"title": {"description": description, "default": value}})
    assert "Default: " in normalize(schema, "ollama").schema["properties"]["title"]["description"]
