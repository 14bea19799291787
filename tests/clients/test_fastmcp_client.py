"""FastMCP's client and proxy of a registry's server, over HTTP."""

# ruff: noqa: ARG001, ARG005 - what others call has their signature

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec import Struct
from toolcast.mcp import BearerAuth, HttpOptions, Prompts, Resources, fixed_token, http_app, mcp_server
from toolcast.runtime import ToolContext, ToolRegistry

from tests.clients.conftest import Client
from tests.mcp import app
from tests.mcp.over_http import listening, serving
from tests.runtime.sample.files.edit import EDIT


async def over_http(client: Client, server: Any, use: Callable[[str], Awaitable[Any]]) -> Any:
    """What `use` returns for the address of a server."""
    async with asyncio.timeout(60), listening(client, http_app(server)) as address:
        return await use(f"{address}/mcp")


async def exercise(connected: Any) -> None:
    """What its users do: list, call, read failures and kinds of content."""
    tools = {tool.name: tool for tool in await connected.list_tools()}
    assert sorted(tools) == sorted(app.make().names)
    assert tools["glob"].input_schema["required"] == ["pattern"]
    result = await connected.call_tool("glob", {"pattern": "x"})
    assert result.structured_content == {"paths": ["/x"], "total": 1}
    wrong = await connected.call_tool("edit", {"file_path": "a"}, raise_on_error=False)
    assert wrong.is_error
    assert "old_string" in wrong.content[0].text
    pictures = await connected.call_tool("bash", {"command": "pictures"})
    assert [piece.type for piece in pictures.content] == ["text", "image", "audio", "resource", "text"]


def test_one_server_serves_its_client_again(client: Client) -> None:
    fastmcp = client("fastmcp")

    async def use(address: str) -> None:
        for _ in range(2):
            async with fastmcp.Client(address) as connected:
                await exercise(connected)

    asyncio.run(over_http(client, mcp_server(app.make()), use))


def test_its_server_passes_a_registry_on(client: Client) -> None:
    """A proxy of theirs, asked by their client."""
    fastmcp, create_proxy = client("fastmcp"), client("fastmcp.server").create_proxy

    async def use(address: str) -> Any:
        async with fastmcp.Client(create_proxy(address, name="proxy")) as connected:
            return await connected.call_tool("glob", {"pattern": "y"})

    result = asyncio.run(over_http(client, mcp_server(app.make()), use))
    assert result.structured_content == {"paths": ["/y"], "total": 1}


def test_its_client_shows_its_token_over_http(client: Client) -> None:
    fastmcp = client("fastmcp")
    token = "0123456789-abcdefghij"
    options = HttpOptions(auth=BearerAuth(verify=fixed_token(token)))

    async def use() -> str:
        async with serving(client, options) as (http, _):
            url = f"{http.base_url}/mcp"
            with pytest.raises(Exception, match="error response"):
                async with fastmcp.Client(url, auth="another-token-of-theirs"):
                    raise AssertionError("it was let in")
            async with fastmcp.Client(url, auth=token) as connected:
                result = await connected.call_tool("bash", {"command": "free"}, raise_on_error=False)
                return result.content[0].text

    assert asyncio.run(asyncio.wait_for(use(), 60)) == "done at once"


class Order(Struct):
    name: str
    count: int = 3


async def ask_and_log(params: Any, context: ToolContext) -> str:
    context.log("warning", "words")
    answer = await context.ask("What?", Order)
    sampled = await context.sample("Say it.", max_tokens=5)
    return f"{answer.data} {sampled.text}"


def test_its_client_answers_questions_and_reads_resources_and_prompts(client: Client) -> None:
    fastmcp = client("fastmcp")
    registry, resources, prompts = ToolRegistry(check_results=False), Resources(), Prompts()
    registry.register(EDIT, ask_and_log)
    resources.add("notes://today", "remember")
    prompts.add("greet", lambda params, context: f"Greet {params.name}, {params.count} times.", Order)
    heard: list[Any] = []

    async def answer(message: str, response_type: Any, params: Any, context: Any) -> Any:
        return response_type(name=message, count=5)

    async def sample(messages: Any, params: Any, context: Any) -> str:
        return f"said {messages[0].content.text}"

    async def hear(message: Any) -> None:
        heard.append((message.level, message.data))

    async def use(address: str) -> None:
        made = fastmcp.Client(address, elicitation_handler=answer, sampling_handler=sample, log_handler=hear)
        async with made as connected:
            arguments = {"file_path": "/a", "old_string": "x", "new_string": "y"}
            result = await connected.call_tool("edit", arguments)
            assert result.content[0].text == f"{Order('What?', 5)} said Say it."
            assert (await connected.read_resource("notes://today"))[0].text == "remember"
            greeting = await connected.get_prompt("greet", {"name": "bo"})
            assert greeting.messages[0].content.text == "Greet bo, 3 times."

    server = mcp_server(registry, resources=resources, prompts=prompts)
    asyncio.run(over_http(client, server, use))
    assert heard == [("warning", "words")]
