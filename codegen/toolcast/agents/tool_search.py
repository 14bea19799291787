"""Tools ranked by the words of a query, and the tool with which a model asks the program for them."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import islice, pairwise
from math import log1p
from typing import Any, Final
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..runtime.binding import AnyBinding, ToolBinding
from ..runtime.errors import UnknownProviderError
from ..runtime.request_rules import RequestRules, RequestTool, fill, tool_entries
from ..runtime.resources import ContractFile, ContractNode
from ..runtime.result import Content, ToolResult
from ..runtime.snapshot import Snapshot
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
_STOP: Final = frozenset(
    re.findall(
        r"\w+",
        "a about an and are as at be by can do for from has have how i if in into is it its me my not of on "
        "or our that the their them there these they this those to us was we what when where which who why "
        "will with you your",
    )
)
"""Words of questions that say nothing of a tool."""
_WEIGHTS: Final = (3.0, 2.0, 1.0, 2.0, 0.5)
"""Weights of a word in the fields of a `SearchedTool`, in their order."""
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
    """The words of tools with different names, weighed once by BM25 (Robertson and Zaragoza, 2009), with
    fields as weights of words (Robertson, Zaragoza and Taylor, 2004). `names` are the tools with words.
    """

    def __init__(self, tools: Iterable[SearchedTool]) -> None:
        counts: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        lengths: defaultdict[str, float] = defaultdict(float)
        for tool in tools:
            texts = (tool.name, tool.group, tool.description, tool.parameters, tool.parameter_texts)
            for weight, text in zip(_WEIGHTS, texts, strict=True):
                for word in search_words(text[:_MAX_TEXT]):
                    counts[_stem(word)][tool.name] += weight
                    lengths[tool.name] += weight
        self.names = tuple(lengths)
        mean = sum(lengths.values()) / max(len(lengths), 1)
        damping = {
            name: _SATURATION * (1 - _LENGTH + _LENGTH * length / mean) for name, length in lengths.items()
        }
        self._gains: dict[str, dict[str, float]] = {}  # by word: what it adds to the score of each tool
        for word, having in counts.items():
            rarity = log1p((len(lengths) - len(having) + 0.5) / (len(having) + 0.5))
            self._gains[word] = {
                name: rarity * often * (_SATURATION + 1) / (often + damping[name])
                for name, often in having.items()
            }

    def find(
        self, query: str, limit: int = MOST, fits: Callable[[str], bool] = lambda _: True
    ) -> tuple[str, ...]:
        """Find tools whose names `fits` accepts by words: their names, the best first, equal ones by name.

        A word counts once, more the fewer tools have it, more in a name than in a description, less each
        further time, and less in a long text. Stop words count only where there are no others.
        """
        words = dict.fromkeys(search_words(query[:_MAX_QUERY]))
        scores: defaultdict[str, float] = defaultdict(float)
        for word in {_stem(word): None for word in words if word not in _STOP} or map(_stem, words):
            for name, gain in self._gains.get(word, {}).items():
                scores[name] += gain
        return tuple(nsmallest(limit, filter(fits, scores), key=lambda name: (-scores[name], name)))


def _stem(word: str) -> str:
    """Make a plural singular by the rules of Harman's S stemmer (1991)."""
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word[:-1] if word.endswith("s") and not word.endswith(("us", "ss")) else word


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
_FOUND = "These tools fit best, and can be called from your next message on:"
_MAX_SUMMARY = 200
"""Characters of a tool's summary in an answer."""
_MAX_NODES = 2_000
"""Objects and lists of one schema that are read."""


class _Query(Struct, frozen=True):
    query: str


class _SearchTool(ToolBinding[_Query, None], frozen=True, kw_only=True, eq=False):
    """The binding of the search: the same for every program, so that nothing is generated for it."""

    def schema(self) -> JsonObject:
        return dict(_PARAMETERS)

    def _parameters(self) -> ContractNode:
        return ContractNode(ContractFile(self.module, "schema", dict(_PARAMETERS)), "")

    def _raw_definition(self, provider: str) -> bytes:
        from ..providers import ProfileError, ToolInfo, load_profile, normalize, tool_object

        try:
            profile = load_profile(provider)
        except ProfileError as problem:
            raise UnknownProviderError(str(problem)) from None
        info = ToolInfo(name=self.name, description=self.description, read_only=True)
        return msgspec.json.encode(tool_object(info, profile, normalize(dict(_PARAMETERS), profile)))


SEARCH: Final = _SearchTool(
    module=__name__,
    name=TOOL_SEARCH,
    group="",
    params=_Query,
    permission="read",
    secrets=(),
    summary="Finds tools by words.",
    description=_DESCRIPTION,
    contract="",
    schemas="",
)


def search_definition(provider: str, rules: RequestRules) -> bytes:
    """Return the tool object of the search. Raises ValueError for a provider without a known form."""
    if rules.client_search:
        values = {"$name": TOOL_SEARCH, "$description": _DESCRIPTION, "$parameters": _PARAMETERS}
        return msgspec.json.encode(fill(rules.client_search, values))
    try:
        return SEARCH.definition(provider)
    except UnknownProviderError:
        raise ValueError(
            f"The search for tools has no form for {provider!r}, a provider of your own: state "
            "'client-search' under [request] in its profile, and generate again."
        ) from None


_INDEXES: WeakKeyDictionary[Snapshot, SearchIndex] = WeakKeyDictionary()


def index_of(snapshot: Snapshot) -> SearchIndex:
    """Return the index of all tools of a snapshot, made once for all conversations."""
    index = _INDEXES.get(snapshot)
    if index is None:
        index = _INDEXES[snapshot] = SearchIndex(_searched(snapshot))
    return index


def _searched(snapshot: Snapshot) -> Iterator[SearchedTool]:
    for entry in snapshot.entries.values():
        try:
            yield searched(entry.binding)
        except Exception:  # whatever a module raises when it is imported: a call of it says so
            continue


def found_in_words(found: Sequence[AnyBinding], query: str) -> ToolResult:
    """Answer a search where the next request has what was found."""
    if not found:
        return ToolResult.ok(_NOTHING.format(query[:100]))
    lines = (f"- {each.name}: {' '.join(each.summary.split())[:_MAX_SUMMARY]}" for each in found)
    return ToolResult.ok("\n".join((_FOUND, *lines)))


def found_as_tools(names: Sequence[str], tools: Sequence[RequestTool], rules: RequestRules) -> ToolResult:
    """Answer a search in the provider's own form: each entry as content of kind "tool"."""
    ranked = sorted(tools, key=lambda tool: names.index(tool.name) if tool.name in names else len(names))
    pieces = [
        Content(
            kind="tool",
            data=entry,
            media_type="application/json",
            name=str(msgspec.json.decode(entry).get("name", "")),
        )
        for entry in tool_entries(ranked, rules, names)
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
