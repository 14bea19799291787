"""A provider's tool object: its schema, its brief form, and its flag for strict mode."""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import msgspec

from ..jsonschema.json_values import JsonObject
from ..jsonschema.pointers import escape, unescape
from .log_records import WARNING, log

if TYPE_CHECKING:  # of a package that calls do without
    from .declaration_text.names import Language

# Where envelopes have the parameter schema, next to the tool's name, unless a profile states otherwise.
_SCHEMA_KEYS = ("parameters", "parametersJsonSchema", "input_schema", "inputSchema")
_GEMINI_KEYS = ("parameters", "parametersJsonSchema")

EXAMPLES: Final = "input_examples"
"""Members of envelopes with examples of calls."""

# What a schema needs to stay well formed, strict modes included. Dropping anything else only widens it.
_KEPT = frozenset({"type", "nullable", "required", "enum", "const", "$ref", "propertyOrdering"})
_ONE = ("items", "additionalProperties")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "$def")


class DefinitionBytes(bytes):
    """The bytes of a JSON array of tool objects. A client that takes a list of tools would send the numbers
    that iterating bytes gives: iterating is refused."""

    def __iter__(self) -> Iterator[int]:
        """Raise TypeError."""
        raise TypeError(
            "definitions() gives the bytes of a JSON array, and a list of these would be numbers. A client "
            "that takes a list of tools needs definition_objects()."
        )


def cut_schema(schema: Any) -> Any:
    """Keep names, types and `required` only: no descriptions, defaults, examples or bounds."""
    if not isinstance(schema, Mapping):
        return schema
    cut: JsonObject = {}
    for key, value in schema.items():
        if key in _KEPT:
            cut[key] = value
        elif key in _ONE:
            cut[key] = cut_schema(value)
        elif key in _LISTS and isinstance(value, list):
            # Cut, two branches may take the same value, which `oneOf` would refuse.
            if key != "oneOf" or "anyOf" not in schema:
                cut["anyOf" if key == "oneOf" else key] = [cut_schema(item) for item in value]
        elif key in _NAMED and isinstance(value, Mapping):
            cut[key] = {name: cut_schema(item) for name, item in value.items()}
    return cut


def cut_definition(
    definition: object,
    name: str,
    summary: str | None,
    pointers: tuple[str, str] | None = None,
    cut: Callable[[object], object] = cut_schema,
) -> Any:
    """Return the envelope with `summary` for the description (None leaves it), the schema cut by `cut`, and
    no examples. `pointers` are JSON pointers to the schema and the description, empty for what is not there.
    Without them both are found by the keys that known providers use."""
    if pointers is not None:
        schema, description = pointers
        done = _replaced(definition, schema, cut) if schema else definition
        done = without_examples(done, name)
        return (
            _replaced(done, description, lambda _: summary) if description and summary is not None else done
        )
    if isinstance(definition, list):
        return [cut_definition(item, name, summary, None, cut) for item in definition]
    if not isinstance(definition, Mapping):
        return definition
    if definition.get("name") != name:
        return {key: cut_definition(value, name, summary, None, cut) for key, value in definition.items()}
    return {
        key: _cut_member(key, value, summary, cut) for key, value in definition.items() if key != EXAMPLES
    }


def without_examples(definition: object, name: str) -> object:
    """Remove the examples of calls: not every one fits another schema than its own."""
    if not isinstance(definition, Mapping):
        return definition
    if definition.get("name") != name:
        return {key: without_examples(item, name) for key, item in definition.items()}
    return {key: item for key, item in definition.items() if key != EXAMPLES}


def bare_definition(
    definition: object, name: str, summary: str, pointers: tuple[str, str] | None = None
) -> object:
    """Return the envelope with name and `summary` alone: any arguments fit its schema. So it is not strict,
    which would take no arguments at all. Gemini's tool object has no schema if there are no parameters (the
    API answers 400 to an object without properties)."""
    bare = cut_definition(definition, name, summary, pointers, _emptied)
    if isinstance(bare, Mapping) and bare.get("name") == name and "type" not in bare:
        bare = {key: value for key, value in bare.items() if key not in _GEMINI_KEYS}
    return _not_strict(bare, name)


def schema_of(definition: bytes, name: str, pointers: tuple[str, str] | None = None) -> bytes | None:
    """Return the bytes of the parameters' schema in a tool object; None for none. `pointers` as for
    `cut_definition`."""
    return _find_schema(definition, name) if pointers is None else _at(definition, pointers[0])


def shows_result(definition: bytes) -> bool:
    """Tell whether a tool object has the schema of results with its defaults, as MCP's and OpenAI Responses'
    do. Gemini's schemas of results have none."""
    return not _members(definition).keys().isdisjoint(("outputSchema", "output_schema"))


def _find_schema(value: bytes, name: str) -> bytes | None:
    members = _members(value)
    if members.get("name") == msgspec.json.encode(name):
        schema = next((members[key] for key in _SCHEMA_KEYS if key in members), None)
        inner = {} if schema is None else _members(schema)
        return inner["json"] if set(inner) == {"json"} else schema  # Bedrock wraps the schema once more
    found = (_find_schema(member, name) for member in members.values())
    return next((schema for schema in found if schema is not None), None)


def _at(value: bytes, pointer: str) -> bytes | None:
    found: bytes | None = value
    for part in pointer.split("/")[1:]:
        found = _members(found).get(unescape(part)) if found else None
    return found if pointer else None


def _members(value: bytes) -> dict[str, bytes]:
    """Return the members of an object, or the items of an array by position; none for a scalar."""
    if value[:1] == b"{":
        return {
            key: bytes(raw) for key, raw in msgspec.json.decode(value, type=dict[str, msgspec.Raw]).items()
        }
    if value[:1] == b"[":
        items = msgspec.json.decode(value, type=list[msgspec.Raw])
        return {str(index): bytes(raw) for index, raw in enumerate(items)}
    return {}


def _emptied(schema: object) -> object:
    return {"type": schema.get("type", "object"), "properties": {}} if isinstance(schema, Mapping) else schema


def _not_strict(value: object, name: str) -> object:
    if not isinstance(value, Mapping):
        return value
    if value.get("name") != name:
        return {key: _not_strict(item, name) for key, item in value.items()}
    return {key: False if key == "strict" else item for key, item in value.items()}


def _replaced(value: object, pointer: str, change: Callable[[object], object]) -> object:
    if not pointer:
        return change(value)
    part, slash, rest = pointer[1:].partition("/")
    key = unescape(part)
    if not isinstance(value, Mapping) or key not in value:
        return value
    return {**value, key: _replaced(value[key], slash + rest, change)}


def _cut_member(key: str, value: object, summary: str | None, cut: Callable[[object], object]) -> object:
    if key == "description" and summary is not None:
        return summary
    if key not in _SCHEMA_KEYS:
        return value
    if isinstance(value, Mapping) and set(value) == {"json"}:  # Bedrock wraps the schema once more
        return {"json": cut(value["json"])}
    return cut(value)


BUILT_IN: Final = frozenset(
    (
        "anthropic",
        "anthropic-strict",
        "azure-openai",
        "bedrock",
        "bedrock-strict",
        "cloud-code-assist",
        "cohere",
        "conservative",
        "deepseek",
        "gemini",
        "gemini-json-schema",
        "groq",
        "llama-cpp",
        "mcp",
        "mcp-2025-06-18",
        "mcp-2025-11-25",
        "mistral",
        "moonshot",
        "ollama",
        "openai",
        "openai-nonstrict",
        "openai-responses",
        "python",
        "typescript",
        "vertex",
        "vllm-xgrammar",
        "xai",
    )
)


def is_language(provider: str) -> "TypeGuard[Language]":
    """Tell whether a provider is a language, whose definitions are declared as text."""
    return provider in ("typescript", "python")


_VARIABLE = "TOOLCAST_NO_STRICT"
"""Providers whose strict mode is off, separated by commas; "all" for every one. Read whenever definitions are
read."""


def allows_strict(provider: str, strict: bool | None) -> bool:
    """Tell whether definitions for `provider` may ask for strict mode: as the caller says, or, with None,
    unless the variable names it or says "all"."""
    return providers_without_strict().isdisjoint((provider, "all")) if strict is None else strict


def providers_without_strict() -> frozenset[str]:
    """Return the providers that the variable names."""
    return _names(os.environ.get(_VARIABLE, ""))


@lru_cache(maxsize=8)
def _names(value: str) -> frozenset[str]:
    return frozenset(name.strip() for name in value.split(",") if name.strip())


@lru_cache(maxsize=64)
def warn_of_unknown_providers(names: frozenset[str], generated: tuple[str, ...]) -> None:
    """Warn once of `names` from the variable that are neither built-in profiles nor among the `generated`
    providers of a tool."""
    known = BUILT_IN | {*generated, "all"}
    for name in sorted(names - known):
        log(
            WARNING,
            "%s names %r, which is no provider, so nothing is turned off for it. Providers: %s.",
            _VARIABLE,
            name[:64],
            ", ".join(sorted(known)),
            event="strictness",
        )


def without_strict_flag(definition: bytes, name: str, pointers: tuple[str, str] | None = None) -> bytes:
    """Return a tool object with `strict` false; the same bytes if it is not set. `pointers` as for
    `cut_definition`."""
    whole = msgspec.json.decode(definition)
    parameters = None if pointers is None else pointers[0]
    made = _without_flag(whole, name, parameters, "")
    return definition if made == whole else msgspec.json.encode(made)


def _without_flag(value: object, name: str, parameters: str | None, at: str) -> object:
    """Copy the value at pointer `at`; the flag is next to the tool's name, or, in an envelope with
    `parameters` in a place of its own, anywhere outside them."""
    if not isinstance(value, Mapping) or (parameters is not None and at == parameters):
        return value
    here = parameters is not None or value.get("name") == name
    out: JsonObject = {}
    for key, item in value.items():
        below = f"{at}/{escape(key)}"
        if key == "strict" and item is True and here:
            out[key] = False
        elif parameters is None and value.get("name") == name:
            out[key] = item
        else:
            out[key] = _without_flag(item, name, parameters, below)
    return out
