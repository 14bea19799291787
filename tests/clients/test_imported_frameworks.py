"""What frameworks' tools are imported as is what those frameworks send to models themselves."""

# ruff: noqa: ARG001 - signatures are what is read

import asyncio
import dataclasses
import datetime
import json
import sys
import types
from collections.abc import Iterator
from typing import Annotated, Any

import pydantic
import pytest
from toolcast.importers.declared_tools import Declared
from toolcast.importers.python_objects.read_object import read_object
from toolcast.importers.spec_text import declared_keys
from toolcast.runtime import AdaptError, Content, ToolContext, ToolRegistry, adapt
from toolcast.runtime.functions.adapt import obstacle

from tests.clients.conftest import Client
from tests.python.compiled import package, spec

APP = "toolcast_tested_frameworks"


@pytest.fixture
def app() -> Iterator[types.ModuleType]:
    """A module of the program, in which each test puts its tools."""
    module = types.ModuleType(APP)
    sys.modules[APP] = module
    yield module
    del sys.modules[APP]


def read(name: str) -> dict[str, Declared]:
    """The tools of an object by their names in specs."""
    found = read_object(f"{APP}:{name}")
    assert found.diagnostics == ()
    return {tool.spec_name or tool.name: tool for tool in found.tools}


def forecast(city: str, days: int = 3) -> dict[str, float]:
    """Get the forecast.

    Args:
        city: Name of the city.
        days: How many days.
    """
    return {city: float(days)}


async def hello(name: str) -> str:
    """Say hello."""
    return f"hello {name}"


def mcp_fields(listed: Any) -> Any:
    return listed.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_a_fastmcp_server(client: Client, app: types.ModuleType) -> None:
    fastmcp = client("fastmcp")
    server = app.server = fastmcp.FastMCP("weather")

    def with_context(ctx: Any, city: str) -> str:
        return city

    with_context.__annotations__["ctx"] = fastmcp.Context
    icons = [client("mcp.types").Icon(src="https://example.com/a.png")]
    server.tool(
        forecast, annotations={"readOnlyHint": True, "title": "Forecast"}, tags={"weather"}, icons=icons
    )
    server.tool(hello, meta={"team": "a"})
    server.tool(with_context)

    async def listed() -> list[Any]:
        async with fastmcp.Client(server) as session:
            tools: list[Any] = await session.list_tools()
            return tools

    expected = {tool.name: mcp_fields(tool) for tool in asyncio.run(listed())}
    tools = read("server")
    assert set(tools) == set(expected) == {"forecast", "hello", "with_context"}
    for name, tool in tools.items():
        assert tool.parameters == expected[name]["inputSchema"]
        assert tool.result == expected[name].get("outputSchema")
        assert tool.description == expected[name].get("description", "")
        assert tool.meta == expected[name].get("_meta", {})
        assert list(tool.icons) == expected[name].get("icons", [])
    assert tools["forecast"].annotations["title"] == "Forecast"
    assert tools["forecast"].read_only is True
    assert tools["forecast"].name == f"{forecast.__module__}:forecast"
    assert tools["forecast"].line == forecast.__code__.co_firstlineno
    assert tools["with_context"].name == f"{APP}:server#with_context"


def test_a_server_of_the_mcp_sdk(client: Client, app: types.ModuleType) -> None:
    server = app.server = client("mcp.server.mcpserver").MCPServer("weather")
    server.tool()(forecast)
    app.hello = server.tool()(hello)
    expected = {tool.name: mcp_fields(tool) for tool in asyncio.run(server.list_tools())}
    tools = read("server")
    assert set(tools) == set(expected) == {"forecast", "hello"}
    for name, tool in tools.items():
        assert tool.parameters == expected[name]["inputSchema"]
        assert tool.result == expected[name].get("outputSchema")
    assert (tools["hello"].name, tools["hello"].line) == (f"{APP}:hello", hello.__code__.co_firstlineno)
    assert tools["forecast"].name == f"{APP}:server#forecast"


def test_a_server_of_fastmcp_2(client: Client, app: types.ModuleType) -> None:
    """It has no `list_tools`; `get_tools` gives tools by the names that clients see."""
    client("fastmcp")
    made = client("fastmcp.tools").Tool.from_function(forecast)

    class FastMCP:
        __module__ = "fastmcp.server.server"

        async def get_tools(self) -> dict[str, Any]:
            return {"weather_forecast": made}

    app.server = FastMCP()
    (tool,) = read("server").values()
    assert (tool.spec_name, tool.name) == ("weather_forecast", f"{forecast.__module__}:forecast")
    assert tool.parameters == made.parameters


def test_langchain_tools(client: Client, app: types.ModuleType) -> None:
    tools = client("langchain_core.tools")
    convert = client("langchain_core.utils.function_calling").convert_to_openai_tool
    made = tools.tool(parse_docstring=True)(forecast)

    def tenant(city: str, tenant: Any) -> str:
        """Get it."""
        return city

    tenant.__annotations__["tenant"] = Annotated[str, tools.InjectedToolArg]
    app.TOOLS = [
        made,
        tools.StructuredTool.from_function(tenant),
        tools.StructuredTool(
            name="plain",
            description="Plain.",
            args_schema={"type": "object", "properties": {"city": {"type": "string"}}},
            func=forecast,
        ),
    ]
    found = read("TOOLS")
    assert list(found) == ["forecast", "tenant", "plain"]
    for each in app.TOOLS:
        function = convert(each)["function"]
        tool = found[each.name]
        assert tool.description == function["description"]
        assert without_titles(tool.parameters) == without_titles(function["parameters"])
    assert "tenant" not in found["tenant"].parameters["properties"]
    assert found["forecast"].parameters["properties"]["city"]["description"] == "Name of the city."


def without_titles(schema: Any) -> Any:
    """`convert_to_openai_tool` drops the titles that pydantic makes up."""
    if isinstance(schema, list):
        return [without_titles(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: without_titles(each)
        for key, each in schema.items()
        if not (key == "title" and isinstance(each, str))
    }


def test_openai_agents_tools(client: Client, app: types.ModuleType) -> None:
    agents = client("agents")

    def with_context(ctx: Any, city: str) -> str:
        return city

    with_context.__annotations__["ctx"] = agents.RunContextWrapper[Any]
    strict = agents.function_tool(forecast)
    loose = agents.function_tool(hello, strict_mode=False)
    context = agents.function_tool(with_context)
    app.agent = agents.Agent(name="weather", tools=[strict, loose, context])
    app.forecast = strict
    found = read("agent")
    for each in (strict, loose, context):
        assert found[each.name].parameters == each.params_json_schema
        assert found[each.name].description == each.description
        assert found[each.name].providers["openai"] == {"strict": each.strict_json_schema}
    assert list(found["with_context"].parameters["properties"]) == ["city"]
    assert found["forecast"].name == f"{APP}:agent#forecast"  # `adapt` finds no function in it
    assert read("forecast")["forecast"].parameters == strict.params_json_schema


def test_pydantic_ai_tools(client: Client, app: types.ModuleType) -> None:
    ai = client("pydantic_ai")
    test_model = client("pydantic_ai.models.test").TestModel

    def with_context(ctx: Any, city: str) -> str:
        """Get it."""
        return city

    with_context.__annotations__["ctx"] = ai.RunContext[Any]
    app.tool = ai.Tool(with_context)
    app.toolset = ai.FunctionToolset([forecast, app.tool])
    app.agent = ai.Agent(toolsets=[app.toolset.prefixed("w")])
    app.agent.tool_plain(hello)

    def sent(toolset: Any) -> dict[str, Any]:
        model = test_model(call_tools=[])
        agent = toolset if isinstance(toolset, ai.Agent) else ai.Agent(toolsets=[toolset])
        asyncio.run(agent.run("x", model=model))
        return {tool.name: tool for tool in model.last_model_request_parameters.function_tools}

    for name in ("toolset", "agent"):
        expected, found = sent(getattr(app, name)), read(name)
        assert set(found) == set(expected)
        for each, definition in expected.items():
            assert found[each].parameters == definition.parameters_json_schema
            assert found[each].description == (definition.description or "")
            asked = found[each].providers.get("openai", {})
            assert asked.get("strict") == definition.strict
    assert set(read("agent")) == {"hello", "w_forecast", "w_with_context"}
    assert read("toolset")["forecast"].name == f"{forecast.__module__}:forecast"
    assert list(read("tool")["with_context"].parameters["properties"]) == ["city"]


def test_how_calls_of_pydantic_ai_run(client: Client, app: types.ModuleType) -> None:
    ai = client("pydantic_ai")
    toolset = ai.FunctionToolset([forecast, ai.Tool(hello, sequential=True)])
    app.toolset = toolset
    found = read("toolset")
    assert [(each.parallel, each.external) for each in found.values()] == [(True, False), (False, False)]
    definition = client("pydantic_ai.tools").ToolDefinition(name="ask")
    app.outside = client("pydantic_ai.toolsets.external").ExternalToolset([definition])
    (asked,) = read("outside").values()
    assert (asked.parallel, asked.external) == (True, True)
    keys = [declared_keys(each, "t", 0) for each in (found["forecast"], found["hello"], asked)]
    stated = [{key: data[key] for key in ("parallel", "external") if key in data} for data in keys]
    assert stated == [{}, {"parallel": False}, {"external": True}]


COMPLETED = dict.fromkeys(
    ("sdk", "pydantic_ai", "agents"),
    "test_plain_functions_lose_the_contexts_of_frameworks.<locals>.function(ctx=…, city=params.city)",
)


def test_plain_functions_lose_the_contexts_of_frameworks(client: Client, app: types.ModuleType) -> None:
    contexts = {
        "sdk": client("mcp.server.mcpserver").Context,
        "pydantic_ai": client("pydantic_ai").RunContext[int],
        "agents": client("agents").RunContextWrapper[int] | None,
    }
    for name, context in contexts.items():

        def function(ctx: Any, city: str) -> str:
            return city

        function.__annotations__["ctx"] = context
        setattr(app, name, function)
        (tool,) = read(name).values()
        assert list(tool.parameters["properties"]) == ["city"]
        assert obstacle(function).endswith("completes " + COMPLETED[name])
        with package({"tool.yaml": spec(tool.parameters)}) as bindings, pytest.raises(AdaptError) as caught:
            adapt(function, bindings["tool"])
        assert "passes such a value; give the parameter a default" in str(caught.value)


def test_what_fastmcp_fills_in_is_filled_in(client: Client, app: types.ModuleType) -> None:
    """FastMCP's own stand-ins for values are defaults of the signature, and no values for a handler. Without
    a client, messages go nowhere, and nobody can be asked."""
    fastmcp, server = client("fastmcp"), client("fastmcp").FastMCP("s")
    depends = client("fastmcp.dependencies").Depends

    async def with_context(city: str, ctx: Any) -> str:
        await ctx.info("x")
        await ctx.report_progress(1)
        return f"{city} {ctx.session_id == ctx.session_id} {ctx.request_id}"

    async def asks(city: str, ctx: Any) -> str:
        return str(await ctx.elicit(city, ["a"]))

    def with_dependency(city: str, user: str = depends(lambda: "bo")) -> str:
        return f"{city} {user}"

    for function in (with_context, asks):
        function.__annotations__["ctx"] = fastmcp.Context
    outcomes = []
    for function in (with_context, with_dependency, asks):
        app.tool = server.tool(function)  # type: ignore[attr-defined]  # a module made here
        (declared,) = read("tool").values()
        assert declared.by_hand == ""
        assert isinstance(declared.parameters, dict)
        assert declared.parameters["properties"].keys() == {"city"}
        with package({"tool.yaml": spec(declared.parameters)}) as bindings:
            registry = ToolRegistry()
            registry.register(bindings["tool"], adapt(app.tool, bindings["tool"]))
            context = ToolContext(call_id="7")
            outcomes.append(asyncio.run(registry.execute("tool", {"city": "Rome"}, None, context)))
    assert [result.output for result in outcomes] == ["Rome True 7", "Rome bo", ""]
    assert "takes no questions" in outcomes[2].error


def test_plain_functions_with_content_state_no_result(client: Client, app: types.ModuleType) -> None:
    image, block = client("fastmcp.utilities.types").Image, client("mcp.types").ImageContent

    def draw() -> Any:
        return [
            "a",
            image(data=b"abc", format="png"),
            block(type="image", data="YWJj", mime_type="image/png"),
        ]

    draw.__annotations__["return"] = list[str | image | block]  # type: ignore[valid-type]
    app.draw = draw
    (tool,) = read("draw").values()
    assert tool.result is None
    with package({"tool.yaml": spec(tool.parameters)}) as bindings:
        registry = ToolRegistry()
        registry.register(bindings["tool"], adapt(draw, bindings["tool"]))
        result = asyncio.run(registry.execute("tool", {}))
    assert (result.output, result.content) == ("a", (Content.image(b"abc", "image/png"),) * 2)


def test_content_and_artifacts_of_langchain(client: Client, app: types.ModuleType) -> None:
    make = client("langchain_core.tools").tool
    image = {"type": "image", "base64": "YWJj", "mime_type": "image/png"}

    @make(response_format="content_and_artifact")
    def both() -> Any:
        """Draw."""
        return [{"type": "text", "text": "a"}, image, {"type": "other"}], {"b": None}

    @make
    def blocks() -> Any:
        """Draw."""
        return [image]

    @make
    def data() -> Any:
        """List."""
        return [{"type": "row"}]

    outcomes = []
    with package({"tool.yaml": spec({"type": "object", "properties": {}})}) as bindings:
        for tool in (both, blocks, data):
            registry = ToolRegistry()
            registry.register(bindings["tool"], adapt(tool, bindings["tool"]))
            outcomes.append(asyncio.run(registry.execute("tool", {})))
    piece = Content.image(b"abc", "image/png")
    assert [(each.output, each.data) for each in outcomes] == [
        ("a", {"b": None}),
        ("", None),
        ('[{"type":"row"}]', [{"type": "row"}]),
    ]
    assert [each.content for each in outcomes] == [
        (piece, Content.of('{"type":"other"}')),
        (piece,),
        (),
    ]


def test_tools_of_frameworks_run_as_handlers(client: Client, app: types.ModuleType) -> None:
    server = client("fastmcp").FastMCP("weather")
    server.tool(forecast)
    server.tool(hello)
    app.server = server
    tools = {tool.name: tool for tool in asyncio.run(server.list_tools())}
    tools["langchain"] = client("langchain_core.tools").tool(forecast)
    tools["pydantic_ai"] = client("pydantic_ai").Tool(hello)
    imported = read("server")
    for name, tool in tools.items():
        declared = imported["hello" if name in ("hello", "pydantic_ai") else "forecast"]
        arguments = {"name": "Ann"} if declared.spec_name == "hello" else {"city": "Rome"}
        with package({"tool.yaml": spec(declared.parameters, result=declared.result)}) as bindings:
            registry = ToolRegistry(check_results=True)
            registry.register(bindings["tool"], adapt(tool, bindings["tool"]))
            result = asyncio.run(registry.execute("tool", arguments))
        assert result.success, result.error
        expected = "hello Ann" if declared.spec_name == "hello" else '{"Rome":3.0}'
        assert result.output.replace(" ", "") == expected.replace(" ", "")
        with (
            pytest.raises(AdaptError, match="holds no function"),
            package({"tool.yaml": spec(declared.parameters)}) as bindings,
        ):
            adapt(client("agents").function_tool(forecast), bindings["tool"])


@dataclasses.dataclass
class Report:
    text: str
    values: list[float]


class Model(pydantic.BaseModel):
    when: datetime.date
    report: Report | None


RETURNED: list[tuple[Any, Any]] = [
    (str, "x"),
    (int, 3),
    (float, 1.5),
    (bool, True),
    (list[int], [1, 2]),
    (list[Report], [Report("x", [1.5])]),
    (dict[str, int], {"a": 1}),
    (Report, Report("x", [1.5])),
    (Model, Model(when=datetime.date(2024, 5, 6), report=None)),
    (Model, Model(when=datetime.date(2024, 5, 6), report=Report("x", []))),
    (str | None, "x"),
    (str, "[1]"),
    (Report | None, Report("x", [1.5])),
    (datetime.date, datetime.date(2024, 5, 6)),
]


@pytest.mark.parametrize(("returns", "value"), RETURNED)
def test_what_fastmcp_returns_is_what_a_handler_returns(
    client: Client, app: types.ModuleType, returns: Any, value: Any
) -> None:
    fastmcp = client("fastmcp")

    def tool() -> Any:
        return value

    tool.__annotations__["return"] = returns
    server = app.server = fastmcp.FastMCP("server")
    server.tool(tool)

    async def called() -> Any:
        async with fastmcp.Client(server) as session:
            return await session.call_tool("tool", {})

    expected = asyncio.run(called())
    (declared,) = read("server").values()
    with package({"tool.yaml": spec(declared.parameters, result=declared.result)}) as bindings:
        registry = ToolRegistry(check_results=True)
        registry.register(bindings["tool"], adapt(tool, bindings["tool"]))
        result = asyncio.run(registry.execute("tool", {}))
        assert result.success, result.error
        assert json.loads(bindings["tool"].encode_result(result.data)) == expected.structured_content
    (content,) = expected.content
    assert result.output == content.text


def test_a_framework_that_fails_is_told_in_words(client: Client, app: types.ModuleType) -> None:
    ai = client("pydantic_ai")

    async def prepare(ctx: Any, definition: Any) -> Any:
        return None if ctx.deps.admin else definition

    app.toolset = ai.FunctionToolset([ai.Tool(forecast, prepare=prepare)])
    found = read_object(f"{APP}:toolset")
    assert found.tools == ()
    (problem,) = found.diagnostics
    assert "it cannot be read: AttributeError" in problem.message
