"""The same calls by other packages, each as its own runner makes them. For the environment of `make peers`.

Every one gets the text, and answers with the handler's. Who takes only parsed arguments has them parsed by
pydantic's own reader, the fastest at hand. What a runner makes once a run is made once; what it makes for
each call is made for each.
"""

# ruff: noqa: ARG001 - handlers that do nothing still have their parameters

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, cast

from agents import FunctionTool, function_tool
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext
from fastmcp.tools import Tool as FastMCPTool
from langchain_core.tools import StructuredTool
from pydantic import BaseModel, ConfigDict, Field
from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.usage import RunUsage
from pydantic_core import from_json

from . import names
from .tools import CALLS, SPECS

Call = Callable[[], Awaitable[Any]]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Customer(Strict):
    id: str
    name: str


class Line(Strict):
    sku: str
    quantity: Annotated[int, Field(ge=1)]
    price: Annotated[float, Field(ge=0)]


class Card(Strict):
    kind: Literal["card"]
    number: str


class Transfer(Strict):
    kind: Literal["transfer"]
    iban: str


Payment = Annotated[Card | Transfer, Field(discriminator="kind")]


class Forecast(Strict):
    city: Annotated[str, Field(min_length=1)]
    days: Literal[1, 3, 7]


class Order(Strict):
    customer: Customer
    lines: list[Line]
    payment: Payment
    labels: dict[str, str]
    note: str | None = None


async def forecast(city: Annotated[str, Field(min_length=1)], days: Literal[1, 3, 7]) -> str:
    return "done"


async def order(
    customer: Customer, lines: list[Line], payment: Payment, labels: dict[str, str], note: str | None = None
) -> str:
    return "done"


MODELS: dict[str, type[BaseModel]] = {"forecast": Forecast, "order": Order}
FUNCTIONS: dict[str, Callable[..., Awaitable[str]]] = {"forecast": forecast, "order": order}
DESCRIPTIONS = {str(spec["name"]): str(spec["description"]) for spec in SPECS}


async def _handler(params: Any) -> str:
    return "done"


def pydantic(tool: str) -> Call:
    validate, text = MODELS[tool].model_validate_json, CALLS[tool]
    return lambda: _handler(validate(text))


def openai_agents(tool: str) -> Call:
    made = cast(
        FunctionTool,
        # Strict mode has no maps.
        function_tool(strict_mode=False, description_override=DESCRIPTIONS[tool])(FUNCTIONS[tool]),
    )
    text = CALLS[tool].decode()

    async def call() -> Any:
        context: ToolContext[None] = ToolContext(
            context=None, tool_name=tool, tool_call_id="call_1", tool_arguments=text
        )
        return await invoke_function_tool(function_tool=made, context=context, arguments=text)

    return call


def fastmcp(tool: str) -> Call:
    made = FastMCPTool.from_function(FUNCTIONS[tool], name=tool, description=DESCRIPTIONS[tool])
    text = CALLS[tool]
    return lambda: made.run(from_json(text))


def langchain(tool: str) -> Call:
    made = StructuredTool.from_function(coroutine=FUNCTIONS[tool], name=tool, description=DESCRIPTIONS[tool])
    text = CALLS[tool]
    return lambda: made.ainvoke(from_json(text))


async def pydantic_ai(tool: str) -> Call:
    toolset: FunctionToolset[None] = FunctionToolset()
    toolset.add_function(FUNCTIONS[tool], name=tool, description=DESCRIPTIONS[tool])
    context: RunContext[None] = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    manager = await ToolManager(toolset).for_run_step(context)
    text = CALLS[tool].decode()
    return lambda: manager.handle_call(ToolCallPart(tool_name=tool, args=text, tool_call_id="call_1"))


async def contestants(tool: str) -> dict[str, Call]:
    """Every other package's way, by name."""
    return {
        names.PYDANTIC: pydantic(tool),
        names.AGENTS: openai_agents(tool),
        names.FASTMCP: fastmcp(tool),
        names.LANGCHAIN: langchain(tool),
        names.PYDANTIC_AI: await pydantic_ai(tool),
    }


def is_done(result: Any) -> bool:
    """Whether the handler's text came back."""
    if isinstance(result, str):
        return result == "done"
    content = getattr(result, "content", None)  # FastMCP wraps it
    return isinstance(content, list) and [getattr(part, "text", None) for part in content] == ["done"]
