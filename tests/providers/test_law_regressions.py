"""Contracts that once broke a law under some provider, held to all laws under every one."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.project.core.compiled import Options
from toolcast.providers import available
from toolcast.verify.tool_laws import Effort, check_laws

from bench.fuzz.judge import tool_of
from tests.providers.sampled import SAMPLE
from tests.providers.test_lock_out_regressions import LOCKED_OUT


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
    "a condition that cannot be expressed": obj(
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
    "a literal sent as a string beside a type, in a union": obj(
        {
            "v": {"type": "string", "anyOf": [{"enum": [{}]}]},
            "w": {"type": "string", "oneOf": [{"const": []}]},
        }
    ),
    "a literal sent as a string beside what judges it": obj(
        {
            "b": {"enum": [1, ""], "maximum": 0},
            "l": {"const": ["x"], "items": {"type": "integer"}},
            "t": {"const": 0, "prefixItems": [{"uniqueItems": True}]},
        }
    ),
    "a tuple beside keywords of objects": obj(
        {
            "v": {
                "type": "array",
                "prefixItems": [{"const": "b"}],
                "required": ["c"],
                "properties": {"c": {}},
            },
            "w": {"prefixItems": [{"const": "b"}], "required": ["c"]},
            "x": {"prefixItems": [{}], "minItems": 3, "maxItems": 0},
        },
        oneOf=[{"prefixItems": [{}], "maxItems": 0}],
    ),
    "a map beside keywords of lists": obj(
        {"v": {"type": "object", "maxItems": 0, "additionalProperties": {"type": "integer"}}}
    ),
    "a literal of the form that is not sent": obj(
        {"v": {"type": "array", "prefixItems": [{"const": "a"}], "enum": [[]]}}
    ),
    "a map without a key that fits": obj(
        {"b": {"enum": [0]}}, additionalProperties={"type": "boolean"}, propertyNames=False
    ),
    "a map whose keys are listed, declared ones among them": obj(
        {"kind": {"type": "string"}},
        additionalProperties={"type": "object"},
        propertyNames={"enum": ["kind", "a"]},
    ),
    "one type in a list, beside keywords of another": obj(
        {"v": {"type": ["number"], "additionalProperties": False}, "w": {"type": ["object"], "multipleOf": 1}}
    ),
    "an allOf around one reference": obj(
        {"v": {"allOf": [{"$ref": "#/$defs/B"}]}}, **{"$defs": {"B": {"minLength": 1}}}
    ),
    "properties of two schemas that contradict each other": obj(
        {"v": {**obj({"c": obj({"c": {"$ref": "#/$defs/A"}})}), "allOf": [{"$ref": "#/$defs/A"}]}},
        **{"$defs": {"A": {"properties": {"c": {"type": "integer"}}}}},
    ),
    "a union that an allOf brings up at the root": obj(
        {}, allOf=[{"oneOf": [{"$ref": "#/$defs/C"}, {"type": "object"}]}], **{"$defs": {"C": {}}}
    ),
    "a root whose parts contradict each other": obj(
        {"kind": {"type": "string"}}, allOf=[{"type": "null", "oneOf": [{"required": ["kind"]}]}]
    ),
    "a union that takes anything, inside a union": obj({"v": {"oneOf": [{"oneOf": [True]}]}}),
    "required keys that nothing may evaluate": obj(
        {
            "v": {"type": "object", "required": [""], "unevaluatedProperties": False},
            "w": {"anyOf": [{"type": "object", "required": ["a"]}], "unevaluatedProperties": False},
            "x": {"type": "object", "required": ["a"], "additionalProperties": False},
        }
    ),
    "a root union that evaluates": obj(
        {}, anyOf=[{"additionalProperties": {}}], unevaluatedProperties={"minLength": 3}
    ),
    "a list that needs no item that it may contain": obj({"v": {"contains": {}, "minContains": 0}}),
    "items that differ by a null": obj(
        {"v": {"items": obj({"c": {"type": "integer"}}), "uniqueItems": True}}, required=["v"]
    ),
    "an optional key that another schema requires": obj(
        {"v": {"$ref": "#/$defs/C", "required": ["a"]}}, **{"$defs": {"C": obj({"a": {"type": "object"}})}}
    ),
    "a condition on what a definition lost": obj(
        {"v": {"if": {"$ref": "#/$defs/A"}, "else": {"anyOf": [{"items": {"enum": [False]}}]}}},
        **{"$defs": {"A": {"unevaluatedItems": False, "minItems": 2}}},
    ),
    "one of two alternatives, in definitions that were changed": obj(
        {"v": {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}},
        **{
            "$defs": {
                "A": obj({"a": {"type": "integer"}}, required=["a", "x"]),
                "B": obj({"a": {"type": "string"}, "b": {"const": 1}}),
            }
        },
    ),
    "names that are sent under others, and patterns of keys": obj(
        {
            "v": obj({"n 1": {}}, patternProperties={"^\\w+$": {"type": "array"}}),
            "w": obj({"é": {}}, propertyNames={"maxLength": 2}),
            "x": obj({"é": {}, "ü": {}}, propertyNames={"enum": ["é"]}),
            "y": obj({"é": {}}, enum=[{"é": 1}]),
        }
    ),
    "names that are sent under others, deep inside": obj(
        {
            "v": {"oneOf": [{"patternProperties": {"^x-": {**CLOSED, "properties": {"é": {}}}}}]},
            "w": {
                "allOf": [
                    {"properties": {"x": obj({"é": {"type": "integer"}})}},
                    {
                        "not": {
                            "properties": {"x": obj({"é": {"minimum": 4}}, required=["é"])},
                            "required": ["x"],
                        }
                    },
                ]
            },
            "x": {"type": "array", "contains": obj({"é": {"type": "integer"}}, required=["é"])},
        }
    ),
    "names that are sent under others, in a definition that contains itself": obj(
        {"c": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"properties": {"é": {"$ref": "#/$defs/A"}}}}}
    ),
    "names that are sent under others beside counted nulls": obj(
        {"v": obj({"é": {"type": ["integer", "null"]}}, minProperties=2)}
    ),
    "arguments that are listed": obj({}, allOf=[{"enum": [{}, "", False]}]),
    "a literal that is an empty list": obj({"v": {"type": "object", "anyOf": [{"const": []}]}}),
    "a map whose key is required, in a pattern of keys": obj(
        {
            "b": {
                "patternProperties": {
                    "^[ab]$": {
                        "properties": {
                            "b": {
                                "type": "object",
                                "required": [""],
                                "additionalProperties": {"type": "object"},
                            }
                        }
                    }
                }
            }
        }
    ),
    "properties that another part closes, deep inside": obj(
        {
            "x": {"properties": {"c": {"$ref": "#/$defs/B"}}},
            "y": {"$ref": "#/$defs/C", "properties": {"c": {}}},
        },
        allOf=[{"properties": {"x": {"additionalProperties": False}}, "type": "object"}],
        **{"$defs": {"B": {}, "C": {**CLOSED, "properties": {"d": {}}}}},
    ),
    "further keys that an allOf declares": obj(
        {}, additionalProperties={"type": "string"}, allOf=[{"properties": {"b": {"type": "null"}}}]
    ),
    "further keys that another part closes": obj(
        {"c": {"type": "number"}},
        additionalProperties={"multipleOf": 1},
        allOf=[{"oneOf": [{"additionalProperties": False}]}],
        oneOf=[{"properties": {"c": {"type": ["null"]}}}],
    ),
    "a definition that evaluates, in an allOf of the root": obj(
        {},
        unevaluatedProperties=False,
        allOf=[{"$ref": "#/$defs/A"}],
        **{"$defs": {"A": {"additionalProperties": True}}},
    ),
    "a definition whose only user is lost": obj(
        {},
        additionalProperties={"properties": {"kind": {"$ref": "#/$defs/A"}}},
        patternProperties={".": {}},
        **{"$defs": {"A": {}}},
    ),
    "strings and null beside a keyword of numbers": obj(
        {"v": {"$ref": "#/$defs/C"}}, **{"$defs": {"C": {"multipleOf": 1, "enum": [None, "a"]}}}
    ),
    "further keys in one of two open alternatives": obj(
        {
            "v": {
                "anyOf": [
                    obj({"é": {"type": "null"}}),
                    obj({"self": {}}, additionalProperties={"multipleOf": 1, "type": "number"}),
                ]
            }
        },
        required=["v"],
    ),
    "a reference to the root beside another type": obj({"kind": {"$ref": "#", "type": "boolean"}}),
    "alternatives of the root that are JSON text": obj(
        {"kind": {"prefixItems": [{}]}, "k": {"type": ["string", "array"]}},
        allOf=[{"anyOf": [{}, {"additionalProperties": {"const": ""}}]}],
    ),
    "a union of one union": obj(
        {"v": {"anyOf": [{"properties": {"class": {}}, "type": ["object", "array"]}]}}, required=["v"]
    ),
    "siblings of a reference that contradict it": obj(
        {
            "v": {
                "patternProperties": {
                    ".": {"$ref": "#/$defs/C", "properties": {"d": {"type": "object"}}},
                }
            }
        },
        **{"$defs": {"C": {"properties": {"d": {"type": "array"}}}}},
    ),
    "a map of patterns beside a list": obj(
        {
            "v": {
                "anyOf": [
                    {"type": ["array"]},
                    {**CLOSED, "patternProperties": {"^b": {"exclusiveMinimum": -1}, "^a": {"enum": ["1"]}}},
                ]
            }
        }
    ),
    "a property that two parts speak of": obj(
        {"a": {"type": "array", "items": {"type": "null"}}},
        allOf=[
            {"additionalProperties": {"type": "array", "items": True, "maxItems": 1}},
            {**CLOSED, "properties": {"a": {"minimum": 1.5, "type": "integer"}}},
        ],
    ),
    "a key that is required and forbidden": obj({"a": {"properties": {"kind": False}, "required": ["kind"]}}),
    "items that only a union evaluates": obj(
        {
            "v": {
                "type": ["array"],
                "unevaluatedItems": {"type": ["null"]},
                "anyOf": [{"multipleOf": 3, "prefixItems": [{}], "minItems": 2, "maxItems": 3.0}],
            }
        }
    ),
    "a count of items that are said in words": obj(
        {
            "v": {
                "contains": {
                    "oneOf": [{"patternProperties": {"^\\w+$": True, "^\\d": {"properties": {"n 1": {}}}}}]
                },
                "maxContains": 3,
            }
        }
    ),
    "a default beside no other word": obj(
        {
            "v": {
                "anyOf": [{"properties": {"x": {"default": 0}}, "required": ["x"]}, {}],
                "additionalProperties": {"type": "object"},
            }
        }
    ),
    "a union in a key that another alternative leaves open": obj(
        {
            "v": {
                "anyOf": [
                    obj({"kind": {"const": "x"}}, required=["kind"]),
                    obj(
                        {"kind": {"const": "y"}, "self": {"anyOf": [{"type": "integer"}]}}, required=["kind"]
                    ),
                ]
            }
        },
        required=["v"],
    ),
    "a type that is only meant, in an alternative": obj(
        {"v": {**obj({"a": {"additionalProperties": False}}), "type": ["boolean", "string", "object"]}}
    ),
    "a key of a pattern that is widened, beside a list": obj(
        {
            "v": {
                **obj({"c": {}}, required=["c"], additionalProperties=False),
                "patternProperties": {"^a": {"exclusiveMinimum": 0}},
                "unevaluatedItems": {"anyOf": [{"const": 0}]},
                "type": ["object", "array"],
            }
        }
    ),
    "a name that is sent under another, in a union of a union": obj(
        {
            "v": {
                "anyOf": [
                    {
                        "anyOf": [
                            obj(
                                {
                                    "b": obj(
                                        {"ﬁ": {"type": "integer"}}, additionalProperties={"type": "boolean"}
                                    )
                                }
                            )
                        ]
                    }
                ]
            }
        },
        required=["v"],
    ),
    "types that keywords imply, of keys without characters and of digits": obj(
        {}, required=["", "0"], additionalProperties={"patternProperties": {"^x-": {"type": "string"}}}
    ),
    "nulls in place of absence among items that nothing evaluates": obj(
        {
            "v": {
                "type": "array",
                "unevaluatedItems": obj({"a": {"type": "string"}}, additionalProperties=False),
            }
        },
        required=["v"],
    ),
    "nulls in place of absence in properties that nothing evaluates": obj(
        {"v": obj({}, unevaluatedProperties=obj({"a": {"type": "string"}}, additionalProperties=False))},
        required=["v"],
    ),
    "null beside a union that accepts null in one of its branches": obj(
        {
            "v": {
                "anyOf": [
                    {"type": "null"},
                    {"anyOf": [{"type": ["null", "string"]}, {"type": "integer"}]},
                    {"type": "array", "items": {"type": "boolean"}},
                ]
            }
        }
    ),
}


@pytest.mark.parametrize(
    ("providers", "examples"),
    [
        pytest.param(SAMPLE, 20, id="sample"),
        pytest.param(available(), 40, id="all", marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize("name", [*CONTRACTS, *LOCKED_OUT])
def test_every_law_holds(name: str, providers: tuple[str, ...], examples: int) -> None:
    contract = {**CONTRACTS, **LOCKED_OUT}[name]
    report = check_laws(
        tool_of(contract), {}, Options(providers=providers), Effort(examples=examples, seed=1)
    )
    assert [(each.law, each.provider, each.instance, each.actual) for each in report.counterexamples] == []
