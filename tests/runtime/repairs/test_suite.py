"""Malformed arguments that nobody here wrote, judged by what json_repair's own tests expect of them."""

from pathlib import Path

import pytest

from bench import repairs

ARGUMENTS = Path(__file__).parents[3] / "docs" / "reference" / "arguments.md"


@pytest.mark.corpora
def test_what_json_repair_reads_right_is_read_and_nothing_else(shared_dir: Path) -> None:
    every = repairs.cases(shared_dir)
    assert len(every) > 130
    found = repairs.rows(every)
    right = sum(not case.reason for case in every)
    assert [row.verdict.others for row in found if row.texts == "right"] == [[]] * 5
    assert found[0].verdict.right >= 0.85 * right
    assert found[1].verdict.right >= repairs.LEAST * right
    assert repairs.good(found)
    assert repairs.table(every, found) in ARGUMENTS.read_text("utf-8")


@pytest.mark.corpora
def test_every_reason_is_about_a_text_of_the_suite(shared_dir: Path) -> None:
    known = {repairs.digest(case.text) for case in repairs.cases(shared_dir)}
    assert known >= repairs.REASONS.keys()
