"""Complete tool objects: what an envelope leaves out, and what it may name."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from toolcast.providers import ProfileError, ToolInfo, load_profile, normalize, tool_object

TOOL = ToolInfo(
    name="http_request",
    description="Send an HTTP request and return status, headers and body.",
    title="HTTP request",
    destructive=True,
    open_world=True,
    result_schema={"type": "object", "properties": {"status": {"type": "integer"}}, "required": ["status"]},
)
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "format": "uri", "description": "Where to send it."},
        "method": {"enum": ["GET", "POST"], "default": "GET"},
        "timeout": {"type": "number", "exclusiveMinimum": 0, "maximum": 600, "description": "Seconds."},
        "retry": {
            "type": "object",
            "properties": {"times": {"type": "integer", "minimum": 1}, "on": {"$ref": "#/$defs/Codes"}},
            "required": ["times"],
            "additionalProperties": False,
        },
        "accept": {"$ref": "#/$defs/Codes", "description": "Codes that are no failure."},
    },
    "required": ["url"],
    "additionalProperties": False,
    "$defs": {"Codes": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "minItems": 1}},
}


def test_gemini_has_no_parameters_where_there_are_none() -> None:
    profile = load_profile("gemini")
    made = tool_object(
        ToolInfo(name="now", description="The time."), profile, normalize({"type": "object"}, profile)
    )
    assert made == {"name": "now", "description": "The time."}


def test_responses_always_states_strict() -> None:
    profile = load_profile("openai-responses")
    made = tool_object(
        ToolInfo(name="now", description="The time."), profile, normalize({"type": "object"}, profile)
    )
    assert made["strict"] is False


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ProfileError, match=r"no provider profile 'gemni'; there are: .*gemini"):
        normalize({"type": "object"}, "gemni")


def test_an_envelope_names_only_what_is_known() -> None:
    profile = msgspec.structs.replace(load_profile("mcp"), envelope={"name": "$nmae"})
    with pytest.raises(ProfileError, match=r"\$nmae"):
        tool_object(TOOL, profile, normalize(PARAMETERS, profile))


def test_alternatives_at_the_root_are_no_empty_parameters() -> None:
    """Gemini's root is an object: their properties come together in it, and nothing may be left out."""
    one = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    two = {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}}
    profile = load_profile("gemini")
    reported = normalize({"anyOf": [one, two]}, profile)
    made = tool_object(ToolInfo(name="t", description="A tool."), profile, reported)
    assert made["parameters"]["type"] == "object"
    assert made["parameters"]["properties"].keys() == {"a", "b"}
    none = normalize({"type": "object", "description": "Nothing."}, profile)
    assert "parameters" not in tool_object(ToolInfo(name="t", description="A tool."), profile, none)
