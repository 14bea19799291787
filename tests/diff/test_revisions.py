"""Successive revisions of real tools: nothing crashes, and every break has a witness that is one."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from toolcast.analysis.diff.compare_states import compare_states, diff_profiles
from toolcast.analysis.diff.outcome import Choice, DiffOutcome
from toolcast.analysis.diff.states import read_listed
from toolcast.config import load_config

pytestmark = pytest.mark.corpora
SAMPLE = 89  # one of so many


def revisions(shared: Path, step: int) -> Iterator[dict[str, Any]]:
    """Every `step`-th pair."""
    with (shared / "corpora/revisions/revisions.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % step == 0:
                yield json.loads(line)


def compared(row: dict[str, Any], folder: Path) -> DiffOutcome:
    config, _ = load_config(folder)
    assert config is not None
    profiles, _ = diff_profiles(config, ())
    states = []
    for side in ("old", "new"):
        file = folder / f"{side}.json"
        file.write_text(json.dumps({"tools": [row[side]] if row[side] else []}), encoding="utf-8")
        states.append(read_listed(file, frozenset(profiles.known)))
    return compare_states(config, profiles, (states[0], states[1]), Choice(today=date(2026, 11, 22)))


def accepts(side: Any, value: Any) -> bool:
    root, document = side
    schema = {**document, "$ref": f"#/{root}"}
    return bool(jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value))


def check(row: dict[str, Any], folder: Path) -> int:
    """Every break of one pair has a witness; the number of what is undecided."""
    outcome = compared(row, folder)
    undecided = 0
    for each in outcome.findings:
        change = each.change
        undecided += change.undecided and change.audience in ("calls", "results")
        if change.audience == "calls" and each.level == "error":
            assert change.witness is not None, change
        if change.witness is None:
            continue
        (pair,) = outcome.pairs
        root = "result" if change.audience == "results" else "parameters"
        sides = [(root, side.built.document) for side in (pair.old, pair.new) if side is not None]
        accepting, *refusing = sides if root == "parameters" else sides[::-1]
        assert accepts(accepting, change.witness.value), change
        if refusing and change.rule != "tool-renamed":
            assert not accepts(refusing[0], change.witness.value), change
    if row["old"] == row["new"]:
        assert outcome.findings == ()
    return undecided


def test_real_revisions(shared_dir: Path, tmp_path: Path) -> None:
    for row in revisions(shared_dir, SAMPLE):
        check(row, tmp_path)


@pytest.mark.thorough
def test_all_real_revisions(shared_dir: Path, tmp_path: Path) -> None:
    counts = [check(row, tmp_path) for row in revisions(shared_dir, 1)]
    assert len(counts) == 1782
    assert sum(map(bool, counts)) <= len(counts) // 100
