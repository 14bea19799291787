"""One schema normalised for many providers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.providers import Normalized, SchemaError, SchemaNormalizer, available, load_profile, normalize

from bench.fuzz.schemas import compose
from tests.providers.rules.survey import CORPORA, tools

PROFILES = [load_profile(id) for id in available()]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Where."}, "limit": {"type": "integer"}},
    "required": ["path"],
}
MALFORMED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "minLength": "3", "enum": "a", "description": 4},
        "b": {"type": "array", "items": 3},
        "c": {"type": "object", "additionalProperties": {"type": "integer"}},
        "d": {"$ref": "#/nowhere"},
    },
    "required": "a",
}


@pytest.mark.parametrize("strict", [None, True, False])
@pytest.mark.parametrize("schema", [SCHEMA, MALFORMED], ids=["well-formed", "malformed"])
def test_it_returns_what_normalize_returns(schema: dict[str, Any], strict: bool | None) -> None:
    normalizer = SchemaNormalizer(schema)
    for profile in PROFILES * 2:
        expected = normalize(schema, profile, strict=strict)
        assert normalizer.normalize(profile, strict=strict) == expected


def scalar(rng: Random) -> dict[str, Any]:
    """A schema of a scalar, with keywords that dialects treat differently."""
    number = {"type": rng.choice(["integer", "number"])}
    return rng.choice(
        [
            {"type": "string", "enum": [str(i) for i in range(rng.choice([1, 3, 600]))]},
            {"type": "string", "enum": rng.choice([["", "a"], ["a", "a"], ["a", None], ["a", 1], [None]])},
            {"type": "string", "format": rng.choice(["uri", "date-time", "uuid", "byte", "made-up"])},
            {"type": "string", "pattern": rng.choice(["^a+$", "a(?=b)", r"\\bb", r"(a)\\1", r"^\\p{L}$"])},
            {"type": "string", "pattern": "^a$", "minLength": 1},
            {"type": "string", "format": "date", "maxLength": 9},
            {**number, "minimum": 1, "maximum": 3},
            {**number, "exclusiveMinimum": 0, "exclusiveMaximum": 9},
            {**number, "multipleOf": 2, "default": 4, "title": "N"},
            {"type": "boolean", "description": "Whether.", "examples": [True]},
            {"type": "null"},
        ]
    )


def plain(rng: Random, depth: int = 0) -> dict[str, Any]:
    """An object of the kind that most tools have, with each fact by which dialects differ."""
    choices: list[Callable[[], dict[str, Any]]] = [lambda: scalar(rng)] * 3
    if depth < 3:
        sizes = rng.choice([{}, {}, {"minItems": 1}, {"maxItems": 4, "uniqueItems": True}])
        choices += [
            lambda: plain(rng, depth + 1),
            lambda: {"type": "array", "items": plain(rng, depth + 1), **sizes},
            lambda: {"type": "array", "items": scalar(rng), **sizes},
            lambda: {"type": "array", **sizes},
        ]
    found: dict[str, Any] = {"type": "object"}
    names = ["a", "b", "c"][: rng.randrange(4)]
    if names or rng.randrange(2):
        found["properties"] = {name: rng.choice(choices)() for name in names}
    if rng.randrange(4):
        found["required"] = rng.choice([names, names[:1], [], ["a", "z"] if rng.randrange(3) == 0 else names])
    rest = rng.choice([None, None, False, True, {"type": "string"}])
    beside = rng.choice([{}, {}, {}, {"minProperties": 1}, {"maxProperties": 2}, {"description": "It."}])
    return {**found, **({} if rest is None else {"additionalProperties": rest}), **beside}


def outcome(call: Callable[[], Normalized]) -> tuple[Normalized, str] | str:
    """Return the outcome of a call with its JSON text, or the reason of a refusal."""
    try:
        found = call()
    except SchemaError as problem:
        return str(problem)
    return found, repr(found)


def assert_shared_is_own(schema: dict[str, Any], rng: Random) -> None:
    """Each dialect has what it has alone, after whichever others."""
    normalizer = SchemaNormalizer(schema)
    for profile in rng.sample(PROFILES, len(PROFILES)):
        for strict in (None, False):
            own = outcome(lambda: normalize(schema, profile, strict=strict))  # noqa: B023 - called at once
            assert outcome(lambda: normalizer.normalize(profile, strict=strict)) == own  # noqa: B023


@pytest.mark.parametrize("make", [plain, compose], ids=["plain", "composed"])
def test_what_dialects_share_is_what_each_has_alone(make: Callable[[Random], dict[str, Any]]) -> None:
    for seed in range(25):
        rng = Random(f"shared:{seed}")
        assert_shared_is_own(make(rng), rng)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", CORPORA)
def test_what_dialects_share_in_a_corpus_is_what_each_has_alone(shared_dir: Path, corpus: str) -> None:
    for number, tool in enumerate(tools(shared_dir, corpus, 12)):
        assert_shared_is_own(tool["parameters"], Random(number))


def test_dialects_that_differ_in_what_a_schema_lacks_share_a_walk() -> None:
    normalizer = SchemaNormalizer(SCHEMA)
    shared = {id(normalizer.normalize(profile, strict=False).schema) for profile in PROFILES}
    assert len(shared) < len(PROFILES) / 3


def test_equal_dialects_are_walked_once() -> None:
    normalizer, gemini = SchemaNormalizer(SCHEMA), load_profile("gemini")
    twin = replace(gemini, id="twin", envelope={})
    assert normalizer.normalize(twin).schema is normalizer.normalize(gemini).schema


def test_profiles_that_share_a_walk_share_the_ways() -> None:
    cohere = load_profile("cohere")
    twin = replace(cohere, id="twin", always_strict=True)  # another answer from the same walk
    normalizer = SchemaNormalizer(MALFORMED)
    first, second = normalizer.normalize(cohere), normalizer.normalize(twin)
    assert first.wire_forms is not None
    assert first.wire_forms == second.wire_forms


def test_each_mode_has_its_own_flag_and_ledger() -> None:
    normalizer = SchemaNormalizer(SCHEMA)
    assert [normalizer.normalize("openai", strict=mode).strict for mode in (None, True, False)] == [
        True,
        True,
        False,
    ]
    assert normalizer.normalize("mcp", strict=True).ledger[0].reason.endswith("no strict mode")
    assert normalizer.normalize("mcp").ledger == ()


def test_a_refused_schema_is_refused_for_every_profile() -> None:
    normalizer = SchemaNormalizer({"type": "string"})
    for profile in PROFILES * 2:
        with pytest.raises(SchemaError, match="are an object"):
            normalizer.normalize(profile)
    with pytest.raises(SchemaError):
        SchemaNormalizer([])
