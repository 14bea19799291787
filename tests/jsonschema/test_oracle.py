"""The verdicts against an independent validator, over generated schemas and values."""

from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.validator import Validator

from tests.jsonschema.strategies import documents, schemas, values


def agree(schema: Any, samples: list[Any]) -> None:
    ours = Validator(schema)
    theirs = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
    for value in samples:
        expected = theirs.is_valid(value)
        assert ours.accepts(value) == expected, (schema, value)
        assert (not ours.violations(value)) == expected, (schema, value)
        assert len(ours.violations(value, 1)) == (not expected)


@given(schemas(), st.lists(values(), min_size=1, max_size=6))
def test_verdicts_equal_those_of_an_independent_validator(schema: Any, samples: list[Any]) -> None:
    agree(schema, samples)


@given(documents(), st.lists(values(), min_size=1, max_size=6))
def test_references_too(schema: Any, samples: list[Any]) -> None:
    agree(schema, samples)


def test_a_schema_object_used_twice() -> None:
    """Documents read from YAML may hold one object in two places."""
    text = {"type": "string"}
    agree({"if": False, "then": text, "else": text}, ["a", 1])
    agree(
        {"properties": {"a": text, "b": text}, "anyOf": [text, text, {"required": ["a"]}]},
        [{"a": "x"}, {"b": 1}],
    )
