"""Contracts of which a value once could not be sent to some provider, or came back as another one."""

from __future__ import annotations

from typing import Any

import pytest
from toolcast.analysis.instances.oracle import Oracle
from toolcast.analysis.verify.provider_laws import Dialect
from toolcast.analysis.verify.verified_tool import subject
from toolcast.project.core.compiled import Options
from toolcast.providers import normalize

from bench.fuzz.judge import tool_of
from tests.providers.regressions import REGRESSIONS


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


LOCKED_OUT = REGRESSIONS["locked-out"]


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
