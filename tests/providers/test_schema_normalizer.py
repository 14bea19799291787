"""One schema normalised for many providers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.providers import SchemaError, SchemaNormalizer, available, load_profile, normalize

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
