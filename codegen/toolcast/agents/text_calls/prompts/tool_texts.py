"""One tool as the prompt of a text format writes it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from ..text_format import TOOL_HOLES, Prompt, TextFormat
from .declaration_tools import declaration
from .element_tools import elements
from .inert_text import Inert, inert
from .inlined_schema import inlined
from .python_tools import function_text, signature
from .typescript_tools import typescript

_HOLE = re.compile("|".join(rf"\{{{hole}\}}" for hole in TOOL_HOLES))
_MORE_LINES = "\n    "


class ToolText(Struct, frozen=True):
    """What a prompt says of one tool.

    Attributes:
        name: the tool's name.
        description: what it does.
        parameters: JSON Schema of the arguments.
    """

    name: str
    description: str
    parameters: dict[str, Any]


def prompt_text(format: TextFormat, prompt: Prompt, tools: list[ToolText]) -> str:
    """The prompt of a format for some tools, in their order.

    Args:
        format: the format, whose markers no tool can hold.
        prompt: its prompt.
        tools: at least one tool.
    """
    safe = inert((format,))
    listed = prompt.join.join(_tool(each, prompt, safe) for each in tools)
    before, _, after = prompt.text.partition("{tools}")
    return f"{before}{listed}{after}"


def _tool(tool: ToolText, prompt: Prompt, safe: Inert) -> str:
    def json(value: Any) -> str:
        return safe.json(value, indent=prompt.indent, compact=prompt.compact)

    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    ways: Mapping[str, Callable[[], str]] = {
        "openai": lambda: json({"type": "function", "function": function}),
        "function": lambda: json(function),
        "name": lambda: safe.line(tool.name),
        "description": lambda: safe.text(tool.description, _MORE_LINES),
        "parameters": lambda: json(tool.parameters),
        "name-json": lambda: json(tool.name),
        "description-json": lambda: json(tool.description),
        "typescript": lambda: typescript(
            tool.name, tool.description, inlined(tool.parameters), prompt.typescript, safe
        ),
        "elements": lambda: elements(tool.name, tool.description, tool.parameters, safe),
        "declaration": lambda: declaration(
            tool.name, tool.description, inlined(tool.parameters), prompt.declaration, safe
        ),
        "python": lambda: function_text(tool.name, tool.description, inlined(tool.parameters), safe),
        "signature": lambda: json(signature(tool.name, tool.description, inlined(tool.parameters))),
    }
    text = _HOLE.sub(lambda found: ways[found[0][1:-1]](), prompt.tool)
    return text.replace("\n", "\n" + " " * prompt.margin) if prompt.margin else text
