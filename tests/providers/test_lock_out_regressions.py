"""Contracts of which a value once could not be sent to some provider, or came back as another one."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.instances.oracle import Oracle
from toolcast.project.core.compiled import Options
from toolcast.providers import normalize
from toolcast.verify.provider_laws import Dialect
from toolcast.verify.verified_tool import subject

from bench.fuzz.judge import tool_of


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


CLOSED = {"type": "object", "additionalProperties": False}
LOCKED_OUT: dict[str, dict[str, Any]] = {
    "alternatives of the root that take more than objects": obj(
        {}, oneOf=[{"additionalProperties": False}, {"type": ["number", "object"]}]
    ),
    "alternatives of the root that count, beside one that takes lists, too": obj(
        {}, anyOf=[{"type": ["array", "object"]}, {"maxProperties": 3}]
    ),
    "a limit of keys, and optional ones that may be null": obj(
        {
            "v": obj(
                {"a": {"type": ["string", "null"]}, "b": {"type": ["string", "null"]}},
                maxProperties=1,
                additionalProperties=False,
            )
        },
        additionalProperties=False,
    ),
    "a limit of keys, and further ones": obj(
        {"v": obj({"self": {"type": "null"}}, additionalProperties={"pattern": ""}, maxProperties=0)},
        additionalProperties=False,
    ),
    "a limit of keys beside a pattern of keys": obj(
        {"a": {"minimum": 1}},
        additionalProperties=False,
        patternProperties={"^\\w+$": {"enum": [None]}},
        maxProperties=3,
    ),
    "names that are sent under others, in the one branch of a union that leaves keys open": obj(
        {
            "v": {
                "oneOf": [
                    {
                        "additionalProperties": True,
                        "properties": {
                            "self": {**CLOSED, "properties": {"é": {**CLOSED, "properties": {"n 1": {}}}}}
                        },
                    }
                ]
            }
        }
    ),
    "a map of its own kind, nested to the limit": obj(
        {"v": {"$ref": "#/$defs/A"}},
        **{
            "$defs": {
                "A": obj(
                    {"c": {"type": "array", "prefixItems": [{"$ref": "#/$defs/A"}]}},
                    patternProperties={"d": {}},
                )
            }
        },
    ),
    "an alternative whose keys the object around it forbids": obj(
        {},
        additionalProperties=False,
        anyOf=[{"properties": {"n 1": {"type": ["null", "string"]}}, "required": ["n 1"]}, {}],
    ),
    "a reference to the root in one of two alternatives": obj(
        {},
        additionalProperties=False,
        anyOf=[{"properties": {"n 1": {"$ref": "#"}}, "required": ["n 1"]}, {}],
    ),
    "a literal in one alternative, and any null in further keys of the other": obj(
        {
            "c": {
                "anyOf": [
                    obj({"kind": {}}, additionalProperties={"type": "null"}),
                    obj({"x": {"enum": [True]}}),
                ]
            }
        }
    ),
    "a map in one alternative, and anything in the other": obj(
        {
            "v": {
                "anyOf": [
                    obj({"class": obj({}, additionalProperties={"const": "a"})}),
                    obj({"class": {"minimum": 3}}),
                ]
            }
        }
    ),
    "a key that takes nothing, and is null": obj({"class": {"const": 0, "type": "null"}}, minProperties=2),
    "a tuple or a number, told by their keywords": obj(
        {"v": {"type": "array", "items": {"prefixItems": [{"const": 2}], "minimum": 3}}}
    ),
    "a map that only requires a key, nested to the limit": obj(
        {
            "v": obj(
                {
                    "d": obj(
                        {
                            "b": {
                                "type": "object",
                                "required": ["a"],
                                "patternProperties": {"^[ab]$": {"type": "string"}},
                            }
                        },
                        additionalProperties={"type": "boolean"},
                    )
                }
            )
        }
    ),
    "an item of a tuple that may be null by its keywords": obj(
        {"v": {"type": "array", "prefixItems": [{"maxLength": 9}], "maxItems": 1}},
        required=["v"],
        additionalProperties=False,
    ),
    "an optional key of a name that is forbidden": obj(
        {"self": {"type": "null"}}, additionalProperties={"maximum": 1}, propertyNames={"pattern": "d"}
    ),
}


LISTED = obj(
    {"é": {"type": "number"}}, additionalProperties=False, patternProperties={"^\\d": {"maximum": 3}}
)
PREFIXED = obj({"v": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"enum": [2, True]}}})
UNIQUE = obj(
    {"a": {"type": "array", "uniqueItems": True, "items": obj({"x": {"type": "boolean"}}, required=["x"])}},
    required=["a"],
    additionalProperties=False,
)
COUNTED = obj(
    {
        "v": {
            "type": "array",
            "items": {
                "oneOf": [
                    obj({"a": True}, required=["d"]),
                    obj(
                        {"d": {"enum": ["x", 1]}}, required=["d"], patternProperties={".": {"type": "string"}}
                    ),
                ]
            },
            "contains": obj({"d": {"type": "string"}}),
        }
    }
)
NULLED = obj({"v": {"type": "array", "prefixItems": [{"enum": [0, None]}, {"enum": [1]}], "minItems": 2}})
OPENED = obj(
    {
        "v": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"additionalProperties": False},
                    {"properties": {"a": {"prefixItems": [{"type": "null"}], "type": ["array", "boolean"]}}},
                ]
            },
        }
    }
)


@pytest.mark.parametrize(
    ("contract", "provider", "value", "sent"),
    [
        # A declared key in the list of further ones: what the ledger says of those tells it.
        (LISTED, "cohere", {}, {"additional_properties": [{"key": "é", "value": ""}]}),
        # What has a place of its own in a list is no literal of the further items.
        (PREFIXED, "gemini-json-schema", {"v": ["true", True]}, {"v": ["true", "true"]}),
        # Items that differ by a key which a closed object lacks, in a list without repetition.
        (UNIQUE, "openai", {"a": [{"x": True, "k": 0}, {"x": True}]}, {"a": []}),
        # A string that another alternative sends for a number: refused for that by what counts the items.
        (COUNTED, "conservative", {"v": [{"d": "1"}]}, {"v": []}),
        # An item that is null where only a key that is left out can say so.
        (NULLED, "conservative", {"v": [None, 1]}, {"v": {"item_2": "1"}}),
        # Objects that were opened, as the ledger says, not closed: no key is left out.
        (OPENED, "llama-cpp", {"v": [{"a": False}]}, {"v": []}),
    ],
)
def test_what_the_ledger_states_of_a_value_is_found(
    contract: dict[str, Any], provider: str, value: Any, sent: Any
) -> None:
    with subject(tool_of(contract), {}, Options(providers=(provider,))) as found:
        oracle = Oracle(found.contract, "/parameters")
        emitted, ledger = found.emitted[provider], found.ledger[provider]
        dialect = Dialect(provider, emitted, ledger, wire_forms=found.wire_forms.get(provider))
        assert dialect.lock_out(found.binding, oracle, value) is None
        assert dialect.check_decoding(found.binding, oracle, sent) is None


KEYED = {"values": obj({}, additionalProperties={"type": "integer"})}
ANY = {"values": {}}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (obj(KEYED), obj(ANY), False),
        (obj({**KEYED, "k": {"const": "a"}}, required=["k"]), obj({**ANY, "k": {"const": "b"}}), True),
        (obj({**KEYED, "k": {"const": 1}}, required=["k"]), obj({**ANY, "k": {"const": "1"}}), False),
        (obj({**KEYED, "k": {"type": "string"}}), obj({**ANY, "k": {"type": "integer"}}), False),
        (
            obj({**KEYED, "a": {}}, required=["a"], additionalProperties=False),
            obj({**ANY, "b": {}}, required=["b"], additionalProperties=False),
            True,
        ),
        (obj({**KEYED, "a": {}}, required=["a"]), obj({**ANY, "b": {}}, required=["b"]), False),
    ],
)
def test_alternatives_that_a_key_distinguishes_keep_their_encodings(
    one: dict[str, Any], other: dict[str, Any], apart: bool
) -> None:
    found = normalize(obj({"v": {"anyOf": [one, other]}}), "cohere")
    sent = found.schema["properties"]["v"]["anyOf"][0]["properties"]["values"]["type"]
    assert sent == ("array" if apart else "object")
    assert (found.wire_forms is not None) == apart


def test_a_null_for_an_optional_key_counts_where_keys_ask_for_others() -> None:
    contract = obj({"v": obj({"c": {"type": "string"}}, dependentRequired={"a": ["c"]})})
    ledger = normalize(contract, "groq", strict=False).ledger
    reported = {(entry.path, entry.keyword, entry.severity) for entry in ledger}
    assert ("/properties/v", "dependentRequired", "changed") in reported
