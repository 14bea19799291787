"""A real MCP server and client in one process: our definitions on the wire, calls through our bindings."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
import random
from typing import Any

import msgspec
import pytest
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, asserted_formats
from toolcast.providers import available, load_profile
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.checked_types import decode_hook
from toolcast.runtime.resources import read_resource

from generated.registry import BINDINGS
from tests.clients.conftest import Client
from tests.clients.emitted import reference
from tests.clients.judges import revision_of

MODERN = "2026-07-28"


def mode_of(profile: str) -> str:
    """The initialize handshake with every message as JSON-RPC, or the protocol without a handshake."""
    return MODERN if revision_of(profile) in ("", MODERN) else "legacy"


PROFILES = [id for id in available() if "inputSchema" in load_profile(id).envelope]
every_profile = pytest.mark.parametrize("profile", PROFILES)


@pytest.fixture(scope="module")
def registry() -> ToolRegistry:
    """The reference toolset; each handler answers with a result that its schema accepts."""
    made = ToolRegistry()
    for name, binding in BINDINGS.items():
        made.register(binding, answering(binding, random.Random(name)))
    return made


def answering(binding: Any, rng: random.Random) -> Any:
    """A handler with a typed result, made from the result's schema; a text where the tool has none."""
    if binding.result is None:
        return lambda params, context: f"called with {params!r}"
    document = msgspec.json.decode(read_resource(binding.module, binding.contract))
    oracle = Oracle(document, "/result", asserted_formats())
    value = max(filter(oracle.accepts, instances(oracle, rng, 60)), key=lambda made: len(repr(made)))
    result = msgspec.convert(value, binding.result, dec_hook=decode_hook)

    def handler(params: Any, context: ToolContext) -> Any:
        assert isinstance(params, binding.params)
        return result

    return handler


def server(client: Client, definitions: list[bytes], registry: ToolRegistry) -> Any:
    """A server that hands out `definitions` as they are, and runs calls through the registry."""
    types, lowlevel = client("mcp.types"), client("mcp.server.lowlevel.server")

    async def list_tools(context: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[types.Tool.model_validate_json(each) for each in definitions])

    async def call_tool(context: Any, params: Any) -> Any:
        result = await registry.execute(params.name, params.arguments, provider="mcp")
        text = types.TextContent(type="text", text=result.output or result.error)
        structured = None
        if result.success and result.data is not None:
            structured = json.loads(BINDINGS[params.name].encode_result(result.data))
        return types.CallToolResult(
            content=[text], structured_content=structured, is_error=not result.success
        )

    return lowlevel.Server("toolcast", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


@every_profile
def test_definitions_arrive_as_they_are(profile: str, client: Client, registry: ToolRegistry) -> None:
    definitions = [source.compiled[profile] for source in reference()]
    made = server(client, [msgspec.json.encode(each) for each in definitions], registry)

    async def session() -> list[Any]:
        async with client("mcp.client.client").Client(made, mode=mode_of(profile)) as connected:
            listed = await connected.list_tools()
            return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]

    assert asyncio.run(session()) == definitions


@every_profile
def test_every_example_is_called_and_every_result_fits_its_schema(
    profile: str, client: Client, registry: ToolRegistry
) -> None:
    """The client itself holds structured content to the schema that it was listed."""
    definitions = [source.compiled[profile] for source in reference()]
    made = server(client, [msgspec.json.encode(each) for each in definitions], registry)
    calls = [(source.info.name, call) for source in reference() for call in source.calls]

    async def session() -> list[Any]:
        async with client("mcp.client.client").Client(made, mode=mode_of(profile)) as connected:
            await connected.list_tools()
            return [await connected.call_tool(name, call) for name, call in calls]

    results = asyncio.run(session())
    assert [str(result.content) for result in results if result.is_error] == []
    assert len(calls) > len(BINDINGS)
    assert {name for name, _ in calls} == set(BINDINGS)
    held = {name for (name, _), result in zip(calls, results, strict=True) if result.structured_content}
    assert held >= {each["name"] for each in definitions if "outputSchema" in each}


def test_wrong_arguments_are_a_result_that_names_them(client: Client, registry: ToolRegistry) -> None:
    made = server(client, [BINDINGS["file_write"].definition("mcp")], registry)

    async def session() -> Any:
        async with client("mcp.client.client").Client(made, mode="legacy") as connected:
            return await connected.call_tool("file_write", {"file_path": "", "mode": "shred"})

    result = asyncio.run(session())
    assert result.is_error
    for word in ("file_path", "content", "mode"):
        assert word in result.content[0].text


def test_a_result_that_does_not_fit_is_refused_by_the_client(client: Client) -> None:
    """Without this the test of results could pass for a client that does not look."""
    broken = ToolRegistry()
    broken.register(BINDINGS["glob"], lambda params, context: {"paths": 5, "total": 1})
    made = server(client, [BINDINGS["glob"].definition("mcp")], broken)

    async def session() -> None:
        async with client("mcp.client.client").Client(made, mode="legacy") as connected:
            await connected.list_tools()
            with pytest.raises(RuntimeError, match="Invalid structured content"):
                await connected.call_tool("glob", {"pattern": "*"})

    asyncio.run(session())
