"""Our answers beside another normaliser's, over inputs that no one here wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.providers.deviations.cases import Case, cases
from tests.providers.deviations.judge import lost_values, refused, sorted_into
from tests.providers.deviations.report import page
from tests.providers.known import CASES_LOST, CASES_REFUSED, unexplained

PAGE = Path(__file__).resolve().parents[2] / "docs" / "deviations.md"
EVERY = 3
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
