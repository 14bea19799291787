"""Schemas compiled together make common rules when a value is judged: nothing else may differ."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolwright.runtime.schema import Schemas, UnsupportedSchema, Validator
from toolwright.runtime.schema.form import _FORMS

from tests.runtime_schema.strategies import documents, schemas, values


def made(schema: Any, *, together: bool) -> Validator | tuple[str, str]:
    """The validator of a schema, or where and why there is none."""
    try:
        shared = Schemas(schema, formats=True) if together else None
        return Validator(schema, formats=True, shared=shared)
    except UnsupportedSchema as problem:
        return problem.pointer, problem.reason


def agree(schema: Any, samples: list[Any]) -> None:
    at_once, postponed = made(schema, together=False), made(schema, together=True)
    if isinstance(at_once, tuple) or isinstance(postponed, tuple):
        assert postponed == at_once, schema
        return
    for value in samples:
        assert postponed.violations(value) == at_once.violations(value), (schema, value)
        assert postponed.accepts(value) == at_once.accepts(value), (schema, value)
        assert repr(postponed.settle(value)) == repr(at_once.settle(value)), (schema, value)


@settings(max_examples=200, deadline=None)
@given(schemas() | documents(), st.lists(values(), min_size=1, max_size=6))
def test_the_same_is_said_of_values(schema: Any, samples: list[Any]) -> None:
    agree(schema, samples)


@settings(max_examples=300, deadline=None)
@given(documents(), st.data())
def test_the_first_problem_is_the_same(schema: Any, data: st.DataObject) -> None:
    """A few keywords get a value that may not fit, anywhere in the document."""
    schema = deepcopy(schema)  # what was drawn may hold parts of other examples
    for _ in range(data.draw(st.integers(1, 3))):
        at = schema
        while below := [part for part in at.values() if isinstance(part, dict)]:
            if data.draw(st.booleans()):
                break
            at = data.draw(st.sampled_from(below))
        wrong = values() | st.just({"a": {"type": "strin"}})
        at[data.draw(st.sampled_from(sorted(_FORMS)))] = deepcopy(data.draw(wrong))
    agree(schema, [{}, {"a": 1}])


@pytest.mark.parametrize("bounds", [{"minItems": 1}, {"maxItems": 1}, {"minItems": 1, "maxItems": 2}])
def test_lists_of_anything(bounds: dict[str, int]) -> None:
    schema = {"properties": {"a": {"anyOf": [{"type": "array", **bounds}, {"type": "null"}]}}}
    agree(schema, [{"a": value} for value in ([], [1], ["x", None], [1, 2, 3], None, 5, {})])


@pytest.mark.parametrize("sound", range(16))
def test_the_first_of_several_problems_below(sound: int) -> None:
    """Each of four places holds something wrong, or (a bit of `sound`) not."""
    parts = [{"type": "string"} if sound >> place & 1 else {"type": f"wrong {place}"} for place in range(4)]
    agree(
        {
            "items": parts[0],
            "additionalProperties": parts[1],
            "properties": {"a": parts[2], "b": parts[3]},
            "required": ["b"],
        },
        [{}, {"a": 1}, {"b": 1, "c": 1}, [1]],
    )
