"""A live server's tool as plain, bounded data, and why one is not taken. A server may be hostile, or
broken."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct, structs

from ...hidden_characters import without_hidden
from ...jsonschema import UnsupportedSchema, Validator
from ...jsonschema.ecma import analyse, is_fast
from ...jsonschema.json_values import too_deep
from ...jsonschema.keywords import ANY_SCHEMA_MAP
from ...jsonschema.ledger_entry import LedgerEntry
from ...jsonschema.mcp_headers import without_refused_headers
from ...jsonschema.pointers import resolve
from ...providers import Normalizer, SchemaError, normalize, quarantined


class ListingError(Exception):
    """A server's tools could not be listed, or the list exceeds a limit; nothing of it is used."""


class Limits(Struct, frozen=True, kw_only=True):
    """Limits for what one server sends. A tool past the limits of a tool is refused alone; a list past the
    limits of a list is not read at all.

    Attributes:
        tools: tools in a listing.
        pages: pages of a listing.
        tool_size: bytes of one definition as JSON.
        parts: objects and lists of one schema with its references written out.
        patterns: regular expressions of one schema.
        list_size: bytes of all definitions as JSON.
        description: characters of one description.
        seconds: seconds for a whole listing.
        result_size: bytes of one answer: its content, decoded, and its structured content as JSON.

    Raises:
        ValueError: a limit is not above 0.
    """

    tools: int = 1000
    pages: int = 100
    tool_size: int = 128 * 1024
    parts: int = 10_000
    patterns: int = 64
    list_size: int = 8 * 1024 * 1024
    description: int = 16_384
    seconds: float = 30.0
    result_size: int = 16 * 1024 * 1024

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be more than 0, not {getattr(self, name)!r}.")


_WORDS = ("description", "title", "$comment")
_VALUES = ("const", "default", "enum", "examples", "example")
_NAMED = ANY_SCHEMA_MAP | {"dependencies"}
"""Keywords whose keys are names of the server's choice, not keywords."""


def without_hidden_texts(schema: Any) -> Any:
    """A schema whose descriptions are visible; keywords that constrain values stay as they are."""
    if isinstance(schema, list):
        return [without_hidden_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, item in schema.items():
        if key in _WORDS and isinstance(item, str):
            made[key] = without_hidden(item)
        elif key in _NAMED and isinstance(item, dict):
            made[key] = {name: without_hidden_texts(below) for name, below in item.items()}
        else:
            made[key] = item if key in _VALUES else without_hidden_texts(item)
    return made


_SCHEMES = ("$anchor", "$dynamicAnchor")


class TooLargeError(Exception):
    """A schema that is larger than it may be, or whose size cannot be told."""


def schema_size(schema: Any, limit: int) -> int:
    """Objects and lists in `schema`, each reference counted as what it leads to, a circle once.

    Raises TooLargeError past `limit`, and for resources inside of it (`$id`), by which a reference may lead
    anywhere.
    """
    try:
        return _SizeCounter(schema, limit).schema_size(schema)
    except RecursionError:
        raise TooLargeError("its references form too long a chain") from None


class _SizeCounter:
    def __init__(self, root: Any, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._known: dict[str, int] = {}  # by reference
        self._anchors: dict[str, Any] = {}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict):
                if node is not root and isinstance(node.get("$id"), str):
                    raise TooLargeError("it has schemas with an `$id` of their own")
                for word in _SCHEMES:
                    if isinstance(node.get(word), str):
                        self._anchors[f"#{node[word]}"] = node
                waiting += node.values()
            elif isinstance(node, list):
                waiting += node

    def schema_size(self, node: Any) -> int:
        if isinstance(node, dict):
            weight = 1 + sum(self.schema_size(item) for item in node.values())
            for word in ("$ref", "$dynamicRef"):
                if isinstance(node.get(word), str):
                    weight += self._reference(node[word])
        elif isinstance(node, list):
            weight = 1 + sum(self.schema_size(item) for item in node)
        else:
            return 0
        if weight > self._limit:
            raise TooLargeError(f"with its references written out it has more than {self._limit} parts")
        return weight

    def _reference(self, reference: str) -> int:
        known = self._known.get(reference)
        if known is None:
            self._known[reference] = 1  # while it is being weighed: a circle
            known = self._known[reference] = self.schema_size(self._target(reference))
        return known

    def _target(self, reference: str) -> Any:
        """What a reference leads to; None where to nowhere, which others complain about."""
        if reference in self._anchors:
            return self._anchors[reference]
        try:
            return resolve(self._root, reference.partition("#")[2])
        except LookupError:
            return None


def result_validator(schema: Mapping[str, Any]) -> Validator:
    """The exact validator of an output schema; older drafts are raised, as public servers write them. Raises
    UnsupportedSchema for what cannot be judged."""
    contract: Mapping[str, Any] = schema
    if schema.get("type") == "object":  # up to 2025-11-25, all of them; the walk is for objects
        with suppress(SchemaError, RecursionError):
            contract = normalize(dict(schema), "mcp").schema
    return Validator({key: item for key, item in contract.items() if key != "$schema"}, formats=True)


_LOG = logging.getLogger("toolcast.mcp")
_SHORT = 256
"""Characters of a text in which a search for a server's pattern must be quick."""


class LiveTool(Struct, frozen=True, kw_only=True):
    """What a server states about one tool. Nothing of it can be trusted; `annotations` are claims.

    Attributes:
        server: name of the server in this program.
        name: the server's name for the tool.
        description: the server's description.
        title: the server's title.
        input_schema: schema of the arguments.
        output_schema: schema of structured results.
        annotations: hints such as `readOnlyHint`.
        raw: the whole definition as it was sent.
    """

    server: str
    name: str
    description: str = ""
    title: str | None = None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] = {}
    raw: dict[str, Any] = {}

    def hint(self, name: str) -> bool | None:
        """Read a hint of the server.

        Args:
            name: such as `readOnlyHint`.

        Returns:
            The claim; None where there is none.
        """
        value = self.annotations.get(name)
        return value if isinstance(value, bool) else None

    def shown(self) -> "LiveTool":
        """Make what a model is shown: the same tool without hidden characters.

        Returns:
            A copy.
        """
        output = self.output_schema
        return LiveTool(
            server=self.server,
            name=self.name,
            description=without_hidden(self.description),
            title=None if self.title is None else without_hidden(self.title),
            input_schema=without_hidden_texts(self.input_schema),
            output_schema=None if output is None else without_hidden_texts(output),
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
        raw=raw,
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
    """What of a tool can be offered: defects of its schemas are left out. Raises UnfitError, whatever the
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
    # Clients refuse them where the registry is served on. From 2026-07-28 servers the SDK takes none.
    parameters, refused = without_refused_headers(parameters)
    words += [_in_words("inputSchema", entry) for entry in refused]
    try:
        normalizer.prepare(msgspec.json.encode(parameters), "mcp").validator()
    except (SchemaError, UnsupportedSchema) as problem:
        raise UnfitError(f"its inputSchema cannot be used: {problem}") from None
    result, validator = tool.output_schema, None
    if result is not None:
        result = _cleaned("outputSchema", result, limits, words)
        try:
            validator = result_validator(result)
        except UnsupportedSchema as problem:
            raise UnfitError(f"its outputSchema cannot be used: {problem}") from None
    left = structs.replace(tool, input_schema=parameters, output_schema=result)
    return Usable(left, tuple(words), validator)


def _cleaned(key: str, schema: dict[str, Any], limits: Limits, words: list[str]) -> dict[str, Any]:
    """A schema without its defects; each is added to `words`."""
    if too_deep(schema):
        raise UnfitError(f"its {key} is nested too deeply")
    try:
        schema_size(schema, limits.parts)
        left, entries = quarantined(schema, refuses=_too_slow)
    except (TooLargeError, SchemaError) as problem:
        raise UnfitError(f"its {key} cannot be used: {problem}") from None
    patterns = _patterns(left)
    if len(patterns) > limits.patterns:
        raise UnfitError(f"its {key} has {len(patterns)} patterns, and {limits.patterns} are allowed")
    for entry in entries:
        words.append(_in_words(key, entry))
    return left


def _in_words(key: str, entry: LedgerEntry) -> str:
    return f"{key}, {entry.path or 'its root'}: `{entry.keyword}` {entry.reason}"


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
    if analyse(pattern).automaton is not None or is_fast(pattern, _SHORT):
        return ""
    return f"a search for {pattern[:80]!r} can take millions of steps in a text of {_SHORT} characters"
