"""What the times of transformers are boiled down to."""

from __future__ import annotations

import pytest

from bench.normalize import RATIOS, material, mean, measured, ratio


def test_a_ratio_compares_the_schemas_that_both_sides_take() -> None:
    times = {"ours": {0: 10.0, 1: 1000.0}, "theirs": {0: 5.0}}
    assert ratio(times, "ours", "theirs") == 2.0
    assert mean(times, "ours") == 505.0


def test_a_transformer_that_raises_has_no_time_and_one_that_changes_its_input_hits_nobody() -> None:
    def refuses(schema: dict[str, object]) -> None:
        if "no" in schema:
            raise ValueError

    def empties(schema: dict[str, object]) -> None:
        assert schema, "each call has a schema of its own"
        schema.clear()

    times = measured([{"no": 1}, {"yes": 1}], {"refuses": refuses, "empties": empties}, rounds=2)
    assert [list(each) for each in times.values()] == [[1], [0, 1]]


def test_wishes_compare_with_the_passes_of_one_package() -> None:
    compared = {each.beside for each in RATIOS if each.most is not None}
    transformers = ("OpenAI strict", "Google OpenAPI", "Anthropic strict")
    assert compared == {f"pydantic-ai {name}, on a copy" for name in transformers}


def test_there_is_material_with_and_without_the_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.normalize._FILES", ())
    schemas, origin = material()
    assert len(schemas) > 10
    assert "reference" in origin
