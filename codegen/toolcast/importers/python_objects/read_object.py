"""`MODULE:NAME` → declarations of tools: each object by what it is.

A tool of a framework has the schema that the framework itself sends to models. No framework is imported here:
an object of one exists only where the program has imported it. Runs the user's modules, in a process of its
own: `python -m … OUT TARGET…`.
"""

import asyncio
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct, structs

from ...diagnostics import Diagnostic
from ...jsonschema.json_values import nested_objects
from ...runtime.functions.adapt import obstacle
from ...runtime.functions.signature import plain_function
from ..declared_tools import Declarations, Declared, ShapeError, read_shape, wishes
from ..spec_text import UnwritableError, check_writable
from ..tool_lists import Element
from .functions import declare_class, declare_function, snake_case
from .targets import Origin, SourcePlace, TargetError, import_name, load_target, place_of, shown

_ToolReader = Callable[[object, Origin], Iterator[Declared]]
"""Yields the tools of an object. Raises FrameworkError, and whatever the framework raises."""


class FrameworkError(Exception):
    """An object that declares no tool; the message follows "app:tool: "."""


class _Kind(Struct, frozen=True):
    package: str
    class_name: str
    read: _ToolReader


def framework_reader(value: object) -> _ToolReader | None:
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
        providers=wishes(bool(tool.strict_json_schema)),
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
        providers=wishes(definition.strict),
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
        by_hand=obstacle(function),
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


_MAX_DEPTH = 4
"""Collections within collections."""
_MAX_ITEMS = 5_000
_EXPECTED = (
    "name a function, a class with fields, a FastMCP server, a tool of LangChain, openai-agents or "
    "pydantic-ai, or a list of such"
)
_Read: TypeAlias = Declared | Diagnostic


def read_object(target: str) -> Declarations:
    """Read the tools that `MODULE:NAME` declares: a function, class, tool, server, toolset, or collection of
    them.

    Runs its module, which is searched as `python -m` does. Each object is a source of its own: a tool that is
    gone from one says nothing about others.
    """
    try:
        module, value = load_target(target)
    except TargetError as error:
        return Declarations(tools=(), diagnostics=(error.diagnostic,), kind="python", label=target)
    _load_pydantic()
    place = SourcePlace(shown(getattr(module, "__file__", None) or module.__name__))
    found = list(_read(value, target, place, 0))
    return Declarations(
        tools=tuple(each for each in found if isinstance(each, Declared)),
        diagnostics=tuple(each for each in found if not isinstance(each, Declared)),
        kind="python",
        label=target,
    )


def _load_pydantic() -> None:
    """Import pydantic, which reads the constraints of annotated-types, where a program has those."""
    if "annotated_types" in sys.modules:
        importlib.import_module("pydantic")


def _read(value: object, target: str, place: SourcePlace, depth: int) -> Iterator[_Read]:
    origin = Origin(target=target, place=place)
    if isinstance(value, (list, tuple, set, frozenset, Mapping)):
        yield from _items(value, origin, depth)
        return
    origin = Origin(target=target, place=place_of(value, place))
    try:
        for found in _declare(value, origin):
            yield _checked(found, origin) if isinstance(found, Declared) else found
    except FrameworkError as error:
        yield origin.problem("import-python-tool", str(error), _EXPECTED)
    except Exception as error:  # frameworks and the program's own types run here
        words = f"{type(error).__name__}: {str(error)[:300]}"
        yield origin.problem("import-python-tool", f"it cannot be read: {words}")


def _items(value: Any, origin: Origin, depth: int) -> Iterator[_Read]:
    if depth >= _MAX_DEPTH or len(value) > _MAX_ITEMS:
        message = f"it holds more than {_MAX_DEPTH} levels of collections, or more than {_MAX_ITEMS} items"
        yield origin.problem("import-python-tool", message, _EXPECTED)
        return
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    names: set[str] = set()
    for key, item in pairs:
        target = f"{origin.target}[{key!r}]"
        for found in _read(item, target, origin.place, depth + 1):
            named = found
            if isinstance(found, Declared) and found.name.startswith(target):
                # Not by its index, which is another tool's when one comes into the collection or leaves it.
                name = item_name(item, found.spec_name or found.name, origin)
                named = found if name in names else structs.replace(found, name=name)
            if isinstance(named, Declared):
                names.add(named.name)
            yield named


def _declare(value: object, origin: Origin) -> Iterator[_Read]:
    reader = framework_reader(value)
    if reader is not None:
        yield from reader(value, origin)
        return
    if isinstance(value, type):
        declared, problems = declare_class(value, origin)
    elif callable(value):
        declared, problems = declare_function(value, _function_name(value, origin), origin)
    else:
        kind = type(value).__name__
        yield origin.problem("import-python-tool", f"an object of type {kind} declares no tool", _EXPECTED)
        return
    yield from problems
    if declared is not None:
        yield declared


def _function_name(function: object, origin: Origin) -> str:
    """Return the function's own name; else the name under which the program keeps it."""
    if inspect.isroutine(function) and function.__name__.isidentifier():
        return function.__name__
    kept = origin.target.rpartition(":")[2].rpartition(".")[2].partition("[")[0]
    key = origin.target.rpartition("[")[2].rstrip("]").strip("'\"")
    return key if origin.target.endswith("]") and not key.isdigit() else snake_case(kept)


def _checked(declared: Declared, origin: Origin) -> _Read:
    try:
        check_writable(
            [
                *(declared.spec_name or declared.name, declared.description, declared.parameters),
                *(declared.result, declared.annotations, list(declared.icons), declared.meta),
            ]
        )
    except UnwritableError as error:
        return origin.problem("import-unwritable", f"it cannot be written as YAML: {error}")
    # The function's own values: a Struct leaves out what equals its default.
    stated = any("default" in each for each in nested_objects(declared.result))
    return structs.replace(declared, keeps_defaults=stated)


def main() -> None:
    """Write the declarations of all targets to the file OUT, as JSON."""
    out, *targets = sys.argv[1:]
    sys.stdout.flush()
    os.dup2(2, 1)  # what modules print is no output of the command
    declarations = [read_object(target) for target in targets]
    Path(out).write_bytes(msgspec.json.encode(declarations))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads and exit handlers of the modules are not waited for


if __name__ == "__main__":
    main()
