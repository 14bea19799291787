"""Defaults that contradict their schema, and tools that no one described."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from toolcast.importers.declared_tools import without_wrong_defaults
from toolcast.importers.import_tools import read_tools, specs_of
from toolcast.importers.spec_text import Choices, in_words
from toolcast.spec.read_file import parse_document


def _import(tmp_path: Path, tool: dict[str, Any]) -> tuple[str, list[str]]:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([tool]))
    done = specs_of(read_tools([file]), Choices(permission="read", secrets=[]))
    return next(iter(done.specs.values())), [d.code for d in done.diagnostics]


SCHEMA: dict[str, Any] = {
    "type": "object",
    "$defs": {"level": {"type": "integer", "default": "3"}},
    "properties": {
        "flag": {"type": "boolean", "default": "false"},
        "kept": {"type": "integer", "default": 3},
        "whole": {"type": "integer", "default": 3.0},
        "absent": {"type": "string", "default": None},
        "level": {"$ref": "#/$defs/level", "default": "4"},
        "default": {"type": "string"},
        "nested": {"type": "array", "items": {"enum": ["a"], "default": "b"}},
        "literal": {"const": {"default": "not a schema"}},
    },
}


def test_wrong_defaults_are_left_out_and_named() -> None:
    before = copy.deepcopy(SCHEMA)
    cleaned, wrong = without_wrong_defaults(SCHEMA)
    assert before == SCHEMA
    assert dict(wrong) == {
        "/$defs/level": "3",
        "/properties/flag": "false",
        "/properties/level": "4",
        "/properties/nested/items": "b",
    }
    assert cleaned["properties"]["kept"]["default"] == 3
    assert cleaned["properties"]["default"] == {"type": "string"}
    assert cleaned["properties"]["literal"] == SCHEMA["properties"]["literal"]
    again, none = without_wrong_defaults(cleaned)
    assert again is cleaned
    assert none == ()


def test_no_verdict_changes() -> None:
    cleaned, _ = without_wrong_defaults(SCHEMA)
    for value in ({}, {"flag": True}, {"flag": "false"}, {"level": 4}, {"level": "4"}, {"nested": ["a"]}):
        verdicts = {jsonschema_rs.validator_for(s).is_valid(value) for s in (SCHEMA, cleaned)}
        assert len(verdicts) == 1


@pytest.mark.parametrize("broken", [[], "x", {"properties": 3}, {"$ref": "#/nowhere"}, {"type": "dict"}])
def test_what_cannot_be_judged_is_left_alone(broken: Any) -> None:
    assert without_wrong_defaults(broken) == (broken, ())


def test_the_spec_says_what_was_left_out(tmp_path: Path) -> None:
    text, codes = _import(tmp_path, {"name": "t", "description": "D.", "inputSchema": SCHEMA})
    assert codes == ["import-default"] * 4
    assert '# Default left out, as it does not fit its schema: "/properties/flag", "false"\n' in text
    document = parse_document(text.encode(), "t.yaml", "yaml")
    assert not isinstance(document, tuple)
    assert "default" not in document.data["parameters"]["properties"]["flag"]


def test_a_result_keeps_no_wrong_default_either(tmp_path: Path) -> None:
    time = {
        "type": "object",
        "properties": {"at": {"type": "string", "format": "time", "default": "01:02:00"}},
    }
    tool = {"name": "t", "description": "D.", "inputSchema": {"type": "object"}, "outputSchema": time}
    text, codes = _import(tmp_path, tool)
    assert codes == ["import-default"]
    assert '# Default left out, as it does not fit its schema: "result/properties/at", "01:02:00"\n' in text
    assert "default:" not in text


def test_a_tool_that_no_one_described_gets_its_name_in_words(tmp_path: Path) -> None:
    text, codes = _import(
        tmp_path, {"name": "get-userID", "description": "", "inputSchema": {"type": "object"}}
    )
    assert codes == []
    assert "summary: Get user ID.\n" in text
    assert "# The source describes nothing" in text


def test_in_words() -> None:
    assert in_words("create_a_page") == "Create a page."
    assert in_words("_") == "_"
