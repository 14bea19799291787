"""An MCP server on stdio that lists the tools of a JSON file, and answers each call with its arguments."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import mcp.types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server


async def main() -> None:
    described = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))

    async def listed(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in described["tools"]])

    async def called(_context: Any, params: Any) -> Any:
        text = json.dumps({"tool": params.name, "arguments": params.arguments})
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    name = os.environ.get("SERVER_NAME", described["name"])
    server: Any = Server(name, on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


asyncio.run(main())
