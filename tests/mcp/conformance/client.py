"""A program that uses a server's tools in a registry, as the conformance suite starts it.

    python -m tests.mcp.conformance.client http://127.0.0.1:8000/mcp

The suite's servers are of revisions with an initialize handshake.
"""

import asyncio
import sys
from typing import Any

from mcp import Client
from toolcast.mcp import mcp_tools
from toolcast.runtime import ToolRegistry

ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}, "test_reconnection": {}}


async def main(url: str) -> None:
    registry = ToolRegistry()
    async with Client(url, mode="legacy") as client:
        tools = await mcp_tools(client, registry, server="suite")
        assert tools.refused == ()
        for name in registry.names:
            result = await registry.execute(name, ARGUMENTS[name.removeprefix("suite__")])
            assert result.success, result.error


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
