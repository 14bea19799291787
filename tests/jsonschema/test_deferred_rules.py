"""Schemas compiled together make common rules when a value is judged: nothing else may differ."""

from collections.abc import Callable
from copy import deepcopy
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.jsonschema import Schemas, UnsupportedSchema, Validator
from toolcast.jsonschema.document import MAX_SCHEMA_DEPTH
from toolcast.jsonschema.keyword_values import _FORMS
from toolcast.jsonschema.site import Site

from tests.jsonschema.strategies import documents, schemas, values


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


NESTED = {
    "type": "object",
    "properties": {
        "a": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "b": {"properties": {"c": {"type": "integer"}}, "additionalProperties": False},
    },
    "required": ["a"],
    "additionalProperties": {"type": "null"},
}
SAMPLES: tuple[Any, ...] = (
    {"a": ["x"], "b": {"c": 1}, "d": None},
    {"a": [""]},
    {"a": [], "b": {"d": 1}},
    {"a": [], "d": 1},
    {},
)


@pytest.mark.parametrize("moment", range(14))
def test_another_thread_may_make_the_same_rules_meanwhile(
    monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Wherever the one who makes rules is, somebody else asks for all of them, and gets them."""
    at_once = Validator(NESTED)
    meant = [at_once.violations(value) for value in SAMPLES]
    validator = Validator(NESTED, shared=Schemas(NESTED))
    others: list[Any] = []
    count = 0

    def interrupt() -> None:
        nonlocal count
        count += 1
        if count == moment:
            thread = Thread(target=lambda: others.extend(validator.violations(value) for value in SAMPLES))
            thread.start()
            thread.join()

    def after(method: Callable[..., Any]) -> Callable[..., Any]:
        def interrupted(self: Site, *arguments: Any) -> Any:
            interrupt()
            result = method(self, *arguments)
            interrupt()
            return result

        return interrupted

    monkeypatch.setattr(Site, "child", after(Site.child))
    monkeypatch.setattr(Site, "__init__", after(Site.__init__))
    assert [validator.violations(value) for value in SAMPLES] == meant
    assert others == (meant if moment else [])


@pytest.mark.parametrize("depth", [1, MAX_SCHEMA_DEPTH - 1, MAX_SCHEMA_DEPTH, MAX_SCHEMA_DEPTH + 1])
@pytest.mark.parametrize("bottom", [{"type": "string"}, {"type": "strin"}, {"pattern": "("}])
@pytest.mark.parametrize("word", ["items", "properties", "additionalProperties"])
def test_deep_schemas(word: str, bottom: dict[str, str], depth: int) -> None:
    schema: dict[str, Any] = bottom
    good: Any = "x"
    for _ in range(depth - 1):
        schema = {word: {"a": schema} if word == "properties" else schema}
        good = [good] if word == "items" else {"a": good}
    agree(schema, [good, {}, [], {"a": 1}, [1]])


def test_deep_values() -> None:
    """Rules are first made where the stack is deepest."""
    inner: dict[str, Any] = {"type": "string"}
    for word in ("items", "additionalProperties", "items", "properties", "items", "additionalProperties"):
        inner = {word: {"a": inner} if word == "properties" else inner}
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#"}, "b": {"type": "array", "items": {"$ref": "#"}}, "c": inner},
    }
    good: Any = {"a": {}, "c": {"x": [{"a": [{"y": ["z"]}]}]}}
    bad: Any = {"a": {}, "c": {"x": [{"a": [{"y": [1]}]}]}}
    for _ in range(95):
        good, bad = {"a": good, "b": [{"a": {}}]}, {"a": {}, "b": [bad]}
    at_once = Validator(schema)
    assert (at_once.accepts(good), at_once.accepts(bad)) == (True, False)
    for value in (good, bad):
        assert Validator(schema, shared=Schemas(schema)).accepts(value) is (value is good)
        assert Validator(schema, shared=Schemas(schema)).violations(value) == at_once.violations(value)
