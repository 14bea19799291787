"""What reading a contract leaves out where it cannot matter says what the long way says."""

from typing import Any

from hypothesis import assume, example, given, settings
from toolwright.contract.keeping import judges, kept
from toolwright.contract.normalise import Normaliser
from toolwright.contract.pointers import follow, indexed
from toolwright.contract.read import Reader
from toolwright.contract.tree import Choice
from toolwright.runtime.schema import Schemas, UnsupportedSchema, Validator
from toolwright.runtime.schema.values import equal

from tests.compile.strategies import parameters

from .helper import document, spec


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
            Validator(follow(whole, place), shared=schemas, pointer=place)
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
