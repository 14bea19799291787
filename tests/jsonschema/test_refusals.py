"""Schemas that cannot be judged are refused with the place, never with a stray exception."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.keywords import _FORMS
from toolcast.jsonschema.validator import Validator
from toolcast.jsonschema.validator_errors import UnsupportedSchema

from tests.jsonschema.strategies import values


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"exclusiveMinimum": True}, "/exclusiveMinimum"),
        ({"items": {"minLength": -1}}, "/items/minLength"),
        ({"minItems": 1.5}, "/minItems"),
        ({"required": "a"}, "/required"),
        ({"required": ["a", "a"]}, "/required"),
        ({"required": [["a"]]}, "/required"),
        ({"properties": []}, "/properties"),
        ({"properties": {"a/b~c": {"type": "strin"}}}, "/properties/a~1b~0c/type"),
        ({"properties": {"a": 1}}, "/properties"),
        ({"properties": {1: {}}}, "/properties"),
        ({"type": []}, "/type"),
        ({"type": [[]]}, "/type"),
        ({"type": {}}, "/type"),
        ({"items": [{}]}, "/items"),
        ({"prefixItems": []}, "/prefixItems"),
        ({"anyOf": {}}, "/anyOf"),
        ({"enum": 1}, "/enum"),
        ({"enum": [{1, 2}]}, "/enum"),
        ({"multipleOf": 0}, "/multipleOf"),
        ({"minimum": float("nan")}, "/minimum"),
        ({"maximum": "1"}, "/maximum"),
        ({"pattern": "("}, "/pattern"),
        ({"pattern": "(?P<x>a)"}, "/pattern"),
        ({"patternProperties": {"[": {}}}, "/patternProperties"),
        ({"$ref": "#/$defs/none"}, "/$ref"),
        ({"$ref": "other.json"}, "/$ref"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "/$ref"),
        ({"$ref": "#nowhere"}, "/$ref"),
        ({"$ref": "#/x", "x": 1}, "/$ref"),
        ({"$ref": 1}, "/$ref"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}}}, "/$defs/a/items/$ref"),
        ({"items": {"$dynamicRef": "#x"}}, "/items/$dynamicRef"),
        ({"$vocabulary": {}}, "/$vocabulary"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "/$schema"),
        ({"$ref": "#x", "$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x", "type": "null"}}}, "/$ref"),
        ({"$ref": "#"}, ""),
        (
            {"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}},
            "/$defs/a/allOf/0",
        ),
        ([], ""),
        (None, ""),
        ("string", ""),
    ],
)
def test_refused_with_its_pointer(schema: Any, pointer: str) -> None:
    with pytest.raises(UnsupportedSchema) as caught:
        Validator(schema)
    assert caught.value.pointer == pointer
    assert caught.value.reason


@given(st.dictionaries(st.sampled_from([*_FORMS, "const", "$dynamicRef", "default"]), values(), max_size=3))
def test_any_json_under_any_keyword_compiles_or_is_refused(schema: Any) -> None:
    try:
        validator = Validator(schema)
    except UnsupportedSchema:
        return
    for value in ({"a": 1}, [1, "a"], "a", 1.5, None):
        assert validator.accepts(value) == (validator.violations(value) == [])


def test_references_resolve_in_the_root_document() -> None:
    root = {"$defs": {"name": {"type": "string"}, "user": {"properties": {"n": {"$ref": "#/$defs/name"}}}}}
    validator = Validator(root["$defs"]["user"], root=root, pointer="#/$defs/user")
    assert validator.accepts({"n": "x"})
    assert not validator.accepts({"n": 1})
    apart = Validator({"$ref": "#/$defs/name"}, root=root)
    assert apart.accepts("x")
    assert not apart.accepts(1)


def test_the_base_of_an_embedded_resource_holds_inside_of_it() -> None:
    inner = {
        "$id": "https://example.com/inner",
        "$defs": {"t": {"type": "integer"}},
        "items": {"$ref": "#/$defs/t"},
    }
    root = {"$defs": {"inner": inner, "t": {"type": "string"}}}
    assert Validator(inner, root=root, pointer="/$defs/inner").accepts([1])
    assert not Validator(inner, root=root, pointer="/$defs/inner").accepts(["x"])
