"""Profiles with one axis each, and what every axis must leave true."""

from __future__ import annotations

import copy
import json
from typing import Any

from toolcast.providers import Normalized, normalize
from toolcast.providers.profiles.dialect import Dialect, contradictions
from toolcast.providers.profiles.profile import Profile

from tests.providers.laws import missing_without_entry

JUDGES = (
    *("not", "if", "then", "else", "contains", "minContains", "maxContains", "propertyNames"),
    *("patternProperties", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "contentSchema"),
)
PLAIN: dict[str, Any] = {
    "describe": (*JUDGES, "minProperties", "dependentRequired"),
    "all_of": "merge",
    "any_of": "alone",
    "one_of": "any-of",
    "tuples": "union",
    "root_forbid": ("allOf",),
}
"""A dialect that says nothing about values which may be sent in another form."""


NONE: dict[str, Any] = {
    **PLAIN,
    "any_of": "none",
    "null": "absent",
    "type_arrays": "single",
    "refs": "inline",
    "typed": True,
    "untyped": "json",
    "enums": "strings",
    "const": "enum",
    "booleans": "rewrite",
}
"""One type per node, no unions, no null."""


def profile(**axes: Any) -> Profile:
    dialect = Dialect(**axes)
    assert contradictions(dialect) == ()
    return Profile(id="test", dated="2026-11-21", envelope={"parameters": "$parameters"}, dialect=dialect)


def stated(schema: Any, **axes: Any) -> Normalized:
    return normalize({"type": "object", "properties": {"a": schema}}, profile(**axes))


def output(schema: Any, **axes: Any) -> Any:
    return stated(schema, **axes).schema["properties"]["a"]


def actions(result: Normalized) -> set[tuple[str, str, str]]:
    return {(entry.path, entry.keyword, entry.action) for entry in result.ledger}


def laws(contract: Any, of: Profile, *, fixpoint: bool = True) -> Normalized:
    """L4 and L5 on one contract; the result for more."""
    before = copy.deepcopy(contract)
    once = normalize(contract, of)
    assert contract == before
    assert missing_without_entry(contract, once) == []
    if fixpoint:
        twice = normalize(once.schema, of)
        assert json.dumps(twice.schema, sort_keys=True) == json.dumps(once.schema, sort_keys=True)
    _disjoint(contract, once.schema)
    return once


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def _disjoint(given: Any, made: Any) -> None:
    mine = {id(node) for node in _containers(given)}
    assert not any(id(node) in mine for node in _containers(made))


def _containers(value: Any) -> list[Any]:
    if not isinstance(value, dict | list):
        return []
    below = value.values() if isinstance(value, dict) else value
    return [value, *(node for child in below for node in _containers(child))]
