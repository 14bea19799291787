"""Older drafts and other spellings: contract, run time and providers take a schema for the same one.

The judge is jsonschema-rs, with the draft that the schema names.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.diagnostics import Diagnostic
from toolcast.providers import available, decode, normalize
from toolcast.runtime import ArgumentError

from tests.python.compiled import RefusedError, binding, compile_files, document, spec
from tests.sampled import fewer

NAMES = {
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    2019: "https://json-schema.org/draft/2019-09/schema",
    2020: "https://json-schema.org/draft/2020-12/schema",
}
JUDGES: dict[int, Callable[[Any], Any]] = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    2019: jsonschema_rs.Draft201909Validator,
    2020: jsonschema_rs.Draft202012Validator,
}
UNION = [{"type": "string"}, {"type": "integer"}]


def of(draft: int | None, a: Any, **more: Any) -> dict[str, Any]:
    named = {} if draft is None else {"$schema": NAMES[draft]}
    return {**named, "type": "object", "properties": {"a": a}, "required": ["a"], **more}


def decoded(schema: Any, value: Any) -> bool:
    with binding(schema) as found:
        return _taken(found, value)


def at_run_time(schema: Any, value: Any, provider: str = "mcp") -> bool:
    """Whether a schema that is met at run time takes the value."""
    try:
        decode({"a": value}, provider, schema=schema)
    except ArgumentError:
        return False
    return True


def sent(schema: Any, value: Any, provider: str = "mcp") -> bool:
    return bool(jsonschema_rs.Draft202012Validator(normalize(schema, provider).schema).is_valid({"a": value}))


def warned(schema: Any) -> list[tuple[str, str]]:
    """Code and hint of what the author of a spec is told of its keywords."""
    _, _, found = compile_files({"tool.json": spec(schema)})
    return [(each.code, each.hint) for each in found if each.code != "undeclared-required"]


# -- keywords in snake_case -----------------------------------------------------------------------

SPELLINGS: dict[str, tuple[str, dict[str, Any], list[Any]]] = {
    "one_of": ("oneOf", {"one_of": UNION}, ["x", 1, 1.5, None, [], {}]),
    "any_of": ("anyOf", {"any_of": UNION}, ["x", 1, 1.5, None]),
    "all_of": ("allOf", {"all_of": [{"minLength": 2}, {"type": "string"}]}, ["x", "xy", 1]),
    "additional_properties": (
        "additionalProperties",
        {"type": "object", "additional_properties": {"type": "integer"}},
        [{"b": 1}, {"b": "x"}, {}],
    ),
    "prefix_items": (
        "prefixItems",
        {"type": "array", "prefix_items": UNION[:1], "items": False},
        [["x"], [1], ["x", 1], []],
    ),
    "min_items": ("minItems", {"type": "array", "min_items": 1}, [[], [1]]),
    "max_length": ("maxLength", {"type": "string", "max_length": 1}, ["x", "xy"]),
    "pattern_properties": (
        "patternProperties",
        {"type": "object", "pattern_properties": {"^b": {"type": "null"}}},
        [{"b": 1}, {"b": None}],
    ),
}


@pytest.mark.parametrize("snake", SPELLINGS)
def test_a_keyword_in_snake_case_is_that_keyword_for_contract_and_providers(snake: str) -> None:
    keyword, written, values = SPELLINGS[snake]
    plain = {keyword if key == snake else key: value for key, value in written.items()}
    for value in values:
        judged = jsonschema_rs.Draft202012Validator(plain).is_valid(value)
        assert decoded(of(None, written), value) == judged
        assert at_run_time(of(None, written), value) == judged
        assert sent(of(None, written), value) == judged
    for provider in available():
        ours, theirs = normalize(of(None, written), provider), normalize(of(None, plain), provider)
        assert ours.schema == theirs.schema
        assert [entry.path for entry in ours.ledger if entry.keyword == snake] == ["/properties/a"]


@pytest.mark.parametrize("snake", SPELLINGS)
def test_the_author_of_a_keyword_in_snake_case_is_given_the_rewrite(snake: str) -> None:
    keyword, written, _ = SPELLINGS[snake]
    assert warned(of(None, written)) == [("snake-case-keyword", f"write `{keyword}`")]


def test_properties_and_literals_that_are_called_like_keywords_are_left_alone() -> None:
    schema = {
        "type": "object",
        "properties": {
            "any_of": {"type": "array", "items": {"type": "string"}},
            "definitions": {"type": "string", "enum": ["additional_properties"]},
            "type": {"default": {"one_of": [1], "type": "any"}},
        },
        "required": ["any_of"],
    }
    assert normalize(schema, "mcp").schema == schema
    assert normalize(schema, "mcp").ledger == ()
    assert warned(schema) == []


@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_spellings_that_in_snake_case_wins_wherever_it_stands(swapped: bool) -> None:
    both = {"anyOf": [{"type": "boolean"}], "any_of": UNION}
    schema = of(None, dict(reversed(both.items())) if swapped else both)
    for value, taken in (("x", True), (1, True), (True, False)):
        assert decoded(schema, value) is taken
        assert at_run_time(schema, value) is taken
        assert sent(schema, value) is taken
    assert [code for code, _ in warned(schema)] == ["snake-case-keyword"] * 2
    for provider in available():
        reported = {(entry.keyword, entry.action) for entry in normalize(schema, provider).ledger}
        assert {("anyOf", "dropped"), ("any_of", "rewritten")} <= reported


# -- the type `any` -------------------------------------------------------------------------------

ANY = [{"type": "any"}, {"type": ["string", "any"]}, {"type": "any", "description": "What you like."}]


@pytest.mark.parametrize("a", ANY)
def test_any_type_takes_any_value_for_the_contract_every_provider_and_at_run_time(a: Any) -> None:
    schema, plain = of(None, a), of(None, {key: value for key, value in a.items() if key != "type"})
    assert [code for code, _ in warned(schema)] == ["any-type"]
    for value in ("x", 1, None, [1], {"b": 2}):
        assert decoded(schema, value)
        assert at_run_time(schema, value)
        assert sent(schema, value)
    for provider in available():
        found = normalize(schema, provider)
        assert found.schema == normalize(plain, provider).schema
        assert any((entry.path, entry.keyword) == ("/properties/a", "type") for entry in found.ledger)


@pytest.mark.parametrize("provider", available())
def test_parameters_of_any_type_are_an_object(provider: str) -> None:
    properties = {"b": {"type": "string"}}
    found = normalize({"type": "any", "properties": properties}, provider)
    assert found.schema == normalize({"type": "object", "properties": properties}, provider).schema


# -- keywords that a draft lacks ------------------------------------------------------------------

NEWER: dict[str, tuple[int, dict[str, Any], Any]] = {
    "const": (6, {"const": 1}, 2),
    "contains": (6, {"contains": {"type": "string"}}, [1]),
    "propertyNames": (6, {"propertyNames": {"maxLength": 1}}, {"bb": 1}),
    "if": (7, {"if": {"type": "integer"}, "then": {"minimum": 5}}, 1),
    "else": (7, {"if": {"type": "integer"}, "else": {"type": "null"}}, "x"),
    "dependentRequired": (2019, {"dependentRequired": {"b": ["c"]}}, {"b": 1}),
    "dependentSchemas": (2019, {"dependentSchemas": {"b": {"required": ["c"]}}}, {"b": 1}),
    "minContains": (2019, {"contains": {"type": "string"}, "minContains": 2}, ["x"]),
    "maxContains": (2019, {"contains": {"type": "string"}, "maxContains": 1}, ["x", "y"]),
    "unevaluatedProperties": (2019, {"unevaluatedProperties": False}, {"b": 1}),
    "unevaluatedItems": (2019, {"unevaluatedItems": False}, [1]),
    "prefixItems": (2020, {"prefixItems": [{"type": "string"}]}, [1]),
    "beside $ref": (2019, {"$ref": "#/definitions/T", "maxLength": 1}, "xy"),
    "items beside prefixItems": (2020, {"prefixItems": [{"type": "string"}], "items": {"const": 1}}, ["x"]),
}  # fmt: skip


@pytest.mark.parametrize("draft", JUDGES)
@pytest.mark.parametrize("name", NEWER)
def test_a_keyword_constrains_in_the_drafts_that_have_it(name: str, draft: int) -> None:
    first, a, value = NEWER[name]
    schema = of(draft, a, definitions={"T": {"type": "string"}})
    judged = JUDGES[draft](schema).is_valid({"a": value})
    if "items" not in name:
        assert judged == (draft < first)
    assert decoded(schema, value) == judged
    assert at_run_time(schema, value) == judged
    assert sent(schema, value) == judged
    reported = {code for code, _ in warned(schema)}
    expected = "beside-reference" if "$ref" in name else "newer-keyword"
    assert reported == ({expected} if draft < first else set())


@pytest.mark.parametrize("name", NEWER)
def test_no_provider_gets_a_keyword_that_has_no_effect(name: str) -> None:
    _, a, _ = NEWER[name]
    left = {key: value for key, value in a.items() if key in ("$ref", "items")}
    schema, without = (of(4, each, definitions={"T": {"type": "string"}}) for each in (a, left))
    for provider in available():
        found = normalize(schema, provider)
        assert found.schema == normalize(without, provider).schema, provider
        dropped = {
            entry.keyword
            for entry in found.ledger
            if (entry.path, entry.action) == ("/properties/a", "dropped")
        }
        assert a.keys() - left.keys() <= dropped, provider


def test_annotations_stay_in_any_draft() -> None:
    a = {"type": "string", "examples": ["x"], "deprecated": True, "$comment": "c", "readOnly": True}
    assert normalize(of(4, a), "mcp").schema["properties"]["a"] == a
    assert warned(of(4, a)) == []


@pytest.mark.parametrize(
    ("a", "values"),
    [
        (
            {"dependencies": {"b": ["c"], "d": {"required": ["e"]}}},
            [{"b": 1}, {"b": 1, "c": 1}, {"d": 1}, {}],
        ),
        ({"type": "array", "items": [{"type": "string"}]}, [["x"], [1], ["x", 1]]),
        ({"items": [{"type": "string"}], "additionalItems": False}, [["x"], ["x", 1]]),
        ({"items": {"type": "string"}, "additionalItems": False}, [["x", "y"], [1]]),
        ({"minimum": 3, "exclusiveMinimum": True}, [3, 4]),
        ({"minimum": 3, "exclusiveMinimum": False}, [2, 3]),
        ({"maximum": 3, "exclusiveMaximum": True}, [3, 2]),
        ({"$ref": "#/definitions/T"}, ["x", 1]),
        ({"$ref": "#/properties/a/definitions/U", "definitions": {"U": {"type": "null"}}}, [None, 1]),
    ],
)
@pytest.mark.parametrize("draft", [4, 7, None])
def test_what_only_older_drafts_write_is_read_by_both_sides(
    draft: int | None, a: Any, values: list[Any]
) -> None:
    schema = of(draft, a, definitions={"T": {"type": "string"}})
    judge = JUDGES[4](of(4, a, definitions={"T": {"type": "string"}}))
    for value in values:
        judged = judge.is_valid({"a": value})
        assert decoded(schema, value) == judged
        assert at_run_time(schema, value) == judged
        assert sent(schema, value) == judged
    assert warned(schema) == []


@pytest.mark.parametrize("swapped", [False, True])
def test_dependencies_beside_their_newer_keywords_hold_as_well(swapped: bool) -> None:
    both = {
        "dependencies": {"b": ["c"], "d": {"required": ["e"]}},
        "dependentRequired": {"b": ["f"], "g": ["h"]},
        "dependentSchemas": {"d": {"required": ["i"]}},
    }
    a = dict(reversed(both.items())) if swapped else both
    schema = of(2020, a)
    judge = JUDGES[2020](schema)
    for value in ({"b": 1, "c": 1}, {"b": 1, "c": 1, "f": 1}, {"b": 1, "f": 1}, {"g": 1}, {"d": 1, "e": 1},
                  {"d": 1, "i": 1}, {"d": 1, "e": 1, "i": 1}, {}):  # fmt: skip
        judged = judge.is_valid({"a": value})
        assert decoded(schema, value) == judged
        assert at_run_time(schema, value) == judged
        assert sent(schema, value) == judged


def test_a_flag_without_its_bound_is_refused_in_specs_and_left_out_at_run_time() -> None:
    with pytest.raises(Exception, match="malformed-schema"):
        warned(of(4, {"type": "number", "exclusiveMinimum": True}))
    for provider in available():
        found = normalize(of(4, {"type": "number", "exclusiveMinimum": True}), provider)
        assert "exclusiveMinimum" not in found.schema["properties"]["a"]
        assert any(
            entry.keyword == "exclusiveMinimum" and entry.action == "dropped" for entry in found.ledger
        )


def test_a_draft_that_is_named_in_a_shared_type_holds_for_that_file() -> None:
    tool = {
        "description": "A tool.",
        "permission": "read",
        "secrets": [],
        "parameters": of(None, {"const": 1}),
    }
    tool["parameters"]["properties"]["b"] = {"$ref": "_types/old.json"}
    types = {"_types/old.json": {"$schema": NAMES[4], "type": "string", "const": "x"}}
    _, _, found = compile_files({"tool.json": tool}, types)
    assert {(each.file, each.code) for each in found} == {("specs/_types/old.json", "newer-keyword")}


def test_the_diagnostic_stands_at_the_keyword() -> None:
    text = (
        "description: A tool.\npermission: read\nsecrets: []\nparameters:\n  type: object\n  properties:\n"
        "    a:\n      one_of: [{type: string}, {type: integer}]\n"
    )
    _, _, found = compile_files({"tool.yaml": text})
    (only,) = found
    assert isinstance(only, Diagnostic)
    assert (only.line, only.column, only.severity) == (8, 7, "warning")
    assert document(text, "tool.yaml").file == only.file


# -- references into what is upgraded -------------------------------------------------------------

REFERENCES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "one_of": ({"one_of": [{"type": "null"}, {"type": "string"}]}, {"$ref": "#/properties/b/one_of/1"}),
    "items": ({"items": [{"type": "string"}]}, {"$ref": "#/properties/b/items/0"}),
    "definitions": ({}, {"$ref": "#/definitions/T"}),
    "dependencies": ({"dependencies": {"x": {"type": "string"}}}, {"$ref": "#/properties/b/dependencies/x"}),
    "a keyword that the draft lacks": ({"if": {"type": "string"}}, {"$ref": "#/properties/b/if"}),
    "a keyword of none": ({"x-b": {"T": {"any_of": UNION[:1]}}}, {"$ref": "#/properties/b/x-b/T"}),
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("draft", [4, None])
def test_references_lead_to_what_they_led_to_before_the_upgrade(name: str, draft: int | None) -> None:
    b, a = REFERENCES[name]
    schema = of(draft, a, definitions={"T": {"type": "string"}})
    schema["properties"]["b"] = b
    for value, taken in (("x", True), (1, False), (None, False)):
        assert decoded(schema, value) is taken
        assert at_run_time(schema, value) is taken
        assert sent(schema, value) is taken
        for provider in available():
            assert at_run_time(schema, value, provider) is taken


# -- any mixture ----------------------------------------------------------------------------------

VALUES = [0, 3, 5, "x", "xyz", None, True, [], ["x"], [1], ["x", 2], {}, {"b": 1}, {"b": 1, "c": 1}, {"x": 1}]
PARTS: list[dict[str, Any]] = [
    *({"const": 3}, {"const": "x"}, {"contains": {"type": "string"}}, {"minContains": 2}, {"maxContains": 1}),
    *({"propertyNames": {"enum": ["b"]}}, {"if": {"type": "integer"}}, {"then": {"minimum": 3}}),
    *({"else": {"type": "array"}}, {"dependentRequired": {"b": ["c"]}}, {"dependencies": {"b": ["c"]}}),
    *({"dependentSchemas": {"b": {"required": ["c"]}}}, {"dependencies": {"x": {"required": ["c"]}}}),
    *({"unevaluatedProperties": False}, {"unevaluatedItems": False}, {"prefixItems": [{"type": "string"}]}),
    *({"minimum": 3}, {"minLength": 2}, {"type": ["array", "object"]}, {"required": ["b"]}),
    *({"properties": {"b": {"const": 1}}}, {"additionalProperties": {"type": "string"}}),
    *({"$ref": "#/definitions/T"}, {"not": {"const": 3}}, {"anyOf": [{"const": 3}, {"type": "string"}]}),
    *({"items": {"type": "string"}}, {"items": {"const": 1}}),
]


@fewer(2)
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4), st.sampled_from(sorted(JUDGES)))
def test_both_sides_take_what_a_validator_of_the_draft_takes(parts: list[Any], draft: int) -> None:
    a: dict[str, Any] = {}
    for part in parts:
        a |= part
    schema = of(draft, a, definitions={"T": {"type": ["string", "integer", "object"]}})
    judge = JUDGES[draft](schema)
    judged = [judge.is_valid({"a": value}) for value in VALUES]
    assert [sent(schema, value) for value in VALUES] == judged
    assert [at_run_time(schema, value) for value in VALUES] == judged
    try:
        with binding(schema) as found:
            taken = [_taken(found, value) for value in VALUES]
    except RefusedError as refused:
        assume(refused.codes != ["unsatisfiable"])
        raise
    assert taken == judged


def _taken(found: Any, value: Any) -> bool:
    try:
        found.decode(json.dumps({"a": value}))
    except ArgumentError:
        return False
    return True
