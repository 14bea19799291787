"""What reaches the library is JSON Schema 2020-12 and nothing else, and means what it meant."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.languages.models import ModelError, plain_schema

VENDOR = {
    "x-python-type": "os.PathLike",
    "x-python-import": {"module": "os", "name": "system"},
    "x-enum-varnames": ["A"],
    "x-is-base-class": True,
    "x-propertyNames": {"pattern": "a"},
    "x-datamodel-code-generator-read-as-const": True,
    "customTypePath": "os.system",
    "customBasePath": "os.PathLike",
    "default_factory": "os.abort",
    "is_classvar": True,
    "__python_field_overrides": {"a": "b"},
    "#-datamodel-code-generator-#-extras-#-special-#": {"x-python-type": "os.PathLike"},
    "discriminator": {"propertyName": "k", "mapping": {"a": "file:///etc/passwd"}},
    "nullable": True,
    "$id": "file:///etc/",
    "$schema": "http://127.0.0.1:9/schema",
    "$anchor": "a",
    "$dynamicRef": "file:///etc/passwd",
    "$dynamicAnchor": "node",
    "$recursiveRef": "#",
    "$vocabulary": {},
    "$comment": "c",
    "id": "file:///etc/",
    "format": "path",
    "contentEncoding": "base64",
    "contentMediaType": "application/octet-stream",
    "readOnly": True,
    "writeOnly": True,
    "deprecated": True,
    "example": 1,
    "definitions": {"a": {"$ref": "file:///etc/passwd"}},
    "dependencies": {"a": {"$ref": "file:///etc/passwd"}},
}
PLACES = ["properties", "items", "anyOf", "additionalProperties", "$defs", "not", "if", "prefixItems"]


def wrap(place: str, schema: Any) -> dict[str, Any]:
    if place in ("properties", "$defs"):
        return {place: {"a": schema}}
    return {place: [schema] if place in ("anyOf", "prefixItems") else schema}


@pytest.mark.parametrize("place", PLACES)
def test_vendor_keys_go_wherever_a_schema_may_stand(place: str) -> None:
    dirty = {**wrap(place, {"type": "string", **VENDOR}), **VENDOR}
    clean = plain_schema(dirty)
    assert clean == wrap(place, {"type": "string"})


def test_names_of_properties_and_literals_stay() -> None:
    schema = {
        "properties": {name: {"type": "string"} for name in VENDOR},
        "required": list(VENDOR),
        "patternProperties": {"x-python-type": {}},
        "default": VENDOR,
        "const": VENDOR,
        "enum": [VENDOR],
        "examples": [VENDOR, {"$ref": "file:///etc/passwd"}],
    }
    assert plain_schema(schema) == schema


def test_input_is_not_changed() -> None:
    schema = {
        "title": "T",
        "x-a": 1,
        "properties": {"a": {"items": False, "prefixItems": [{}]}},
        "$defs": {"a.b": {}},
    }
    before = copy.deepcopy(schema)
    plain_schema(schema, "T")
    assert schema == before


@pytest.mark.parametrize(
    "reference",
    [
        *(
            "other.yaml",
            "file:///etc/passwd",
            "https://example.com/x.json",
            "#/properties/a",
            "#anchor",
            "#/$defs/no",
        ),
        *("#/$defs/no", "//host/x", "../x#/$defs/A", "#/$defs/A/properties/b", "", 1, None, ["#"]),
    ],
)
def test_references_elsewhere_are_refused(reference: Any) -> None:
    with pytest.raises(ModelError, match="reference"):
        plain_schema({"properties": {"a": {"$ref": reference}}, "$defs": {"A": {}}})


def test_definitions_get_names_that_are_identifiers_and_no_one_elses() -> None:
    names = ["A", "a.b", "a/b", "a_b", "Params", "获取", "../x"]
    schema = {
        "properties": {name: {"$ref": "#/$defs/" + name.replace("/", "~1")} for name in names},
        "$defs": {name: {"const": name} for name in names},
    }
    plain = plain_schema(schema, "Params")
    assert all(name.isidentifier() and name.isascii() and name != "Params" for name in plain["$defs"])
    assert len(plain["$defs"]) == len(names)
    for name in names:
        target = plain["properties"][name]["$ref"].removeprefix("#/$defs/")
        assert plain["$defs"][target] == {"const": name}


def test_titles_name_classes_only_if_they_read_like_one() -> None:
    titles = ["FilterStep", "Two words", "lower", "Params", "A" * 99, "A\n", 1]
    schema = {"title": "Root", "anyOf": [{"title": title} for title in titles]}
    assert plain_schema(schema, "Params") == {"anyOf": [{"title": "FilterStep"}, {}, {}, {}, {}, {}, {}]}


@pytest.mark.parametrize("schema", [{"items": 1}, {"anyOf": ["x"]}, {"properties": {"a": None}}])
def test_what_is_no_schema_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="expected an object or a boolean"):
        plain_schema(schema)


def test_depth_is_bounded() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5000):
        schema = {"items": schema}
    with pytest.raises(ModelError, match="deeper"):
        plain_schema(schema)


LEAF = st.sampled_from([{"type": "string"}, {"type": "integer", "minimum": 1}, True, False, {"const": 1}, {}])
SCHEMA = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.builds(lambda a: {"items": a, "x-a": 1}, inner),
        st.builds(lambda a: {"anyOf": a, "nullable": True}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda a: {"properties": a}, st.dictionaries(st.sampled_from("ab$"), inner, max_size=2)),
        st.builds(lambda a: {"prefixItems": a, "items": False}, st.lists(inner, min_size=1, max_size=2)),
        st.builds(lambda a: {"not": a, "format": "email"}, inner),
    ),
    max_leaves=6,
).filter(lambda schema: isinstance(schema, dict))
VALUE = st.recursive(
    st.sampled_from([1, 0, "a", None, 2.5]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab$"), inner, max_size=2),
    max_leaves=5,
)


@given(SCHEMA, st.lists(VALUE, min_size=1, max_size=5))
def test_the_meaning_stays_and_twice_changes_nothing(schema: dict[str, Any], values: list[Any]) -> None:
    plain = plain_schema(schema)
    before = jsonschema_rs.Draft202012Validator(schema)
    after = jsonschema_rs.Draft202012Validator(plain)
    assert [after.is_valid(value) for value in values] == [before.is_valid(value) for value in values]
    assert json.dumps(plain_schema(plain)) == json.dumps(plain)


def test_the_library_knows_no_key_that_we_let_through_unawares() -> None:
    """Of the keys that the library's own schema model has, only JSON Schema 2020-12's survive."""
    from datamodel_code_generator.parser._schema_object import JsonSchemaObject

    known = {field.alias or name for name, field in JsonSchemaObject.model_fields.items()}
    assert "customTypePath" in known
    probe: dict[str, Any] = dict.fromkeys(known - {"$ref", "items", "unevaluatedItems"}, 1)
    probe |= dict.fromkeys(("items", "additionalProperties", "propertyNames", "unevaluatedProperties"), True)
    probe |= {key: [] for key in ("anyOf", "oneOf", "allOf")}
    survived = set(plain_schema(probe))
    standard = {
        *(
            "items",
            "additionalProperties",
            "propertyNames",
            "unevaluatedProperties",
            "anyOf",
            "oneOf",
            "allOf",
        ),
        *("type", "enum", "default", "examples", "description", "minimum", "maximum", "exclusiveMinimum"),
        *("exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems"),
        *("uniqueItems", "minProperties", "maxProperties", "required", "const"),
    }
    assert survived <= standard


@pytest.mark.corpora
def test_corpora_keep_their_meaning(shared_dir: Path) -> None:
    for path in sorted((shared_dir / "corpora").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines()[::7]:
            record = json.loads(line)
            try:
                validator = jsonschema_rs.Draft202012Validator(plain_schema(record["parameters"], "Params"))
            except (ModelError, jsonschema_rs.ValidationError):
                continue
            assert all(validator.is_valid(call) for call in record["calls"]), record["name"]
