"""What a thousand tools hold in memory once each was called, beside others that validate.

    python -m bench.memory --write docs/reports/performance.md [--python .venv-peers/bin/python]

Each contestant defines the same thousand tools in fresh processes of its own, makes the bytes of all
definitions, and is called once for each tool with valid arguments as JSON text: so that whatever is made for
a tool when it is first used is there. What counts is the process's resident memory, after the library was
imported, after the definitions, and after the calls. Modules are compiled before.
"""

import argparse
import asyncio
import gc
import json
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from .dispatch import fresh, thousand
from .dispatch.define import CONTESTANTS, Ready, kept, resident
from .dispatch.project import compiled
from .marked import write
from .speed.timing import BenchError

Use = Callable[[str, bytes], Awaitable[Any]]
"""A call of a tool by its name with arguments as JSON text."""
PART = "memory"
VALUES: Mapping[str, Any] = {
    "path": "/a", "order": "asc", "filter": {"key": "size", "least": 1.5}, "limit": 20, "tags": ["a", "b"],
    "cursor": "next", "dry_run": True,
}  # fmt: skip
"""Arguments by parameter, valid for everyone."""


class Memory(Struct, frozen=True):
    """KiB for each tool: its definition, and what its first call adds."""

    defined: float
    called: float

    @property
    def both(self) -> float:
        return self.defined + self.called


def toolcast(provider: str | None = None) -> Use:
    (registry,) = kept
    return lambda name, text: registry.execute(name, text, provider)


def openai_agents() -> Use:
    from agents.tool import invoke_function_tool
    from agents.tool_context import ToolContext

    tools = {tool.name: tool for tool in kept}

    def use(name: str, text: bytes) -> Awaitable[Any]:
        arguments = text.decode()
        context: Any = ToolContext(
            context=None, tool_name=name, tool_call_id="call_1", tool_arguments=arguments
        )
        return invoke_function_tool(function_tool=tools[name], context=context, arguments=arguments)

    return use


def fastmcp() -> Use:
    tools = {tool.name: tool for tool in kept}
    return lambda name, text: tools[name].run(json.loads(text))


def langchain() -> Use:
    tools = {tool.name: tool for tool in kept}
    return lambda name, text: tools[name].ainvoke(json.loads(text))


def pydantic_ai() -> Use:
    from pydantic_ai import FunctionToolset, RunContext
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager
    from pydantic_ai.usage import RunUsage

    toolset: Any = FunctionToolset(tools=kept)
    context: Any = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    prepared: list[Any] = []

    async def use(name: str, text: bytes) -> Any:
        if not prepared:
            prepared.append(await ToolManager(toolset).for_run_step(context))
            kept.append(prepared[0])
        part = ToolCallPart(tool_name=name, args=text.decode(), tool_call_id="call_1")
        return await prepared[0].handle_call(part)

    return use


def msgspec_ready() -> Ready:
    """Structs as a person writes them, with a decoder for each tool: no registry, no messages of its own."""
    from typing import Annotated, Literal

    import msgspec
    from msgspec import Meta, defstruct

    def annotation(parameter: thousand.Parameter) -> Any:
        text = parameter.schema["description"]
        if parameter.name == "filter":
            kind = defstruct(
                "Filter",
                [
                    ("key", Annotated[str, Meta(description="The field to look at.")]),
                    ("least", Annotated[float, Meta(description="What it must be at least.")]),
                ],
                forbid_unknown_fields=True,
            )
            return Annotated[kind, Meta(description=text)]
        return {
            "path": Annotated[str, Meta(min_length=1, description=text)],
            "order": Annotated[Literal["asc", "desc"], Meta(description=text)],
            "limit": Annotated[int, Meta(ge=0, le=100, description=text)],
            "tags": Annotated[list[str], Meta(max_length=20, description=text)],
            "cursor": Annotated[str | None, Meta(description=text)],
            "dry_run": Annotated[bool, Meta(description=text)],
        }[parameter.name]

    defaults = {"limit": 10, "cursor": None, "dry_run": False}

    def ready() -> bytes:
        listed = []
        for tool in thousand.tools():
            fields: list[Any] = [
                (each.name, annotation(each), defaults[each.name])
                if each.default
                else (each.name, annotation(each))
                for each in tool.parameters
            ]
            kind = defstruct(tool.name, fields, forbid_unknown_fields=True)
            kept.append((tool.name, kind, msgspec.json.Decoder(kind)))
            listed.append({"name": tool.name, "parameters": msgspec.json.schema(kind)})
        return msgspec.json.encode(listed)

    return ready


def msgspec_use() -> Use:
    decoders = {name: decoder for name, _, decoder in kept}

    async def use(name: str, text: bytes) -> str:
        decoders[name].decode(text)
        return "done"

    return use


def pydantic_ready() -> Ready:
    """A model for each tool, as a person writes them."""
    import inspect

    import pydantic

    def ready() -> bytes:
        from functions import TOOLS

        listed = []
        for name, (function, text) in TOOLS.items():
            fields: dict[str, Any] = {
                each.name: (each.annotation, ... if each.default is inspect.Parameter.empty else each.default)
                for each in inspect.signature(function).parameters.values()
            }
            model = pydantic.create_model(name, __config__=pydantic.ConfigDict(extra="forbid"), **fields)
            kept.append((name, model))
            listed.append({"name": name, "description": text, "parameters": model.model_json_schema()})
        return json.dumps(listed).encode()

    return ready


def pydantic_use() -> Use:
    models = dict(kept)

    async def use(name: str, text: bytes) -> str:
        models[name].model_validate_json(text)
        return "done"

    return use


WAYS: Mapping[str, tuple[Callable[[], Ready], Callable[[], Use]]] = {
    "toolcast": (CONTESTANTS["toolcast"], toolcast),
    "toolcast, called as openai calls": (CONTESTANTS["toolcast"], lambda: toolcast("openai")),
    "msgspec, Structs and decoders by hand": (msgspec_ready, msgspec_use),
    "pydantic, models by hand": (pydantic_ready, pydantic_use),
    "pydantic-ai": (CONTESTANTS["pydantic-ai"], pydantic_ai),
    "openai-agents": (CONTESTANTS["openai-agents"], openai_agents),
    "FastMCP": (CONTESTANTS["FastMCP"], fastmcp),
    "LangChain": (CONTESTANTS["LangChain"], langchain),
}
"""How each defines its tools, and how it is called."""
OURS = "toolcast"


def one(folder: str, name: str) -> None:
    """Measure one contestant in this process, and print the figures."""
    sys.path.insert(0, folder)
    defining, calling = WAYS[name]
    ready = defining()
    gc.collect()
    imported = resident()
    definitions = ready()
    gc.collect()
    defined = resident()
    use = calling()

    async def every() -> int:
        done = 0
        for tool in thousand.tools():
            arguments = {each.name: VALUES[each.name] for each in tool.parameters}
            result = await use(tool.name, json.dumps(arguments).encode())
            done += "done" in str(getattr(result, "output", result))
        return done

    done = asyncio.run(every())
    gc.collect()
    called = resident()
    count = len(json.loads(definitions))
    print(
        json.dumps({"defined": defined - imported, "called": called - defined, "count": count, "done": done})
    )


def measured(python: Path, folder: Path, rounds: int) -> dict[str, Memory]:
    """Medians, by contestant. Raises BenchError where one fails."""
    fresh.asked(python, "compileall", "-q", str(folder))
    found: dict[str, list[Memory]] = {name: [] for name in WAYS}
    for _ in range(rounds):
        for name, costs in found.items():
            told = json.loads(fresh.asked(python, "bench.memory", "--one", str(folder), name))
            if (told["count"], told["done"]) != (thousand.COUNT, thousand.COUNT):
                raise BenchError(f"{name}: {told['count']} tools, {told['done']} of them answered")
            scale = 1024 / thousand.COUNT
            costs.append(Memory(told["defined"] * scale, told["called"] * scale))
    return {
        name: Memory(
            statistics.median(each.defined for each in costs),
            statistics.median(each.called for each in costs),
        )
        for name, costs in found.items()
    }


def part(costs: Mapping[str, Memory], rounds: int) -> str:
    """The part of the page."""
    ours = costs[OURS].both
    lines = [
        f"A thousand tools, each called once: KiB of resident memory for each tool, medians of {rounds}",
        "processes. *Ratio* is to toolcast.",
        "",
        "| KiB a tool | defined | its first call adds | both | ratio |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, cost in costs.items():
        figures = f"{cost.defined:.1f} | {cost.called:.1f} | {cost.both:.1f} | {cost.both / ours:.2f}"
        lines.append(f"| {name} | {figures} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description="Memory of a thousand tools.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the page's marks")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="processes of each (default: 3)")
    parser.add_argument("--python", type=Path, default=Path(".venv-peers/bin/python"), metavar="FILE")
    parser.add_argument("--one", nargs=2, metavar=("FOLDER", "NAME"), help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.one is not None:
        one(*chosen.one)
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as temporary:
            folder = Path(temporary) / "thousand"
            compiled(folder, [thousand.spec(tool) for tool in thousand.tools()])
            (folder / "functions.py").write_text(thousand.module(), encoding="utf-8")
            costs = measured(Path.cwd() / chosen.python, folder, chosen.rounds)
    except BenchError as problem:
        print(problem, file=sys.stderr)
        return 1
    text = part(costs, chosen.rounds)
    if chosen.write is None:
        print(text)
    else:
        write(chosen.write, PART, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
