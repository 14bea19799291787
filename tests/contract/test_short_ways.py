"""What reading a contract leaves out where it cannot matter says what the long way says."""

from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from msgspec import structs
from toolcast.contract import normalise
from toolcast.contract.keeping import judges, kept
from toolcast.contract.normal_pointers import indexed, without
from toolcast.contract.normalise import Normaliser
from toolcast.contract.read import Reader
from toolcast.contract.tree import Choice
from toolcast.diagnostics import Diagnostic
from toolcast.jsonschema import Schemas, UnsupportedSchema, Validator
from toolcast.jsonschema.equality import equal
from toolcast.jsonschema.pointers import resolve
from toolcast.jsonschema.upgrade import as_written, upgrade

from tests.python.compiled import document, spec
from tests.python.strategies import parameters


def read(schema: Any) -> tuple[dict[str, Any], Reader]:
    """The contract document of a tool with these parameters, and its reader."""
    tool = document(spec(schema), "tool.json")
    normaliser = Normaliser(tool, {}, "tool.json")
    normaliser.add_root("parameters", ("parameters",))
    assume(not normaliser.diagnostics)
    whole = normaliser.result().document()
    try:
        schemas = Schemas(whole, formats=True)
        for place in ("/parameters", *(f"/$defs/{name}" for name in whole.get("$defs", {}))):
            Validator(resolve(whole, place), shared=schemas, pointer=place)
    except UnsupportedSchema:
        assume(False)
    return whole, Reader(whole, schemas)


def found(whole: dict[str, Any]) -> list[tuple[Any, str]]:
    """Every schema of a contract document, with its pointer."""
    tops = [(whole["parameters"], "/parameters")]
    tops += [(schema, f"/$defs/{name}") for name, schema in whole.get("$defs", {}).items()]
    return [each for top in tops for each in indexed(*top)]


@settings(max_examples=80, deadline=None)
@given(parameters())
def test_nothing_is_kept_where_no_schema_judges_twice(schema: Any) -> None:
    whole, reader = read(schema)
    if not any(judges(each) for each, _ in found(whole)):
        assert kept(reader, whole, {}) == frozenset()


@settings(max_examples=80, deadline=None)
@given(parameters())
def test_null_is_refused_by_type_as_by_the_validator(schema: Any) -> None:
    whole, reader = read(schema)
    for each, pointer in found(whole):
        exact = Validator(each, root=whole, pointer=pointer, formats=True)
        assert reader.accepts(each, None) == exact.accepts(None), each


@settings(max_examples=80, deadline=None)
@given(parameters())
@example({"type": "object", "properties": {"a": {"enum": ["b", "a", "b"]}}})
@example({"type": "object", "properties": {"a": {"type": "string", "enum": ["a", "bc"], "maxLength": 1}}})
@example({"type": "object", "properties": {"a": {"type": "integer", "enum": ["a", 1, 1.0]}}})
@example({"type": "object", "properties": {"a": {"enum": ["a"], "not": {"const": "a"}}}})
def test_a_choice_has_what_its_schema_accepts(schema: Any) -> None:
    whole, reader = read(schema)
    for each, pointer in found(whole):
        node = reader.read(each, pointer)
        if not isinstance(node, Choice) or "enum" not in each:
            continue
        exact = Validator(each, root=whole, pointer=pointer, formats=True)
        wanted: list[Any] = []
        for value in each["enum"]:
            if exact.accepts(value) and not any(equal(value, other) for other in wanted):
                wanted.append(value)
        assert repr(node.values) == repr(tuple(wanted)), each


def normal(schema: Any) -> tuple[Any, list[Diagnostic]]:
    """The normal form of a tool with these parameters, as a document, and what is wrong with it."""
    normaliser = Normaliser(document(spec(schema), "tool.json"), {}, "tool.json")
    normaliser.add_root("parameters", ("parameters",))
    if any(problem.severity == "error" for problem in normaliser.diagnostics):
        return None, normaliser.diagnostics
    result = normaliser.result()
    whole = result.document()
    assert structs.replace(result, linked=True).document() == whole
    return whole, normaliser.diagnostics


ODD = st.sampled_from(
    [
        *(
            {"type": 1},
            {"enum": "a"},
            {"format": ["date"]},
            {"format": "none"},
            {"pattern": "("},
            {"pattern": 3},
        ),
        *(
            {"$comment": "c"},
            {"x-own": {"$ref": "#"}},
            {"unknown": 1},
            {"id": "a"},
            {"$id": "a"},
            {"$ref": 3},
        ),
        *({"default": {"$ref": "#"}}, {"const": {"items": []}}, {"examples": [{"$ref": "#"}]}, {"items": []}),
        *({"items": [{"id": 1}]}, {"exclusiveMinimum": True, "minimum": 1}, {"exclusiveMaximum": False}),
        *({"dependencies": {"a": ["b"], "c": {}}}, {"definitions": {"a": {}}}, {"additionalItems": False}),
        *({"contentSchema": {"id": "a"}}, {"title": ["t"]}, {"maximum": 1, "exclusiveMaximum": True}),
        *(
            {"$ref": "#/$defs/a", "type": 1, "description": 2},
            {"$defs": 3},
            {"$schema": "none"},
            {"required": 1},
        ),
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    parameters(), st.lists(ODD, max_size=3), st.sampled_from(["", "http://json-schema.org/draft-07/schema#"])
)
def test_copied_keywords_are_those_that_the_long_way_copies(schema: Any, odd: list[Any], draft: str) -> None:
    properties = {f"odd{number}": each for number, each in enumerate(odd)}
    schema = {**schema, "properties": {**schema.get("properties", {}), **properties}}
    if draft:
        schema["$schema"] = draft
    short = normal(schema)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normalise, "_COPIED", frozenset())
        assert normal(schema) == short


@given(st.lists(ODD, min_size=1, max_size=4), st.sampled_from([4, 6, 7, 2019, 2020]))
def test_a_schema_without_older_keywords_is_left_by_the_short_way(odd: list[Any], draft: int) -> None:
    """A key in snake_case asks for the long way, and is the last row of what that makes."""
    node = {key: value for each in odd for key, value in each.items()}
    found = upgrade({**node, "property_ordering": []}, draft)
    assert found is not None
    if upgrade(node, draft) is None:
        assert found.rows[:-1] == as_written(node)
        assert [change.keyword for change in found.changes] == ["property_ordering"]


@given(parameters(), st.sampled_from(["type", "default", "minimum", "required"]))
def test_what_lacks_nothing_is_the_very_same(schema: Any, keyword: str) -> None:
    found = without(schema, keyword)
    assert (found is schema) == (found == schema)
    assert all(keyword not in each for each, _ in indexed(found, ""))
