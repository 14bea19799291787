"""The official JSON Schema test suite, draft 2020-12."""

import json
from pathlib import Path
from typing import Any

import pytest
from toolcast.jsonschema.validator import Validator
from toolcast.jsonschema.validator_errors import UnsupportedSchema

pytestmark = pytest.mark.corpora

# Formats that are annotations here, and the one file that asks for IDNA's character tables.
_NOT_ASSERTED = ("idn-", "iri", "relative-json-pointer", "uri-template", "hostname.json#1")


def load(shared_dir: Path) -> list[dict[str, Any]]:
    text = (shared_dir / "suites/json-schema-test-suite/draft2020-12.jsonl").read_text("utf-8")
    records = [json.loads(line) for line in text.split("\n") if line]
    assert len(records) > 400
    return [record for record in records if not record["needs_remote"]]


def asserted(source: str) -> bool:
    name = source.partition("/optional/")[2]
    if name.startswith("dependencies-compatibility"):  # the pre-2019 keyword, raised before it gets here
        return False
    return not (name.startswith("format/") and name.removeprefix("format/").startswith(_NOT_ASSERTED))


def test_no_verdict_differs_and_few_schemas_are_refused(shared_dir: Path) -> None:
    records = load(shared_dir)
    wrong: list[str] = []
    refused: list[str] = []
    for record in records:
        source = record["source"]
        try:
            validator = Validator(record["parameters"], formats="/optional/format/" in source)
        except UnsupportedSchema as problem:
            refused.append(f"{source}: {problem}")
            continue
        if not asserted(source):
            continue
        cases = [(value, True) for value in record["calls"]]
        cases += [(case["arguments"], False) for case in record["bad_calls"]]
        for value, good in cases:
            if validator.accepts(value) != good or (validator.violations(value) == []) != good:
                wrong.append(f"{source}: {record['description']}: {value!r}")
            if good and json.dumps(validator.settle(value), sort_keys=True) != json.dumps(
                value, sort_keys=True
            ):
                assert validator.accepts(validator.settle(value)), (source, value)
    print(f"{len(records)} schemas, {len(refused)} refused")
    assert wrong == []
    assert all("$dynamicRef" in reason or "does not point into" in reason for reason in refused), refused
    assert len(refused) < 0.1 * len(records)
