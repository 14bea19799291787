"""External tools are not offered: no client of MCP waits for a result that comes later."""

# ruff: noqa: ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from toolcast.mcp import mcp_server, register_mcp
from toolcast.runtime import ToolRegistry

from generated.files.edit import EDIT
from generated.files.glob import GLOB
from tests.mcp.conftest import MODES, Sdk

pytestmark = pytest.mark.usefixtures("installed")


@pytest.mark.parametrize("mode", MODES)
def test_they_are_left_out_with_a_warning(mode: str, sdk: Sdk, caplog: pytest.LogCaptureFixture) -> None:
    registry = ToolRegistry()
    registry.register(replace(EDIT, external=True))
    registry.register(GLOB, lambda params, context: "found")

    async def use() -> Any:
        async with sdk("mcp").Client(mcp_server(registry), mode=mode) as client:
            listed = await client.list_tools()
            with pytest.raises(sdk("mcp.shared.exceptions").MCPError, match="'edit' is not offered"):
                await client.call_tool("edit", {"file_path": "/a", "old_string": "x", "new_string": "y"})
            return [tool.name for tool in listed.tools]

    assert asyncio.run(use()) == ["glob"]
    assert "Tool 'edit' is not offered to MCP clients: it is external" in caplog.text


def test_an_imported_tool_that_is_external_is_not_forwarded() -> None:
    source = {"kind": "mcp", "name": "e", "from": "files"}
    bindings = {
        "edit": replace(EDIT, source=source, external=True),
        "glob": replace(GLOB, source=source),
    }
    registry = ToolRegistry()
    assert register_mcp(registry, bindings, session=object()) == ("glob",)
    assert registry.names == ("glob",)
