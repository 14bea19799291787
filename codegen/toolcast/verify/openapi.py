"""OpenAPI's dialect of JSON Schema, read as JSON Schema."""

from typing import Any

from .document import Schema

INNER = "x-inner-of-nullable"
"""Beside the `anyOf` that stands for a node with `nullable`: that node is its first branch."""


def as_json_schema(schema: Schema) -> Schema:
    """A provider's schema as JSON Schema: OpenAPI's `nullable` admits null whatever else is said."""
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "nullable":
            continue
        if key in ("properties", "patternProperties", "$defs", "dependentSchemas") and isinstance(
            value, dict
        ):
            out[key] = {name: as_json_schema(child) for name, child in value.items()}
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
            out[key] = [as_json_schema(child) for child in value]
        elif key in (
            "items",
            "additionalProperties",
            "not",
            "if",
            "then",
            "else",
            "contains",
            "propertyNames",
        ):
            out[key] = as_json_schema(value)
        else:
            out[key] = value
    if schema.get("nullable") is not True:
        return out
    return {"anyOf": [out, {"type": "null"}], INNER: True}
