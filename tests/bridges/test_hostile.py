"""Whatever a model sends as arguments, a bridge answers in words: no exception but the framework's own."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from tests.bridges.conftest import EDITED, Handlers, make

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NEARLY = st.dictionaries(st.sampled_from([*EDITED, "$defs", "__class__"]), JSON).map(
    lambda other: {**EDITED, **other}
)
# Deeper than any parser goes, numbers and characters that JSON has not, and what is nearly right.
TEXT = st.one_of(
    st.text(max_size=30),
    st.just("[" * 100_000),
    st.just('{"a":' * 5_000 + "1" + "}" * 5_000),
    st.just('{"file_path": "\\ud800", "old_string": NaN}'),
    st.just("\ud800"),
    JSON.map(json.dumps),
    NEARLY.map(json.dumps),
)


@pytest.fixture(scope="module")
def asked() -> ToolRegistry:
    return make(Handlers(), policy=Policy())


@pytest.fixture(scope="module")
def free() -> ToolRegistry:
    return make(Handlers())


@given(text=TEXT, value=JSON | NEARLY)
@example(text="null", value=None)
@example(text="{}", value=[])
def test_pydantic_ai_gets_arguments_or_a_retry(
    framework: Callable[[str], Any], free: ToolRegistry, text: str, value: Any
) -> None:
    bridge = framework("toolcast.bridges.pydantic_ai")
    retry = framework("pydantic_ai.exceptions").ModelRetry
    validator = bridge._Arguments(free, "edit", "openai")
    for validate, sent in ((validator.validate_json, text), (validator.validate_python, value)):
        made: Any = None
        with suppress(retry):
            made = validate(sent)
        assert made is None or {"file_path", "old_string", "new_string"} <= made.keys()


@given(text=TEXT, value=JSON | NEARLY)
@example(text="null", value=None)
def test_openai_agents_get_text(
    framework: Callable[[str], Any], asked: ToolRegistry, text: str, value: Any
) -> None:
    bridge = framework("toolcast.bridges.openai_agents")
    (tool,) = bridge.function_tools(asked.select(names="edit"))
    run = SimpleNamespace(tool_call_id="c", is_tool_approved=lambda name, call_id: True)  # noqa: ARG005

    async def main() -> tuple[Any, Any]:
        return await tool.on_invoke_tool(run, text), await tool.needs_approval(run, value, "c")

    output, needed = asyncio.run(main())
    assert isinstance(output, str)
    assert isinstance(needed, bool)
    output.encode()


@given(value=st.dictionaries(st.text(max_size=5), JSON, max_size=3) | NEARLY | TEXT)
def test_langchain_gets_a_message(framework: Callable[[str], Any], free: ToolRegistry, value: Any) -> None:
    bridge = framework("toolcast.bridges.langchain")
    (tool,) = bridge.tools(free.select(names="edit"))
    if isinstance(value, str):
        assert isinstance(tool.invoke(value), str)
        return
    message = tool.invoke({"type": "tool_call", "id": "c", "name": "edit", "args": value})
    assert message.status in ("success", "error")
    message.content.encode()
