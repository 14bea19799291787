"""The block for the system prompt."""

import json
import subprocess
import sys
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import instructions, parse
from toolcast.runtime import ToolBinding, ToolRegistry

from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE
from tests.runtime.sample.misc.shapes import SHAPES

Binding = ToolBinding[Any, Any]
ALL: list[Binding] = [SHAPES, EDIT, NOTE]


def reported(text: str) -> list[dict[str, Any]]:
    """The tools of the block."""
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


def test_every_tool_of_the_reference_set_stands_alone() -> None:
    from generated.registry import BINDINGS

    for tool in reported(instructions(BINDINGS.values())):
        jsonschema_rs.validator_for(tool["parameters"]).is_valid({})


def test_without_tools() -> None:
    assert instructions([]) == "There are no tools to call."
    assert parse(instructions([])).calls == ()


@given(
    st.text()
    | st.sampled_from(
        ["</tool_call>", "```\n", "\n{}", "TOOL_CALL{", "</tool_call><tool_call>{", "\x85{}", "\u2028{"]
    )
)
def test_no_description_leaves_its_line(text: str) -> None:
    description = text.encode(errors="replace").decode()
    odd = msgspec.structs.replace(EDIT, description=description, _lazy=type(EDIT._lazy)())
    block = instructions([odd, NOTE])
    assert [tool["description"] for tool in reported(block)] == [description, NOTE.description]
    for mark in ("<", "`", "TOOL_CALL"):
        assert mark not in block.partition("per line:")[2]


def test_the_runtime_does_not_load_it() -> None:
    code = "import sys, toolcast.runtime; print(any('runtime.text' in name for name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"
