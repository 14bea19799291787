"""Schemas that no value satisfies: what is called so is so, by another validator."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.cases import FORBIDDEN, Part, Side
from toolcast.jsonschema.emptiness import Emptiness
from toolcast.jsonschema.quarantine import sound_schema

VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 4, 5, 6, 8, 12, -1, -2, 0.5, 1.5, 2.5, 0.25, 0.75, 1.25, 10, 100, -7.5),
    *("", "a", "b", "ab", "abc", "abcd", [], [1], [1, 2], ["a"], ["a", "b", "c"], [1, 2, 3, 4], [None]),
    *({}, {"a": 1}, {"a": "a"}, {"b": 1}, {"a": 1, "b": 2}, {"a": None, "b": "b", "c": []}, {"c": {"a": 1}}),
    *({"a": {"a": 1, "b": "b"}}, {"a": [1], "b": [], "c": 0.5, "d": True}),
]
NUMBERS = st.sampled_from([0, 1, 2, 3, 4, 0.5, 1.5, 2.5, 0.25, -1])
SIZES = st.integers(0, 3)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
NAMES = st.sampled_from(["a", "b", "c"])


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(st.sampled_from(VALUES), min_size=1, max_size=3),
        "const": st.sampled_from(VALUES),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), NUMBERS),
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 1.5, 0.25]),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), SIZES),
        **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), SIZES),
        "pattern": st.sampled_from(["^a", "b$", "(a+)+$"]),
        "required": st.lists(NAMES, max_size=3, unique=True),
        "properties": st.dictionaries(NAMES, inner, max_size=2),
        "patternProperties": st.dictionaries(st.just("^[ab]"), inner, max_size=1),
        **dict.fromkeys(("additionalProperties", "items", "contains", "not"), inner),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), several),
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y", "#/$defs/none"]),
    }
    return st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: keywords[name] for name in names})
    )


SCHEMAS = st.recursive(
    st.booleans() | st.just({}) | TYPES.map(lambda kind: {"type": kind}), schemas, max_leaves=8
)


def reason(document: Any) -> str | None:
    return Emptiness().reason([Part(Side(document), document, "")])


@given(SCHEMAS, SCHEMAS, SCHEMAS)
def test_nothing_satisfies_what_is_called_unsatisfiable(schema: Any, x: Any, y: Any) -> None:
    document = {"allOf": [schema], "$defs": {"x": x, "y": y, "none": {}}}
    why = reason(document)
    if why is not None:
        assert why
        try:
            judge = jsonschema_rs.Draft202012Validator(document)
        except ValueError:  # references in a circle
            return
        assert [value for value in VALUES if judge.is_valid(value)] == []


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": [1, 2], "type": "string"},
        {"type": "integer", "minimum": 9, "maximum": 3},
        {"type": "integer", "multipleOf": 7, "minimum": 1, "maximum": 6},
        {"type": ["string", "integer"], "maxLength": 1, "minLength": 2, "minimum": 2, "maximum": 1},
        {"allOf": [{"type": "string"}, {"not": {"type": "string"}}]},
        {"type": "array", "minItems": 1, "items": {"type": "string", "const": 1}},
        {"type": "array", "minItems": 2, "prefixItems": [{}, False]},
        {"type": "object", "minProperties": 2, "properties": {"a": {}}, "additionalProperties": False},
        {"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "required": ["b"],
         "properties": {"b": {"enum": []}}}}},
        {"type": "string", "oneOf": [{"type": "null"}, {"enum": [1]}]},
        {"type": "string", "enum": ["ab"], "pattern": "^b"},
        {"type": "string", "enum": ["a" * 40 + "!"], "pattern": "^(a+)+$"},
        {"enum": [{"a": 1}], "properties": {"a": {"type": "string"}}},
    ],
)  # fmt: skip
def test_what_follows_from_types_values_and_bounds_is_found(schema: Any) -> None:
    assert reason(schema) not in (None, FORBIDDEN)


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"not": {}},
        {"not": True},
        {"type": "string", "allOf": [False]},
        {"anyOf": [False, {"not": {}}]},
    ],
)
def test_what_forbids_by_its_own_words_is_no_contradiction(schema: Any) -> None:
    assert reason(schema) == FORBIDDEN


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "maxItems": 0, "items": False},
        {"type": "object", "maxProperties": 0},
        {"type": "string", "maxLength": 0},
        {"minimum": 9, "maximum": 3},
        {"type": ["string", "null"], "enum": [None]},
        {"type": "number", "minimum": 10**400, "maximum": 10**401},
        {"type": "float", "enum": [1.5]},
        {"type": "string", "enum": ["a" * 400 + "!"], "pattern": "^(a+)+\\1$"},
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
        {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
    ],
)
def test_what_some_value_satisfies_or_nobody_decides_is_left(schema: Any) -> None:
    assert reason(schema) is None


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 3}, True),  # draft 4
        ({"type": "string", "enum": [1], "nullable": True}, False),
        ({"$ref": "#/components/a", "enum": [1]}, True),
        ({"$ref": "#/components/a", "enum": [None]}, False),
    ],
)
def test_older_forms_are_read_before_they_are_decided(schema: Any, expected: bool) -> None:
    components = {"a": {"type": "string", "nullable": True}}
    sound = sound_schema({"type": "object", "properties": {"x": schema}, "components": components})
    assert (sound.schema["properties"]["x"] is False) is expected
    assert any("no value matches it" in each.reason for each in sound.changes) is expected


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 9, "maximum": 3}, "`minimum` 9 is above `maximum` 3"),
        ({"minimum": 9, "exclusiveMaximum": 9, "type": "number"},
         "`minimum` 9 leaves nothing below `exclusiveMaximum` 9"),
        ({"type": "integer", "multipleOf": 7, "minimum": 1, "maximum": 6},
         "no multiple of 7 lies between 1 and 6"),
        ({"type": "string", "anyOf": [{"type": "null"}, {"enum": [1]}]},
         "no branch of its `anyOf` can have a value: its types exclude each other; "
         "its types exclude every value of its `enum`"),
        ({"type": "integer", "minimum": 9, "maximum": 3, "anyOf": [{"title": "A"}, {"title": "B"}]},
         "`minimum` 9 is above `maximum` 3"),
        ({"type": "array", "minItems": 2, "prefixItems": [{}, False]},
         "item 1 of at least 2 can have no value: it is `false`, or `not` everything"),
        ({"type": "array", "contains": {"type": "null"}, "items": {"type": "string"}},
         "no item can be what `contains` asks for: its types exclude each other"),
        ({"type": "object", "required": ["a", "b"], "maxProperties": 1},
         "2 properties are required and `maxProperties` is 1"),
        ({"type": "object", "minProperties": 2, "properties": {"a": {}}, "additionalProperties": False},
         "`minProperties` is 2 and 1 properties are allowed"),
    ],
)  # fmt: skip
def test_the_reason_names_the_keywords_that_exclude_each_other(schema: Any, words: str) -> None:
    assert reason(schema) == words


def test_unions_in_unions_do_not_multiply_the_work() -> None:
    schema: Any = {"type": "string", "enum": [1]}
    for _ in range(60):
        schema = {"type": "string", "anyOf": [schema, {**schema}, {**schema}]}
    assert reason(schema) != FORBIDDEN


@pytest.mark.corpora
def test_no_schema_with_a_valid_value_in_suites_and_corpora_is_called_unsatisfiable(shared_dir: Path) -> None:
    files = [
        *(shared_dir / "suites/json-schema-test-suite").glob("*.jsonl"),
        *(shared_dir / "corpora").glob("*.jsonl"),
    ]
    seen = 0
    for file in files:
        for line in file.read_text("utf-8").rstrip("\n").split("\n"):
            record = json.loads(line)
            if record.get("calls") and isinstance(record["parameters"], (dict, bool)):
                seen += 1
                schema = record["parameters"]
                found = reason(sound_schema(schema).schema if isinstance(schema, dict) else schema)
                assert found is None, (file.name, record["name"], found)
    assert seen > 1000
