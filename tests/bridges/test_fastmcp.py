"""A registry mounted into FastMCP servers, read by FastMCP's own client in memory."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from msgspec import structs
from toolcast.project.core.compiled import Options
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from generated.files.edit import EDIT
from generated.shell.bash import BashParams
from tests.bridges.conftest import PNG, Handlers, make
from tests.python.compiled import package, spec

Load = Callable[[str], Any]
EDITED = {"file_path": "/a", "old_string": "x", "new_string": "y"}


class Library:
    def __init__(self, load: Load) -> None:
        self.bridge = load("toolcast.bridges.fastmcp")
        self.fastmcp = load("fastmcp")
        self.exceptions = load("fastmcp.exceptions")

    def server(self, registry: Any, **options: Any) -> Any:
        provider = self.bridge.RegistryProvider(registry, **options)
        return self.fastmcp.FastMCP("test", providers=[provider], dereference_schemas=False)

    def talk(self, server: Any, use: Callable[[Any], Awaitable[Any]], **options: Any) -> Any:
        async def session() -> Any:
            async with self.fastmcp.Client(server, **options) as client:
                return await asyncio.wait_for(use(client), 60)

        return asyncio.run(session())

    def call(self, registry: Any, name: str, arguments: Any, **options: Any) -> Any:
        return self.talk(
            self.server(registry, **options),
            lambda client: client.call_tool(name, arguments, raise_on_error=False),
        )


@pytest.fixture
def lib(framework: Load) -> Library:
    return Library(framework)


def test_definitions_are_the_generated_ones(lib: Library, everything: ToolRegistry) -> None:
    listed = lib.talk(lib.server(everything), lambda client: client.list_tools())
    wanted = {each["name"]: each for each in everything.definition_objects("mcp")}
    assert [tool.name for tool in listed] == sorted(wanted)
    for tool in listed:
        plain = tool.model_dump(mode="json", by_alias=True, exclude_unset=True)
        expected = wanted[tool.name]
        output = expected.get("outputSchema")
        if output is not None and "$ref" in output:
            expected["outputSchema"] = {"type": "object", **output}
        for key in ("title", "description", "inputSchema", "outputSchema", "annotations"):
            assert plain.get(key) == expected.get(key), (tool.name, key)


def test_a_call_round_trips_with_structured_content(
    lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    result = lib.call(registry, "edit", EDITED)
    assert handlers.params == [EDIT.params(file_path="/a", old_string="x", new_string="y")]
    assert result.structured_content == {"replacements": 1, "snippet": "edited /a"}
    assert not result.is_error
    assert handlers.contexts[0].call_id
    assert type(handlers.contexts[0].extra["context"]).__name__ == "Context"
    lib.call(registry, "bash", {"command": "make", "env": {"A": "1"}})
    assert handlers.params[1] == BashParams(command="make", env={"A": "1"})


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("edit", {**EDITED, "replace_all": "yes"}, "`replace_all` must be a boolean, got a string"),
        ("edit", {}, "missing required property `file_path`"),
        ("file_read", {"file_path": "/a"}, "no such file; list the folder first"),
        ("web_fetch", {"url": "https://a.example"}, ""),
        ("edti", {}, "Unknown tool"),
    ],
)
def test_failures_are_error_results_in_our_words(
    name: str, arguments: Any, words: str, lib: Library, registry: ToolRegistry
) -> None:
    result = lib.call(registry, name, arguments)
    assert result.is_error
    assert words in result.content[0].text
    assert "/home/somebody" not in result.content[0].text


def test_content_stays_content(lib: Library, registry: ToolRegistry) -> None:
    result = lib.call(registry, "bash", {"command": "pictures"})
    text, image, audio, file = result.content
    assert text.text == "pieces"
    assert (image.type, image.mime_type) == ("image", "image/png")
    assert (audio.type, file.type) == ("audio", "resource")
    assert result.structured_content["stdout"] == "out"
    assert PNG


def test_progress_reaches_the_client(lib: Library, registry: ToolRegistry) -> None:
    seen: list[Any] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))

    async def use(client: Any) -> Any:
        return await client.call_tool("glob", {"pattern": "*.py"}, progress_handler=hear)

    result = lib.talk(lib.server(registry), use)
    assert result.structured_content["paths"] == ["/*.py"]
    assert seen == [(1, 2, "half")]


def test_tools_come_and_go_beside_the_servers_own(lib: Library, handlers: Handlers) -> None:
    registry = ToolRegistry()
    server = lib.server(registry.select(permission="write"))

    @server.tool
    def own() -> str:
        """A tool of the server."""
        return "own"

    async def names(client: Any) -> list[str]:
        return sorted(tool.name for tool in await client.list_tools())

    assert lib.talk(server, names) == ["own"]
    registry.register(EDIT, handlers.edit)
    assert lib.talk(server, names) == ["edit", "own"]


def test_the_client_may_be_asked_for_approval(lib: Library, handlers: Handlers) -> None:
    """The policy's question as an elicitation."""
    get_context = __import__("fastmcp.server.dependencies", fromlist=["get_context"]).get_context
    registry = make(handlers, policy=Policy())
    asked: list[str] = []

    async def ask(request: Any) -> Any:
        answer = await get_context().elicit(f"Allow {request.shape}?", response_type=bool)
        return "yes" if answer.action == "accept" and answer.data else "no"

    async def elicit(message: str, *_: Any) -> Any:
        asked.append(message)
        return {"value": "/a" in message}

    async def use(client: Any) -> Any:
        first = await client.call_tool("edit", EDITED, raise_on_error=False)
        second = await client.call_tool("edit", {**EDITED, "file_path": "/b"}, raise_on_error=False)
        return first, second

    first, second = lib.talk(
        lib.server(registry, approver=ask), use, mode="legacy", elicitation_handler=elicit
    )
    assert not first.is_error, first
    assert second.is_error
    assert "was not approved" in second.content[0].text
    assert len(asked) == 2
    assert len(handlers.params) == 1
    assert "nobody to ask" in lib.call(registry, "edit", EDITED).content[0].text


def test_a_tool_error_of_fastmcp_passes(lib: Library, registry: ToolRegistry, handlers: Handlers) -> None:
    handlers.raises = lib.exceptions.ToolError("told by FastMCP's own error")
    result = lib.call(registry, "edit", EDITED)
    assert result.is_error
    assert result.content[0].text == "told by FastMCP's own error"


def test_cancelling_the_request_cancels_the_handler(
    lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    async def use(client: Any) -> None:
        running = asyncio.create_task(client.call_tool("grep", {"pattern": "x"}))
        await asyncio.wait_for(handlers.started.wait(), 60)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.wait_for(handlers.cancelled.wait(), 60)

    lib.talk(lib.server(registry), use)


def test_what_a_fastmcp_server_returned_is_what_the_model_gets(framework: Callable[[str], Any]) -> None:
    """A FastMCP tool, and one with its output schema as `result`, whose handler returns the same value."""
    fastmcp, pydantic = framework("fastmcp"), framework("pydantic")

    class Row(pydantic.BaseModel):  # type: ignore[misc]
        n: float = 1.5
        hidden: bool = False

    class Report(pydantic.BaseModel):  # type: ignore[misc]
        name: str
        count: int = 0
        note: str | None = None
        tags: list[str] = ["a"]  # noqa: RUF012 - pydantic copies it
        rows: list[Row] = []  # noqa: RUF012

    server = fastmcp.FastMCP("reports")

    @server.tool
    def report(full: bool) -> Report:
        """Give a report."""
        return Report(name="x", rows=[Row(), Row(n=2)]) if full else Report(name="", note="n", tags=[])

    report.__annotations__.update({"full": bool, "return": Report})

    async def calls() -> tuple[Any, list[Any]]:
        async with fastmcp.Client(server) as client:
            (tool,) = await client.list_tools()
            results = [await client.call_tool("report", {"full": full}) for full in (True, False)]
            return tool, [result.structured_content for result in results]

    tool, returned = asyncio.run(calls())
    sources = {"report.json": spec(tool.input_schema, result=tool.output_schema)}
    with package(sources, options=Options(providers=("openai", "mcp"))) as tools:
        binding = tools["report"]
        for content in returned:
            value = msgspec.convert(content, binding.result)
            registry = ToolRegistry()
            registry.register(binding, lambda params, context, value=value: value)  # noqa: ARG005
            for provider in ("openai", None):
                result = asyncio.run(registry.execute("report", {"full": True}, provider))
                assert json.loads(result.output) == content


def test_external_tools_are_left_out(
    lib: Library, registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.replace(structs.replace(EDIT, external=True))
    listed = lib.talk(lib.server(registry), lambda client: client.list_tools())
    assert [tool.name for tool in listed] == [name for name in registry.names if name != "edit"]
    assert "Tool 'edit' is not offered to MCP clients: it is external" in caplog.text
