"""A live server's tool as plain, bounded data, and why one is not taken."""

import logging
from typing import Any

import msgspec
from msgspec import Struct, structs

from ..jsonschema import UnsupportedSchema, Validator
from ..jsonschema.ecma import analyse, is_quick
from ..jsonschema.numbers import too_deep
from ..providers import Normalizer, SchemaError, quarantined
from .judge import result_judge
from .listing_limits import Limits
from .visible import visible, visible_words
from .weight import Heavy, weigh

_LOG = logging.getLogger("toolcast.mcp")
_SHORT = 256
"""Characters of a text in which a search for a server's pattern must be quick."""


class LiveTool(Struct, frozen=True, kw_only=True):
    """What a server says of one tool. Nothing of it can be trusted; `annotations` are claims."""

    server: str
    name: str
    description: str = ""
    title: str | None = None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] = {}

    def hint(self, name: str) -> bool | None:
        """A claim of the server's, such as `readOnlyHint`; None where it claims nothing."""
        value = self.annotations.get(name)
        return value if isinstance(value, bool) else None

    def shown(self) -> "LiveTool":
        """The same with words that hide nothing: what a model is given."""
        output = self.output_schema
        return LiveTool(
            server=self.server,
            name=self.name,
            description=visible(self.description),
            title=None if self.title is None else visible(self.title),
            input_schema=visible_words(self.input_schema),
            output_schema=None if output is None else visible_words(output),
            annotations=self.annotations,
        )


class UnfitError(Exception):
    """A tool that cannot be offered; the text says why."""


def read_tool(server: str, listed: Any, limits: Limits) -> tuple[LiveTool, int]:
    """A tool of the SDK's listing, and its size as JSON. Raises UnfitError."""
    try:
        raw = listed.model_dump(mode="json", by_alias=True, exclude_unset=True)
        size = len(msgspec.json.encode(raw))
    except (RecursionError, ValueError, TypeError) as problem:
        raise UnfitError(f"its definition is no JSON: {type(problem).__name__}") from None
    if size > limits.tool_size:
        raise UnfitError(f"its definition has {size} bytes, and {limits.tool_size} are allowed")
    tool = LiveTool(
        server=server,
        name=raw["name"],
        description=raw.get("description") or "",
        title=raw.get("title") or (raw.get("annotations") or {}).get("title"),
        input_schema=raw["inputSchema"],
        output_schema=raw.get("outputSchema"),
        annotations=raw.get("annotations") or {},
    )
    if len(tool.description) > limits.description:
        raise UnfitError(
            f"its description has {len(tool.description)} characters, and {limits.description} are allowed"
        )
    return tool, size


class Usable(Struct, frozen=True):
    """A tool whose schemas can be judged exactly and in bounded time, what was left out of them, in words,
    and the judge of its results."""

    tool: LiveTool
    left_out: tuple[str, ...]
    output: Validator | None


def usable(tool: LiveTool, normalizer: Normalizer, limits: Limits) -> Usable:
    """What of a tool can be offered: bad corners of its schemas are left out. Raises UnfitError, whatever the
    schemas are: one tool must not take the others down."""
    try:
        return _usable(tool, normalizer, limits)
    except UnfitError:
        raise
    except Exception as problem:
        _LOG.exception("A schema of tool %r of MCP server %r cannot be read", tool.name, tool.server)
        raise UnfitError(f"its schemas cannot be read: {type(problem).__name__}") from problem


def _usable(tool: LiveTool, normalizer: Normalizer, limits: Limits) -> Usable:
    words: list[str] = []
    parameters = _cleaned("inputSchema", tool.input_schema, limits, words)
    try:
        normalizer.prepare(msgspec.json.encode(parameters), "mcp").validator()
    except (SchemaError, UnsupportedSchema) as problem:
        raise UnfitError(f"its inputSchema cannot be used: {problem}") from None
    result, judge = tool.output_schema, None
    if result is not None:
        result = _cleaned("outputSchema", result, limits, words)
        try:
            judge = result_judge(result)
        except UnsupportedSchema as problem:
            raise UnfitError(f"its outputSchema cannot be used: {problem}") from None
    left = structs.replace(tool, input_schema=parameters, output_schema=result)
    return Usable(left, tuple(words), judge)


def _cleaned(key: str, schema: dict[str, Any], limits: Limits, words: list[str]) -> dict[str, Any]:
    """A schema without its bad corners; what became of them is added to `words`."""
    if too_deep(schema):
        raise UnfitError(f"its {key} is nested too deeply")
    try:
        weigh(schema, limits.parts)
        left, entries = quarantined(schema, refuses=_too_slow)
    except (Heavy, SchemaError) as problem:
        raise UnfitError(f"its {key} cannot be used: {problem}") from None
    patterns = _patterns(left)
    if len(patterns) > limits.patterns:
        raise UnfitError(f"its {key} has {len(patterns)} patterns, and {limits.patterns} are allowed")
    for entry in entries:
        words.append(f"{key}, {entry.path or 'its root'}: {entry.keyword} {entry.action}, {entry.reason}")
    return left


def _patterns(schema: Any) -> set[str]:
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if isinstance(node.get("pattern"), str):
                found.add(node["pattern"])
            if isinstance(node.get("patternProperties"), dict):
                found.update(node["patternProperties"])
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return found


def _too_slow(pattern: str) -> str:
    """Why a pattern is left out that can be read; empty where every text is judged in bounded time. Only a
    backtracking engine knows look-around and back-references, and a server chooses the text, too."""
    if analyse(pattern).automaton is not None or is_quick(pattern, _SHORT):
        return ""
    return f"a search for {pattern[:80]!r} can take millions of steps in a text of {_SHORT} characters"
