"""Peers' outputs in plain JSON Schema's spelling: what the provider's own parser would read them as."""

from __future__ import annotations

from typing import Any

_SPELLINGS = {
    "any_of": "anyOf",
    "additional_properties": "additionalProperties",
    "prefix_items": "prefixItems",
    "property_ordering": "propertyOrdering",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
}
_TYPES = frozenset(("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"))
_NAMED = frozenset(("properties", "$defs", "definitions", "patternProperties"))
_LITERAL = frozenset(("default", "enum", "const", "example", "examples"))


def plain(schema: Any) -> Any:
    """`schema` with the names of protobuf's JSON form as JSON Schema spells them; both are read alike."""
    if isinstance(schema, list):
        return [plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        name = _SPELLINGS.get(key, key)
        if name == "type":
            kind = getattr(value, "value", value)
            out[name] = kind.lower() if isinstance(kind, str) and kind in _TYPES else kind
        elif name in _NAMED and isinstance(value, dict):
            out[name] = {property_name: plain(child) for property_name, child in value.items()}
        else:
            out[name] = value if name in _LITERAL else plain(value)
    return out
