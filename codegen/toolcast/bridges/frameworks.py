"""Imports of frameworks, and the parts of a provider's tool object that they take one by one.

Frameworks come untyped: each is optional, and type checks must not depend on what is installed.
"""

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.pointers import unescape
from ..runtime.binding import AnyBinding
from ..runtime.definitions import schema_of
from ..runtime.view import ToolView


class FrameworkMissingError(ImportError):
    """A bridge's framework, or the release of it that is needed, is not installed."""


def load(module: str, requirement: str) -> Any:
    """Import a module of a framework. Raises FrameworkMissingError, with the command that installs it."""
    try:
        return import_module(module)
    except ImportError as missing:
        raise FrameworkMissingError(
            f"{module} cannot be imported ({missing}). Run: pip install '{requirement}'"
        ) from missing


_LOG = logging.getLogger("toolcast.bridges")


def offered_bindings(registry: ToolView, framework: str) -> list[AnyBinding]:
    """List the bindings of tools that are not external, and warn of those: `framework` wants a result at
    once.
    """
    bindings = [entry.binding for entry in registry.snapshot().entries.values()]
    for binding in bindings:
        if binding.external:
            _LOG.warning(
                "Tool %r is not offered to %s: it is external, and nothing there waits for its result.",
                binding.name,
                framework,
            )
    return [binding for binding in bindings if not binding.external]


class _DefinitionParts(Struct, frozen=True):
    """The parts of a tool object. `strict` is None without a strict mode; `members` has the tool's name."""

    schema: JsonObject
    description: str
    strict: bool | None
    members: JsonMapping = {}


def definition_parts(binding: AnyBinding, provider: str) -> _DefinitionParts:
    """Return the parts of a generated definition. Raises UnknownProviderError."""
    definition = binding.definition(provider)
    pointers = binding.envelopes.get(provider)
    schema = schema_of(definition, binding.name, pointers)
    plain = msgspec.json.decode(definition)
    named = _named(plain, binding.name)
    description = named.get("description") if pointers is None else _at(plain, pointers[1])
    strict = named.get("strict")
    if schema is None and binding.input is not None:
        plain_schema = binding.schema()  # a custom tool of OpenAI's; a framework gets the text as a parameter
    elif schema is None:
        plain_schema = {"type": "object", "properties": {}}  # Gemini's, where there are no parameters
    else:
        plain_schema = msgspec.json.decode(schema)
    return _DefinitionParts(
        plain_schema,
        description if isinstance(description, str) else binding.description,
        strict if isinstance(strict, bool) else None,
        named,
    )


def _named(value: object, name: str) -> JsonMapping:
    if not isinstance(value, Mapping):
        return {}
    if value.get("name") == name:
        return value
    found = (_named(item, name) for item in value.values())
    return next((item for item in found if item), {})


def _at(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        value = value.get(unescape(part)) if isinstance(value, Mapping) else None
    return value if pointer else None
