"""One realistic tool under every profile, byte for byte: a changed profile shows in review.

`pytest tests/providers/profiles --update-cases` rewrites what is expected.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from toolcast.providers import available, load_profile, normalize, tool_object

from tests.providers.test_tool_object import TOOL

GOLDEN = Path(__file__).parent / "golden"
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
        "headers": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[ -~]*$"}},
        "proxy": {"type": ["string", "null"], "minLength": 1},
        "body": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/Part"}], "description": "Text, or parts."},
        "version": {"enum": [1, 2]},
    },
    "required": ["url"],
    "additionalProperties": False,
    "$defs": {
        "Codes": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "minItems": 1},
        "Part": {
            "type": "object",
            "properties": {
                "range": {
                    "type": "array",
                    "prefixItems": [{"type": "integer"}, {"type": "integer"}],
                    "minItems": 2,
                    "maxItems": 2,
                },
                "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
            },
            "additionalProperties": False,
        },
    },
}


@pytest.mark.parametrize("provider", available())
def test_complete_tool_object(provider: str, update_cases: bool) -> None:
    profile = load_profile(provider)
    made = tool_object(TOOL, profile, normalize(PARAMETERS, profile))
    text = json.dumps(made, indent=2, ensure_ascii=False) + "\n"
    file = GOLDEN / f"{provider}.json"
    if update_cases:
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


def test_no_golden_is_left_over() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(available())
