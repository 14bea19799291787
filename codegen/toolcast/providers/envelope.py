"""The complete tool object of a provider, from the template in its profile."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from ..jsonschema.pointers import escape
from ..runtime.definitions import cut_definition
from .errors import ProfileError
from .normalize import Normalized
from .profile import Profile


class ToolInfo(Struct, frozen=True, kw_only=True):
    """What an envelope says of a tool beside its parameters. `None` means unstated and leaves no key."""

    name: str
    description: str
    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    result_schema: dict[str, Any] | None = None


def tool_object(tool: ToolInfo, profile: Profile, parameters: Normalized) -> dict[str, Any]:
    """The tool as the provider wants it, ready to be encoded; keys in the order of the profile's template.

    The schemas in it are those given, not copies. Raises `ProfileError` for a
    template that names an unknown value.
    """
    result = tool.result_schema
    values: dict[str, Any] = {
        "$name": tool.name,
        "$description": tool.description,
        "$title": tool.title,
        "$parameters": None if omits(profile, parameters) else parameters.schema,
        "$strict": parameters.strict,
        "$result": result,
        "$result_object": result if result is not None and result.get("type") == "object" else None,
        "$read_only": tool.read_only,
        "$destructive": tool.destructive,
        "$idempotent": tool.idempotent,
        "$open_world": tool.open_world,
    }
    return _filled(profile.envelope, values, profile.id)


_SAYING = ("properties", "anyOf", "oneOf", "allOf", "$ref")
"""What names a parameter, in a root or in its alternatives."""


def omits(profile: Profile, parameters: Normalized) -> bool:
    """Whether a provider is told of no parameters at all, as there are none by name."""
    return profile.omit_empty_parameters and not any(parameters.schema.get(word) for word in _SAYING)


def pointer_to(value: str, profile: Profile) -> str | None:
    """The JSON pointer to `$parameters`, say, in every tool object of a provider; None where it has none."""
    return _pointer(value, profile.envelope, "")


def unseen_places(profile: Profile) -> tuple[str, str] | None:
    """JSON pointers to the parameters and to the description of a provider's tool objects, where the runtime
    does not find them without being told; else None."""
    return _unseen(profile.id, msgspec.json.encode(profile.envelope))


@lru_cache(maxsize=64)
def _unseen(id: str, envelope: bytes) -> tuple[str, str] | None:
    """By the template alone, as JSON: asked for every tool, answered once."""
    profile = Profile(id=id, dated="", envelope=msgspec.json.decode(envelope))
    places = pointer_to("$parameters", profile) or "", pointer_to("$description", profile) or ""
    text = {"description": "long"}
    schema = {"type": "object", "properties": {"x": {"type": "string", **text}}, **text}
    info = ToolInfo(name="tool", description="long", title="title", result_schema=schema)
    whole = tool_object(info, profile, Normalized(schema=schema, strict=None, ledger=()))
    seen = cut_definition(whole, "tool", "short")
    return None if seen == cut_definition(whole, "tool", "short", places) else places


def _pointer(value: str, template: dict[str, Any], at: str) -> str | None:
    for key, item in template.items():
        place = f"{at}/{escape(key)}"
        if item == value:
            return place
        found = _pointer(value, item, place) if isinstance(item, dict) else None
        if found is not None:
            return found
    return None


def _filled(template: dict[str, Any], values: dict[str, Any], id: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, item in template.items():
        if isinstance(item, dict):
            inner = _filled(item, values, id)
            if inner or not item:
                out[key] = inner
        elif isinstance(item, str) and item.startswith("$"):
            if item not in values:
                raise ProfileError(f"profile {id!r}: the envelope names {item!r}; known: {', '.join(values)}")
            if values[item] is not None:
                out[key] = values[item]
        else:
            out[key] = item
    return out
