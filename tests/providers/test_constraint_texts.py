"""What constraints are called in descriptions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.providers import Dialect, Profile, normalize
from toolcast.providers.constraint_texts import described, ranged


def reported(provider: str = "cloud-code-assist", **node: Any) -> tuple[str, list[tuple[str, str, str]]]:
    result = normalize({"type": "object", "properties": {"a": node}}, provider)
    entries = [
        (one.keyword, one.action, one.severity) for one in result.ledger if one.path == "/properties/a"
    ]
    return result.schema["properties"]["a"].get("description", ""), entries


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({"type": "string", "minLength": 1}, "Must have at least 1 character."),
        ({"type": "string", "maxLength": 2}, "Must have at most 2 characters."),
        ({"type": "string", "maxLength": 64, "minLength": 1}, "Must have 1 to 64 characters."),
        ({"type": "string", "minLength": 1, "maxLength": 1}, "Must have exactly 1 character."),
        ({"type": "string", "minLength": 2, "pattern": "^a b$", "maxLength": 9},
         "Must have 2 to 9 characters. Must match the regular expression `^a b$`."),
        ({"type": "string", "pattern": "`"}, 'Must match the regular expression "`".'),
        ({"type": "integer", "minimum": 1, "maximum": 500}, "Must be from 1 to 500."),
        ({"type": "number", "minimum": -0.5, "maximum": 1.5}, "Must be from -0.5 to 1.5."),
        ({"type": "integer", "minimum": 3, "maximum": 3}, "Must be 3."),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1},
         "Must be greater than 0. Must be at most 1."),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1}, "Must have at least 1 item."),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 5, "uniqueItems": True},
         "Must have 1 to 5 items. Each item must be unique."),
    ],
)  # fmt: skip
def test_both_bounds_are_one_sentence(node: dict[str, Any], words: str) -> None:
    assert reported(**node)[0] == words
    assert {action for _, action, _ in reported(**node)[1]} == {"described"}


@pytest.mark.parametrize(
    "text", ["Number of links (1-10)", "Links, see https://x.y/z", "Say 'yes'", "The count"]
)
def test_a_sentence_ends_before_the_next_one_begins(text: str) -> None:
    assert described(text, ["Must be 3."]) == f"{text}. Must be 3."


@pytest.mark.parametrize(
    "text", ["Links.", "Links (see there.)", "One of:", 'He said "no."', "数量。", "More…"]
)
def test_what_ends_needs_no_other_end(text: str) -> None:
    assert described(text, ["Must be 3."]) == f"{text} Must be 3."


@pytest.mark.parametrize(
    ("keyword", "node"),
    [
        ("propertyNames", {"type": "object", "propertyNames": {"type": "string"}}),
        ("minItems", {"type": "array", "items": {"type": "string"}, "minItems": 0}),
        ("uniqueItems", {"type": "array", "items": {"type": "string"}, "uniqueItems": False}),
        ("minLength", {"type": "string", "minLength": 0}),
        ("deprecated", {"type": "string", "deprecated": False}),
    ],
)
def test_what_demands_nothing_is_not_described(keyword: str, node: dict[str, Any]) -> None:
    words, entries = reported(**node)
    assert "must" not in words.lower()
    assert (keyword, "dropped", "kept elsewhere") in entries


def test_a_bound_that_no_model_comes_near_is_in_the_ledger_alone() -> None:
    """zod 4 writes these two for every integer."""
    far = 2**53 - 1
    words, entries = reported(type="integer", minimum=-far, maximum=far)
    assert words == ""
    assert entries == [("minimum", "dropped", "lost"), ("maximum", "dropped", "lost")]
    assert reported(type="integer", exclusiveMinimum=0, maximum=far)[0] == "Must be greater than 0."


def test_the_values_of_a_map_are_named_by_their_type() -> None:
    assert (
        reported("ollama", type="object", additionalProperties={"type": "string"})[0]
        == "Values of other keys: string."
    )
    bounded = {"type": "integer", "minimum": 0}
    assert reported("ollama", type="object", additionalProperties=bounded)[0] == (
        'Values of other keys: {"type":"integer","minimum":0}.'
    )
    assert reported("ollama", type="object", additionalProperties={})[0] == ""


SENTENCES = (
    *(
        "Must be at least 1.",
        "Must be at most 5.",
        "Must have at least 2 items.",
        "Must have at most 2 items.",
    ),
    *("Must have at most 1 key.", "Format: x.", "", "Must be", "Must match the regular expression `a b c`."),
)


@given(st.lists(st.sampled_from(SENTENCES)))
def test_only_pairs_become_one(notes: list[str]) -> None:
    """Every number that was said is said, in as many sentences or fewer."""
    after = ranged(notes)
    assert len(after) == len(notes)
    assert {word for word in " ".join(notes).split() if word[0].isdigit()} == {
        word for word in " ".join(after).split() if word[0].isdigit()
    } or "Must be from 1 to 5." in after


STRINGS = "lists strings, because the provider allows no other values here; decoding restores the values"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([1, 2], STRINGS),
        (["a", None], "leaves null to `type`"),
        (["a", "a"], "lists each value once"),
        ([1, 1, None], f"leaves null to `type`, lists each value once and {STRINGS}"),
    ],
)
def test_the_entry_of_an_enum_names_each_change(values: list[Any], reason: str) -> None:
    result = normalize({"type": "object", "properties": {"a": {"enum": values}}}, "gemini")
    assert [one.reason for one in result.ledger if one.keyword == "enum"] == [reason]


def test_a_type_that_values_have_changes_nothing() -> None:
    result = normalize({"type": "object", "properties": {"a": {"enum": [1, 2]}}}, "anthropic-strict")
    assert [one.severity for one in result.ledger if one.keyword == "type"] == ["kept elsewhere"]


def test_recursion_is_expanded_once() -> None:
    node = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    inlining = Profile(id="t", dated="2026-11-21", envelope={}, dialect=Dialect(refs="inline"))
    reasons = [one.reason for one in normalize(node, inlining).ledger]
    assert any("recursion is expanded once only" in reason for reason in reasons)
