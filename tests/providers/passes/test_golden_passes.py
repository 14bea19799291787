"""Golden cases of each pass by itself: what is before it and after it, and what it writes into the ledger."""

from __future__ import annotations

import json

import pytest
from msgspec import UNSET

from tests.providers.passes.golden import (
    CASES,
    Case,
    Outcome,
    cases_of,
    expected,
    outcome,
    with_outcome,
    written,
)
from tests.providers.passes.single import ALL, KEYWORDS, snapshot

NAMES = sorted(path.stem for path in CASES.glob("*.yaml"))
FEWEST = 3
"""Cases that a pass must have at least."""


def test_every_pass_has_cases() -> None:
    assert set(NAMES) == {*ALL, KEYWORDS}


@pytest.mark.parametrize("name", NAMES)
def test_cases_are_several(name: str) -> None:
    cases = cases_of(name)
    assert len(cases) >= FEWEST
    assert len({case.name for case in cases}) == len(cases)


@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(name, case, id=f"{name}: {case.name}") for name in NAMES for case in cases_of(name)],
)
def test_case(name: str, case: Case, update_cases: bool) -> None:
    if name in ALL:
        assert ALL[name].needed(case.dialect), "the dialect does not have the pass"
    result, stated = outcome(case, case.applied(name)), expected(case)
    if update_cases:
        _update(name, case, result)
        return
    assert result == stated
    assert json.dumps(result.after) == json.dumps(stated.after), "the order of keywords"


def _update(name: str, case: Case, result: Outcome) -> None:
    UPDATED.setdefault(name, {})[case.name] = with_outcome(case, result)
    cases = tuple(UPDATED[name].get(one.name, one) for one in cases_of(name))
    (CASES / f"{name}.yaml").write_text(written(cases), encoding="utf-8")


UPDATED: dict[str, dict[str, Case]] = {}


@pytest.mark.parametrize("name", NAMES)
def test_files_are_written_in_one_form(name: str) -> None:
    assert (CASES / f"{name}.yaml").read_text(encoding="utf-8") == written(cases_of(name))


@pytest.mark.parametrize("name", sorted(ALL))
def test_nothing_to_do_returns_the_same_node(name: str) -> None:
    idle = [case for case in cases_of(name) if case.after is UNSET and not case.ledger and not case.blockers]
    assert idle, "no case in which the pass does nothing"
    calls = [call for case in idle for call in case.applied(name).calls]
    assert all(call.result is call.given for call in calls), "not the same node"
    assert all(snapshot(call.result) == call.before for call in calls)
