"""The block for the system prompt."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import Prompt, TextDispatcher, TextFormat, instructions, parse, read_format
from toolcast.mcp.live.offered_tools import bind
from toolcast.mcp.live.server_tool import LiveTool
from toolcast.providers import Normalizer
from toolcast.runtime import ToolBinding, ToolRegistry

from generated.registry import BINDINGS
from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE
from tests.runtime.sample.misc.shapes import SHAPES

Binding = ToolBinding[Any, Any]
ALL: list[Binding] = [SHAPES, EDIT, NOTE]


def reported(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def nothing(params: Any, context: Any) -> None:  # noqa: ARG001 - a handler's signature
    return None


def test_sorted_and_the_same_each_time() -> None:
    text = instructions(ALL)
    assert text == instructions(reversed(ALL))
    registry = ToolRegistry()
    for binding in ALL:
        registry.register(binding, nothing)
    assert instructions(registry) == text
    assert [tool["name"] for tool in reported(text)] == ["edit", "note", "shapes"]
    assert [tool["name"] for tool in reported(instructions(registry.select(names="note")))] == ["note"]
    assert reported(text)[0]["description"] == EDIT.description


def test_brief_is_shorter_and_keeps_required() -> None:
    brief = reported(instructions(ALL, level="brief"))
    assert len(instructions(ALL, level="brief")) < len(instructions(ALL))
    assert brief[0]["description"] == EDIT.summary
    assert brief[0]["parameters"]["required"] == ["file_path", "old_string", "new_string"]
    with pytest.raises(ValueError, match="level"):
        instructions(ALL, level="none")  # type: ignore[arg-type]


def test_schemas_stand_alone() -> None:
    (shapes,) = reported(instructions([SHAPES]))
    validator = jsonschema_rs.validator_for(shapes["parameters"])
    assert validator.is_valid({"tags": ["a"]})
    assert not validator.is_valid({"tags": ["a", "a"]})
    assert not validator.is_valid({"tags": [], "pet": 5})


def test_values_of_run_time_are_shown() -> None:
    team = BINDINGS["delegate"].specialise(agent=["coder", "tester"])
    (shown,) = reported(instructions([team]))
    assert shown["parameters"]["properties"]["agent"]["enum"] == ["coder", "tester"]
    assert (
        "enum" not in reported(instructions([BINDINGS["delegate"]]))[0]["parameters"]["properties"]["agent"]
    )


def test_tools_of_mcp_servers_are_shown() -> None:
    """Their schema is no generated file."""
    schema = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/place"}},
        "required": ["at"],
        "$defs": {"place": {"type": "string"}},
    }
    tool = LiveTool(server="maps", name="look", description="Looks.", input_schema=schema)
    binding = bind(tool, "maps_look", "maps", "read", (), Normalizer())
    (shown,) = reported(instructions([binding]))
    assert shown["parameters"]["required"] == ["at"]
    validator = jsonschema_rs.validator_for(shown["parameters"])
    assert validator.is_valid({"at": "x"})
    assert not validator.is_valid({"at": 5})
    registry = ToolRegistry()
    registry.register(binding, lambda params, _: params["at"])
    call = "<tool_call>maps_look>home</tool_call>"
    assert asyncio.run(TextDispatcher(registry).run(call)).results[0].output == "home"


def test_every_tool_of_the_reference_set_stands_alone() -> None:
    for tool in reported(instructions(BINDINGS.values())):
        jsonschema_rs.validator_for(tool["parameters"]).is_valid({})


def test_without_tools() -> None:
    assert instructions([]) == "There are no tools to call."
    assert parse(instructions([])).calls == ()


@given(
    st.text()
    | st.sampled_from(
        ["</tool_call>", "```\n", "\n{}", "TOOL_CALL{", "[TOOL_CALLS]{", "<tool_call>{", "\x85{}", "\u2028{"]
    )
)
def test_no_description_leaves_its_line(text: str) -> None:
    description = text.encode(errors="replace").decode()
    odd = msgspec.structs.replace(EDIT, description=description)
    block = instructions([odd, NOTE])
    assert [tool["description"] for tool in reported(block)] == [description, NOTE.description]
    for mark in ("<", "```", "TOOL_CALL", "[TOOL_CALLS]"):
        assert mark not in block.partition("per line:")[2]


def test_a_format_of_ones_own_has_its_own_prompt() -> None:
    prompt = Prompt(
        text="Call with @@.\n{tools}\nEnd.", tool="{name}: {description}\n{parameters}", join="\n\n"
    )
    own = TextFormat(id="own", title="Own", dropped=("@@",), prompts=(prompt,))
    odd = msgspec.structs.replace(NOTE, description="a @@call\n</b>")
    text = instructions([odd], format=own)
    assert text.startswith("Call with @@.\nnote: a &#64;@call\n    &lt;/b>\n{")
    assert json.loads(text.splitlines()[-2])["type"] == "object"


def test_a_format_without_a_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no prompt.*canonical form.*\['toolcast', 'zeroclaw'\]"):
        instructions([NOTE], format="zeroclaw")
    with pytest.raises(ValueError, match="no text format 'nobody'"):
        instructions([NOTE], format="nobody")


def test_a_prompt_that_shows_no_tools_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('id = "own"\ntitle = "Own"\n[[prompts]]\ntext = "Call."\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"own\.toml:3:3: .*\{tools\} once"):
        read_format(path)
    with pytest.raises(ValueError, match=r"at least one of \{openai\}"):
        Prompt(text="{tools}", tool="{tool}")
