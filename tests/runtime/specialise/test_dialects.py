"""An enum put into what a provider was sent says what the provider's walk would have made of the enum."""

from typing import Any

import pytest
from toolcast.providers import available, normalize
from toolcast.runtime.runtime_enums import describe_enum, with_enum

from generated.files.edit import EDIT

VALUES = ("coder", "tester")
DEFS = {"Agent": {"type": "string", "description": "An agent."}}
SHAPES: dict[str, dict[str, Any]] = {
    "plain": {"type": "string", "minLength": 1, "description": "d"},
    "nullable": {"type": ["string", "null"], "description": "d"},
    "list": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    "reference": {"$ref": "#/$defs/Agent"},
}


def tool(parameter: Any, required: bool) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {"agent": parameter, "n": {"type": "integer"}},
        "required": ["agent"] if required else [],
        "$defs": DEFS,
    }


def one_form(node: Any) -> Any:
    """The two ways of saying "one of these, or null" in one."""
    branches = node.get("anyOf")
    if branches is None:
        return node
    [string] = [branch for branch in branches if branch["type"] != "null"]
    if string["type"] != "string":
        return node
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    return {**string, **rest, "type": ["string", "null"], "enum": [*string["enum"], None]}


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_enum_is_what_the_walk_would_send(shape: str, required: bool) -> None:
    spec = with_enum(SHAPES[shape], VALUES, {"$defs": DEFS}, mixed=True)
    for provider in available():
        plain = normalize(tool(SHAPES[shape], required), provider).schema
        put = with_enum(plain["properties"]["agent"], VALUES, plain)
        expected = normalize(tool(spec, required), provider).schema["properties"]["agent"]
        assert put is not None, provider
        assert one_form(put) == one_form(expected), provider


@pytest.mark.parametrize("provider", ["gemini-json-schema", "moonshot"])
def test_where_enums_are_of_one_type_null_stays_out_of_them(provider: str) -> None:
    plain = normalize(tool(SHAPES["nullable"], True), provider).schema
    put = with_enum(plain["properties"]["agent"], VALUES, plain)
    assert put is not None
    assert "null" not in str(put.get("enum"))
    assert None not in put.get("enum", [])


@pytest.mark.parametrize(
    "node",
    [
        {"type": "integer"},
        {"type": ["string", "integer"]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"type": "array"},
        {"$ref": "#/$defs/Circle"},
        {"$ref": "#/$defs/Nothing"},
        {"$ref": "other.json"},
        {},
        True,
    ],
)
def test_what_takes_more_than_strings_has_no_room(node: Any) -> None:
    assert with_enum(node, VALUES, {"$defs": {"Circle": {"$ref": "#/$defs/Circle"}}}) is None


@pytest.mark.parametrize("encoded", [True, False])
@pytest.mark.parametrize("before", [None, "Who does it."])
def test_where_there_is_no_room_for_an_enum_words_say_it(encoded: bool, before: str | None) -> None:
    """A list that is sent as a string of JSON text, and a parameter that takes anything."""
    agents = {**({"type": "string"} if encoded else {}), **({"description": before} if before else {})}
    whole = {
        "name": "edit",
        "description": "d",
        "parameters": {"type": "object", "properties": {"a": agents}},
    }
    reported = describe_enum(EDIT, "gemini", whole, ("a", encoded), ('x"y', "z"))
    words = 'One of: "x\\"y", "z".'
    expected = {**agents, "description": f"{before}\n\n{words}" if before else words}
    assert reported == {**whole, "parameters": {"type": "object", "properties": {"a": expected}}}


def test_a_definition_without_the_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="has no parameter 'b'"):
        describe_enum(
            EDIT, "gemini", {"name": "edit", "parameters": {"properties": {}}}, ("b", False), VALUES
        )
