"""Tools ranked by the words of a query, and the tool with which a model searches where its provider leaves it
to the program.
"""

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, Final

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..runtime.arguments import Arguments, parse_arguments
from ..runtime.binding import AnyBinding
from ..runtime.errors import ArgumentError
from ..runtime.request_rules import RequestRules, RequestTool, fill, tool_entries
from ..runtime.result import Content, ToolResult
from ..runtime.unicode_text import UNSPACED
from .dispatch.call import TOOL_SEARCH

MOST: Final = 5
"""Tools that one search finds: as many as the providers' own find at most."""
_MAX_QUERY: Final = 1_000
"""Characters of a query that are read."""

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_MARKS: Final = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
"""Accents, points and vowel signs that are written on letters: Hebrew, Arabic, and the scripts of India."""
_WORD: Final = re.compile(f"[{UNSPACED}]+|(?:(?![{UNSPACED}])(?:[^\\W_]|[{_MARKS}]))+")
_JOINT: Final = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"
)
"""Matches where words of an identifier touch: get|API|Key|2."""
_STEM: Final = 3
"""Letters that a word needs to count for one that begins with it, as `file` does for `files`."""
_LEAST: Final = 0.25
"""The least share of the best score that a tool must have: words that every text has find nothing."""
_WEIGHTS: Final = (3.0, 2.0, 1.0, 2.0, 0.5)
"""Weights of a word in the fields of a `SearchedTool`, in their order."""
_NEAR: Final = 0.25
"""Weight of a known word that begins with the word, or that it begins with: the same thing at times."""
_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
"""BM25's k1 and b, as search engines have them by default."""
_MAX_TEXT: Final = 20_000
"""Characters of one text that are read: a server that is connected may describe its tools at any length."""


class SearchedTool(Struct, frozen=True, kw_only=True):
    """The texts of a tool that are searched. `parameters` are names, `parameter_texts` descriptions."""

    name: str
    group: str = ""
    description: str = ""
    parameters: str = ""
    parameter_texts: str = ""


class SearchIndex:
    """The words of tools with different names, read once, and searched with BM25."""

    def __init__(self, tools: Iterable[SearchedTool]) -> None:
        self._tools: dict[str, dict[str, float]] = {}  # by word: how often each tool has it, by weight
        lengths: dict[str, int] = {}
        for tool in tools:
            lengths[tool.name] = 0
            texts = (tool.name, tool.group, tool.description, tool.parameters, tool.parameter_texts)
            for weight, text in zip(_WEIGHTS, texts, strict=True):
                for word in search_words(text[:_MAX_TEXT]):
                    having = self._tools.setdefault(word, {})
                    having[tool.name] = having.get(tool.name, 0.0) + weight
                    lengths[tool.name] += 1
        self._sorted = sorted(self._tools)
        mean = sum(lengths.values()) / len(lengths) if lengths else 0.0
        self._damping = {
            name: _SATURATION * (1 - _LENGTH + _LENGTH * length / mean if mean else 1.0)
            for name, length in lengths.items()
        }

    def find(self, query: str, limit: int = MOST) -> tuple[str, ...]:
        """Find tools by words: their names, the best first, equally good ones by name.

        A word counts more the fewer tools have it, more in a name than in a description, less each further
        time, and less in a long text. A word of three letters or more counts, for less, where a word of the
        tool begins with it, or it with that word.
        """
        found = self.scores(search_words(query[:_MAX_QUERY]))
        return tuple(sorted(found, key=lambda name: (-found[name], name))[:limit])

    def scores(self, words: Iterable[str]) -> dict[str, float]:
        """Score tools above 0 by words, without those far behind the best. Each word counts once."""
        found: dict[str, float] = {}
        for word in dict.fromkeys(words):
            for name, gain in self.gains(word).items():
                found[name] = found.get(name, 0.0) + gain
        least = _LEAST * max(found.values(), default=0.0)
        return {name: score for name, score in found.items() if score >= least}

    def gains(self, word: str) -> Mapping[str, float]:
        """Score tools by one word, or one that begins alike."""
        having = self._having(word)
        rarity = math.log1p((len(self._damping) - len(having) + 0.5) / (len(having) + 0.5))
        return {
            name: rarity * often * (_SATURATION + 1) / (often + self._damping[name])
            for name, often in having.items()
        }

    def _having(self, word: str) -> dict[str, float]:
        """Count, weighted, a word in each tool, longer words that begin with it, and words that it begins
        with.
        """
        found = dict(self._tools.get(word, {}))
        for near in (*self._longer(word), *(word[:length] for length in range(_STEM, len(word)))):
            for name, often in self._tools.get(near, {}).items():
                found[name] = max(_NEAR * often, found.get(name, 0.0))
        return found

    def _longer(self, word: str) -> Iterator[str]:
        if len(word) >= _STEM:
            for at in range(bisect_right(self._sorted, word), len(self._sorted)):
                if not self._sorted[at].startswith(word):
                    return
                yield self._sorted[at]


def search_words(text: str) -> list[str]:
    """Split a text or an identifier into words for a search, without case and compatibility forms.

    Scripts without spaces between words give each two neighbours.
    """
    found: list[str] = []
    for word in _WORD.findall(_JOINT.sub(" ", unicodedata.normalize("NFKC", text))):
        if len(word) > 1 and _UNSPACED.match(word):
            found += (first + second for first, second in pairwise(word))
        else:
            found.append(word.casefold())
    return found


_DESCRIPTION = (
    "Finds tools by words. Most tools of this conversation are not loaded: describe what you want to do, and "
    "the tools that fit best can be called from then on. Search again with other words where none fits."
)
_PARAMETERS: JsonMapping = {
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


def search_tool(rules: RequestRules) -> JsonObject:
    values = {"$name": TOOL_SEARCH, "$description": _DESCRIPTION, "$parameters": _PARAMETERS}
    return fill(rules.client_search, values)


def answer_search(
    arguments: Arguments, index: SearchIndex, tools: Sequence[RequestTool], rules: RequestRules
) -> ToolResult:
    """Answer a search: each entry as content of kind "tool"; words where nothing was found."""
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
        Content(
            kind="tool",
            data=entry,
            media_type="application/json",
            name=str(msgspec.json.decode(entry).get("name", "")),
        )
        for entry in tool_entries(ranked, rules, found)
    ]
    return ToolResult.ok("", content=tuple(pieces))


def searched(binding: AnyBinding) -> SearchedTool:
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
    nodes = [schema]
    for node in islice(nodes, _MAX_NODES):  # also those that are added below
        children = node.values() if isinstance(node, Mapping) else node
        nodes += [each for each in children if isinstance(each, Mapping | list)]
        properties = node.get("properties") if isinstance(node, Mapping) else None
        if isinstance(properties, Mapping):
            yield from properties.items()
