"""What the comparisons count: values on both sides of a schema, and verdicts of contestants on them."""

import inspect
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from bench.comparisons.contestant import Made, contest
from bench.comparisons.tables import decoding, differing
from bench.comparisons.values import Tool, closed, tools
from tests import optional

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["count"],
    "properties": {"count": {"type": "integer", "minimum": 1}, "e-mail": {"type": "string"}},
    "additionalProperties": False,
}
RECORD = {
    "name": "tool",
    "parameters": SCHEMA,
    "calls": [{"count": 2, "e-mail": "a@b.c"}],
    "bad_calls": [{"arguments": {"count": 0}, "why": "too few"}, {"arguments": {"count": 1, "e-mail": None}}],
}


def tool() -> Tool:
    [made] = tools([RECORD])
    return made


def row(make: Callable[[Tool], Made]) -> dict[str, str]:
    """The cells of one contestant, beside itself."""
    found = contest("it", [tool()], make)
    head, _, cells = (
        [cell.strip() for cell in line.split("|")] for line in decoding([tool()], [found]).splitlines()
    )
    return dict(zip(head, cells, strict=True))


def exact(text: str) -> None:
    jsonschema.validate(json.loads(text), SCHEMA, format_checker=jsonschema.FormatChecker())


def test_each_value_is_judged_by_the_schema() -> None:
    judged = {value.text: value for value in tool().values}
    assert len(judged) > 20
    for value in judged.values():
        valid = jsonschema.Draft202012Validator(SCHEMA).is_valid(json.loads(value.text))
        assert value.accepted == valid, value.text
    null = judged['{"count": 1, "e-mail": null}']
    assert (null.accepted, null.allowed) == (False, True)
    assert not judged['{"count": 0}'].allowed


def test_a_schema_that_is_none_has_no_values() -> None:
    [made] = tools([{"name": "tool", "parameters": {"type": "object", "properties": {"a": {"type": ""}}}}])
    assert made.values == ()


def test_an_exact_decoder_is_exact() -> None:
    found = row(lambda _: Made(exact, schema=SCHEMA))
    assert (found["tools"], found["exact"], found["own schema differs"]) == ("1", "1", "0")
    assert found["valid refused"].startswith("0 of ")
    assert found["invalid taken"].startswith("0 of ")
    assert found["nulls taken"].startswith("0 of ")


def test_a_decoder_that_takes_everything_takes_what_is_wrong() -> None:
    found = row(lambda _: Made(json.loads, schema=SCHEMA))
    taken, _, count = found["invalid taken"].partition(" of ")
    assert taken == count == found["own schema differs"] != "0"
    assert found["exact"] == "0"


def test_a_generator_that_raises_has_no_tool() -> None:
    def make(_: Tool) -> Made:
        raise RecursionError("no model")

    assert row(make)["tools"] == "0"


def test_a_schema_of_its_own_that_is_none_differs_in_every_value() -> None:
    made = contest("it", [tool()], lambda _: Made(json.loads, schema={"type": "nothing"})).answers[
        "tool_0000"
    ]
    assert made is not None
    assert differing(tool(), made) == len(tool().values)


def test_a_function_has_the_parameters_of_the_tool() -> None:
    models = optional.load("bench.comparisons.models")
    found = inspect.signature(models.function(tool())).parameters
    assert [each.default is inspect.Parameter.empty for each in found.values()] == [True, False]
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in found.values())


def test_parameters_without_names_are_no_function() -> None:
    models = optional.load("bench.comparisons.models")
    with pytest.raises(TypeError):
        models.function(Tool("tool", "A tool.", {"type": "array", "items": {"type": "string"}}, ()))


def test_closing_leaves_maps_and_literals_alone() -> None:
    schema = {
        "properties": {"map": {"type": "object"}, "one": {"const": {"properties": {}}}},
        "anyOf": [{"properties": {"a": {}}, "additionalProperties": True}],
    }
    assert closed(schema) == {**schema, "additionalProperties": False}
