"""Generated decoders search for no pattern that a text could keep busy."""

import json
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from toolcast.jsonschema import search
from toolcast.runtime import ArgumentError

from tests.counting import lines_executed
from tests.python.compiled import binding, source

SLOW = [r"^(\w{1,3}[- ]?)+$", "^(a{1,2})*$", "^a*a*a*$", "(?:a{0,9}){0,9}b", "^(?=(a+)+$)a*$"]


def schema(*parts: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {f"v{index}": part for index, part in enumerate(parts)}}


POSITIONS: dict[str, Any] = {
    "field": lambda pattern: ({"type": "string", "pattern": pattern}, lambda text: text),
    "nullable": lambda pattern: ({"type": ["string", "null"], "pattern": pattern}, lambda text: text),
    "items": lambda pattern: (
        {"type": "array", "items": {"type": "string", "pattern": pattern}},
        lambda text: [text] * 5,
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


@pytest.mark.parametrize("position", POSITIONS)
def test_no_slow_pattern_stands_in_a_generated_module(position: str) -> None:
    many_ranges = r"\P{L}x"  # with which `re` compares a character past U+FFFF in turn
    text = source(schema(*(POSITIONS[position](pattern)[0] for pattern in (*SLOW, many_ranges))))
    assert "pattern=" not in text
    assert "check_pattern" not in text


def test_a_bounded_text_keeps_its_pattern() -> None:
    assert "pattern=" in source(
        schema({"type": "array", "items": {"type": "string", "pattern": "^(a{1,2})*$", "maxLength": 6}})
    )


DECODE = """
import json, sys
from toolcast.runtime import ArgumentError
from tests.python.compiled import binding
for schema, arguments in json.load(sys.stdin):
    with binding(schema) as tool:
        for each in arguments:
            try:
                tool.decode(json.dumps(each))
                print("accepted")
            except ArgumentError:
                print("refused")
"""


def test_hostile_arguments_are_judged_in_bounded_time() -> None:
    """In a process of its own, so that a search without an end fails."""
    cases, expected = [], []
    for position in POSITIONS.values():
        made = [position(pattern) for pattern in SLOW]
        arguments = []
        for index, (pattern, (_, value)) in enumerate(zip(SLOW, made, strict=True)):
            texts = ["aab" if pattern.endswith("b") else "aa", "a" * 30 + "!", "a" * 5_000 + "!"]
            arguments += [{f"v{index}": value(text)} for text in texts]
            expected += ["accepted", "refused", "refused"]
        cases.append([schema(*(part for part, _ in made)), arguments])
    run = subprocess.run(
        [sys.executable, "-c", DECODE], input=json.dumps(cases), capture_output=True, text=True, timeout=120
    )
    assert run.stdout.split() == expected, run.stderr


@pytest.mark.parametrize("inject", [False, True])
def test_all_fields_of_a_call_share_its_steps(inject: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each item has a validator of its own."""
    item = {"type": "object", "properties": {"p": {"type": "string", "pattern": "[ab]*a[ab]{200}c"}}}
    parameters = schema({"type": "array", "items": item}, {"type": "string"})
    texts = ["".join(Random(seed).choices("ab", k=300)) for seed in range(200)]
    arguments = json.dumps({"v0": [{"p": text} for text in [*texts[:3], *texts]]})
    with binding(parameters, **({"inject": {"v1": "context.user_id"}} if inject else {})) as tool:
        assert tool.decode(json.dumps({"v0": []}))
        monkeypatch.setattr(search, "STEPS", 400_000)

        def decode() -> None:
            with pytest.raises(ArgumentError, match="too many steps; send a shorter text"):
                tool.decode(arguments)

        assert lines_executed(decode) < 200_000


def test_the_limit_is_named() -> None:
    with binding(schema({"type": "string", "pattern": "^(?=(a+)+$)a*$"})) as tool:
        with pytest.raises(ArgumentError, match="would take too many steps; send a shorter text"):
            tool.decode({"v0": "a" * 100})
        assert tool.decode({"v0": "a" * 8}).v0 == "a" * 8
    with binding(schema({"type": "string", "pattern": r"\P{L}x"})) as tool:
        with pytest.raises(ArgumentError, match="would take too many steps; send a shorter text"):
            tool.decode({"v0": "😀" * 262_144})
        assert tool.decode({"v0": "😀" * 1_000 + "x"}).v0[-2:] == "😀x"
