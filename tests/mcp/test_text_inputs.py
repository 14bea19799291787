"""Tools whose argument is one text, served to clients of MCP: one string parameter, held to its grammar."""

import asyncio
from typing import Any

import pytest
from toolcast.mcp import mcp_server
from toolcast.project.core.compiled import Options
from toolcast.runtime import ToolRegistry

from tests.mcp.conftest import MODES, Sdk
from tests.python.compiled import package

pytestmark = pytest.mark.usefixtures("installed")
BASE: dict[str, Any] = {"description": "Computes.", "permission": "read", "secrets": []}
LARK = {"grammar": "lark", "definition": 'start: NUMBER ("+" NUMBER)*\n%import common.NUMBER'}
REGEX = {"grammar": "regex", "definition": "[0-9]+([+][0-9]+)*"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("input", [LARK, REGEX, "text"], ids=["lark", "regex", "text"])
def test_a_text_is_served_as_a_string(input: Any, mode: str, sdk: Sdk) -> None:
    files = {"calculate.json": {**BASE, "name": "calculate", "input": input}}
    seen: list[str] = []

    async def use(registry: ToolRegistry) -> None:
        async with sdk("mcp").Client(mcp_server(registry, name="s"), mode=mode) as session:
            (listed,) = (await session.list_tools()).tools
            schema = listed.input_schema
            assert schema["required"] == [*schema["properties"]] == ["input"]
            assert schema["properties"]["input"]["type"] == "string"
            if input != "text":
                assert input["definition"].splitlines()[0] in str(schema) + str(listed.description)
            done = await session.call_tool("calculate", {"input": "1+2"})
            assert not done.is_error
            for wrong in ({"input": "1+"}, {"input": ""}) if input != "text" else ():
                refused = await session.call_tool("calculate", wrong)
                assert refused.is_error
                assert "grammar" in refused.content[0].text or "pattern" in refused.content[0].text
            for wrong in ({}, {"input": 3}, {"input": None}, {"input": "1", "more": 1}):
                assert (await session.call_tool("calculate", wrong)).is_error

    with package(files, options=Options(providers=("mcp",))) as bindings:
        registry = ToolRegistry()
        registry.register(bindings["calculate"], lambda params, _: seen.append(params.input) or "3")
        asyncio.run(use(registry))
    assert seen == ["1+2"]
