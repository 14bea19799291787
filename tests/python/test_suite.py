"""The official JSON Schema test suite, compiled: verdicts agree, or the refusal is true."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ArgumentError

from tests.python.compiled import Binding, RefusedError, package, spec

pytestmark = pytest.mark.corpora

TRUE_REASONS = {
    "remote-reference": ("$ref", "$schema"),
    "unsupported-keyword": ("$dynamicRef", "$vocabulary", "$recursiveRef"),
    "missing-reference": ("$ref",),
    "default-mismatch": ("default",),
    "reference-outside": ("$ref",),
    "unknown-dialect": ("$schema",),
    "unsatisfiable": ("false", "not", "enum", "allOf"),
}
"""Why a schema may be refused, and what must occur in it then."""


def records(shared_dir: Path, draft: str) -> list[dict[str, Any]]:
    text = (shared_dir / f"suites/json-schema-test-suite/draft{draft}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def accepts(binding: Binding, value: Any) -> bool:
    verdicts: set[bool] = set()
    for arguments in (json.dumps({"value": value}).encode(), {"value": value}):
        try:
            binding.decode(arguments)
            verdicts.add(True)
        except ArgumentError:
            verdicts.add(False)
    assert len(verdicts) == 1, "text and mapping are judged alike"
    return verdicts.pop()


@pytest.mark.parametrize(
    ("draft", "every"),
    [
        ("2020-12", 6),
        ("7", 8),
        pytest.param("2020-12", 1, marks=pytest.mark.thorough),
        pytest.param("7", 1, marks=pytest.mark.thorough),
    ],
)
def test_official_suite(shared_dir: Path, draft: str, every: int) -> None:
    wrong: list[str] = []
    refused: Counter[str] = Counter()
    refusals = 0
    found = records(shared_dir, draft)[::every]
    for record in found:
        schema = record["parameters"]
        name = f"{record['source'].partition('tests/')[2]}: {record['description']}"
        if draft == "7" and isinstance(schema, dict):
            schema = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
        # The schema is the root of a file of its own, so that `#` in it means what it means in the suite.
        parameters = {
            "type": "object",
            "required": ["value"],
            "properties": {"value": {"$ref": "_types/value.json"}},
            "additionalProperties": False,
        }
        types = {"_types/value.json": schema}
        if not isinstance(schema, dict):
            parameters["properties"]["value"], types = schema, {}
        if "/optional/content" in record["source"]:
            continue  # contents are annotations
        if "/format" in record["source"]:
            continue  # asserted here, which the suite's main part denies: see tests/jsonschema
        try:
            with package({"tool.json": spec(parameters)}, types) as bindings:
                for value, expected in [
                    *((call, True) for call in record["calls"]),
                    *((call["arguments"], False) for call in record["bad_calls"]),
                ]:
                    if accepts(bindings["tool"], value) != expected:
                        wrong.append(f"{name}: {json.dumps(value)[:200]} should be {expected}")
        except RefusedError as problem:
            text = json.dumps(schema)
            refusals += not record["needs_remote"] and set(problem.codes) != {"unsatisfiable"}
            for code in problem.codes:
                refused[code] += 1
            codes = set(problem.codes)
            # A definition of a shared type may be unsatisfiable though no value of the suite is held to it.
            unfounded = "unsatisfiable" in codes and record["calls"] and "the definition" not in str(problem)
            if unfounded or not all(any(w in text for w in TRUE_REASONS.get(c, ())) for c in codes):
                wrong.append(f"{name}: refused without reason: {problem}: {json.dumps(schema)[:300]}")
    print(draft, len(found), refusals, dict(refused))
    assert not wrong, "\n".join(wrong)
    assert refusals < 0.1 * sum(not record["needs_remote"] for record in found)
