"""What WeKnora's registry and execution do."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
import logging
from typing import Any

import pytest
from toolcast.providers import decode
from toolcast.runtime import ArgumentError, Guesses, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.logs import CallLog

from generated.files.edit import EDIT, EditParams, EditResult
from generated.registry import BINDINGS
from tests.seeds.schemas import of

GOOD = {"file_path": "/a", "old_string": "x", "new_string": "y"}


async def edit(params: EditParams, context: ToolContext) -> EditResult:
    return EditResult(replacements=1)


def with_edit(handler: Any = edit, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    registry.register(EDIT, handler)
    return registry


def call(registry: ToolRegistry, arguments: Any = GOOD, name: str = "edit") -> ToolResult:
    return asyncio.run(registry.execute(name, arguments))


def test_the_first_registration_of_a_name_wins(caplog: pytest.LogCaptureFixture) -> None:
    """The first registration of a name wins, and a second one is logged.
    Source: 3, "First registration of a name wins"
    Source: 3, "a duplicate warns"
    """

    async def other(params: EditParams, context: ToolContext) -> EditResult:
        return EditResult(replacements=99)

    registry = with_edit()
    assert not registry.register(EDIT, other)
    assert call(registry).data == EditResult(replacements=1)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_definitions_are_sorted_and_stable() -> None:
    """Definitions are sorted by name, and their bytes are stable.
    Source: 3, "Definitions are sorted by name and byte-stable"
    """
    forwards, backwards = ToolRegistry(), ToolRegistry()
    for registry, names in ((forwards, sorted(BINDINGS)), (backwards, sorted(BINDINGS, reverse=True))):
        for name in names:
            registry.register(BINDINGS[name], lambda params, context: "")
    assert forwards.definitions("openai") == backwards.definitions("openai")
    names = [tool["function"]["name"] for tool in json.loads(forwards.definitions("openai"))]
    assert names == sorted(names)


def test_an_empty_registry_gives_an_empty_array() -> None:
    """An empty registry gives `[]`.
    Source: 3, "an empty registry gives `[]`"
    """
    assert ToolRegistry().definitions("openai") == b"[]"


def test_an_unknown_tool_is_a_failed_result() -> None:
    """An unknown tool gives a failed result with an error.
    Source: 3, "An unknown tool gives a failed result and an error"
    Better: the error names the tools that there are.
    """
    result = call(with_edit(), name="edti")
    assert not result.success
    assert "edit" in result.error


def test_arguments_are_read_validated_executed_and_cut_in_this_order() -> None:
    """A call is decoded, validated, carried out, and its output cut, in this order.
    Source: 3, "Order: cast → validate → execute → truncate"
    """
    seen: list[Any] = []

    def handler(params: EditParams, context: ToolContext) -> ToolResult:
        seen.append(params.replace_all)
        return ToolResult.ok("x" * 1000, EditResult(replacements=1))

    registry = with_edit(handler, guesses=Guesses(["boolean"]), output_limit=100)
    assert not call(registry, {**GOOD, "replace_all": "maybe"}).success
    assert seen == []
    result = call(registry, {**GOOD, "replace_all": "yes"})
    assert seen == [True]
    assert "900 of 1000 characters" in result.output


@pytest.mark.parametrize(
    ("guess", "schema", "text", "value"),
    [
        ("boolean", {"type": "boolean"}, "yes", True),
        ("boolean", {"type": "boolean"}, "0", False),
        ("json-text", {"type": "array", "items": {"type": "integer"}}, "[1, 2]", [1, 2]),
        ("single-item", {"type": "array", "items": {"type": "string"}}, "one", ["one"]),
        ("number-to-string", {"type": "string"}, 5, "5"),
    ],
)
def test_values_are_cast_where_a_program_allows_it(guess: Any, schema: Any, text: Any, value: Any) -> None:
    """Texts of booleans, of arrays, single items and numbers are cast to what the schema asks for.
    Source: 3, "Cast"
    Source: 3, "`true/1/yes`, `false/0/no`"
    Source: 3, "string→array (JSON, else wrapped)"
    Source: 3, "scalar→string"
    Better: only guesses that the program allows, and only where one reading alone fits.
    """
    with pytest.raises(ArgumentError):
        decode({"a": text}, "mcp", schema=of(schema))
    assert decode({"a": text}, "mcp", schema=of(schema), guesses=Guesses([guess])) == {"a": value}


def test_a_whole_float_is_an_integer() -> None:
    """A whole float counts as an integer.
    Source: 3, "whole float→int"
    """
    assert decode('{"a": 2.0}', "mcp", schema=of({"type": "integer"})) == {"a": 2}


def test_messages_name_everything_that_is_wrong() -> None:
    """The error names each missing parameter, wrong type, wrong value and exceeded bound, all at once.
    Source: 3, "Messages"
    Source: 3, "`required parameter 'x' is missing`"
    Source: 3, "all of them joined, not only the first"
    """
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b"]},
            "count": {"type": "integer", "minimum": 1},
            "name": {"type": "string"},
            "path": {"type": "string"},
        },
        "required": ["path"],
    }
    with pytest.raises(ArgumentError) as caught:
        decode({"kind": "c", "count": 0, "name": 5}, "mcp", schema=schema)
    assert all(f"`{name}`" in str(caught.value) for name in ("kind", "count", "name", "path"))
    assert "4 problems" in str(caught.value)


def test_output_is_cut_in_the_middle() -> None:
    """Output is cut at 24,000 characters, 70 % of its head and 30 % of its tail.
    Source: 3, "Output truncated at 24,000 characters"
    """

    def handler(params: EditParams, context: ToolContext) -> ToolResult:
        return ToolResult.ok("a" * 30_000 + "z" * 30_000, EditResult(replacements=1))

    output = call(with_edit(handler, output_limit=24_000)).output
    assert (output.count("a"), output.count("z")) == pytest.approx((16_800, 7_200), abs=40)


def test_a_result_has_a_channel_for_models_and_one_for_programs() -> None:
    """A result has success, output for the model, data for the program, and an error.
    Source: 3, "Result"
    Source: 3, "`success, output` (for the model)"
    """
    result = call(with_edit())
    assert result.success
    assert json.loads(result.output) == {"replacements": 1}
    assert result.data == EditResult(replacements=1)
    assert result.error == ""


def test_starts_and_ends_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A call is logged when it starts and when it ends, in levels by how it ended.
    Source: 3, "Execution is logged at start and end, at three levels"
    """
    caplog.set_level(logging.DEBUG)

    def failing(params: EditParams, context: ToolContext) -> EditResult:
        raise RuntimeError("a bug")

    call(with_edit(hooks=CallLog()))
    call(with_edit(failing, hooks=CallLog()))
    events = [(getattr(record, "event", ""), record.levelname) for record in caplog.records]
    assert ("execute_start", "INFO") in events
    assert {level for _, level in events} >= {"INFO", "WARNING", "ERROR"}


def test_whatever_holds_resources_releases_them() -> None:
    """Any handler that holds resources releases them when the registry is closed.
    Source: 3, "Cleanup is generic"
    """

    class Holder:
        closed = 0

        async def __call__(self, params: EditParams, context: ToolContext) -> EditResult:
            return EditResult(replacements=1)

        async def aclose(self) -> None:
            self.closed += 1

    holder = Holder()
    asyncio.run(with_edit(holder).aclose())
    assert holder.closed == 1
