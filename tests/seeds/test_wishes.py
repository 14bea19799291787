"""What users of those systems ask for."""

# ruff: noqa: ARG005 - a handler's signature is fixed, whatever it uses

import json

import pytest
from toolcast.mcp.live.terms import offered_name
from toolcast.providers import available, decode, load_profile, normalize
from toolcast.runtime import ToolRegistry

from generated.registry import BINDINGS
from tests.seeds.schemas import of, sent, sent_a


def test_one_bad_tool_does_not_fail_the_turn() -> None:
    """One bad tool must not fail the whole turn.
    Source: 7, "One bad tool must not fail the whole turn"
    """
    registry = ToolRegistry()
    for name in ("edit", "bash"):
        registry.register_later(BINDINGS, name, lambda params, context: "")
    names = [tool["function"]["name"] for tool in json.loads(registry.definitions("openai"))]
    assert names == ["bash", "edit"]


def test_gemini_gets_what_it_asks_for() -> None:
    """Gemini: items always, no lists of types, no empty `required`, no `x-*`, no references, string enums.
    Source: 7, "Gemini"
    Source: 7, "`items` always present"
    """
    assert "items" in sent_a({"type": "array"}, "gemini")
    assert isinstance(sent_a({"type": ["string", "null"]}, "gemini")["type"], str)
    assert "required" not in sent({"type": "object", "properties": {}, "required": []}, "gemini")
    assert "x-note" not in sent_a({"type": "string", "x-note": 1}, "gemini")
    assert sent(of({"$ref": "#/$defs/n"}, **{"$defs": {"n": {"type": "string"}}}), "gemini") == of(
        {"type": "string"}
    )
    assert sent_a({"enum": [1, "a"]}, "gemini") == {"type": "string", "enum": ["1", "a"]}


def test_anthropic_gets_no_union_at_the_root() -> None:
    """Anthropic refuses unions at the root; tools that have them are sent without.
    Source: 7, "Anthropic: root combinators refused"
    Source: 7, "24 of one server's 212 tools"
    """
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = [{"required": ["a"]}, {"properties": {"b": {"type": "string"}}}]
        assert keyword not in sent({**of({"type": "string"}), keyword: branches}, "anthropic")


@pytest.mark.parametrize("provider", available())
def test_properties_may_be_named_pattern_or_title(provider: str) -> None:
    """Properties named `pattern` or `title` stay.
    Source: 7, "Properties named `pattern` or `title` deleted by cleaners"
    """
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in ("pattern", "title")}}
    assert set(sent(schema, provider)["properties"]) == {"pattern", "title"}


def test_the_inverse_of_strict_is_applied() -> None:
    """What strict mode made nullable is absent again in the arguments.
    Source: 7, "The inverse of strict on replies"
    """
    assert decode({"a": None}, "openai", schema=of({"type": "string"}, required=False)) == {}


def test_the_order_of_tools_is_stable() -> None:
    """The order of tools is stable, so that prompt caches hit.
    Source: 7, "Stable tool order so that prompt caches hit"
    Source: 7, "6.7 % hit rate"
    Source: 7, "openclaw#58037"
    """
    registry = ToolRegistry()
    registry.register(BINDINGS["edit"], lambda params, context: "")
    before = registry.definitions("anthropic")
    registry.register(BINDINGS["web_fetch"], lambda params, context: "")
    assert registry.definitions("anthropic").startswith(before[:-1])


def test_schemas_are_sent_on_demand() -> None:
    """Schemas are sent on demand, without a tool that models would have to call for it.
    Source: 7, "Schemas on demand"
    """
    from toolcast.agents import Disclosure

    registry = ToolRegistry()
    for name, binding in BINDINGS.items():
        registry.register(binding, lambda params, context: "")
        assert name in registry
    shown = Disclosure(registry, "openai", level="summary", native=False)
    assert len(shown.definitions()) < len(registry.definitions("openai")) / 2
    assert {tool["function"]["name"] for tool in shown.definition_objects()} == {*BINDINGS}


def test_names_of_live_tools_are_stable() -> None:
    """Names of a live server's tools are the same after it connects again, in whatever order it lists them.
    Source: 7, "Names stable across reconnects"
    """
    listed = ("查询", "查找", "search", "search!", "n" * 80)
    names = {tool: offered_name("docs", tool) for tool in listed}
    assert {tool: offered_name("docs", tool) for tool in reversed(listed)} == names
    assert len({*names.values()}) == len(listed)
    assert all(name.isascii() and len(name) <= 64 for name in names.values())


def test_a_set_of_tools_is_held_to_the_limits_of_its_provider() -> None:
    """Limits of a whole set of tools, which make a grammar too large, are findings before a request is sent.
    Source: 7, "\"Compiled grammar too large\""
    Source: 7, "cumulative `maxItems` near 960 on Gemini"
    Differs: a sum of `maxItems` is no documented limit of Gemini, so none is checked.
    """
    limits = load_profile("anthropic-strict").limits
    assert (limits.strict_tools, limits.optional, limits.unions) == (20, 24, 16)


def test_a_root_reference_reaches_openai_as_an_object() -> None:
    """A schema whose root is a reference is sent as an object.
    Source: 7, "msgspec schemas: root `$ref` refused by OpenAI"
    """
    schema = {"$ref": "#/$defs/n", "$defs": {"n": of({"type": "string"})}}
    result = normalize(schema, "openai").schema
    assert result["type"] == "object"
    assert "$ref" not in result


def test_optional_is_not_nullable() -> None:
    """What is optional is not nullable in the contract.
    Source: 7, "optional but not nullable"
    """
    from generated.files.edit import EditParams

    assert EditParams(file_path="/a", old_string="x", new_string="y").replace_all is False
    assert "null" not in json.dumps(BINDINGS["edit"].schema()["properties"]["replace_all"])
