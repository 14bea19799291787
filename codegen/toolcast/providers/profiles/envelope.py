"""The complete tool object of a provider, from the template in its profile."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from ...jsonschema.pointers import escape
from ...runtime.definitions import cut_definition
from ..normalize import Normalized
from .profile import Profile
from .profile_error import ProfileError


class ToolInfo(Struct, frozen=True, kw_only=True):
    """The values of an envelope other than the parameters. `None`: unstated, which leaves no key."""

    name: str
    description: str
    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    result_schema: dict[str, Any] | None = None


def tool_object(tool: ToolInfo, profile: Profile, parameters: Normalized) -> dict[str, Any]:
    """The complete tool object of a provider; keys in the order of the profile's template.

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


_DECLARING = ("properties", "anyOf", "oneOf", "allOf", "$ref")
"""Keywords that may declare a parameter, in a root or in its branches."""


def omits(profile: Profile, parameters: Normalized) -> bool:
    """Whether the envelope omits the parameters, because none is declared."""
    return profile.omit_empty_parameters and not any(parameters.schema.get(word) for word in _DECLARING)


def pointer_to(value: str, profile: Profile) -> str | None:
    """The JSON pointer of a template value such as `$parameters` in a provider's tool objects; None without
    it."""
    return _pointer(value, profile.envelope, "")


def envelope_pointers(profile: Profile) -> tuple[str, str] | None:
    """JSON pointers of the parameters and of the description in a provider's tool objects; None where the
    runtime finds them itself."""
    return _envelope_pointers(profile.id, msgspec.json.encode(profile.envelope))


@lru_cache(maxsize=64)
def _envelope_pointers(id: str, envelope: bytes) -> tuple[str, str] | None:
    """The same by the template as JSON, cached for all tools."""
    profile = Profile(id=id, dated="", envelope=msgspec.json.decode(envelope))
    locations = pointer_to("$parameters", profile) or "", pointer_to("$description", profile) or ""
    text = {"description": "long"}
    schema = {"type": "object", "properties": {"x": {"type": "string", **text}}, **text}
    info = ToolInfo(name="tool", description="long", title="title", result_schema=schema)
    whole = tool_object(info, profile, Normalized(schema=schema, strict=None, ledger=()))
    visited = cut_definition(whole, "tool", "short")
    return None if visited == cut_definition(whole, "tool", "short", locations) else locations


def _pointer(value: str, template: dict[str, Any], at: str) -> str | None:
    for key, item in template.items():
        location = f"{at}/{escape(key)}"
        if item == value:
            return location
        found = _pointer(value, item, location) if isinstance(item, dict) else None
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
