"""Tools of frameworks as declarations, with the schema that the framework itself sends to models.

No framework is imported here: an object of one exists only where the program has imported it.
"""

import asyncio
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, structs

from ...runtime.functions.signature import plain_function
from ..declared_tools import Declared, ShapeError, read_shape
from ..tool_lists import Element
from .targets import Origin, import_name, place_of

_Read = Callable[[object, Origin], Iterator[Declared]]
"""Yields the tools of an object. Raises FrameworkError, and whatever the framework raises."""


class FrameworkError(Exception):
    """An object that declares no tool; the message follows "app:tool: "."""


class _Kind(Struct, frozen=True):
    package: str
    class_name: str
    read: _Read


def framework_reader(value: object) -> _Read | None:
    """Return the reader for an object of a framework; None where it is of none."""
    for base in type(value).__mro__:
        for kind in _KINDS:
            if base.__name__ == kind.class_name and f"{base.__module__}.".startswith(f"{kind.package}."):
                return kind.read
    return None


def _server(server: Any, origin: Origin) -> Iterator[Declared]:
    """Return the tools that servers of FastMCP and the MCP SDK list for clients."""
    if hasattr(server, "list_tools"):
        listed = {tool.name: tool for tool in asyncio.run(_resolved(server.list_tools()))}
    else:  # FastMCP 2
        listed = asyncio.run(_resolved(server.get_tools()))
    for name, tool in listed.items():
        yield structs.replace(_mcp_tool(tool, origin, own_name=False), spec_name=name)


def _fastmcp_tool(tool: object, origin: Origin) -> Iterator[Declared]:
    yield _mcp_tool(tool, origin, own_name=True)


def _mcp_tool(tool: Any, origin: Origin, *, own_name: bool) -> Declared:
    listed = tool.to_mcp_tool() if hasattr(tool, "to_mcp_tool") else tool
    data = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
    element = Element(file=origin.place.file, line=origin.place.line, location=origin.target, data=data)
    try:
        declared = read_shape(element)
    except ShapeError as error:
        raise FrameworkError(f"it lists a tool that {error}") from None
    return _placed(declared, tool, origin, own_name=own_name)


def _langchain_tool(tool: Any, origin: Origin) -> Iterator[Declared]:
    """Return a tool of LangChain with the schema of a call, without injected arguments."""
    schema = tool.tool_call_schema
    if isinstance(schema, Mapping):
        parameters: Any = dict(schema)
    elif hasattr(schema, "model_json_schema"):
        parameters = schema.model_json_schema()
    else:
        raise FrameworkError("its arguments are of pydantic 1, which cannot be read: use pydantic 2")
    parameters = {key: value for key, value in parameters.items() if key not in ("title", "description")}
    yield _declared(tool, origin, description=tool.description, parameters=parameters)


def _langchain_toolkit(toolkit: Any, origin: Origin) -> Iterator[Declared]:
    for tool in toolkit.get_tools():
        yield from _item(tool, origin)


def _agents_tool(tool: Any, origin: Origin) -> Iterator[Declared]:
    """Return a function tool of openai-agents, with the schema changes of strict mode where it is on."""
    yield _declared(
        tool,
        origin,
        description=tool.description,
        parameters=tool.params_json_schema,
        strict=bool(tool.strict_json_schema),
    )


def _agents_agent(agent: Any, origin: Origin) -> Iterator[Declared]:
    for tool in agent.tools:
        yield from _item(tool, origin)


def _item(tool: object, origin: Origin) -> Iterator[Declared]:
    read = framework_reader(tool)
    if read is None:
        raise FrameworkError(f"it holds a tool of type {type(tool).__name__}, which states no schema")
    for declared in read(tool, origin):
        yield structs.replace(declared, name=item_name(tool, declared.spec_name or declared.name, origin))


def _pydantic_ai_tool(tool: Any, origin: Origin) -> Iterator[Declared]:
    yield _pydantic_ai_definition(tool.tool_def, tool, origin, own_name=True)


def _pydantic_ai_toolset(toolset: Any, origin: Origin) -> Iterator[Declared]:
    """Return the tools of a pydantic-ai toolset in the first step of a run without dependencies."""
    ai = sys.modules["pydantic_ai"]
    context = ai.RunContext(deps=None, model=_NoModel(), usage=ai.RunUsage())
    found = asyncio.run(_resolved(toolset.get_tools(context)))
    functions = getattr(toolset, "tools", {})
    for name, tool in found.items():
        source = functions.get(name) if isinstance(functions, Mapping) else None
        yield _pydantic_ai_definition(tool.tool_def, source, origin, own_name=False)


def _pydantic_ai_agent(agent: Any, origin: Origin) -> Iterator[Declared]:
    for toolset in agent.toolsets:
        yield from _pydantic_ai_toolset(toolset, origin)


def _pydantic_ai_definition(definition: Any, tool: object, origin: Origin, *, own_name: bool) -> Declared:
    declared = Declared(
        name=definition.name,
        description=definition.description or "",
        parameters=definition.parameters_json_schema,
        result=getattr(definition, "return_schema", None),
        strict=definition.strict,
        parallel=not getattr(definition, "sequential", False),
        external=getattr(definition, "kind", "function") == "external",
        file=origin.place.file,
        line=origin.place.line,
        location=origin.target,
    )
    return _placed(declared, tool, origin, own_name=own_name)


class _NoModel:
    """Stands for a model where tools are listed and none is asked."""


def _declared(tool: Any, origin: Origin, **stated: Any) -> Declared:
    declared = Declared(
        name=tool.name, file=origin.place.file, line=origin.place.line, location=origin.target, **stated
    )
    return _placed(declared, tool, origin, own_name=True)


def _placed(declared: Declared, tool: object, origin: Origin, *, own_name: bool) -> Declared:
    """Return `declared` where its function is. `own_name`: `origin` is the tool, no server or toolset."""
    function = plain_function(tool)
    if not own_name:
        name = item_name(tool, declared.name, origin)
    else:
        name = origin.target if callable(function) else f"{origin.target}#{declared.name}"
    if not inspect.isroutine(function):  # what a server lists holds no function
        function = _attribute(tool, declared.name, origin)
    place = place_of(function, origin.place)
    return structs.replace(
        declared,
        name=name,
        spec_name=declared.name,
        file=place.file,
        line=place.line,
        location=origin.target if own_name else f"{origin.target}, tool {declared.name!r},",
    )


def item_name(tool: object, name: str, origin: Origin) -> str:
    """Return `app:get_forecast` where Python finds so what `adapt` takes; else `app:server#get_forecast`."""
    found = import_name(plain_function(tool))
    if found is None and callable(plain_function(_attribute(tool, name, origin))):
        found = f"{origin.module}:{name}"
    return found or f"{origin.target}#{name}"


def _attribute(tool: object, name: str, origin: Origin) -> object:
    """Return the attribute of the target's module that has the tool's name, if it is the tool or its function
    as decorators leave it. A server's listing holds no function; then any of that name counts.
    """
    found = getattr(sys.modules.get(origin.module), name, None)
    function = plain_function(tool)
    if found is None or found is tool:
        return found
    if function is tool or function is None:
        return found if inspect.isfunction(found) else None
    return found if plain_function(found) is function else None


async def _resolved(value: Any) -> Any:
    return await value


_KINDS = (
    _Kind("fastmcp.server", "FastMCP", _server),
    _Kind("fastmcp.tools", "Tool", _fastmcp_tool),
    _Kind("mcp.server.mcpserver", "MCPServer", _server),
    _Kind("mcp.server.fastmcp", "FastMCP", _server),
    _Kind("langchain_core.tools", "BaseTool", _langchain_tool),
    _Kind("langchain_core.tools", "BaseToolkit", _langchain_toolkit),
    _Kind("agents.tool", "FunctionTool", _agents_tool),
    _Kind("agents.agent", "Agent", _agents_agent),
    _Kind("pydantic_ai.tools", "Tool", _pydantic_ai_tool),
    _Kind("pydantic_ai.toolsets", "AbstractToolset", _pydantic_ai_toolset),
    _Kind("pydantic_ai.agent", "AbstractAgent", _pydantic_ai_agent),
)
"""The MCP SDK's first major version calls its server FastMCP, its second MCPServer."""
