"""What each provider refuses, checked on complete tool objects. Written from the providers' rules alone.

Nothing here knows the walk: only published rules, limits and error texts. Each finding is one string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref",
    "$defs", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "title", "description", "default", "examples",
    "readOnly", "writeOnly", "$comment", "$schema", "$id",
}  # fmt: skip
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
STRICT_TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}
ANNOTATIONS = {
    "title",
    "description",
    "default",
    "examples",
    "readOnly",
    "writeOnly",
    "$comment",
    "$defs",
    "$schema",
}
GEMINI_FIELDS = {
    "type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems",
    "properties", "required", "minProperties", "maxProperties", "minimum", "maximum", "minLength",
    "maxLength", "pattern", "example", "anyOf", "propertyOrdering", "default",
}  # fmt: skip
SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "number": (int, float), "integer": (int,), "boolean": (bool,), "null": (type(None),),
}  # fmt: skip


def nodes(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every subschema with its path."""
    yield path, schema
    if not isinstance(schema, dict):
        return
    for key in (*SINGLE, "unevaluatedItems", "unevaluatedProperties"):
        if key in schema:
            yield from nodes(schema[key], f"{path}/{key}")
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for i, child in enumerate(schema.get(key, ())):
            yield from nodes(child, f"{path}/{key}/{i}")
    for key in ("properties", "patternProperties", "$defs", "dependentSchemas"):
        for name, child in schema.get(key, {}).items():
            yield from nodes(child, f"{path}/{key}/{name}")


def _root(schema: dict[str, Any], forbidden: tuple[str, ...]) -> Iterator[str]:
    if schema.get("type") != "object":
        yield "schema must have type 'object' at the top level"
    for key in forbidden:
        if key in schema:
            yield f"'{key}' at the top level"


def _unreachable(root: dict[str, Any], reference: Any) -> bool:
    value: Any = root
    for part in unquote(str(reference)).removeprefix("#").split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return True
    return False


def _openai(schema: dict[str, Any]) -> Iterator[str]:
    yield from _root(schema, ("oneOf", "anyOf", "allOf", "enum", "not", "const"))
    for path, node in nodes(schema):
        if not isinstance(node, dict):
            continue
        if node.get("type") == "object" and "properties" not in node:
            yield f"{path}: object schema missing properties"
        if node.get("type") == "array" and "items" not in node:
            yield f"{path}: array schema missing items"
        if "pattern" in node:
            try:
                re.compile(node["pattern"])
            except re.error:
                yield f"{path}: is not a 'regex'"
        if "$ref" in node and _unreachable(schema, node["$ref"]):
            yield f"{path}: dangling reference {node['$ref']}"
        for name in node.get("required", ()) if "properties" in node else ():
            if name not in node["properties"]:
                yield f"{path}: Extra required key '{name}' supplied"


def _openai_strict(schema: dict[str, Any]) -> Iterator[str]:
    for path, node in nodes(schema):
        if node is False and path.endswith("/additionalProperties"):
            continue
        if not isinstance(node, dict):
            yield f"{path}: {node!r} is not of type 'object'"
            continue
        for key in node.keys() - STRICT_KEYWORDS:
            yield f"{path}: '{key}' is not permitted"
        if "format" in node and node["format"] not in STRICT_FORMATS:
            yield f"{path}: '{node['format']}' is not a valid format"
        if "$ref" in node:
            if len(node) > 1:
                yield f"{path}: $ref cannot have keywords {node.keys() - {'$ref'}}"
            if not re.fullmatch(r"#(/\$defs/[^/]+)?", node["$ref"]):
                yield f"{path}: reference can only point to definitions at the top level"
            continue
        if "anyOf" in node:
            if node.keys() - ANNOTATIONS - {"anyOf"}:
                yield f"{path}: anyOf beside {node.keys() - ANNOTATIONS}"
        elif "type" not in node:
            yield f"{path}: schema must have a 'type' key"
        types = node.get("type", [])
        types = types if isinstance(types, list) else [types]
        for kind in types:
            if kind not in STRICT_TYPES:
                yield f"{path}: type {kind!r}"
        if "object" in types:
            if node.get("additionalProperties") is not False:
                yield f"{path}: 'additionalProperties' is required to be supplied and to be false"
            if set(node.get("required", ["?"])) != set(node.get("properties", {})):
                yield f"{path}: 'required' must be every key in properties"
        if "array" in types and not isinstance(node.get("items"), dict):
            yield f"{path}: array schema missing items"
        literals = [*node.get("enum", ()), *([node["const"]] if "const" in node else [])]
        if "enum" in node and not node["enum"]:
            yield f"{path}: empty enum"
        for value in literals:
            kinds = tuple(k for t in types for k in PYTHON_TYPES.get(t, ()))
            whole = isinstance(value, float) and value.is_integer() and "integer" in types
            if not whole and (
                not isinstance(value, kinds) or (isinstance(value, bool) and "boolean" not in types)
            ):
                yield f"{path}: enum value {value!r} does not validate against {types}"
        if re.search(r"\(\?<?[=!]", str(node.get("pattern", ""))):
            yield f"{path}: look-around in pattern"


def openai(tool: dict[str, Any]) -> Iterator[str]:
    """Chat Completions."""
    if tool.keys() != {"type", "function"} or tool["type"] != "function":
        yield f"Unknown parameter: {tool.keys()}"
    function = tool["function"]
    if not function.keys() <= {"name", "description", "parameters", "strict"}:
        yield f"Unknown parameter: {function.keys()}"
    yield from _function(function)


def openai_responses(tool: dict[str, Any]) -> Iterator[str]:
    """Responses: flat, `strict` explicit, no oneOf."""
    if (
        not tool.keys() <= {"type", "name", "description", "parameters", "strict"}
        or tool["type"] != "function"
    ):
        yield f"Unknown parameter: {tool.keys()}"
    if "parameters" not in tool or "strict" not in tool:
        yield "parameters and strict are required members"
    for path, node in nodes(tool["parameters"]):
        if isinstance(node, dict) and "oneOf" in node:
            yield f"{path}: 'oneOf' is not permitted"
    yield from _function(tool)


def _function(function: dict[str, Any]) -> Iterator[str]:
    if not NAME.match(function["name"]):
        yield "name: string does not match pattern"
    yield from _openai(function["parameters"])
    yield from _draft(function["parameters"])
    if function["strict"]:
        yield from _openai_strict(function["parameters"])


def _draft(schema: Any) -> Iterator[str]:
    try:
        jsonschema_rs.meta.validate({**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"})
    except (jsonschema_rs.ValidationError, ValueError) as error:
        yield f"It must match JSON Schema draft 2020-12: {str(error)[:200]}"


def anthropic(tool: dict[str, Any]) -> Iterator[str]:
    """Messages, rules that hold without strict."""
    if not tool.keys() <= {"name", "description", "input_schema"}:
        yield f"Extra inputs are not permitted: {tool.keys()}"
    schema = tool["input_schema"]
    yield from _root(schema, ("oneOf", "anyOf", "allOf"))
    yield from _draft(schema)
    for path, node in nodes(schema):
        if isinstance(node, dict) and "nullable" in node:
            yield f"{path}: nullable"
        if isinstance(node, dict) and "$ref" in node and _unreachable(schema, node["$ref"]):
            yield f"{path}: dangling reference {node['$ref']}"


def mcp(tool: dict[str, Any]) -> Iterator[str]:
    """tools/list, 2025-11-25."""
    known = {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
    if not tool.keys() <= known:
        yield f"unknown members {tool.keys() - known}"
    yield from _root(tool["inputSchema"], ())
    yield from _draft(tool["inputSchema"])
    for path, node in nodes(tool["inputSchema"]):
        if isinstance(node, dict) and "$ref" in node and _unreachable(tool["inputSchema"], node["$ref"]):
            yield f"{path}: dangling reference {node['$ref']}"


def gemini(tool: dict[str, Any]) -> Iterator[str]:
    """Developer API, `parameters`."""
    if not tool.keys() <= {"name", "description", "parameters"} or "description" not in tool:
        yield f"Unknown name: {tool.keys()}"
    if "parameters" not in tool:
        return
    if tool["parameters"].get("type") != "object":
        yield "parameters must be OBJECT"
    for path, node in nodes(tool["parameters"]):
        if not isinstance(node, dict):
            yield f"{path}: Invalid value"
            continue
        for key in node.keys() - GEMINI_FIELDS:
            yield f'{path}: Unknown name "{key}": Cannot find field.'
        kind = node.get("type")
        if isinstance(kind, list):
            yield f"{path}: Proto field is not repeating, cannot start list."
            continue
        if kind is None and "anyOf" not in node:
            yield f"{path}: schema didn't specify the schema type field"
        if "anyOf" in node and not node["anyOf"]:
            yield f"{path}: empty any_of"
        if kind == "array" and not isinstance(node.get("items"), dict):
            yield f"{path}.items: missing field."
        if kind == "object" and not node.get("properties"):
            yield f"{path}.properties: should be non-empty for OBJECT type"
        if "enum" in node:
            if kind != "string":
                yield f"{path}.enum: only allowed for STRING type"
            if not node["enum"] or not all(isinstance(v, str) and v for v in node["enum"]):
                yield f"{path}.enum: entries must be non-empty strings"
            if len(set(node["enum"])) != len(node["enum"]):
                yield f"{path}.enum: entries must be distinct"
        if "required" in node and not node["required"]:
            yield f"{path}.required: empty"
        for i, name in enumerate(node.get("required", ())):
            if name not in node.get("properties", {}):
                yield f"{path}.required[{i}]: property is not defined"
        if kind == "string" and node.get("format", "date-time") not in ("enum", "date-time"):
            yield f"{path}.format: only 'enum' and 'date-time' are supported for STRING type"


CHECKS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "openai": openai,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "mcp": mcp,
}
