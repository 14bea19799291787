"""The search for tools that a provider leaves to the program: the tool with which a model asks, and what is
found by its words."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from ..runtime.arguments import Arguments, parse_arguments
from ..runtime.binding import ToolBinding
from ..runtime.errors import ArgumentError
from ..runtime.request_rules import RequestRules, RequestTool, fill, tool_entries
from ..runtime.result import Content, ToolResult
from .dispatch.call import TOOL_SEARCH
from .search_index import SearchedTool, SearchIndex

_DESCRIPTION = (
    "Finds tools by words. Most tools of this conversation are not loaded: describe what you want to do, and "
    "the tools that fit best can be called from then on. Search again with other words where none fits."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What the tool is to do, in a few words."}},
    "required": ["query"],
    "additionalProperties": False,
}
_NOTHING = "No tool fits {!r}. Search with other words, or go on without."
_MAX_NODES = 2_000
"""Objects and lists of one schema that are read."""


class _Query(Struct, frozen=True):
    query: str


def search_tool(rules: RequestRules) -> dict[str, Any]:
    """The object of the tool with which a model asks the program for tools."""
    values = {"$name": TOOL_SEARCH, "$description": _DESCRIPTION, "$parameters": _PARAMETERS}
    return fill(rules.client_search, values)


def answer_search(
    arguments: Arguments, index: SearchIndex, tools: Sequence[RequestTool], rules: RequestRules
) -> ToolResult:
    """Answer a model that asks for tools.

    Args:
        arguments: the arguments of the call.
        index: the words of the tools that may be found.
        tools: the tools of the request.
        rules: the provider's rules.

    Returns:
        The entries of what was found, each as content of kind "tool"; words where nothing was.
    """
    try:
        query = msgspec.convert(parse_arguments(TOOL_SEARCH, arguments), _Query).query
    except ArgumentError as problem:
        return ToolResult.failed(str(problem))
    except msgspec.ValidationError as problem:
        return ToolResult.failed(str(ArgumentError(TOOL_SEARCH, f"{problem}.")))
    found = index.find(query)
    if not found:
        return ToolResult.ok(_NOTHING.format(query[:100]))
    ranked = sorted(tools, key=lambda tool: found.index(tool.name) if tool.name in found else len(found))
    pieces = [
        Content(kind="tool", data=entry, media_type="application/json", name=_name_of(entry))
        for entry in tool_entries(ranked, rules, found)
    ]
    return ToolResult.ok("", content=tuple(pieces))


def _name_of(entry: bytes) -> str:
    whole = msgspec.json.decode(entry)
    return str(whole.get("name", ""))


def searched(binding: ToolBinding[Any, Any]) -> SearchedTool:
    """The texts of a tool, as a search reads them."""
    parameters = [*_parameters(binding.schema())]
    described = (each.get("description") for _, each in parameters if isinstance(each, Mapping))
    own = binding.description  # begins with the summary, mostly
    return SearchedTool(
        name=binding.name,
        group=binding.group,
        description=own if binding.summary in own else f"{binding.summary} {own}",
        parameters=" ".join(name for name, _ in parameters),
        parameter_texts=" ".join(text for text in described if isinstance(text, str)),
    )


def _parameters(schema: Any) -> Iterator[tuple[str, Any]]:
    """The names and schemas of parameters, at any depth."""
    nodes = [schema]
    for node in islice(nodes, _MAX_NODES):  # also those that are added below
        children = node.values() if isinstance(node, Mapping) else node
        nodes += [each for each in children if isinstance(each, Mapping | list)]
        properties = node.get("properties") if isinstance(node, Mapping) else None
        if isinstance(properties, Mapping):
            yield from properties.items()
