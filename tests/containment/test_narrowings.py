"""Each kind of narrowing is found, named, and shown by a call that jsonschema-rs judges as both sides do."""

from typing import Any

import jsonschema_rs
import pytest
from toolcast.analysis.containment.compare import Comparison, compare
from toolcast.analysis.containment.gaps import REASONS
from toolcast.analysis.containment.scalar_gaps import UNUSUAL
from toolcast.analysis.instances.scalar_values import EXACT, FORMATS, WIDER
from toolcast.jsonschema.formats import FORMATS as IS_FORMAT
from toolcast.jsonschema.search import found

from bench.containment.contracts import built_schema

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def compared(old: Any, new: Any, root: Any = "parameters") -> Comparison:
    """The comparison of two parameter schemas, or of two results; its witnesses are judged here."""
    first, second = (
        (built_schema(old), built_schema(new))
        if root == "parameters"
        else (built_schema({"type": "object"}, old), built_schema({"type": "object"}, new))
    )
    assert first is not None
    assert second is not None
    result = compare(first, second, root)
    for escape in result.escapes:
        assert judged(old, escape.value), escape
        assert not judged(new, escape.value), escape
        assert escape.reason in REASONS
    return result


def judged(schema: Any, value: Any) -> bool:
    return bool(jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value))


def one(schema: Any, **others: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"], **others}


def of(name: str, *values: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"const": name}, **dict(values)},
        "required": ["kind", *dict(values)],
    }


NARROWINGS: list[tuple[str, Any, Any]] = [
    ("type-narrowed", {"type": ["string", "integer"]}, TEXT),
    ("type-narrowed", {"type": "number"}, WHOLE),
    ("type-narrowed", {}, TEXT),
    ("null-refused", {"type": ["string", "null"]}, TEXT),
    ("enum-value-removed", {"enum": ["x", "y"]}, {"enum": ["x"]}),
    ("enum-value-removed", {"const": "x"}, {"const": "y"}),
    ("enum-added", TEXT, {"enum": ["x", "a"]}),
    ("enum-added", {"type": "boolean"}, {"const": True}),
    ("minimum-raised", WHOLE, {"type": "integer", "minimum": 1}),
    ("minimum-raised", {"type": "number", "minimum": 1}, {"type": "number", "exclusiveMinimum": 1}),
    ("maximum-lowered", {"type": "number", "maximum": 2.5}, {"type": "number", "maximum": 2}),
    ("multiple-of-narrowed", WHOLE, {"type": "integer", "multipleOf": 5}),
    ("multiple-of-narrowed", {"type": "number", "multipleOf": 0.1}, {"type": "number", "multipleOf": 0.2}),
    ("min-length-raised", TEXT, {"type": "string", "minLength": 2}),
    (
        "max-length-lowered",
        {"type": "string", "pattern": "^a+$"},
        {"type": "string", "pattern": "^a+$", "maxLength": 3},
    ),
    ("pattern-added", TEXT, {"type": "string", "pattern": "^[a-z]+$"}),
    (
        "pattern-changed",
        {"type": "string", "pattern": "^[a-z0-9]+$"},
        {"type": "string", "pattern": "^[a-z]+$"},
    ),
    ("pattern-changed", {"type": "string", "pattern": "^(?!x)y"}, {"type": "string", "pattern": "^(?!x)yz"}),
    ("format-added", TEXT, {"type": "string", "format": "date"}),
    ("format-changed", {"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}),
    ("min-items-raised", {"type": "array"}, {"type": "array", "minItems": 1}),
    ("max-items-lowered", {"type": "array", "items": TEXT}, {"type": "array", "items": TEXT, "maxItems": 1}),
    (
        "unique-items-added",
        {"type": "array", "items": WHOLE},
        {"type": "array", "items": WHOLE, "uniqueItems": True},
    ),
    ("type-narrowed", {"type": "array", "items": {}}, {"type": "array", "items": WHOLE}),
    (
        "items-forbidden",
        {"type": "array", "prefixItems": [TEXT, TEXT]},
        {"type": "array", "prefixItems": [TEXT], "items": False},
    ),
    (
        "contains-narrowed",
        {"type": "array", "items": WHOLE},
        {"type": "array", "items": WHOLE, "contains": {"const": 3}},
    ),
    (
        "contains-narrowed",
        {"type": "array", "contains": WHOLE},
        {"type": "array", "contains": WHOLE, "minContains": 2},
    ),
    ("required-added", {"type": "object"}, {"type": "object", "required": ["b"]}),
    (
        "made-required",
        {"type": "object", "properties": {"b": {}}},
        {"type": "object", "properties": {"b": {}}, "required": ["b"]},
    ),
    (
        "property-removed",
        {"type": "object", "properties": {"b": TEXT}, "additionalProperties": False},
        {"type": "object", "additionalProperties": False},
    ),
    (
        "property-forbidden",
        {"type": "object", "properties": {"b": TEXT}},
        {"type": "object", "properties": {"b": False}},
    ),
    ("property-declared", {"type": "object"}, {"type": "object", "properties": {"b": TEXT}}),
    (
        "object-closed",
        {"type": "object", "properties": {"b": TEXT}},
        {"type": "object", "properties": {"b": TEXT}, "additionalProperties": False},
    ),
    (
        "object-closed",
        {"type": "object", "patternProperties": {"^x": TEXT}, "additionalProperties": False},
        {"type": "object", "patternProperties": {"^xy": TEXT}, "additionalProperties": False},
    ),
    ("property-names-narrowed", {"type": "object"}, {"type": "object", "propertyNames": {"maxLength": 3}}),
    ("min-properties-raised", {"type": "object"}, {"type": "object", "minProperties": 1}),
    ("max-properties-lowered", {"type": "object"}, {"type": "object", "maxProperties": 2}),
    ("dependency-added", {"type": "object"}, {"type": "object", "dependentRequired": {"b": ["c"]}}),
    (
        "type-narrowed",
        {"type": "object", "additionalProperties": {}},
        {"type": "object", "additionalProperties": TEXT},
    ),
    ("branch-removed", {"anyOf": [of("x"), of("y"), of("z")]}, {"anyOf": [of("x"), of("z")]}),
    ("type-narrowed", {"anyOf": [of("x"), of("y", ("n", {}))]}, {"anyOf": [of("x"), of("y", ("n", WHOLE))]}),
    ("exclusion-added", TEXT, {"type": "string", "not": {"minLength": 4}}),
    ("branches-overlap", WHOLE, {"oneOf": [{"minimum": 0}, {"maximum": 5}]}),
]


@pytest.mark.parametrize(("reason", "old", "new"), NARROWINGS)
def test_a_narrowing_has_its_reason_and_a_witness(reason: str, old: Any, new: Any) -> None:
    result = compared(one(old), one(new))
    assert [escape.reason for escape in result.escapes] == [reason]
    assert result.undecided == ()
    assert result.verdict == "escapes"
    assert result.escapes[0].pointer.startswith("/parameters/properties/a")
    back = compared(one(new), one(old))
    assert all(
        escape.reason != reason or "changed" in reason or "removed" in reason for escape in back.escapes
    )


CONTAINED: list[tuple[Any, Any]] = [
    (WHOLE, {"type": "number"}),
    ({"type": "integer", "minimum": 1, "maximum": 3}, {"enum": [1, 2, 3, 4]}),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "number", "minimum": 1}),
    ({"type": "number", "multipleOf": 4}, {"type": "integer", "multipleOf": 2}),
    ({"type": "boolean"}, {"enum": [False, True]}),
    ({"type": ["string", "null"]}, {"anyOf": [{"type": "null"}, TEXT]}),
    ({"anyOf": [TEXT, {"type": "null"}]}, {"type": ["null", "string", "integer"]}),
    ({"enum": ["a", "b"]}, {"anyOf": [{"const": "b"}, {"const": "a"}]}),
    ({"enum": [1, "x"]}, {"type": ["integer", "string"]}),
    ({"type": "string", "pattern": "^[a-z]{2,4}$"}, {"type": "string", "minLength": 2, "maxLength": 4}),
    ({"type": "string", "pattern": "^[a-f]+$"}, {"type": "string", "pattern": "^[a-z]*$"}),
    ({"type": "string", "format": "uuid"}, {"type": "string", "minLength": 36}),
    ({"type": "array", "prefixItems": [TEXT, WHOLE], "items": False}, {"type": "array", "maxItems": 2}),
    ({"type": "array", "items": WHOLE, "minItems": 1}, {"type": "array", "contains": {"type": "number"}}),
    ({"type": "string", "format": "date"}, {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}),
    (
        {"type": "string", "pattern": "^[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{12}$"},
        {"type": "string", "format": "uuid"},
    ),
    ({"type": "string", "format": "uri"}, {"type": "string", "pattern": ":"}),
    (of("x"), {"oneOf": [of("x"), of("y")]}),
    (
        {"type": "object", "properties": {"k": {"enum": ["x", "y"]}}, "required": ["k"]},
        {
            "type": "object",
            "anyOf": [of("x"), {"properties": {"k": {"const": "y"}}}, {"properties": {"k": {"const": "x"}}}],
        },
    ),
    (
        {"type": "object", "properties": {"k": {"const": "x"}, "n": WHOLE}, "required": ["k", "n"]},
        {
            "type": "object",
            "if": {"properties": {"k": {"const": "x"}}},
            "then": {"required": ["n"]},
            "else": {"required": ["m"]},
        },
    ),
    (
        {"type": "object", "properties": {"b": TEXT}, "additionalProperties": False},
        {"type": "object", "maxProperties": 1},
    ),
    ({"type": "integer"}, {"anyOf": [{"minimum": 5}, {"maximum": 5}]}),
    ({"type": "integer"}, {"anyOf": [{"minimum": 5}, {"maximum": 4}]}),
    (
        {"allOf": [{"required": ["b"]}, {"properties": {"b": TEXT}}], "type": "object"},
        {"type": "object", "properties": {"b": TEXT}, "required": ["b"]},
    ),
    ({"type": "string", "not": {"maxLength": 3}}, {"type": "string", "not": {"maxLength": 2}}),
]


@pytest.mark.parametrize(("old", "new"), CONTAINED)
def test_a_rewrite_or_a_widening_is_contained(old: Any, new: Any) -> None:
    assert compared(one(old), one(new)) == Comparison()


@pytest.mark.parametrize("name", sorted(WIDER))
def test_every_text_of_a_format_matches_its_pattern(name: str) -> None:
    texts = [text for right, wrong in FORMATS.values() for text in (*right, *wrong)]
    texts += [text for each in UNUSUAL.values() for text in each]
    for text in texts:
        if IS_FORMAT[name](text):
            assert found(WIDER[name], text), text
        elif name in EXACT:
            assert not found(EXACT[name], text), text


def test_recursive_schemas_are_compared() -> None:
    def tree(value: Any, name: str) -> dict[str, Any]:
        node = {
            "type": "object",
            "properties": {"v": value, "kids": {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}},
        }
        return {**one({"$ref": f"#/$defs/{name}"}), "$defs": {name: node}}

    assert compared(tree(WHOLE, "t"), tree({"type": "number"}, "u")) == Comparison()
    result = compared(tree({"type": "number"}, "t"), tree(WHOLE, "u"))
    assert [escape.reason for escape in result.escapes] == ["type-narrowed"]


def test_three_narrowed_parameters_are_three_escapes_that_differ_in_one_place() -> None:
    old = {"type": "object", "properties": {"a": WHOLE, "b": TEXT, "c": {"enum": [1, 2]}}, "required": ["b"]}
    new = {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 3},
            "b": {"type": "string", "minLength": 1},
            "c": {"enum": [1]},
            "d": TEXT,
        },
        "required": ["b", "d"],
    }
    result = compared(old, new)
    reasons = [escape.reason for escape in result.escapes]
    assert reasons == [
        "required-added",
        "minimum-raised",
        "min-length-raised",
        "enum-value-removed",
        "property-declared",
    ]
    for escape in result.escapes:
        problems = list(jsonschema_rs.Draft202012Validator(new).iter_errors(escape.value))
        assert len(problems) == 1, escape


def test_a_null_for_an_optional_parameter_is_forgiven_and_in_a_result_is_not() -> None:
    old = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}
    new = {"type": "object", "properties": {"a": TEXT}}
    assert compared(old, new) == Comparison()
    assert [each.reason for each in compared(old, new, "result").escapes] == ["null-refused"]


def test_descriptions_order_and_spelling_change_nothing() -> None:
    old = {
        "type": "object",
        "description": "old",
        "properties": {"a": {"enum": ["x", "y"], "title": "A"}, "b": {"$ref": "#/$defs/d"}},
        "required": ["a", "b"],
        "$defs": {"d": TEXT},
    }
    new = {
        "type": "object",
        "properties": {"b": {"type": "string", "default": "q"}, "a": {"enum": ["y", "x"]}},
        "required": ["b", "a"],
    }
    assert compared(old, new) == Comparison()
    assert compared(new, old) == Comparison()
