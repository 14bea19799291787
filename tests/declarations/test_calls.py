"""Tools with unusual shapes: compilers accept what contracts accept, and each constraint is stated."""

import json
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime.declaration_text.names import Language

from bench.declarations.agreement import agreement
from bench.declarations.compilers import judged
from bench.declarations.constraints import unstated
from bench.declarations.real_tools import LANGUAGES, Tool, calls_of
from bench.declared_view import binding, normalized_for
from tests.typescript.tools import node

ADDRESS: dict[str, Any] = {
    "type": "object",
    "properties": {"street": {"type": "string"}},
    "required": ["street"],
}
CLOSED: dict[str, Any] = {**ADDRESS, "additionalProperties": False}
SHAPES: dict[str, Any] = {
    "silent": ADDRESS,
    "closed": {**CLOSED, "properties": {**CLOSED["properties"], "inner": CLOSED, "open": ADDRESS}},
    "maps": {
        "properties": {
            "by_name": {
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": CLOSED},
            },
            "lists": {"type": "object", "additionalProperties": {"type": "array", "items": ADDRESS}},
            "mixed": {**ADDRESS, "additionalProperties": {"type": "integer"}},
        }
    },
    "tuples": {
        "properties": {
            "pair": {
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "items": False,
                "type": "array",
            },
            "rest": {"prefixItems": [{"type": "string"}], "items": {"type": "boolean"}, "type": "array"},
            "none": {"type": "array", "maxItems": 0},
            "floats": {"prefixItems": [True], "minItems": 1.0, "maxItems": 2.0, "type": "array"},
            "least": {"prefixItems": [True, ADDRESS], "items": ADDRESS, "minItems": 3, "type": "array"},
        }
    },
    "recursive": {
        "properties": {"tree": {"$ref": "#/$defs/Tree"}, "json": {"$ref": "#/$defs/Json"}},
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                    "Tree": True,
                },
                "required": ["children"],
            },
            "Json": {
                "anyOf": [
                    {"type": ["string", "null", "number"]},
                    {"type": "array", "items": {"$ref": "#/$defs/Json"}},
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
                ]
            },
        },
    },
    "all_of": {
        "allOf": [ADDRESS, {"properties": {"zip": {"type": ["string", "null"]}}, "required": ["zip"]}],
        "properties": {"both": {"allOf": [ADDRESS, {"required": ["city"]}]}},
    },
    "patterns": {
        "properties": {
            "headers": {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
            "only": {
                "type": "object",
                "properties": {"id": {"type": "integer"}},
                "patternProperties": {"^x-": {"type": "string"}, "y$": {"type": "number"}},
                "additionalProperties": False,
            },
        }
    },
    "nullable": {
        "properties": {
            "a": {"type": ["object", "null"], "properties": {"b": {"type": ["integer", "null"]}}},
            "c": {"anyOf": [CLOSED, {"type": "null"}]},
            "d": {"enum": ["x", None, 1]},
            "e": {"const": None},
        },
        "required": ["a", "c"],
    },
    "unions": {
        "properties": {
            "shape": {
                "oneOf": [
                    {
                        "properties": {"kind": {"const": "dot"}, "at": {"type": "integer"}},
                        "required": ["kind"],
                    },
                    {
                        "properties": {"kind": {"const": "bar"}, "size": {"type": "number"}},
                        "required": ["kind", "size"],
                    },
                ],
                "type": "object",
            },
            "either": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, CLOSED]},
        },
        "required": ["shape"],
    },
    "odd_names": {
        "properties": {
            **{
                name: {"type": "integer"}
                for name in ("from", "a-b", "a_b", "é", "", "0", "others", "self", "str")
            },
            **{
                name: {"type": "string"} for name in ("__proto__", "constructor", "$x", "__a", "args", "Open")
            },
            "inner": {
                "type": "object",
                "properties": {"class": CLOSED, "a b": True, "str": {"type": "string"}},
            },
        },
        "required": ["from", "constructor"],
    },
    "empty": {"properties": {}},
    "nothing": {"properties": {}, "additionalProperties": False},
    "free": {},
    "values": {
        "properties": {
            "big": {"enum": [1, 2.5, True, "1"]},
            "object": {"const": {"a": [1, None]}},
            "never": False,
            "any": True,
        }
    },
}


def tool_of(name: str, schema: dict[str, Any]) -> Tool:
    made = binding(name, schema, group="shapes")
    return Tool(name, schema, made, normalized_for(schema))


@pytest.mark.parametrize("language", ["typescript", pytest.param("python", marks=pytest.mark.thorough)])
def test_compilers_agree_with_contracts(language: Language, tmp_path: Path) -> None:
    node()
    written = [tool_of(name, {"type": "object", **schema}) for name, schema in SHAPES.items()]
    calls = calls_of(written, each=40, seed=7)
    valid = {call.tool.name for call in calls if call.valid}
    assert valid == SHAPES.keys(), json.dumps(sorted(SHAPES.keys() - valid))
    found = agreement(calls, judged(calls, written, language, tmp_path), language)
    assert found.disagreements == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_constraint_of_definitions_is_declared_or_in_the_ledger(language: Language) -> None:
    shared = {
        "count": {"type": "integer", "minimum": 21, "multipleOf": 7},
        "word": {"type": "string", "minLength": 31, "pattern": "^w+$"},
        "row": {"type": "object", "properties": {"a": {"$ref": "#/$defs/count"}}, "maxProperties": 41},
        "list": {"type": "array", "items": {"$ref": "#/$defs/row"}, "minItems": 51, "uniqueItems": True},
        "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/word"}, "minProperties": 61},
        "pair": {"type": "array", "prefixItems": [{"$ref": "#/$defs/row"}, {"const": "c71"}], "maxItems": 81},
        "either": {"anyOf": [{"$ref": "#/$defs/row"}, {"type": "string", "maxLength": 91}]},
    }
    properties = {f"{name}_{i}": {"$ref": f"#/$defs/{name}"} for name in shared for i in (1, 2)}
    tool = tool_of("run", {"type": "object", "properties": properties, "$defs": shared})
    assert unstated(tool, language) == (10, [])
