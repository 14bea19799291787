"""OpenAPI's dialect of JSON Schema, read as JSON Schema."""

from typing import Any

from ..jsonschema.subschemas import map_subschemas
from .schema_document import Schema

INNER = "x-inner-of-nullable"
"""Beside the `anyOf` that stands for a node with `nullable`: that node is its first branch."""


def as_json_schema(schema: Schema) -> Schema:
    """A provider's schema as JSON Schema: OpenAPI's `nullable` admits null whatever else is said."""
    if not isinstance(schema, dict):
        return schema
    out: dict[str, Any] = map_subschemas(schema, as_json_schema)
    return {"anyOf": [out, {"type": "null"}], INNER: True} if out.pop("nullable", None) is True else out
