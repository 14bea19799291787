"""OpenAPI's `nullable`, read as JSON Schema."""

from collections.abc import Mapping
from typing import Any

_ONE = frozenset(("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"))
_LISTS = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
_NAMED = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))


def as_json_schema(schema: Any) -> Any:
    """`schema` as JSON Schema 2020-12 has it: `nullable: true` admits null whatever else is said.

    Pointers to `$defs` of a root that is not nullable itself lead where they led.
    """
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _ONE:
            out[key] = as_json_schema(value)
        elif key in _LISTS and isinstance(value, list):
            out[key] = [as_json_schema(item) for item in value]
        elif key in _NAMED and isinstance(value, Mapping):
            out[key] = {name: as_json_schema(item) for name, item in value.items()}
        elif key != "nullable":
            out[key] = value
    return {"anyOf": [out, {"type": "null"}]} if schema.get("nullable") is True else out
