"""Contracts that once broke a law under some provider, held to all laws under every one."""

from __future__ import annotations

from typing import Any

import pytest
from toolwright.build.compile import Options
from toolwright.providers import available
from toolwright.verify.hold import Settings, hold

from bench.fuzz.judge import tool_of


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


CLOSED = {"type": "object", "additionalProperties": False}
CONTRACTS: dict[str, dict[str, Any]] = {
    "a union beside a list of types": obj(
        {
            "v": {
                "type": ["string", "integer", "null"],
                "anyOf": [{"minLength": 3, "type": "string"}, {"maximum": 9, "type": ["null", "number"]}],
            }
        }
    ),
    "a constant of no type that is stated": obj(
        {"v": {"const": -1, "prefixItems": [True, {"enum": [1]}], "type": ["boolean", "array"]}}
    ),
    "items past a tuple": obj(
        {
            "v": {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "boolean"}],
                "items": {
                    "type": "object",
                    "dependentRequired": {"a": ["b"]},
                    "allOf": [{"minProperties": 1, "type": ["integer", "object"]}],
                    "additionalProperties": False,
                },
            }
        }
    ),
    "a name that is sent under another and only required": obj(
        {"é": {"type": "object", "required": ["é"]}, "b": {"dependentRequired": {"é": ["ü"]}, **obj({})}}
    ),
    "a condition that cannot be said": obj(
        {
            "v": {
                "if": {
                    **obj({"a": obj({"d": {"type": "array"}})}),
                    "required": ["a"],
                    "unevaluatedProperties": False,
                },
                "then": {"type": "array"},
                "else": {"type": "array", "uniqueItems": True},
            }
        }
    ),
    "properties that a branch of the root forbids": obj(
        {"a": {"type": "integer"}, "b": {"type": "array", "items": {"minimum": 3}}},
        allOf=[{"anyOf": [{**CLOSED, "properties": {"c": {"type": "boolean"}}}]}],
    ),
    "a key that is required and not declared, in one of two alternatives": obj(
        {"v": {"oneOf": [{"type": "object", "required": ["d"]}, {"$ref": "#/$defs/C"}]}},
        required=["v"],
        **{"$defs": {"C": {"type": "object"}}},
    ),
    "a tuple without a type": obj({"v": {"prefixItems": [{"type": "integer"}, {"type": "boolean"}]}}),
    "items that nothing evaluates": obj(
        {
            "v": {"type": "array", "prefixItems": [True], "unevaluatedItems": {"type": "string"}},
            "w": {"type": "array", "contains": {"const": 1}, "unevaluatedItems": {"type": "string"}},
        }
    ),
    "a change in an alternative beside an encoding": obj(
        {
            "v": {
                **obj({"a": {"additionalProperties": False}, "b": {"items": True}}),
                "type": ["boolean", "object"],
            }
        }
    ),
    "a union of many branches": obj(
        {
            "o": {"anyOf": [obj({"k": {"const": i}, f"v{i}": {"type": "string"}}) for i in range(12)]},
            "s": {"oneOf": [{"type": "string", "pattern": f"^{i}"} for i in range(11)] + [{"type": "null"}]},
            "r": {"anyOf": [{"$ref": "#/$defs/N"}, *({"type": "array", "minItems": i} for i in range(11))]},
        },
        **{"$defs": {"N": obj({"n": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "integer"}]}})}},
    ),
    "free keys that are counted": obj(
        {}, additionalProperties={"type": "integer"}, minProperties=2, maxProperties=3
    ),
    "optional keys that are counted": obj({"a": {"type": "string"}}, minProperties=1),
    "a type that is only meant, in an alternative": obj(
        {"v": {**obj({"a": {"additionalProperties": False}}), "type": ["boolean", "string", "object"]}}
    ),
}


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_every_law_holds_under_every_provider(contract: dict[str, Any]) -> None:
    report = hold(tool_of(contract), {}, Options(providers=available()), Settings(examples=40, seed=1))
    assert [(each.law, each.provider, each.instance, each.actual) for each in report.counterexamples] == []
