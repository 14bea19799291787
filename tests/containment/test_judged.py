"""Witnesses and `contained` verdicts over real revisions and composed pairs, judged by jsonschema-rs."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.containment.judged import Judged
from bench.containment.pairs import composed, recorded, revised

EVERY = 20
DECIDED = 0.99


def held(results: Iterable[tuple[str, Judged]]) -> None:
    """No mistake, and nearly everything decided."""
    found = list(results)
    assert found
    assert [(name, each.wrong) for name, each in found if each.wrong] == []
    undecided = [(name, each.open) for name, each in found if each.verdict == "undecided"]
    assert len(undecided) <= max(1, len(found) * (1 - DECIDED)), undecided
    assert all(each.judged for _, each in found)


@pytest.mark.corpora
@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.thorough] if part else []) for part in range(EVERY)]
)
def test_successive_revisions_of_real_tools(shared_dir: Path, part: int) -> None:
    file = shared_dir / "corpora" / "revisions" / "revisions.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()[part::EVERY]
    held(each for line in lines for each in revised(json.loads(line), 10 if part == 0 else 60))


@pytest.mark.corpora
@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.thorough] if part else []) for part in range(EVERY)]
)
def test_recorded_calls_of_edited_tools(shared_dir: Path, part: int) -> None:
    files = [shared_dir / "corpora" / f"{name}.jsonl" for name in ("bfcl", "tau-bench", "mcp-servers")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    rows = [json.loads(line) for line in lines[part::EVERY]]
    held(each for row in rows for each in recorded(row, 1 if part == 0 else 5, 5))


def test_composed_pairs() -> None:
    held(each for number in range(40) for each in composed(f"tests:{number}", 10))


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_composed_pairs(part: int) -> None:
    numbers = range(part * 1000, (part + 1) * 1000)
    held(each for number in numbers for each in composed(f"tests:{number}", 60))
