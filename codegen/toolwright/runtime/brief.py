"""Brief definitions: a provider's tool object cut to a stub that is still valid for that provider."""

from collections.abc import Callable, Mapping
from typing import Any

# Where envelopes keep the parameter schema, beside the tool's name, if nothing else is said.
_SCHEMA_KEYS = ("parameters", "parametersJsonSchema", "input_schema", "inputSchema")

# What a schema needs to stay well formed, strict modes included. Dropping anything else only widens it.
_KEPT = frozenset({"type", "nullable", "required", "enum", "const", "$ref", "propertyOrdering"})
_ONE = ("items", "additionalProperties")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "$def")


def cut_schema(schema: Any) -> Any:
    """Names, types and `required` only; no descriptions, defaults, examples or bounds."""
    if not isinstance(schema, Mapping):
        return schema
    cut: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _KEPT:
            cut[key] = value
        elif key in _ONE:
            cut[key] = cut_schema(value)
        elif key in _LISTS and isinstance(value, list):
            cut[key] = [cut_schema(item) for item in value]
        elif key in _NAMED and isinstance(value, Mapping):
            cut[key] = {name: cut_schema(item) for name, item in value.items()}
    return cut


def cut_definition(definition: Any, name: str, summary: str, places: tuple[str, str] | None = None) -> Any:
    """The same envelope, with `summary` for the description and the parameter schema cut.

    `places` are JSON pointers to the schema and to the description; empty for what is not there. Without
    them both are looked for, by the keys that known providers use.
    """
    if places is not None:
        schema, description = places
        cut = _replaced(definition, schema, cut_schema) if schema else definition
        return _replaced(cut, description, lambda _: summary) if description else cut
    if isinstance(definition, list):
        return [cut_definition(item, name, summary) for item in definition]
    if not isinstance(definition, Mapping):
        return definition
    if definition.get("name") != name:
        return {key: cut_definition(value, name, summary) for key, value in definition.items()}
    return {key: _cut_member(key, value, summary) for key, value in definition.items()}


def _replaced(value: Any, pointer: str, change: Callable[[Any], Any]) -> Any:
    """A copy in which what stands at `pointer` is changed; the same value where nothing stands there."""
    if not pointer:
        return change(value)
    part, slash, rest = pointer[1:].partition("/")
    key = part.replace("~1", "/").replace("~0", "~")
    if not isinstance(value, Mapping) or key not in value:
        return value
    return {**value, key: _replaced(value[key], slash + rest, change)}


def _cut_member(key: str, value: Any, summary: str) -> Any:
    if key == "description":
        return summary
    if key not in _SCHEMA_KEYS:
        return value
    if isinstance(value, Mapping) and set(value) == {"json"}:  # Bedrock wraps the schema once more
        return {"json": cut_schema(value["json"])}
    return cut_schema(value)
