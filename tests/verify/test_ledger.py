"""What a ledger tells, by hand-made entries."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.analysis.instances.oracle import Oracle
from toolcast.analysis.verify.ledger_laws import ToolLedger, fixpoint, silent_losses
from toolcast.analysis.verify.provider_laws import WireEncoder
from toolcast.providers import LedgerEntry, load_profile
from toolcast.runtime.wire import WireForm, WireForms

CONTRACT: dict[str, Any] = {
    "parameters": {
        "type": "object",
        "properties": {
            "é": {"type": "object", "properties": {"k": {"type": "string"}}},
            "map": {"type": "object", "additionalProperties": {"maximum": 3}},
            "pair": {
                "type": "array",
                "prefixItems": [{"minimum": 1}, {"maxLength": 2}],
                "items": {"const": 1},
            },
            "rest": {"type": "object", "properties": {"a": {}}, "additionalProperties": {"minimum": 2}},
        },
    }
}
WAYS = WireForms(
    root=WireForm(
        names={"e": "é"},
        properties={
            "map": WireForm(encoding="pairs"),
            "pair": WireForm(encoding="positions", count=2),
            "rest": WireForm(rest="additional_properties"),
        },
    )
)


def entry(path: str, keyword: str, severity: Any = "changed") -> LedgerEntry:
    return LedgerEntry(path=path, keyword=keyword, action="rewritten", severity=severity, reason="because")


@pytest.mark.parametrize(
    ("changed", "path", "sent"),
    [
        ("/properties/é", ("e", "k"), {"e": {"k": 1}}),
        ("/properties/map/additionalProperties", ("map", 0, "value"), {"map": [{"key": "x", "value": 4}]}),
        ("/properties/pair/prefixItems/1", ("pair", "item_2"), {"pair": {"item_1": 1, "item_2": "abc"}}),
        ("/properties/pair/items", ("pair", "more_items", 0), {"pair": {"more_items": [2]}}),
        (
            "/properties/rest/additionalProperties",
            ("rest", "additional_properties", 0, "value"),
            {"rest": {"additional_properties": [{"key": "b", "value": 1}]}},
        ),
    ],
)
def test_places_of_what_is_sent_are_found_in_the_contract(changed: str, path: Any, sent: Any) -> None:
    oracle = Oracle(CONTRACT, "/parameters")
    assert ToolLedger([entry(changed, "type")], WAYS).changed(oracle, path, sent)
    assert not ToolLedger([entry(changed, "type", "kept elsewhere")], WAYS).changed(oracle, path, sent)
    assert not ToolLedger([entry("/properties/elsewhere", "type")], WAYS).changed(oracle, path, sent)


def test_an_entry_about_one_property_tells_of_it() -> None:
    oracle = Oracle(CONTRACT, "/parameters")
    reported = ToolLedger([entry("/properties", "map")], WAYS)
    assert reported.changed(oracle, ("map",))
    assert not reported.changed(oracle, ("pair",))


def test_an_entry_about_further_keys_covers_a_declared_one() -> None:
    oracle = Oracle(CONTRACT, "/parameters")
    reported = ToolLedger([entry("/properties/rest", "additionalProperties", "kept elsewhere")], WAYS)
    (problem,) = oracle.problems({"é": {"k": 1}, "rest": {}})
    assert not reported.lost(oracle, problem, {"rest": {"additional_properties": [{"key": "k", "value": 1}]}})
    rest = {"parameters": {"type": "object", "properties": {"rest": {"properties": {"a": {"type": "null"}}}}}}
    oracle = Oracle(rest, "/parameters")
    (problem,) = oracle.problems({"rest": {"a": 1}})
    assert reported.lost(oracle, problem, {"rest": {"additional_properties": [{"key": "a", "value": 1}]}})
    assert not reported.lost(oracle, problem, {"rest": {"a": 1}})
    assert not ToolLedger([], WAYS).lost(
        oracle, problem, {"rest": {"additional_properties": [{"key": "a", "value": 1}]}}
    )


def test_an_entry_about_required_covers_null_and_no_other_value() -> None:
    contract = {"parameters": {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}}
    oracle = Oracle(contract, "/parameters")
    reported = ToolLedger([entry("", "required", "kept elsewhere")])
    (null,) = oracle.problems({"a": None})
    (number,) = oracle.problems({"a": 1})
    assert reported.lost(oracle, null)
    assert not reported.lost(oracle, number)


def test_an_optional_null_is_left_out_first_and_sent_then() -> None:
    oracle = Oracle({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert list(WireEncoder(oracle, None).all_encoded({"a": None, "b": 1})) == [{"b": 1}, {"a": None, "b": 1}]
    assert list(WireEncoder(oracle, None).all_encoded({"a": 2})) == [{"a": 2}]


def test_a_null_that_can_be_sent_as_text_is_not_left_out() -> None:
    oracle = Oracle({"type": "object", "properties": {"a": {"type": "string"}}})
    wire_forms = WireForms(root=WireForm(properties={"a": WireForm(encoding="json")}))
    assert list(WireEncoder(oracle, wire_forms).all_encoded({"a": None})) == [{"a": "null"}]


def test_names_are_encoded_wherever_a_schema_beside_speaks_of_them() -> None:
    schema = {"type": "object", "not": {"properties": {"e": {"type": "string"}}, "required": ["e"]}}
    named = WireForm(names={"e": "é"})
    oracle = Oracle(schema)
    assert WireEncoder(oracle, WireForms(root=WireForm(all_of=(named,)))).encoded({"é": 1}) == {"e": 1}
    inside = WireForms(root=WireForm(patterns={"^x": named}))
    assert WireEncoder(oracle, inside).encoded({"x1": {"é": 1}, "y": {"é": 1}}) == {
        "x1": {"e": 1},
        "y": {"é": 1},
    }


def test_what_moved_into_an_all_of_is_not_missing() -> None:
    contract = {"properties": {"c": {"type": "number"}}}
    emitted = {"properties": {"c": {"allOf": [{"type": "number"}, {"type": "null"}]}}}
    assert list(silent_losses(contract, emitted, ())) == []
    assert [each.place for each in silent_losses(contract, {"properties": {"c": {}}}, ())] == [
        "/properties/c/type"
    ]


def test_a_second_pass_is_held_to_the_mode_of_the_first() -> None:
    """What kept the first one from being strict is stated in words: the second must not become strict."""
    contract = {
        "type": "object",
        "properties": {"v": {"type": "integer", "not": {"oneOf": [{"const": 1}]}}},
        "required": ["v"],
    }
    assert list(fixpoint(contract, load_profile("openai-responses"), None)) == []
