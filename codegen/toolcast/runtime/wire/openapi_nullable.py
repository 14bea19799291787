"""OpenAPI's `nullable`, read as JSON Schema."""

from collections.abc import Mapping
from typing import Any

from ...jsonschema.subschemas import map_subschemas


def as_json_schema(schema: Any) -> Any:
    """`schema` as JSON Schema 2020-12 has it: `nullable: true` admits null whatever else is said.

    Pointers to `$defs` of a root that is not nullable itself lead where they led.
    """
    if not isinstance(schema, Mapping):
        return schema
    out = map_subschemas(schema, as_json_schema)
    return {"anyOf": [out, {"type": "null"}]} if out.pop("nullable", None) is True else out
