"""The steps of a walk: they end with what is sent, and each says what one pass did."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.providers import (
    LedgerEntry,
    Profile,
    SchemaError,
    Step,
    available,
    load_profile,
    normalize,
    steps,
)
from toolcast.providers.passes import ALL, COMBINATORS, COMPLETION, REWRITING, START, passes_of
from toolcast.providers.walk_steps import summary_of

from tests.providers.rules.survey import CORPORA, SUITE, tools
from tests.providers.strategies import contracts

PROFILES = [load_profile(id) for id in available()]
EVERY = 20
"""One tool of so many of a corpus, each under five of the profiles."""
SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "limit": {"type": ["integer", "null"], "exclusiveMinimum": 0},
        "labels": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        "kind": {"$ref": "#/definitions/Kind"},
        "any": {},
    },
    "required": ["labels"],
    "definitions": {"Kind": {"const": "a"}},
}


def in_order(entries: tuple[LedgerEntry, ...]) -> list[tuple[str, ...]]:
    return sorted((e.path, e.keyword, e.action, e.severity, e.reason) for e in entries)


def check(schema: Any, profile: Profile, strict: bool | None = None) -> tuple[Step, ...]:
    sent = normalize(schema, profile, strict=strict)
    found = steps(schema, profile, strict=strict)
    assert json.dumps(found[-1].schema) == json.dumps(sent.schema)
    assert in_order(sum((step.entries for step in found), ())) == in_order(sent.ledger)
    return found


@pytest.mark.parametrize("profile", PROFILES, ids=available())
def test_they_end_with_what_is_sent(profile: Profile) -> None:
    before = copy.deepcopy(SCHEMA)
    for strict in (None, True, False):
        found = check(SCHEMA, profile, strict)
        assert before == SCHEMA
        assert steps(SCHEMA, profile, strict=strict) == found
        assert len({step.name for step in found}) == len(found)


@given(contracts(), st.sampled_from(PROFILES), st.sampled_from([None, False]))
@settings(deadline=None)
def test_they_end_with_what_is_sent_for_composed_schemas(
    schema: dict[str, Any], profile: Profile, strict: bool | None
) -> None:
    try:
        normalize(schema, profile, strict=strict)
    except SchemaError:
        refused = True
    else:
        refused = False
    if refused:
        with pytest.raises(SchemaError):
            steps(schema, profile, strict=strict)
    else:
        check(schema, profile, strict)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", [*CORPORA, SUITE])
def test_they_end_with_what_is_sent_for_the_corpora(shared_dir: Path, corpus: str) -> None:
    for number, tool in enumerate(tools(shared_dir, corpus, EVERY)):
        for profile in PROFILES[number % 5 :: 5]:
            try:
                normalize(tool["parameters"], profile)
            except SchemaError:
                continue
            check(tool["parameters"], profile)


def test_each_step_changes_something_and_is_in_the_order_of_the_passes() -> None:
    for profile in PROFILES:
        found = steps(SCHEMA, profile, strict=False)
        for before, after in pairwise(found):
            assert after.entries or json.dumps(after.schema) != json.dumps(before.schema)
        order = ["parsed", "strict"]
        order += [each.name for each in (*START, *COMBINATORS, *REWRITING)]
        order += ["keywords", *(each.name for each in COMPLETION)]
        places = [order.index(step.name) for step in found]
        assert places == sorted(places)


def test_what_parsing_changed_comes_first() -> None:
    first = steps(SCHEMA, "mcp")[0]
    assert first.name == "parsed"
    assert "$defs" in first.schema
    assert [(e.path, e.keyword, e.action) for e in first.entries] == [
        ("", "definitions", "rewritten"),
        ("/properties/kind", "$ref", "rewritten"),
    ]


def test_a_pass_shows_what_it_did_alone() -> None:
    found = {step.name: step for step in steps(SCHEMA, "gemini")}
    labels = found["maps"].schema["properties"]["labels"]
    assert labels["type"] == "array"
    assert labels["description"] == "A list of key/value pairs; each key stands once."
    assert labels["items"]["properties"]["value"] == {"type": "string", "minLength": 1}
    assert {entry.path for entry in found["maps"].entries} == {"/properties/labels"}
    assert "exclusiveMinimum" in found["maps"].schema["properties"]["limit"]
    limit = found["bounds"].schema["properties"]["limit"]
    assert (limit["minimum"], "exclusiveMinimum" in limit) == (1, False)


def test_before_the_keywords_all_are_kept() -> None:
    found = steps(SCHEMA, "openai", strict=False)
    names = [step.name for step in found]
    for step in found[: names.index("keywords")]:
        assert step.schema["$schema"] == SCHEMA["$schema"]
    assert "$schema" not in found[names.index("keywords")].schema


def test_definitions_that_will_be_inlined_are_shown_as_they_were() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "n": {"const": 1}}}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    profile = next(p for p in PROFILES if p.dialect.refs == "inline" and p.strict is None)
    found = check(schema, profile)
    names = [step.name for step in found]
    assert "references" in names
    assert all(step.schema["$defs"] == {"Node": node} for step in found[: names.index("keywords")])
    assert all("$defs" not in step.schema for step in found[names.index("keywords") :])


def test_strict_mode_that_is_given_up_is_a_step() -> None:
    found = steps(SCHEMA, "openai")
    assert found[1].name == "strict"
    assert found[1].summary.startswith("Give strict mode up")
    assert [entry.path for entry in found[1].entries] == ["/properties/any"]
    assert found[1].schema == found[0].schema
    assert "strict" not in {step.name for step in steps({"properties": {"a": {"type": "null"}}}, "openai")}


def test_a_wanted_mode_that_a_provider_does_not_have_is_a_step() -> None:
    (entry,) = steps({}, "mcp", strict=True)[1].entries
    assert (entry.keyword, entry.severity) == ("strict", "reject")


def test_steps_are_those_of_the_walk_that_keeps_a_limit_of_depth() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(14):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
    profile = next(p for p in PROFILES if p.limits.depth and p.strict is None)
    assert "depth" in {step.name for step in check(deep, profile)}


def test_properties_are_renamed_by_one_step() -> None:
    schema = {"type": "object", "properties": {"ключ": {"type": "integer"}}, "required": ["ключ"]}
    profile = next(p for p in PROFILES if p.dialect.property_names and p.strict is None)
    found = check(schema, profile)
    names = [step.name for step in found]
    at = names.index("property_names")
    assert all("ключ" in step.schema["properties"] for step in found[:at])
    assert "ключ" not in found[at].schema["properties"]


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_each_pass_has_a_name_and_a_summary(each: Any) -> None:
    assert [one.name for one in ALL].count(each.name) == 1
    assert summary_of(each)


def test_a_dialect_has_the_passes_that_it_needs() -> None:
    for profile in PROFILES:
        found = passes_of(profile.dialect)
        assert [each for each in ALL if each in found] == list(found)
        assert all(each.needed(profile.dialect) == (each in found) for each in ALL)
