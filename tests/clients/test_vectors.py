"""Official clients beside the vectors of what providers take: they agree, or the difference is named."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from toolcast.providers import Normalized, ToolInfo, available, load_profile, tool_object
from toolcast.providers.rule_vectors import Vector, vectors_of

from tests.clients.conftest import Client
from tests.clients.judges import judges_of
from tests.clients.test_strict import STRICT, ordered

DECLARATIONS = ("python", "typescript")
SENT = [provider for provider in available() if provider not in DECLARATIONS]
BY_GOOGLE = ("gemini", "vertex", "cloud-code-assist")
"""Providers whose schemas Google's client has a type for."""
UNSEEN_BY_GOOGLE = {
    "gemini": {"additionalProperties"},
    "vertex": set[str](),
    "cloud-code-assist": {
        *(
            "additionalProperties",
            "format",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
        ),
        *("minItems", "minLength", "minProperties", "minimum", "pattern"),
    },
}
"""Keywords that the client's type has, which is one for all of Google's APIs, and this provider refuses."""
MOVED_BY_ANTHROPIC = {
    "enum",
    "const",
    "pattern",
    "default",
    "lookaround",
    "word-boundary",
    "backreferences",
} | {
    *("unicode-classes", "typed", "enums"),
}
"""Of what the API documents, the client writes `pattern` and `default` into descriptions, and leaves the type
beside `enum` and `const` out."""


def _strict(provider: str) -> list[Vector]:
    return [each for each in vectors_of(load_profile(provider)) if each.rule.startswith("strict.")]


def _tool(vector: Vector, schema: dict[str, Any], provider: str) -> dict[str, Any]:
    profile = load_profile(provider)
    strict = None if profile.strict is None else vector.rule.startswith("strict.")
    made = Normalized(schema=schema, strict=strict, ledger=())
    return tool_object(ToolInfo(name="look", description="Look."), profile, made)


@pytest.mark.parametrize("provider", SENT)
def test_clients_take_what_is_taken(provider: str, client: Client) -> None:
    for make in judges_of(provider, load_profile(provider).envelope):
        judge = make(client)
        for vector in vectors_of(load_profile(provider)):
            if vector.accepts is not None:
                assert judge(_tool(vector, vector.accepts, provider)) == [], vector.id


@pytest.mark.parametrize("provider", BY_GOOGLE)
def test_googles_client_refuses_keywords_that_are_refused(provider: str, client: Client) -> None:
    (make,) = judges_of(provider, load_profile(provider).envelope)
    judge = make(client)
    taken = {
        vector.rule.removeprefix("dialect.")
        for vector in vectors_of(load_profile(provider))
        if vector.error == "keyword" and vector.refuses and not judge(_tool(vector, vector.refuses, provider))
    }
    assert taken == UNSEEN_BY_GOOGLE[provider]


def _same(schemas: Iterator[tuple[str, dict[str, Any]]], make: Any) -> list[str]:
    return [name for name, schema in schemas if ordered(make(copy.deepcopy(schema))) != ordered(schema)]


def _taken(provider: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for vector in _strict(provider):
        if vector.accepts is not None:
            yield vector.rule.removeprefix("strict."), vector.accepts


@pytest.mark.parametrize("provider", STRICT)
def test_openais_makers_of_strict_schemas_change_nothing(provider: str, client: Client) -> None:
    ensure = client("openai.lib._pydantic")._ensure_strict_json_schema
    assert _same(_taken(provider), lambda schema: ensure(schema, path=(), root=schema)) == []
    assert _same(_taken(provider), client("agents.strict_schema").ensure_strict_json_schema) == []


def test_anthropics_maker_of_strict_schemas_changes_what_is_named(client: Client) -> None:
    changed = _same(_taken("anthropic-strict"), client("anthropic").transform_schema)
    assert set(changed) == MOVED_BY_ANTHROPIC
