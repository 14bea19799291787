"""A thousand tools, the same for everyone: as specs for the compiler, and as functions for the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

COUNT = 1000


class Parameter(NamedTuple):
    """One parameter, in JSON Schema and in Python; `default` is Python's, empty where it is required."""

    name: str
    schema: dict[str, Any]
    annotation: str
    default: str = ""


_FILTER = {
    "type": "object",
    "required": ["key", "least"],
    "properties": {
        "key": {"type": "string", "description": "The field to look at."},
        "least": {"type": "number", "description": "What it must be at least."},
    },
    "additionalProperties": False,
}

PARAMETERS = (
    Parameter(
        "path",
        {"type": "string", "minLength": 1, "description": "Where to look, as an absolute path."},
        'Annotated[str, Field(min_length=1, description="Where to look, as an absolute path.")]',
    ),
    Parameter(
        "order",
        {"type": "string", "enum": ["asc", "desc"], "description": "In which order."},
        'Annotated[Literal["asc", "desc"], Field(description="In which order.")]',
    ),
    Parameter(
        "filter",
        {**_FILTER, "description": "What to leave out."},
        'Annotated[Filter, Field(description="What to leave out.")]',
    ),
    Parameter(
        "limit",
        {"type": "integer", "minimum": 0, "maximum": 100, "default": 10, "description": "How many at most."},
        'Annotated[int, Field(ge=0, le=100, description="How many at most.")]',
        "10",
    ),
    Parameter(
        "tags",
        {"type": "array", "items": {"type": "string"}, "maxItems": 20, "description": "All of these."},
        'Annotated[list[str], Field(max_length=20, description="All of these.")]',
    ),
    Parameter(
        "cursor",
        {"type": ["string", "null"], "default": None, "description": "Where the last answer ended."},
        'Annotated[str | None, Field(description="Where the last answer ended.")]',
        "None",
    ),
    Parameter(
        "dry_run",
        {"type": "boolean", "default": False, "description": "Whether to change nothing."},
        'Annotated[bool, Field(description="Whether to change nothing.")]',
        "False",
    ),
)


class Tool(NamedTuple):
    """One tool: two to six parameters, those without a default first."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]


def tools(count: int = COUNT) -> Iterator[Tool]:
    """The same ones each time."""
    for number in range(count):
        chosen = [PARAMETERS[(number + i) % len(PARAMETERS)] for i in range(2 + number % 5)]
        yield Tool(
            f"tool_{number:04}",
            f"Does thing number {number} and answers with what it found.",
            tuple(sorted(chosen, key=lambda parameter: parameter.default != "")),
        )


def spec(tool: Tool) -> dict[str, Any]:
    """The tool as a spec."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": {
            "type": "object",
            "required": [parameter.name for parameter in tool.parameters if not parameter.default],
            "properties": {parameter.name: parameter.schema for parameter in tool.parameters},
            "additionalProperties": False,
        },
    }


_HEAD = """\
from typing import Annotated, Literal

from pydantic import BaseModel, Field
"""
_FILTERS = """

class Filter{number}(BaseModel):
    key: Annotated[str, Field(description="The field to look at.")]
    least: Annotated[float, Field(description="What it must be at least.")]
"""


def module(count: int = COUNT) -> str:
    """A module with a function for each tool, and TOOLS: function and description by name. A tool that takes
    a filter has a class of its own for it, as different tools have."""
    parts, table = [_HEAD], []
    for number, tool in enumerate(tools(count)):
        signature = []
        for parameter in tool.parameters:
            annotation = parameter.annotation.replace("[Filter,", f"[Filter{number},")
            default = f" = {parameter.default}" if parameter.default else ""
            signature.append(f"{parameter.name}: {annotation}{default}")
        if any(parameter.name == "filter" for parameter in tool.parameters):
            parts.append(_FILTERS.format(number=number))
        parts.append(f'\n\nasync def {tool.name}({", ".join(signature)}) -> str:\n    return "done"\n')
        table.append(f"    {tool.name!r}: ({tool.name}, {tool.description!r}),\n")
    return "".join([*parts, "\n\nTOOLS = {\n", *table, "}\n"])
