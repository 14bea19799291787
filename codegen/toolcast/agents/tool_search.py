"""The search for tools that a provider leaves to the program: the tool with which a model asks, and what is
found by its words."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from ..runtime.arguments import Arguments, parse_arguments
from ..runtime.binding import ToolBinding
from ..runtime.errors import ArgumentError
from ..runtime.request_rules import RequestRules, RequestTool, fill, tool_entries
from ..runtime.result import Content, ToolResult
from .dispatch.call import TOOL_SEARCH

MOST: Final = 5
"""Tools that one search finds: as many as the providers' own find at most."""
MAX_QUERY: Final = 1_000
"""Characters of a query that are read."""

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
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STEM = 3
"""Letters that a word needs to count for one that begins with it, as `file` does for `files`."""
_LEAST = 0.25
"""How much a tool counts at least, of what the best one does: words that every text has find nothing."""
_WEIGHTS = (8.0, 4.0, 4.0, 2.0, 1.0)
"""What a word counts in a tool's name, group, summary, names of parameters, and description."""


class _Query(Struct, frozen=True):
    query: str


class SearchIndex:
    """The words of tools, read once."""

    def __init__(self, bindings: Iterable[ToolBinding[Any, Any]]) -> None:
        """Read the words of each tool."""
        self._count = 0
        self._tools: dict[str, dict[str, float]] = {}  # by word: what it counts for each tool that has it
        for binding in bindings:
            self._count += 1
            for weight, text in zip(_WEIGHTS, _texts(binding), strict=True):
                for word in _words(text):
                    # The fields come by weight: the first counts.
                    self._tools.setdefault(word, {}).setdefault(binding.name, weight)
        self._sorted = sorted(self._tools)

    def find(self, query: str, limit: int = MOST) -> tuple[str, ...]:
        """Find tools by words.

        A word counts where it is a word of the tool, or one of both begins with the other, which has three
        letters or more; it counts more in the name than in the description, and more the fewer tools have it.

        Args:
            query: what the tool is to do.
            limit: tools at most.

        Returns:
            Names of tools, the best first; equally good ones by name.
        """
        scores: dict[str, float] = {}
        for word in dict.fromkeys(_words(query[:MAX_QUERY])):
            weights = self._weights(word)
            for name, weight in weights.items():
                scores[name] = scores.get(name, 0.0) + weight * math.log((self._count + 1) / len(weights))
        least = _LEAST * max(scores.values(), default=0.0)
        ranked = sorted((-score, name) for name, score in scores.items() if score >= least)
        return tuple(name for _, name in ranked[:limit])

    def _weights(self, word: str) -> dict[str, float]:
        """What a word counts for each tool that has it, a longer one, or one that it begins with."""
        found: dict[str, float] = {}
        for same in (*self._longer(word), *(word[:length] for length in range(_STEM, len(word)))):
            for name, weight in self._tools.get(same, {}).items():
                found[name] = max(weight, found.get(name, 0.0))
        return found

    def _longer(self, word: str) -> Iterator[str]:
        """The word itself, and known words that begin with it."""
        yield word
        if len(word) >= _STEM:
            for at in range(bisect_right(self._sorted, word), len(self._sorted)):
                if not self._sorted[at].startswith(word):
                    return
                yield self._sorted[at]


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


def _texts(binding: ToolBinding[Any, Any]) -> tuple[str, ...]:
    properties = binding.schema().get("properties", {})
    names = " ".join(properties) if isinstance(properties, Mapping) else ""
    return binding.name, binding.group, binding.summary, names, binding.description


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(_HUMP.sub(" ", text))]
