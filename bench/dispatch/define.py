"""One contestant, one process: a thousand tools from nothing to a request's bytes. Prints the cost as JSON.

    python -m bench.dispatch.define FOLDER CONTESTANT

Nothing but the standard library is imported before the clock starts. FOLDER holds what `thousand` wrote.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

Ready = Callable[[], bytes]
"""From the tools' source to all definitions as a JSON array."""


def resident() -> float:
    """MiB that this process holds."""
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the kernel does not say how much memory a process holds")


def toolcast(loaded: bool = False) -> Ready:
    """`loaded` imports every tool's module at once, which else waits for the tool's first call."""
    from toolcast.runtime import ToolRegistry

    async def handler(_params: Any, _context: Any) -> str:
        return "done"

    def ready() -> bytes:
        from compiled.registry import BINDINGS, register_all

        registry = ToolRegistry()
        if loaded:
            for binding in BINDINGS.values():
                registry.register(binding, handler)
        else:
            register_all(registry, **dict.fromkeys(BINDINGS, handler))
        kept.append(registry)
        return registry.definitions("openai")

    return ready


def openai_agents() -> Ready:
    from agents import function_tool

    def ready() -> bytes:
        from functions import TOOLS

        made: list[Any] = [
            function_tool(function, description_override=text) for function, text in TOOLS.values()
        ]
        kept.extend(made)
        return _dump([_openai(tool.name, tool.description, tool.params_json_schema) for tool in made])

    return ready


def fastmcp() -> Ready:
    from fastmcp.tools import Tool

    def ready() -> bytes:
        from functions import TOOLS

        made = [
            Tool.from_function(function, name=name, description=text)
            for name, (function, text) in TOOLS.items()
        ]
        kept.extend(made)
        return _dump(
            [tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True) for tool in made]
        )

    return ready


def langchain() -> Ready:
    from langchain_core.tools import StructuredTool
    from langchain_core.utils.function_calling import convert_to_openai_tool

    def ready() -> bytes:
        from functions import TOOLS

        made = [
            StructuredTool.from_function(coroutine=function, name=name, description=text)
            for name, (function, text) in TOOLS.items()
        ]
        kept.extend(made)
        return _dump([convert_to_openai_tool(tool) for tool in made])

    return ready


def pydantic_ai() -> Ready:
    from pydantic_ai import Tool

    def ready() -> bytes:
        from functions import TOOLS

        made: list[Any] = [
            Tool(function, name=name, description=text) for name, (function, text) in TOOLS.items()
        ]
        kept.extend(made)
        told = [tool.tool_def for tool in made]
        return _dump([_openai(each.name, each.description, each.parameters_json_schema) for each in told])

    return ready


def _openai(name: str, description: str, parameters: Any) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def _dump(listed: list[Any]) -> bytes:
    return json.dumps(listed, separators=(",", ":")).encode()


kept: list[Any] = []
CONTESTANTS: dict[str, Callable[[], Ready]] = {
    "toolcast": toolcast,
    "toolcast, every module imported": lambda: toolcast(loaded=True),
    "pydantic-ai": pydantic_ai,
    "openai-agents": openai_agents,
    "FastMCP": fastmcp,
    "LangChain": langchain,
}


def main(folder: str, name: str) -> None:
    """Measure one."""
    sys.path.insert(0, folder)
    before, begun = resident(), perf_counter()
    ready = CONTESTANTS[name]()
    imported, held = perf_counter() - begun, resident() - before
    definitions = ready()
    whole = perf_counter() - begun
    took = {
        "import": imported,
        "tools": whole - imported,
        "import_mib": held,
        "tools_mib": resident() - before - held,
    }
    count = len(json.loads(definitions))
    print(json.dumps({**took, "count": count}))


if __name__ == "__main__":
    main(*sys.argv[1:])
