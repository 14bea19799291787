"""A tool compiled for every provider: parameters that are renamed, encoded, nullable, shared."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from toolcast.project.core.compiled import Options
from toolcast.providers import available
from toolcast.runtime import ArgumentError, ToolBinding

from tests.python.compiled import package

SPEC = """\
description: Hands a task to agents.
permission: execute
secrets: []
parameters:
  type: object
  additionalProperties: false
  required: [the agent, mode]
  properties:
    the agent: {type: string, minLength: 1, description: Who does it.}
    helpers: {type: array, items: {type: string}, maxItems: 3}
    judge: {type: [string, "null"]}
    mode: {type: string}
    size: {type: integer}
    style: {type: string, default: plain}
    either: {anyOf: [{type: string}, {type: integer}]}
runtime_enums: {the agent: agents, helpers: agents, judge: agents, style: styles, size: sizes, either: agents}
"""
VALUES: Any = {"the agent": ["ada", "bob"], "helpers": ["cleo"], "judge": ["dan"], "style": ["plain", "rich"]}
GOOD = {"the agent": "ada", "mode": "m", "helpers": ["cleo"], "judge": None}


@pytest.fixture(scope="module")
def hand() -> Iterator[ToolBinding[Any, Any]]:
    with package({"a/hand.yaml": SPEC}, options=Options(providers=available())) as bindings:
        yield bindings["hand"]


@pytest.mark.parametrize("provider", available())
def test_every_provider_gets_every_value(hand: ToolBinding[Any, Any], provider: str) -> None:
    plain, reported = hand.definition(provider), hand.specialise(**VALUES).definition(provider)
    for name, of in VALUES.items():
        only = hand.specialise(**{name: of}).definition(provider)
        assert only != plain
        for value in of:
            before = plain.count(f'"{value}"'.encode())
            assert only.count(f'"{value}"'.encode()) + only.count(f'\\"{value}\\"'.encode()) > before
            assert value.encode() in reported


@pytest.mark.parametrize("provider", [None, *available()])
def test_decoding_holds_every_value(hand: ToolBinding[Any, Any], provider: str | None) -> None:
    team = hand.specialise(**VALUES)
    assert team.decode(GOOD, provider) == hand.decode(GOOD, provider)
    assert team.decode(json.dumps(GOOD), provider) == hand.decode(GOOD, provider)
    wrong = {"the agent": "x", "helpers": ["cleo", "x"], "judge": "x", "mode": "m", "style": "x"}
    with pytest.raises(ArgumentError) as caught:
        team.decode(json.dumps(wrong), provider)
    assert {(each.path, each.keyword) for each in caught.value.violations} == {
        ('$["the agent"]', "enum"),
        ("$.helpers[1]", "enum"),
        ("$.judge", "enum"),
        ("$.style", "enum"),
    }
    for name in VALUES:
        with pytest.raises(ArgumentError):
            team.decode({**GOOD, name: wrong[name]}, provider)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": ["a"]}, "contract refuses 'a'"),
        ({"either": ["a"]}, "a string or a list of strings"),
        ({"style": ["rich"]}, "lacks 'plain'"),
        ({"helper": ["a"]}, "Did you mean 'helpers'"),
    ],
)
def test_what_has_no_place_is_refused(hand: ToolBinding[Any, Any], values: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand.specialise(**values)
