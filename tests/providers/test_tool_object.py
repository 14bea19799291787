"""Golden tool objects of one realistic tool, and profiles that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolwright.providers import (
    ProfileError,
    ToolInfo,
    available,
    load_profile,
    load_profile_file,
    normalize,
    tool_object,
)

GOLDEN = Path(__file__).parent / "golden"
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


@pytest.mark.parametrize("provider", available())
def test_complete_tool_object(provider: str) -> None:
    """The bytes of golden/<provider>.json, key order included."""
    profile = load_profile(provider)
    made = tool_object(TOOL, profile, normalize(PARAMETERS, profile))
    assert json.dumps(made, indent=2, ensure_ascii=False) + "\n" == (GOLDEN / f"{provider}.json").read_text(
        "utf-8"
    )


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


def test_a_profile_of_ones_own_starts_from_a_built_in_one(tmp_path: Path) -> None:
    path = tmp_path / "acme.toml"
    path.write_text('base = "openai"\nid = "acme"\n[strict]\nformats = ["uri"]\n', encoding="utf-8")
    profile = load_profile_file(path)
    assert (profile.id, profile.envelope) == ("acme", load_profile("openai").envelope)
    url = {"type": "object", "properties": {"u": {"type": "string", "format": "uri"}}, "required": ["u"]}
    assert normalize(url, profile).schema["properties"]["u"] == {"type": "string", "format": "uri"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("id = ", "is not TOML"),
        ('id = "x"', "missing required field"),
        ('base = "openai"\nid = "x"\nnonsense = 1', "unknown field `nonsense`"),
        ('base = "openai"\nid = "x"\n[dialect]\nrefs = "maybe"', "Invalid enum value 'maybe'"),
        ('base = "elsewhere"\nid = "x"', "base 'elsewhere' is not one of"),
    ],
)
def test_a_wrong_profile_is_refused_by_name(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match=part) as raised:
        load_profile_file(path)
    assert "wrong.toml" in str(raised.value)


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ProfileError, match=r"no provider profile 'gemni'; there are: .*gemini"):
        normalize({"type": "object"}, "gemni")


def test_an_envelope_names_only_what_is_known() -> None:
    profile = msgspec.structs.replace(load_profile("mcp"), envelope={"name": "$nmae"})
    with pytest.raises(ProfileError, match=r"\$nmae"):
        tool_object(TOOL, profile, normalize(PARAMETERS, profile))
