"""For those who call: every rule in both directions, each break with a call that jsonschema-rs confirms."""

from typing import Any

import jsonschema_rs
import pytest
from toolcast.analysis.containment.gaps import REASONS
from toolcast.analysis.diff.audiences.contracts import BY_REASON, WIDER, calls, results
from toolcast.analysis.diff.pairs import make_pairs
from toolcast.analysis.diff.rules import RULES, Change

from tests.diff.audience_pairs import context, pair, properties, spec

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
OBJECT = {"type": "object"}


def accepts(schema: Any, value: Any) -> bool:
    return bool(jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value))


def call_rules(old: Any, new: Any) -> dict[str, Change]:
    compared = pair(spec(parameters=old), spec(parameters=new))
    (remade,) = make_pairs(context([compared]).old, context([compared]).new).pairs
    found = calls(remade, context([compared]))
    for change in found:
        if change.witness is not None:
            assert accepts(old, change.witness.value)
            assert not accepts(new, change.witness.value)
            assert change.witness.refusal
        assert (change.witness is not None) == (RULES[change.rule].level == "error" or change.rule in PROVEN)
        assert change.line > 0
    return {change.rule: change for change in found}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"default": 1}, {"default": 2}, "a call without `a` means 2, and meant 1"),
        ({}, {"default": 2}, "a call without `a` means 2, and meant no value"),
        ({"default": 1}, {}, "a call without `a` means no value, and meant 1"),
        ({"default": 1}, {"default": 1.0}, ""),
        ({"default": 1, "title": "A"}, {"title": "B", "default": 1}, ""),
    ],
)
def test_another_default(old: Any, new: Any, said: str) -> None:
    one, other = {**NUMBER, **old}, {**NUMBER, **new}
    for name in ("a", "in[].a", "T.a"):
        both = []
        for each in (one, other):
            inner = properties(a=each)
            if name == "in[].a":
                inner = properties(**{"in": {"type": "array", "items": inner}})
            if name == "T.a":
                inner = {**properties(b={"$ref": "#/$defs/T"}), "$defs": {"T": inner}}
            both.append(inner)
        found = call_rules(*both)
        assert [each.message for each in found.values()] == (
            [said.replace("`a`", f"`{name}`")] if said else []
        )
    assert "default-changed" not in call_rules(properties(a=one), properties("a", a=other))
    assert "default-changed" not in call_rules(properties("a", a=one), properties(a=other))


PROVEN = ("parameter-declared",)
"""Rules of lower levels that have a witness, too."""


@pytest.mark.parametrize(
    ("narrow", "wide", "rule"),
    [
        (properties("a", a=TEXT), properties(a=TEXT), "parameter-required"),
        (properties("a", "b", a=TEXT, b=TEXT), properties("a", a=TEXT, b=TEXT), "parameter-required"),
        (properties(a={"type": "string"}), properties(a={"type": ["string", "null"]}), "null-dropped"),
        (properties("a", a=TEXT), properties("a", a={"type": ["string", "integer"]}), "type-narrowed"),
        (properties("a", a={"type": "integer"}), properties("a", a={"type": "number"}), "type-narrowed"),
        (properties("a", a={"anyOf": [TEXT]}), properties("a", a={"anyOf": [TEXT, OBJECT]}), "type-narrowed"),
        (properties(a={"enum": ["x"]}), properties(a={"enum": ["x", "y"]}), "values-narrowed"),
        (properties(a={"enum": ["x"]}), properties(a=TEXT), "values-narrowed"),
        (properties(a={**NUMBER, "maximum": 5}), properties(a=NUMBER), "bound-narrowed"),
        (properties(a={**TEXT, "minLength": 2}), properties(a={**TEXT, "minLength": 1}), "bound-narrowed"),
        (properties(a={**TEXT, "pattern": "^a+$"}), properties(a=TEXT), "text-narrowed"),
        (properties(a={**TEXT, "format": "date"}), properties(a=TEXT), "text-narrowed"),
        ({**properties(a=TEXT, b=TEXT), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
         properties(a=TEXT, b=TEXT), "parameter-required"),
        ({**properties(a=TEXT), "anyOf": [{"required": ["a"]}]}, properties(a=TEXT), "parameter-required"),
        ({**properties(a=TEXT), "minProperties": 1}, properties(a=TEXT), "bound-narrowed"),
        ({**properties(a=TEXT), "not": {"required": ["a"]}}, properties(a=TEXT), "call-refused"),
        ({**properties(a=TEXT, b=TEXT), "dependentRequired": {"a": ["b"]}},
         properties(a=TEXT, b=TEXT), "parameter-required"),
        (properties(o=properties("a", a=TEXT)), properties(o=properties(a=TEXT)), "parameter-required"),
        (properties(o={"type": "array", "items": properties("a", a=TEXT)}),
         properties(o={"type": "array", "items": properties(a=TEXT)}), "parameter-required"),
        ({**properties(a=TEXT)}, {**OBJECT, "properties": {"a": TEXT}}, "object-closed"),
        (properties("a", a=TEXT), properties("a", a=TEXT, b=OBJECT), "parameter-removed"),
    ],
)  # fmt: skip
def test_what_is_narrower_breaks_and_what_is_wider_does_not(narrow: Any, wide: Any, rule: str) -> None:
    assert rule in call_rules(wide, narrow)
    back = call_rules(narrow, wide)
    assert back or rule == "null-dropped"  # null means absence before and after
    assert all(RULES[each].level == "note" for each in back), back


def test_a_new_parameter_of_an_open_object_had_any_value() -> None:
    old = {**OBJECT, "properties": {"a": TEXT}}
    found = call_rules(old, {**OBJECT, "properties": {"a": TEXT, "b": {"type": "integer"}}})
    assert list(found) == ["parameter-declared"]
    back = call_rules({**OBJECT, "properties": {"a": TEXT, "b": {"type": "integer"}}}, old)
    assert list(back) == ["parameter-ignored"]
    assert "has no effect" in back["parameter-ignored"].message


def test_a_parameter_of_another_name_is_a_renaming() -> None:
    described = {"type": "string", "description": "The words to look for."}
    found = call_rules(properties("query", query=described), properties("text", text=described))
    assert list(found) == ["parameter-renamed"]
    assert found["parameter-renamed"].message == "`query` is called `text` now"
    found = call_rules(properties(maxResults=OBJECT), properties(max_results=OBJECT))
    assert list(found) == ["parameter-renamed"]


def test_another_parameter_is_no_renaming() -> None:
    one = {"type": "string", "description": "The words to look for."}
    other = {"type": "string", "description": "The folder to look in."}
    found = call_rules(properties(query=one), properties(text=other))
    assert set(found) == {"parameter-removed", "parameter-added"}


def test_a_new_parameter_that_is_required_is_told_once() -> None:
    found = call_rules(properties("a", a=TEXT), properties("a", "b", a=TEXT, b=TEXT))
    assert [(rule, each.message) for rule, each in found.items()] == [
        ("parameter-required", "`b` is new, and required")
    ]


@pytest.mark.parametrize("nested", [False, True])
def test_a_new_parameter_of_an_open_object_is_told_once(nested: bool) -> None:
    def below(schema: Any) -> Any:
        return properties(row=schema) if nested else schema

    old, new = {**OBJECT, "properties": {"a": TEXT}}, {**OBJECT, "properties": {"a": TEXT, "b": TEXT}}
    assert list(call_rules(below(old), below({**new, "required": ["b"]}))) == ["parameter-required"]
    assert list(call_rules(below(old), below(new))) == ["parameter-declared"]


def test_a_renamed_parameter_of_an_open_object_is_ignored() -> None:
    old = {**OBJECT, "properties": {"maxResults": {"type": "integer"}}}
    found = call_rules(old, {**OBJECT, "properties": {"max_results": {"type": "integer"}}})
    assert found["parameter-ignored"].message.startswith(
        "`maxResults` is called `max_results` now: a call that has it is valid"
    )
    assert "parameter-added" not in found


def test_places_below_are_named() -> None:
    def nested(item: Any) -> Any:
        rows = {"type": "array", "items": properties(since=item)}
        return properties(filters=properties(rows=rows))

    (change,) = call_rules(nested(TEXT), nested({**TEXT, "maxLength": 3})).values()
    assert change.message.startswith("`filters.rows[].since`: ")
    assert change.witness is not None
    assert change.witness.refusal.startswith("$.filters.rows[0].since: ")


def test_equal_meaning_is_no_change() -> None:
    old = properties("a", a={"type": ["string", "null"], "description": "One."}, b={"const": "x"})
    new = properties("a", b={"enum": ["x"]}, a={"anyOf": [{"type": "null"}, {"type": "string"}]})
    assert call_rules(old, new) == {}
    assert call_rules(new, old) == {}


def test_every_reason_of_a_comparison_has_a_rule() -> None:
    assert {*BY_REASON} <= {*REASONS}
    assert {*WIDER} <= {*REASONS}
    assert {*BY_REASON.values()} | {rule for rule, _ in WIDER.values()} <= {*RULES}


# -- results ---------------------------------------------------------------------------------------


def result_rules(old: Any, new: Any) -> dict[str, Change]:
    compared = pair(spec(result=old), spec(result=new))
    found = results(compared, context([compared]))
    for change in found:
        if change.witness is not None:
            assert accepts(new, change.witness.value)
            assert not accepts(old, change.witness.value)
    return {change.rule: change for change in found}


@pytest.mark.parametrize(
    ("narrow", "wide", "rule"),
    [
        (properties("a", a=TEXT), properties(a=TEXT), "result-property-optional"),
        (properties("a", a=TEXT), properties("a", a={"type": ["string", "null"]}), "result-type-widened"),
        (properties(a={"enum": ["x"]}), properties(a={"enum": ["x", "y"]}), "result-values-widened"),
        (properties(a={**NUMBER, "maximum": 5}), properties(a=NUMBER), "result-bound-widened"),
        (properties(a={**TEXT, "pattern": "^a+$"}), properties(a=TEXT), "result-text-widened"),
        (properties(a=TEXT), {**OBJECT, "properties": {"a": TEXT}}, "result-opened"),
        (properties(a=TEXT), properties(a=TEXT, b=TEXT), "result-opened"),
    ],
)  # fmt: skip
def test_what_is_wider_breaks_readers_and_what_is_narrower_does_not(
    narrow: Any, wide: Any, rule: str
) -> None:
    found = result_rules(narrow, wide)
    assert found[rule].witness is not None
    back = result_rules(wide, narrow)
    assert all(each.witness is None for each in back.values()), back


def test_readers_lose_a_property() -> None:
    old = {**OBJECT, "required": ["a"], "properties": {"a": TEXT, "b": TEXT}}
    assert "result-property-removed" in result_rules(old, {**OBJECT, "properties": {"a": TEXT}})
    assert "result-property-removed" in result_rules(properties(a=TEXT, b=TEXT), properties(a=TEXT))
    assert list(result_rules({**OBJECT, "properties": {"a": TEXT}}, old)) == ["result-property-added"]


def test_a_result_with_and_without_a_contract() -> None:
    assert list(result_rules(OBJECT, None)) == ["result-untyped"]
    assert list(result_rules(None, OBJECT)) == ["result-typed"]
