"""A live server's tool as plain, bounded data, and why one is not taken; a server may be hostile."""

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct, structs

from ...hidden_characters import describe_character, without_hidden
from ...jsonschema.ecma import analyse, is_fast
from ...jsonschema.json_values import JsonMapping, JsonObject, nested_objects, too_deep, type_of
from ...jsonschema.keywords import ANY_SCHEMA_MAP
from ...jsonschema.pointers import resolve
from ...jsonschema.quarantine import sound_schema
from ...jsonschema.schema_document import parse_schema
from ...jsonschema.schema_node import SchemaChange, to_json
from ...jsonschema.validator import Validator
from ...jsonschema.validator_errors import UnsupportedSchema
from ...providers import Normalizer, SchemaError, quarantined
from ...runtime.mcp_headers import without_refused_headers


class ListingError(Exception):
    """A list of tools that cannot be read, or exceeds a limit; nothing of it is used."""


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
"""Keywords with names of the server's choice as keys, not keywords."""


def without_hidden_texts(schema: Any) -> Any:
    """Return a schema with visible descriptions; keywords that constrain values stay as they are."""
    if isinstance(schema, list):
        return [without_hidden_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: JsonObject = {}
    for key, item in schema.items():
        if key in _WORDS and isinstance(item, str):
            made[key] = without_hidden(item)
        elif key in _NAMED and isinstance(item, dict):
            made[key] = {name: without_hidden_texts(below) for name, below in item.items()}
        else:
            made[key] = item if key in _VALUES else without_hidden_texts(item)
    return made


class _TooLargeError(Exception):
    pass


def schema_size(schema: object, limit: int) -> int:
    """Count objects and lists in `schema`, each reference as its target, a circle once. Raises _TooLargeError
    past `limit`.
    """
    try:
        return _SizeCounter(schema, limit).schema_size(schema)
    except RecursionError:
        raise _TooLargeError("its references form too long a chain") from None


class _SizeCounter:
    def __init__(self, root: object, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._known: dict[str, int] = {}  # by reference

    def schema_size(self, node: object) -> int:
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
            raise _TooLargeError(f"with its references written out it has more than {self._limit} parts")
        return weight

    def _reference(self, reference: str) -> int:
        known = self._known.get(reference)
        if known is None:
            self._known[reference] = 1  # while it is being weighed: a circle
            known = self._known[reference] = self.schema_size(self._target(reference))
        return known

    def _target(self, reference: str) -> object:
        try:
            return resolve(self._root, reference.partition("#")[2])
        except LookupError:
            return None


def result_validator(schema: JsonMapping, *, formats: bool = True) -> Validator:
    """Return the exact validator of an output schema; older drafts are upgraded, as public servers write
    them. `formats` tells whether `format` is asserted. Raises UnsupportedSchema.
    """
    contract: JsonMapping = schema
    with suppress(SchemaError, RecursionError):
        contract = sound_schema(dict(schema)).schema
    return Validator({key: item for key, item in contract.items() if key != "$schema"}, formats=formats)


_LOG = logging.getLogger("toolcast.mcp")
_SHORT = 256
"""Characters of a text in which a search for a server's pattern must be quick."""


class LiveTool(Struct, frozen=True, kw_only=True):
    """A server's statements about one tool. Nothing of it can be trusted; `annotations` are claims.

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
    input_schema: JsonObject
    output_schema: JsonObject | None = None
    annotations: JsonObject = {}
    raw: JsonObject = {}

    def hint(self, name: str) -> bool | None:
        """Return a hint of the server.

        Args:
            name: such as `readOnlyHint`.

        Returns:
            The claim; None where there is none.
        """
        value = self.annotations.get(name)
        return value if isinstance(value, bool) else None

    def shown(self) -> "LiveTool":
        """Return the tool as a model is shown it, without hidden characters.

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


_NAME = 256
"""Longest name of a tool, in characters; the specification asks for 128 at most."""
_PARTS = {"title": "string", "description": "string", "outputSchema": "object", "annotations": "object"}
"""Optional parts of a definition, and their types."""
_OTHER_TYPES = ("array", "boolean", "integer", "null", "number", "string")
_CLAIMS = {
    "title": "string",
    "readOnlyHint": "boolean",
    "destructiveHint": "boolean",
    "idempotentHint": "boolean",
    "openWorldHint": "boolean",
}


def read_name(raw: object) -> str:
    """Return the name in an element of a listing. Raises UnfitError."""
    if not isinstance(raw, dict):
        raise UnfitError(f"a tool is an object, not {type_of(raw)}")
    name = raw.get("name")
    if not isinstance(name, str):
        raise UnfitError(f"its name is {type_of(name)}, not a string" if "name" in raw else "it has no name")
    if not name or len(name) > _NAME:
        raise UnfitError(f"its name has {len(name)} characters, and 1 to {_NAME} are allowed")
    if hidden := [letter for letter in name if not letter.isprintable()]:
        raise UnfitError(f"its name has a character that nobody sees: {describe_character(hidden[0])}")
    return name


def read_tool(server: str, raw: JsonObject, limits: Limits) -> tuple[LiveTool, int]:
    """Return a tool of a listing that has a name, and its size as JSON. Optional parts of another type are
    left out. Raises UnfitError.
    """
    try:
        size = len(json.dumps(raw, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except (RecursionError, ValueError, TypeError) as problem:
        raise UnfitError(f"its definition is no JSON: {type(problem).__name__}") from None
    if size > limits.tool_size:
        raise UnfitError(f"its definition has {size} bytes, and {limits.tool_size} are allowed")
    parameters = raw.get("inputSchema")
    if not isinstance(parameters, dict):
        found = type_of(parameters) if "inputSchema" in raw else "missing"
        raise UnfitError(f"its inputSchema is {found}, not an object")
    kinds = parameters.get("type")
    if kinds in _OTHER_TYPES if isinstance(kinds, str) else isinstance(kinds, list) and "object" not in kinds:
        raise UnfitError(f"its inputSchema describes {json.dumps(kinds)[:80]}, and arguments are an object")
    parts = _of_type(raw, _PARTS)
    annotations = parts.get("annotations", {})
    tool = LiveTool(
        server=server,
        name=raw["name"],
        description=parts.get("description", ""),
        title=parts.get("title") or _of_type(annotations, _CLAIMS).get("title"),
        input_schema=parameters,
        output_schema=parts.get("outputSchema"),
        annotations=annotations,
        raw=raw,
    )
    if len(tool.description) > limits.description:
        raise UnfitError(
            f"its description has {len(tool.description)} characters, and {limits.description} are allowed"
        )
    return tool, size


def _of_type(raw: JsonObject, types: Mapping[str, str]) -> JsonObject:
    return {key: raw[key] for key, kind in types.items() if key in raw and type_of(raw[key]) == kind}


def _of_another_type(raw: JsonObject, types: Mapping[str, str], where: str = "") -> list[str]:
    """The parts that `_of_type` leaves out, in words; null counts as absent."""
    wrong = [key for key, kind in types.items() if type_of(raw.get(key)) not in (kind, "null")]
    return [f"{where}`{key}` is {type_of(raw[key])}, not {types[key]}" for key in wrong]


class _Usable(Struct, frozen=True):
    """A tool with schemas that are judged exactly and in bounded time; the changes of them, in words."""

    tool: LiveTool
    left_out: tuple[str, ...]
    loosened: tuple[str, ...]
    output: Validator | None


def usable(tool: LiveTool, normalizer: Normalizer, limits: Limits) -> _Usable:
    """Return a tool without the defects of its schemas. Raises only UnfitError, whatever the schemas are: one
    tool must not take the others down.
    """
    try:
        return _usable(tool, normalizer, limits)
    except UnfitError:
        raise
    except Exception as problem:  # a server's schema costs its tool
        _LOG.exception("A schema of tool %r of MCP server %r cannot be read", tool.name, tool.server)
        raise UnfitError(f"its schemas cannot be read: {type(problem).__name__}") from problem


def _usable(tool: LiveTool, normalizer: Normalizer, limits: Limits) -> _Usable:
    words = _of_another_type(tool.raw, _PARTS)
    words += _of_another_type(tool.annotations, _CLAIMS, "annotations: ")
    changes: list[tuple[str, SchemaChange]] = []
    parameters = _cleaned("inputSchema", tool.input_schema, limits, changes)
    if "type" not in parameters:  # arguments are an object all the same
        parameters = {"type": "object", **parameters}
    # Clients refuse them where the registry is served on. From 2026-07-28 servers the SDK takes none.
    parameters, refused = without_refused_headers(parameters)
    changes += [("inputSchema", entry) for entry in refused]
    try:
        normalizer.prepare(msgspec.json.encode(parameters), "mcp").validator()
    except (SchemaError, UnsupportedSchema) as problem:
        raise UnfitError(f"its inputSchema cannot be used: {problem}") from None
    result, validator = tool.output_schema, None
    if result is not None:
        result = _cleaned("outputSchema", result, limits, changes)
        try:
            validator = result_validator(result)
        except UnsupportedSchema as problem:
            raise UnfitError(f"its outputSchema cannot be used: {problem}") from None
    left = structs.replace(tool, input_schema=parameters, output_schema=result)
    lost = [_in_words(*each) for each in changes if each[1].severity == "lost"]
    words += [_in_words(*each) for each in changes]
    return _Usable(left, tuple(words), tuple(lost), validator)


def _cleaned(
    key: str, schema: JsonObject, limits: Limits, changes: list[tuple[str, SchemaChange]]
) -> JsonObject:
    """A schema without its defects; each is added to `changes`."""
    if too_deep(schema):
        raise UnfitError(f"its {key} is nested too deeply")
    try:
        schema_size(to_json(parse_schema(schema).root), limits.parts)
        left, entries = quarantined(schema, refuses=_too_slow)
    except (_TooLargeError, SchemaError) as problem:
        raise UnfitError(f"its {key} cannot be used: {problem}") from None
    patterns = _patterns(left)
    if len(patterns) > limits.patterns:
        raise UnfitError(f"its {key} has {len(patterns)} patterns, and {limits.patterns} are allowed")
    changes += [(key, entry) for entry in entries]
    return left


def _in_words(key: str, entry: SchemaChange) -> str:
    return f"{key}, {entry.path or 'its root'}: `{entry.keyword}` {entry.reason}"


def _patterns(schema: object) -> set[str]:
    found: set[str] = set()
    for node in nested_objects(schema):
        if isinstance(node.get("pattern"), str):
            found.add(node["pattern"])
        if isinstance(node.get("patternProperties"), dict):
            found.update(node["patternProperties"])
    return found


def _too_slow(pattern: str) -> str:
    """Return why a readable pattern is left out; empty where every text is judged in bounded time. Only a
    backtracking engine knows look-around and back-references, and a server chooses the text, too.
    """
    if analyse(pattern).automaton is not None or is_fast(pattern, _SHORT):
        return ""
    return f"a search for {pattern[:80]!r} can take millions of steps in a text of {_SHORT} characters"
