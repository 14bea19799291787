"""The fuzzer: its schemas are schemas, its findings real, its runs repeatable."""

import json
import random
from typing import Any

import jsonschema_rs
import pytest
import toolcast.analysis.verify.verified_tool as subject_module
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from toolcast.project.core.compiler import compile_tool

from bench.fuzz import judge
from bench.fuzz.__main__ import main
from bench.fuzz.finding import show
from bench.fuzz.run import chunk
from bench.fuzz.schemas import compose

VOCABULARY = {
    "type",
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "prefixItems",
    "items",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "unevaluatedItems",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$defs",
    "default",
}


@given(st.integers(0, 2**40))
def test_composed_schemas_fit_the_meta_schema(seed: int) -> None:
    schema = compose(random.Random(seed))
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    assert json.dumps(compose(random.Random(seed))) == json.dumps(schema)


def test_the_whole_vocabulary_is_used() -> None:
    text = json.dumps([compose(random.Random(seed)) for seed in range(800)])
    assert [word for word in sorted(VOCABULARY) if f'"{word}": ' not in text] == []


def test_a_short_run_says_the_same_twice() -> None:
    one, two = chunk("7", 0, 6, 20), chunk("7", 0, 6, 20)
    assert one == two
    assert one.schemas == 6


def test_a_planted_bug_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> Any:
        compiled = compile_tool(*arguments)
        files = {name: data.replace(b"ge=", b"gt=") for name, data in compiled.files.items()}
        return structs.replace(compiled, files=files)

    def simple(rng: random.Random) -> Any:
        bound = {"type": "integer", "minimum": rng.randint(1, 5)}
        return {
            "type": "object",
            "required": ["value"],
            "properties": {"value": bound, "b": {"type": "string"}},
        }

    monkeypatch.setattr(subject_module, "compile_tool", broken)
    monkeypatch.setattr(judge, "compose", simple)
    tally = chunk("1", 0, 1, 50)
    assert [finding.kind for finding in tally.findings] == ["too narrow"]
    assert "b" not in tally.findings[0].schema["properties"]
    assert "minimum" in show(tally.findings[0])


def test_the_exit_status_and_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--schemas", "2", "--instances", "5", "--seed", "12", "--jobs", "1"])
    assert status in (0, 1)
    out = capsys.readouterr().out
    assert "seed 12: 2 schemas" in out
    assert ("schema " in out.partition("seed 12")[0]) == bool(status)


def test_a_run_of_seconds_ends_and_tells_its_fresh_seed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--seconds", "0.1", "--instances", "2", "--seed", "fresh", "--jobs", "1"])
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("seed ")
    assert last.startswith(f"{first}: ")
    assert 0 < int(last.split()[2]) <= 75


def test_a_part_of_a_run_is_judged_as_in_the_whole() -> None:
    whole = chunk("3", 0, 4, 10)
    parts = [chunk("3", start, start + 1, 10) for start in range(4)]
    assert whole.instances == sum(part.instances for part in parts)
    assert whole.findings == [finding for part in parts for finding in part.findings]
