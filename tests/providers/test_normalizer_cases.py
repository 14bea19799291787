"""Our answers beside another normaliser's, over inputs that no one here wrote."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from toolcast.jsonschema.keywords import subschemas
from toolcast.providers.provider_rules import rules_of

from tests.providers.deviations.cases import TARGETS, Case, cases
from tests.providers.deviations.judge import lost_values, refused, sorted_into
from tests.providers.deviations.report import page
from tests.providers.known import CASES_LOST, CASES_REFUSED, unexplained

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "deviations.md"
EVERY = 6
"""One input of so many goes there and back; `make deviations` takes all."""
pytestmark = pytest.mark.corpora


@pytest.fixture(scope="module")
def found(shared_dir: Path) -> list[Case]:
    return cases(shared_dir)


def test_no_input_is_refused(found: list[Case]) -> None:
    assert [case.id for case in found if case.ours is None] == []


def test_every_difference_is_of_a_class(found: list[Case]) -> None:
    assert [line for case in found for line in sorted_into(case)[1]] == []


def test_the_provider_refuses_none_of_our_answers(found: list[Case]) -> None:
    lines = [line for case in found for line in refused(case)]
    assert unexplained(lines, CASES_REFUSED) == []


def test_every_value_of_an_input_goes_there_and_back(found: list[Case]) -> None:
    assert unexplained(lost_values(found, EVERY), CASES_LOST) == []


def test_the_page_of_deviations_says_what_is(found: list[Case]) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(found), "run: make deviations"


REFUSED_BY_RULES = {
    "google": {
        "allOf",
        "contains",
        "contentEncoding",
        "discriminator",
        "if",
        "not",
        "oneOf",
        "then",
        "uniqueItems",
    },
    "cca": {
        "contains",
        "contentEncoding",
        "discriminator",
        "if",
        "then",
        "uniqueItems",
        "maxProperties",
        "minProperties",
    },
    "moonshot": {"allOf"},
    "openai_strict": {"allOf", "oneOf", "prefixItems"},
    "anthropic": {"prefixItems"},
}
"""Keywords that oh-my-pi sends, and that by the sources of our rules the provider refuses."""


def test_what_they_send_is_taken_by_our_rules_or_named(found: list[Case]) -> None:
    sent: dict[str, set[str]] = {}
    for case in found:
        strict = case.profile.strict is not None and (case.their_strict or case.target == "anthropic")
        table = "strict" if strict else "dialect"
        rules = {rule.name: rule for rule in rules_of(case.profile) if rule.table == table}
        for keyword in _keywords(case.theirs):
            if rules.get(keyword, rules["other"]).status == "refused":
                sent.setdefault(case.target, set()).add(keyword)
    assert sent == REFUSED_BY_RULES


def _keywords(schema: object) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    return {*schema, *(key for _, part in subschemas(schema) for key in _keywords(part))}


def _sabotaged(schema: dict[str, Any], how: str) -> dict[str, Any]:
    """A tool of two properties, changed in a way that no class may explain."""
    out = copy.deepcopy(schema)
    if how == "property":
        del out["properties"]["city"]
    elif how == "type":
        out["properties"]["city"]["type"] = "integer"
    elif how == "enum":
        held = out["properties"]["unit"]
        held["enum"] = [value for value in held["enum"] if value != "celsius"]
    else:
        out["required"] = ["unit"]
    return out


@pytest.mark.parametrize("how", ["property", "type", "enum", "required"])
def test_a_difference_that_is_wrong_is_of_no_class(found: list[Case], how: str) -> None:
    judged = [case for case in found if case.id == "tool/get_weather" and case.ours is not None]
    for case in judged:
        wrong = structs.replace(case.ours, schema=_sabotaged(case.ours.schema, how))
        assert sorted_into(replace(case, ours=wrong))[1], case.target
    assert len(judged) == len(TARGETS)
