"""Definitions: ready bytes per provider, full and brief."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from toolcast.runtime import ToolBinding, UnknownProviderError
from toolcast.runtime.definitions import cut_schema

Binding = ToolBinding[Any, Any]
SCHEMAS = Path(__file__).parent / "sample" / "schemas"


def find_schema(definition: Any) -> Any:
    tool = definition.get("function") or definition.get("toolSpec") or definition
    schema = tool.get("parameters") or tool.get("input_schema") or tool.get("inputSchema")
    return schema.get("json", schema)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "bedrock", "mcp"])
def test_full_is_the_file_compacted(edit: Binding, provider: str) -> None:
    written = json.loads((SCHEMAS / provider / "edit.json").read_text("utf-8"))
    ready = edit.definition(provider)
    assert ready == json.dumps(written, separators=(",", ":")).encode()
    assert edit.definition(provider) is ready


@pytest.mark.parametrize("provider", ["openai", "anthropic", "bedrock", "mcp"])
def test_brief_keeps_names_types_and_required(edit: Binding, provider: str) -> None:
    full, brief = (json.loads(edit.definition(provider, level)) for level in ("full", "brief"))
    ours, theirs = find_schema(brief), find_schema(full)
    assert ours["required"] == theirs["required"]
    assert {name: node["type"] for name, node in ours["properties"].items()} == {
        name: node["type"] for name, node in theirs["properties"].items()
    }
    assert ours["additionalProperties"] is False  # OpenAI's strict mode insists on it
    assert edit.summary in json.dumps(brief)
    assert edit.description not in json.dumps(brief)
    assert "minimum" not in json.dumps(ours)
    assert "description" not in ours["properties"]["file_path"]
    assert jsonschema_rs.meta.is_valid(ours)


def test_brief_leaves_everything_else_of_the_envelope(edit: Binding) -> None:
    brief = json.loads(edit.definition("mcp", "brief"))
    assert brief["annotations"] == {"title": "Edit file"}
    assert json.loads(edit.definition("openai", "brief"))["function"]["strict"] is True


def test_properties_named_like_keywords_survive() -> None:
    names = ["description", "type", "properties", "default", "pattern", "items", "enum", "name"]
    schema = {"type": "object", "properties": {name: {"type": "string", "title": "t"} for name in names}}
    assert cut_schema(schema)["properties"] == {name: {"type": "string"} for name in names}


def test_cutting_only_widens() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "string", "pattern": "^x"}, {"$ref": "#/$defs/B"}]},
            "c": {"type": "array", "items": {"type": "integer", "maximum": 3}, "maxItems": 1},
            "d": {"enum": ["p", "q"], "description": "d"},
            "e": True,
        },
        "required": ["a"],
        "$defs": {"B": {"type": "object", "properties": {"self": {"$ref": "#/$defs/B"}}, "default": {}}},
    }
    cut = cut_schema(schema)
    assert cut["properties"]["a"] == {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/B"}]}
    assert cut["properties"]["c"] == {"type": "array", "items": {"type": "integer"}}
    assert cut["properties"]["d"] == {"enum": ["p", "q"]}
    assert cut["properties"]["e"] is True
    assert jsonschema_rs.is_valid(cut, {"a": {"self": {}}, "c": [9, 9]})


@pytest.mark.parametrize("provider", ["nobody", "", "../openai", "a/b", "open\x00ai"])
def test_an_unknown_provider_names_the_known(edit: Binding, provider: str) -> None:
    with pytest.raises(UnknownProviderError, match="Generated: anthropic, bedrock, mcp, openai"):
        edit.definition(provider)


def test_a_missing_file_of_a_known_provider_says_so(shapes: Binding) -> None:
    with pytest.raises(UnknownProviderError, match="toolcast generate"):
        shapes.definition("openai")


def test_an_unknown_level_is_refused(edit: Binding) -> None:
    with pytest.raises(ValueError, match="'full' or 'brief'"):
        edit.definition("openai", "short")  # type: ignore[arg-type]
