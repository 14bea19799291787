"""Generated decoders search for no pattern that a text could keep busy."""

import json
import subprocess
import sys
from typing import Any

import pytest
from toolcast.runtime import ArgumentError

from tests.python.compiled import binding, source

SLOW = [r"^(\w{1,3}[- ]?)+$", "^(a{1,2})*$", "^a*a*a*$", "(?:a{0,9}){0,9}b", "^(?=(a+)+$)a*$"]


def schema(part: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"value": part}, "required": ["value"], **more}


PLACES: dict[str, Any] = {
    "field": lambda pattern: ({"type": "string", "pattern": pattern}, lambda text: text),
    "nullable": lambda pattern: ({"type": ["string", "null"], "pattern": pattern}, lambda text: text),
    "items": lambda pattern: (
        {"type": "array", "items": {"type": "string", "pattern": pattern}},
        lambda text: [text] * 50,
    ),
    "keys": lambda pattern: (
        {
            "type": "object",
            "patternProperties": {pattern: {"type": "integer"}},
            "additionalProperties": False,
        },
        lambda text: {text: 1},
    ),
    "names": lambda pattern: (
        {
            "type": "object",
            "propertyNames": {"pattern": pattern},
            "additionalProperties": {"type": "integer"},
        },
        lambda text: {text: 1},
    ),
    "union": lambda pattern: (
        {"anyOf": [{"type": "string", "pattern": pattern}, {"type": "integer"}]},
        lambda text: text,
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("pattern", SLOW)
def test_no_slow_pattern_stands_in_a_generated_module(place: str, pattern: str) -> None:
    part, _ = PLACES[place](pattern)
    text = source(schema(part))
    assert "pattern=" not in text
    assert "check_pattern" not in text


def test_a_bounded_text_keeps_its_pattern() -> None:
    assert "pattern=" in source(
        schema({"type": "array", "items": {"type": "string", "pattern": "^(a{1,2})*$", "maxLength": 9}})
    )


@pytest.mark.parametrize("place", PLACES)
def test_hostile_arguments_are_judged_at_once(place: str) -> None:
    for pattern in SLOW:
        part, value = PLACES[place](pattern)
        with binding(schema(part)) as tool:
            assert tool.decode(json.dumps({"value": value("aab" if pattern.endswith("b") else "aa")}))
    code = """
import json, sys
from toolcast.runtime import ArgumentError
from tests.python.compiled import binding
schema, arguments = json.load(sys.stdin)
with binding(schema) as tool:
    for one in arguments:
        try:
            tool.decode(json.dumps(one))
            print("accepted")
        except ArgumentError as error:
            print("refused")
"""
    for pattern in SLOW:
        part, value = PLACES[place](pattern)
        texts = ["a" * length + "!" for length in (30, 2_000, 50_000)]
        cases = [schema(part), [{"value": value(text)} for text in texts]]
        run = subprocess.run(
            [sys.executable, "-c", code], input=json.dumps(cases), capture_output=True, text=True, timeout=60
        )
        assert run.stdout.split() == ["refused"] * 3, run.stderr


def test_the_limit_is_named() -> None:
    with binding(schema({"type": "string", "pattern": "^(?=(a+)+$)a*$"})) as tool:
        with pytest.raises(ArgumentError, match="would take too many steps; send a shorter text"):
            tool.decode({"value": "a" * 100})
        assert tool.decode({"value": "a" * 8}).value == "a" * 8
