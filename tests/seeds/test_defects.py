"""Where those systems are wrong, and what is done here instead."""

# ruff: noqa: ARG005 - a handler's signature is fixed, whatever it uses

import json
from typing import Any

import pytest
from toolcast.agents import Disclosure
from toolcast.providers import decode, normalize
from toolcast.runtime import ArgumentError, ToolRegistry
from toolcast.runtime.middleware.truncate import cut

from generated.registry import BINDINGS
from tests.seeds.schemas import of, sent, sent_a


def test_a_free_object_is_not_called_strict() -> None:
    """An object that may hold anything is not sent as one that may hold nothing.
    Source: 6, "strict turns a free-form `{type:object}` into"
    """
    outcome = normalize(of({"type": "object"}), "openai")
    assert outcome.strict is False
    assert outcome.schema["properties"]["a"].get("additionalProperties") is not False


def test_cloud_code_assist_keeps_tools_whole() -> None:
    """Cloud Code Assist: what may be null is not required, and an `allOf` does not empty the tool.
    Source: 6, "CCA: optional `[T,null]` stays in `required`"
    """
    assert "required" not in sent(of({"type": ["string", "null"]}), "cloud-code-assist")
    merged = sent_a({"allOf": [{"type": "string"}, {"minLength": 2}]}, "cloud-code-assist")
    assert merged["type"] == "string"


def test_strict_has_no_keyword_that_strict_refuses() -> None:
    """Strict mode gets no `oneOf` and no `allOf`, and keeps a default that had no description.
    Source: 6, "strict keeps `oneOf` and two-branch `allOf`"
    """
    schema = {
        "type": "object",
        "properties": {
            "u": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "m": {"allOf": [{"type": "string"}, {"minLength": 2}]},
            "d": {"type": "integer", "default": 5},
        },
    }
    outcome = normalize(schema, "openai")
    text = json.dumps(outcome.schema)
    assert outcome.strict is True
    assert "oneOf" not in text
    assert "allOf" not in text
    assert outcome.schema["properties"]["d"]["description"] == "Default: 5."


@pytest.mark.parametrize(
    ("schema", "absent"),
    [
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "prefixItems"),
        ({"type": "object", "properties": {"b": {"type": "string"}}, "required": []}, "required"),
        ({"type": "string", "$id": "x"}, "$id"),
        ({"type": "string", "if": {"const": "a"}, "then": {"minLength": 1}}, "if"),
        ({"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}}, "contains"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "uniqueItems"),
        ({"type": "string", "x-note": 1}, "x-note"),
    ],
    ids=lambda each: each if isinstance(each, str) else None,
)
def test_gemini_gets_nothing_that_it_refuses(schema: dict[str, Any], absent: str) -> None:
    """Gemini: arrays have items, nothing leaks that it refuses, enums of integers keep their values.
    Source: 6, "Google: tuple→array without `items`"
    """
    result = sent_a(schema, "gemini")
    assert absent not in result
    assert result.get("type") != "array" or "items" in result
    assert sent_a({"type": "integer", "enum": [1, 2]}, "gemini")["enum"] == ["1", "2"]


def test_nothing_that_gemini_lacks_reaches_it_and_nothing_is_silent() -> None:
    """What a provider lacks is said in words, and literals stay as they are.
    Source: 6, "nothing is spilled"
    """
    schema = of({"type": ["number", "string"], "exclusiveMinimum": 0, "not": {"const": 5}})
    text = json.dumps(sent(schema, "gemini"))
    assert "exclusiveMinimum" not in text
    assert '"not"' not in text
    assert "greater than 0" in text
    default = {"exclusiveMinimum": 0, "$ref": "#/x"}
    assert (
        sent_a({"type": "object", "properties": {"b": {"type": "string"}}, "default": default}, "gemini")[
            "default"
        ]
        == default
    )


def test_a_parameter_may_be_named_title_and_references_end() -> None:
    """A parameter named `title` stays, recursive references end, keywords beside a reference stay.
    Source: 6, "a parameter *named* `title` is deleted"
    """
    node = {"type": "object", "properties": {"title": {"type": "string"}, "next": {"$ref": "#/$defs/n"}}}
    schema = of({"$ref": "#/$defs/n", "description": "The first."}, **{"$defs": {"n": node}})
    first = sent(schema, "gemini")["properties"]["a"]
    assert first["description"] == "The first."
    assert first["properties"]["title"] == {"type": "string"}


def test_a_stub_says_what_is_required_and_cuts_no_character() -> None:
    """A stub says what is required, and no character is split by a cut.
    Source: 6, "the brief stub has no `required`"
    """
    registry = ToolRegistry()
    registry.register(BINDINGS["edit"], lambda params, context: "")
    disclosure = Disclosure(registry, "mcp", level="brief", native=False)
    [stub] = disclosure.definition_objects()
    assert set(stub["inputSchema"]["required"]) == {"file_path", "old_string", "new_string"}
    family = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    for limit in range(1, 40):
        kept = cut(family * 20, limit)
        assert kept.partition("\n[")[0].replace(family, "") == ""


def test_errors_are_in_order_and_counted_in_characters() -> None:
    """Errors are in the order of the schema, lengths count characters, names may be of any script.
    Source: 6, "error order is random"
    """
    schema = {
        "type": "object",
        "properties": {"日本": {"type": "string", "maxLength": 2}, "b": {"type": "integer"}},
    }
    assert decode({"日本": "東京"}, "mcp", schema=schema) == {"日本": "東京"}
    texts = set()
    for _ in range(5):
        with pytest.raises(ArgumentError) as caught:
            decode({"日本": "東京都", "b": "x"}, "mcp", schema=schema)
        texts.add(str(caught.value))
    assert len(texts) == 1
    assert "日本" in texts.pop()
