"""Named cases that other normalisers get wrong."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from toolcast.analysis.verify.provider_laws import encode
from toolcast.providers import Normalized, SchemaError, available, load_profile, normalize
from toolcast.runtime.wire.decoder import decode_wire

from tests.providers.laws import as_json_schema
from tests.providers.sampled import PROVIDERS


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def entries(result: Normalized, keyword: str) -> list[tuple[str, str, str]]:
    return [(e.path, e.action, e.severity) for e in result.ledger if e.keyword == keyword]


@pytest.mark.parametrize(
    ("open_object", "value"),
    [
        ({"type": "object"}, {"k": 1}),
        ({"type": "object", "additionalProperties": True}, {"k": None}),
        (obj({}, patternProperties={"^x": {"type": "string"}}), {"x1": "v"}),
    ],
)
def test_a_map_is_never_silently_closed(open_object: dict[str, Any], value: Any) -> None:
    schema = obj({"m": open_object}, required=["m"])
    result = normalize(schema, "openai")
    assert result.strict is False
    assert any(e.path == "/properties/m" and e.severity == "lost" for e in result.ledger)
    assert jsonschema_rs.validator_for(result.schema).is_valid({"m": value})
    other = normalize(schema, "gemini")
    sent = encode({"m": value}, other.wire_forms, as_json_schema(other.schema))
    assert jsonschema_rs.validator_for(as_json_schema(other.schema)).is_valid(sent)
    demanded = normalize(schema, "openai", strict=True)
    assert demanded.strict is False
    assert any(e.severity == "reject" for e in demanded.ledger)


@pytest.mark.parametrize(
    ("open_object", "value"),
    [
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"k": 1}),
        (obj({"a": {"type": "string"}}, additionalProperties={"type": "string"}), {"a": "b", "k": "v"}),
    ],
)
@pytest.mark.parametrize("provider", ["openai", "anthropic-strict", "gemini"])
def test_a_map_of_one_kind_is_sent_as_pairs(provider: str, open_object: dict[str, Any], value: Any) -> None:
    result = normalize(obj({"m": open_object}, required=["m"]), provider)
    assert result.strict is not False
    sent = encode({"m": value}, result.wire_forms, as_json_schema(result.schema))
    assert jsonschema_rs.validator_for(as_json_schema(result.schema)).is_valid(sent)
    assert result.wire_forms is not None
    assert decode_wire(sent, result.wire_forms, result.schema) == {"m": value}


def test_all_of_of_two_objects_stays_satisfiable() -> None:
    schema = obj(
        {"x": {"allOf": [obj({"a": {"type": "string"}}, required=["a"]), obj({"b": {"type": "integer"}})]}}
    )
    for provider in available():
        result = normalize(schema, provider)
        assert jsonschema_rs.validator_for(result.schema).is_valid({"x": {"a": "s", "b": 1}}), provider
    strict = normalize(schema, "openai")
    assert strict.strict is True
    assert strict.schema["properties"]["x"]["anyOf"][0] == obj(
        {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}},
        required=["a", "b"],
        additionalProperties=False,
    )


@pytest.mark.parametrize(
    "name", ["title", "strict", "pattern", "type", "$ref", "properties", "default", "nullable"]
)
def test_a_property_named_like_a_keyword_survives(name: str) -> None:
    schema = obj({name: {"type": "string"}}, required=[name], additionalProperties=False)
    for provider in available():
        fits = re.fullmatch(load_profile(provider).dialect.property_names or ".*", name)
        properties = normalize(schema, provider).schema["properties"]
        assert list(properties.values()) == [{"type": "string"}], provider
        assert (name in properties) == bool(fits), provider


@pytest.mark.parametrize("provider", available())
def test_literals_are_never_rewritten(provider: str) -> None:
    literal = {"$ref": "#/nowhere", "type": ["x", "null"], "definitions": {}, "nullable": True}
    schema = obj({"a": {"type": "object", "properties": {"k": {"type": "string"}}, "default": literal}})
    result = normalize(schema, provider).schema["properties"]["a"]
    assert result.get("default", literal) == literal
    assert "default" in result or '"$ref":"#/nowhere"' in result["description"]


def test_optional_gets_null_and_keeps_its_meaning() -> None:
    schema = obj(
        {
            "s": {"type": "string", "description": "A name."},
            "e": {"enum": ["a", "b"]},
            "o": {
                "type": "object",
                "properties": {"k": {"type": "string"}},
                "required": ["k"],
                "description": "An o.",
            },
            "u": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "n": {"type": ["string", "null"]},
        }
    )
    result = normalize(schema, "openai")
    assert result.strict is True
    got = result.schema["properties"]
    assert result.schema["required"] == ["s", "e", "o", "u", "n"]
    assert got["s"] == {"type": ["string", "null"], "description": "A name."}
    assert got["e"] == {"type": ["string", "null"], "enum": ["a", "b", None]}
    assert got["o"]["description"] == "An o."
    assert "description" not in got["o"]["anyOf"][0]
    assert got["u"]["anyOf"][-1] == {"type": "null"}
    assert got["n"] == {"type": ["string", "null"]}


def test_a_union_is_never_empty() -> None:
    union = {
        "oneOf": [
            obj({"k": {"const": "a"}}, required=["k"]),
            obj({"k": {"const": "b"}, "v": {"type": "integer"}}),
        ]
    }
    for provider in available():
        kept = normalize(obj({"u": union}), provider).schema["properties"]["u"]
        branches = kept.get("anyOf") or kept.get("oneOf")
        if load_profile(provider).dialect.any_of == "none":
            assert branches is None
            assert kept["type"] in ("object", "string")  # one object for all, or JSON text
            continue
        assert [list(branch["properties"]) for branch in branches[:2]] == [["k"], ["k", "v"]], provider


def test_enums_that_gemini_cannot_say_are_sent_as_strings() -> None:
    schema = obj(
        {"a": {"enum": ["", "x"]}, "b": {"enum": [1, 2]}, "c": {"const": True}, "d": {"enum": ["x", None]}}
    )
    result = normalize(schema, "gemini")
    assert result.schema["properties"] == {
        "a": {"type": "string", "enum": ['""', "x"]},
        "b": {"type": "string", "enum": ["1", "2"]},
        "c": {"type": "string", "enum": ["true"]},
        "d": {"type": "string", "enum": ["x"], "nullable": True},
    }
    assert result.wire_forms is not None
    assert {name: form.texts for name, form in result.wire_forms.root.properties.items()} == {
        "a": {'""': "", "x": "x"},
        "b": {"1": 1, "2": 2},
        "c": {"true": True},
    }
    assert len(entries(result, "enum")) == 4


def test_gemini_says_in_words_what_it_has_no_keyword_for() -> None:
    schema = obj(
        {
            "n": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5, "description": "A step"},
            "i": {"type": "integer", "exclusiveMaximum": 10},
            "l": {"type": "array", "items": {"type": "string", "format": "uri"}, "uniqueItems": True},
        },
        required=[],
    )
    schema["x-vendor"] = {"$ref": "#/nowhere"}
    result = normalize(schema, "gemini")
    assert result.schema == obj(
        {
            "n": {
                "type": "number",
                "description": "A step. Must be greater than 0. Must be a multiple of 0.5.",
                "minimum": 0,
            },
            "i": {"type": "integer", "maximum": 9},
            "l": {
                "type": "array",
                "items": {"type": "string", "description": "Format: uri."},
                "description": "Each item must be unique.",
            },
        }
    )
    assert entries(result, "x-vendor") == [("", "dropped", "lost")]
    assert entries(result, "required") == [("", "dropped", "kept elsewhere")]


@pytest.mark.parametrize("provider", available())
def test_recursion_ends(provider: str) -> None:
    node = obj(
        {
            "v": {"type": "string"},
            "kids": {"type": "array", "items": {"allOf": [{"$ref": "#/definitions/n~1o"}]}},
        }
    )
    schema = obj({"t": {"$ref": "#/definitions/n~1o", "description": "A tree."}}, definitions={"n/o": node})
    result = normalize(schema, provider)
    value = {"t": {"v": "a", "kids": [{"v": "b", "kids": [{"v": "c", "kids": []}]}]}}
    sent = encode(value, result.wire_forms, as_json_schema(result.schema))
    assert jsonschema_rs.validator_for(as_json_schema(result.schema)).is_valid(sent) or result.strict
    assert "A tree." in str(result.schema["properties"]["t"])
    if provider == "gemini":
        assert sent["t"]["kids"][0]["kids"] == ['{"v": "c", "kids": []}']


def test_old_drafts_are_raised() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {
            "t": {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
            "n": {
                "type": "integer",
                "minimum": 0,
                "exclusiveMinimum": True,
                "maximum": 5,
                "exclusiveMaximum": False,
            },
            "s": {"type": "string", "nullable": True, "enum": ["a"]},
            "r": {"$ref": "#/definitions/D"},
        },
        "dependencies": {"t": ["n"], "n": {"required": ["s"]}},
        "definitions": {"D": {"type": "boolean"}},
    }
    assert normalize(schema, "mcp").schema == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "t": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
            "n": {"type": "integer", "maximum": 5, "exclusiveMinimum": 0},
            "s": {"type": ["string", "null"], "enum": ["a", None]},
            "r": {"$ref": "#/$defs/D"},
        },
        "dependentRequired": {"t": ["n"]},
        "dependentSchemas": {"n": {"required": ["s"]}},
        "$defs": {"D": {"type": "boolean"}},
    }


def test_root_unions_become_one_object_with_the_alternatives_in_words() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    for provider in ("openai", "openai-responses", "anthropic"):
        result = normalize(schema, provider)
        assert "anyOf" not in result.schema
        assert result.schema["description"] == "At least one of these sets of keys must be given: a; b."
        assert entries(result, "anyOf") == [("", "described", "kept elsewhere")]
    assert normalize(schema, "mcp").schema == schema


def test_a_negated_schema_that_would_grow_wider_is_described_in_words() -> None:
    schema = obj({"a": {"type": "string", "not": {"pattern": "(?<n>x)"}}})
    result = normalize(schema, "openai", strict=False)
    assert "not" not in result.schema["properties"]["a"]
    assert jsonschema_rs.validator_for(result.schema).is_valid({"a": "y"})


def test_keys_of_a_pattern_that_does_not_compile_stay_allowed() -> None:
    keys = {"type": "object", "patternProperties": {r"\p{L}": True}, "additionalProperties": False}
    result = normalize(obj({"m": keys}), "openai")
    assert result.strict is False
    assert jsonschema_rs.validator_for(result.schema).is_valid({"m": {"é": 1}})
    assert normalize(result.schema, "openai").schema == result.schema


def test_a_pattern_that_does_not_compile_does_not_fail_the_request() -> None:
    result = normalize(obj({"a": {"type": "string", "pattern": r"\p{L}+"}}), "openai")
    assert result.schema["properties"]["a"]["description"] == r"Must match the regular expression `\p{L}+`."


@pytest.mark.parametrize(
    ("schema", "part"),
    [
        ({"type": "string"}, "the parameters of a tool are an object"),
        ([], "the parameters of a tool are an object schema"),
        (False, "the parameters of a tool are an object schema"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(schema: Any, part: str) -> None:
    for provider in available():
        with pytest.raises(SchemaError, match=part.replace("'", ".")):
            normalize(schema, provider)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_hostile_depth_and_breadth_are_bounded(provider: str) -> None:
    deep: Any = {"type": "string"}
    for _ in range(5000):
        deep = {"type": "array", "items": deep}
    with pytest.raises(SchemaError, match="nested"):
        normalize(obj({"a": deep}), provider)
    fan = {f"L{i}": obj({k: {"$ref": f"#/$defs/L{i + 1}"} for k in "abcd"}) for i in range(12)}
    fan["L12"] = {"type": "string"}
    normalize(obj({"a": {"$ref": "#/$defs/L0"}}, **{"$defs": fan}), provider)


@pytest.mark.parametrize("provider", available())
def test_anchors_and_escaped_pointers_are_followed(provider: str) -> None:
    schema = obj(
        {"a": {"$ref": "#leaf"}, "b": {"$ref": "#/$defs/x%20y~1z"}, "c": {"$ref": "#/properties/d/items"}},
        required=["a", "b", "c", "d"],
        additionalProperties=False,
        **{"$defs": {"L": {"$anchor": "leaf", "type": "integer"}, "x y/z": {"type": "string"}}},
    )
    schema["properties"]["d"] = {"type": "array", "items": {"type": "boolean"}}
    result = normalize(schema, provider)
    validator = jsonschema_rs.validator_for(result.schema)
    assert validator.is_valid({"a": 1, "b": "s", "c": True, "d": [False]})
    assert not validator.is_valid({"a": "s", "b": "s", "c": True, "d": [False]})
    assert not validator.is_valid({"a": 1, "b": "s", "c": "s", "d": [False]})
    assert normalize(result.schema, provider, strict=result.strict).schema == result.schema


@pytest.mark.parametrize("never", [False, {"anyOf": [False, False]}, {"allOf": [False]}, {"not": {}}])
def test_a_schema_that_takes_nothing_is_stable(never: Any) -> None:
    for provider in available():
        once = normalize(obj({"v": never}, required=["v"]), provider)
        assert normalize(once.schema, provider).schema == once.schema, provider


def test_a_closed_tuple_stays_open_for_its_own_items() -> None:
    """Where `items: false` cannot be expressed, maxItems limits all items, not only those past the tuple."""
    pair = {"type": "array", "prefixItems": [{"type": "integer"}] * 2, "items": False, "minItems": 2}
    contract = {"type": "object", "properties": {"a": pair}, "required": ["a"]}
    made = jsonschema_rs.validator_for(normalize(contract, "vllm-xgrammar").schema)
    assert made.is_valid({"a": [1, 2]})
    assert not made.is_valid({"a": [1, 2, 3]})


@pytest.mark.parametrize("provider", ["gemini-json-schema", "moonshot", "gemini"])
def test_an_enum_of_strings_still_takes_null(provider: str) -> None:
    """Beside the types string and null, an enum without null would refuse null."""
    contract = {"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x", None]}}}
    made = jsonschema_rs.validator_for(as_json_schema(normalize(contract, provider).schema))
    assert made.is_valid({"a": None})
    assert made.is_valid({"a": "x"})
    assert not made.is_valid({"a": "y"})


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "azure-openai"])
def test_the_ledger_tells_that_a_key_left_out_comes_back_as_null(provider: str) -> None:
    """Strict asks for every key: what is optional and nullable is null where it is left out."""
    contract = obj({"a": {"type": ["string", "null"]}, "b": {"type": "string"}}, additionalProperties=False)
    result = normalize(contract, provider)
    assert result.strict
    changed = [(entry.path, entry.keyword) for entry in result.ledger if entry.severity == "changed"]
    assert changed == [("/properties/a", "type")]


def test_lists_in_lists_can_be_sent_beside_an_alternative_that_takes_no_list() -> None:
    """They hold JSON text where they are nested too deeply and no other alternative takes a string."""
    other = obj({"class": {"type": "object"}})
    value = {"anyOf": [{"additionalProperties": True}, other], "type": "object", "required": ["n 1", "class"]}
    result = normalize(obj({"value": value}, required=["value"]), "moonshot")
    validator = jsonschema_rs.validator_for(result.schema)
    assert result.wire_forms is not None
    for call in ({"value": {"n 1": None, "class": [[]]}}, {"value": {"n 1": 0, "class": [{}]}}):
        sent = encode(call, result.wire_forms, result.schema)
        assert validator.is_valid(sent)
        assert decode_wire(sent, result.wire_forms, result.schema) == call


@pytest.mark.parametrize("provider", ["cohere", "moonshot"])
@pytest.mark.parametrize(
    "more", [{}, {"propertyNames": False}, {"additionalProperties": {"type": "integer"}}]
)
def test_a_map_with_patterns_that_cannot_be_expressed_is_stable(provider: str, more: dict[str, Any]) -> None:
    """Whether another alternative is open is asked of what becomes of it."""
    held = obj({"_p": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}})
    other = obj({"x-y": {"const": 2}}, patternProperties={"b$": {"maxLength": 5}}, **more)
    once = normalize(obj({"a": {"oneOf": [held, other]}}), provider)
    assert normalize(once.schema, provider).schema == once.schema
