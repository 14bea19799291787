"""Gemini's own schema dialect → JSON Schema: upper-case types, `nullable`, counts written as strings.

Source: the `Schema` message of the Gemini API, a subset of OpenAPI 3.0 in proto3 JSON (int64 as string).
"""

from typing import Any

from ..jsonschema.keywords import SIZES

_TYPES = {
    name.upper(): name for name in ("string", "number", "integer", "boolean", "array", "object", "null")
}
_MAPS = frozenset({"properties", "$defs", "defs"})
_LISTS = frozenset({"anyOf", "prefixItems"})
_SCHEMAS = frozenset({"items", "additionalProperties"})


def from_gemini(schema: Any) -> Any:
    """The JSON Schema that means what this Gemini schema means; what is no schema comes back as it is."""
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            result[key] = {name: from_gemini(child) for name, child in value.items()}
        elif key in _LISTS and isinstance(value, list):
            result[key] = [from_gemini(child) for child in value]
        elif key in _SCHEMAS:
            result[key] = from_gemini(value)
        elif key == "type" and isinstance(value, str):
            result[key] = _TYPES.get(value, value)
        elif key in SIZES and isinstance(value, str) and value.isascii() and value.isdigit():
            result[key] = int(value)
        else:
            result[key] = value
    return _nullable(result) if result.get("nullable") is True else result


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    result = {key: value for key, value in schema.items() if key != "nullable"}
    if isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
        if isinstance(result.get("enum"), list) and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
    elif isinstance(result.get("anyOf"), list):
        result["anyOf"] = [*result["anyOf"], {"type": "null"}]
    else:
        return schema  # nothing to widen; the compiler judges the keyword
    return result
