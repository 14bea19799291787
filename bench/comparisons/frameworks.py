"""FastMCP and pydantic-ai: the functions of `models.function` as their tools."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

from fastmcp import FastMCP
from fastmcp.tools import Tool as FastMCPTool
from pydantic import ValidationError
from pydantic_ai import Tool as AgentTool
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

from .contestant import Made
from .models import function
from .values import Tool


def fastmcp(*, strict: bool) -> Callable[[Tool], Made]:
    """Tools of a FastMCP server, called as the server calls them."""
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()

    def make(tool: Tool) -> Made:
        server = FastMCP("bench", strict_input_validation=strict)
        made = FastMCPTool.from_function(function(tool), name=tool.name, description=tool.description)
        server.add_tool(made)
        sent = json.dumps(
            made.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True),
            ensure_ascii=False, separators=(",", ":"),
        )  # fmt: skip

        def decode(text: str) -> Any:
            return loop.run_until_complete(server.call_tool(tool.name, json.loads(text)))

        return Made(decode, schema=made.parameters, sent=sent)

    return make


def pydantic_ai(tool: Tool) -> Made:
    """A tool of an agent, made from a function."""
    made = AgentTool(function(tool), name=tool.name, description=tool.description, takes_ctx=False)
    return _agent_tool(tool, made)


def pydantic_ai_schema(tool: Tool) -> Made:
    """A tool of an agent, made from the schema: `Tool.from_schema`."""

    async def call(**arguments: Any) -> None:
        del arguments

    return _agent_tool(tool, AgentTool.from_schema(call, tool.name, tool.description, tool.parameters))


def _agent_tool(tool: Tool, made: AgentTool[Any]) -> Made:
    schema = made.tool_def.parameters_json_schema
    walk = OpenAIJsonSchemaTransformer(json.loads(json.dumps(schema)), strict=None)
    declared: dict[str, Any] = {"name": tool.name, "description": tool.description, "parameters": walk.walk()}
    if walk.is_strict_compatible:
        declared["strict"] = True
    sent = json.dumps({"type": "function", "function": declared}, ensure_ascii=False, separators=(",", ":"))

    def refusal_text(refused: Exception) -> str:
        if not isinstance(refused, ValidationError):
            return str(refused)
        errors = refused.errors(include_url=False, include_context=False)
        part = ToolReturnPart(tool.name, content=errors, tool_call_id="1", outcome="retried")
        return part.model_response_str()

    return Made(made.function_schema.validator.validate_json, refusal_text, schema, sent)
