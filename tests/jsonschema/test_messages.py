"""What violations say: path, keyword and a sentence one can act on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.messages import member
from toolcast.jsonschema.validator import Validator
from toolcast.jsonschema.validator_errors import Violation

EDIT = {
    "type": "object",
    "required": ["path", "mode"],
    "additionalProperties": False,
    "properties": {
        "path": {"$ref": "#/$defs/path", "description": "Absolute path\n of the file."},
        "mode": {"enum": ["read", "write"]},
        "limit": {"type": "integer", "minimum": 1},
        "big": {"enum": [f"m{index}" for index in range(500)]},
        "shape": {"oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}]},
        "any": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]},
        "two": {
            "anyOf": [
                {"type": "object", "required": ["a", "b", "c"]},
                {"type": "object", "required": ["d", "e"]},
            ]
        },
    },
    "$defs": {
        "path": {"type": "string", "minLength": 1},
        "circle": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
        },
        "square": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"const": "square"}, "w": {"type": "number"}},
        },
    },
}
GOOD = {"path": "/a", "mode": "read"}


def stated(value: Any, schema: Any = EDIT) -> list[tuple[str, str, str]]:
    return [(one.path, one.keyword, one.message) for one in Validator(schema).violations(value)]


@pytest.mark.parametrize(
    ("value", "path", "keyword", "message"),
    [
        ({**GOOD, "limit": 0}, "$.limit", "minimum", "`limit` must be an integer >= 1, got 0"),
        ({**GOOD, "limit": "9"}, "$.limit", "type", '`limit` must be an integer >= 1, got a string "9"'),
        ({**GOOD, "limit": True}, "$.limit", "type", "`limit` must be an integer >= 1, got true"),
        (
            {"mode": "read"},
            "$",
            "required",
            "missing required property `path` (string: Absolute path of the file.)",
        ),
        ({"path": "/a"}, "$", "required", 'missing required property `mode` (one of "read", "write")'),
        ({**GOOD, "path": ""}, "$.path", "minLength", "`path` must not be empty"),
        (
            {**GOOD, "limitt": 1},
            "$.limitt",
            "additionalProperties",
            "unknown property `limitt`; did you mean `limit`?",
        ),
        (
            {**GOOD, "mode": "rite"},
            "$.mode",
            "enum",
            '`mode` must be one of "read", "write", got "rite"; did you mean "write"?',
        ),
        (
            {**GOOD, "shape": {"kind": "oval"}},
            "$.shape.kind",
            "enum",
            '`shape.kind` must be one of "circle", "square", got "oval"',
        ),
        (
            {**GOOD, "shape": {"kind": "square", "w": "x"}},
            "$.shape.w",
            "type",
            '`shape.w` must be a number, got a string "x"',
        ),
        (
            {**GOOD, "shape": {}},
            "$.shape",
            "oneOf",
            'missing required property `kind` (one of "circle", "square") in `shape`',
        ),
        ({**GOOD, "any": 5}, "$.any", "anyOf", "`any` must be a string or an array, got 5"),
        ({**GOOD, "any": [1, "x"]}, "$.any[1]", "type", '`any[1]` must be an integer, got a string "x"'),
        (
            {**GOOD, "two": {"d": 1}},
            "$.two",
            "anyOf",
            "`two` matches none of the 2 forms allowed here; "
            "for the closest: missing required property `e` in `two`",
        ),
    ],
)
def test_one_violation(value: Any, path: str, keyword: str, message: str) -> None:
    assert stated(value) == [(path, keyword, message)]


def test_every_violation_is_named() -> None:
    found = stated({"path": 1, "limit": 0.5, "zzz": 0, "shape": 1})
    assert sorted(path for path, _, _ in found) == ["$", "$.limit", "$.path", "$.shape", "$.zzz"]


def test_long_enums_and_long_values_are_shortened() -> None:
    ((_, _, message),) = stated({**GOOD, "big": "x" * 10_000})
    assert '"m19", … (500 in all)' in message
    assert "m20" not in message
    assert len(message) < 400


def test_the_limit_holds() -> None:
    validator = Validator({"items": {"type": "string", "minLength": 2}})
    assert len(validator.violations([1] * 1000)) == 50
    assert len(validator.violations([1] * 1000, limit=3)) == 3


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        (
            {"type": "integer", "multipleOf": 5},
            3,
            "the value must be an integer that is a multiple of 5, got 3",
        ),
        ({"minItems": 2}, [1], "the value must have at least 2 items, got 1"),
        ({"maxProperties": 1}, {"a": 1, "b": 2}, "the value must have at most 1 property, got 2"),
        ({"uniqueItems": True}, ["a", 1, "a"], 'the value must not repeat items: items 0 and 2 are both "a"'),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"a": 1},
            "missing property `b`, required because `a` is given",
        ),
        ({"pattern": "^a"}, "b", 'the value must match the pattern `^a`, got "b"'),
        ({"not": {"required": ["a", "b"]}}, {"a": 1, "b": 1}, "the value must not have `a`, `b` together"),
        ({"prefixItems": [{}], "items": False}, [1, 2], "the value must have at most 1 item, got 2"),
        (
            {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
            3,
            "the value matches more than one of the 2 forms allowed here (numbers 1 and 2); "
            "it must match exactly one",
        ),
    ],
)
def test_other_keywords(schema: Any, value: Any, message: str) -> None:
    assert [one.message for one in Validator(schema).violations(value)] == [message]


def test_odd_names_are_quoted_in_paths() -> None:
    found = Validator({"additionalProperties": {"items": {"type": "null"}}}).violations(
        {"a b": [1], "c": [2]}
    )
    assert [one.path for one in found] == ['$["a b"][0]', "$.c[0]"]


def test_a_violation_is_a_plain_value() -> None:
    (found,) = Validator({"minimum": 1}).violations(0)
    assert found == Violation("$", "the value must be a number >= 1, got 0", "minimum", 1)


NAMES = ["text", "texts", "text_2", "Text", "tex-t", "x", "kind", "kinds", ""]


@given(known=st.sets(st.sampled_from(NAMES)), sent=st.sets(st.sampled_from([*NAMES, "txet", "k"])))
@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_no_suggestion_is_a_property_that_was_sent(keyword: str, known: set[str], sent: set[str]) -> None:
    schema = {"type": "object", "properties": dict.fromkeys(sorted(known), True), keyword: False}
    found = stated(dict.fromkeys(sorted(sent), 1), schema)
    assert {path for path, _, _ in found} == {member("$", name) for name in sent - known}
    for _, _, message in found:
        meant = message.partition("did you mean `")[2].removesuffix("`?")
        assert not meant or meant in known - sent


def test_a_given_property_is_not_suggested() -> None:
    schema = {"type": "object", "properties": {"text": {}, "size": {}}, "additionalProperties": False}
    assert stated({"text": "a", "x_text": "b"}, schema)[0][2] == (
        "unknown property `x_text`; known properties: `size`, `text`"
    )
    assert "did you mean `text`?" in stated({"x_text": "b"}, schema)[0][2]
