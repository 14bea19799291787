"""Anthropic Messages, and the copy of it that Bedrock Converse checks (§3, §8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import common
from .checker import Checker, Tool
from .nodes import Node, Path, cycles

MEMBERS = {"name", "description", "input_schema", "type", "strict", "input_examples", "defer_loading",
           "allowed_callers", "eager_input_streaming", "cache_control"}  # fmt: skip
NAME = r"^[a-zA-Z0-9_-]{1,128}$"
KEY = r"^[a-zA-Z0-9_.-]{1,64}$"
DRAFT = ("JSON schema is invalid. It must match JSON Schema draft 2020-12 "
         "(https://json-schema.org/draft/2020-12).")  # fmt: skip
STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "minItems", "enum", "const", "anyOf",
    "allOf", "$ref", "$def", "$defs", "definitions", "default", "pattern", "format", "title", "description",
    "$schema", "$id", "$comment", "examples", "readOnly", "writeOnly", "deprecated",
}  # fmt: skip
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
BOUNDS = {
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("minLength", "maxLength"),
    "array": ("maxItems", "uniqueItems", "contains", "minContains", "maxContains", "prefixItems"),
    "object": ("minProperties", "maxProperties", "patternProperties", "propertyNames"),
}
UNDOCUMENTED_REGEX = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<|\(\?P=|\\[bB]")


def place(path: Path) -> str:
    return ".".join(("tools.0.custom.input_schema", *map(str, path))) + ": "


def root(node: Node) -> Iterator[str]:
    if node.path:
        return
    if "type" not in node.schema:
        yield "type: Field required"
    elif node.schema["type"] != "object":
        yield "type: Input should be 'object'"
    if node.schema.keys() & {"oneOf", "anyOf", "allOf"}:
        yield "input_schema does not support oneOf, allOf, or anyOf at the top level"


def bounds(node: Node) -> Iterator[str]:
    """Constraints by type, as the API words them."""
    for kind, keywords in BOUNDS.items():
        found = [key for key in keywords if key in node.schema]
        if found and (kind in node.types or not node.types):
            yield f"For '{kind}' type, properties {', '.join(found)} are not supported"
    if node.schema.get("minItems", 0) not in (0, 1):
        yield f"For 'array' type, 'minItems' over 1 is not supported: {node.schema['minItems']}"


def circular(schema: Any) -> Iterator[str]:
    for reference in cycles(schema):
        name = reference.rsplit("/", 1)[-1]
        yield (f"Invalid schema: Circular reference detected in schema definitions: {name} -> {name}. "
               "Self-referencing or mutually-referencing definitions are not supported.")  # fmt: skip


def all_of_beside_reference(node: Node) -> Iterator[str]:
    for branch in node.schema.get("allOf", ()):
        if isinstance(branch, dict) and "$ref" in branch:
            yield "allOf with $ref is not supported"


def members(tool: Tool) -> Iterator[str]:
    yield from common.members(MEMBERS, "tools.0.custom.{key}: Extra inputs are not permitted")(tool)
    if "input_schema" not in tool:
        yield "tools.0.custom.input_schema: Field required"
    elif not isinstance(tool["input_schema"], dict):
        yield "tools.0.custom.input_schema: Input does not match the expected shape."


def bedrock_members(tool: Tool) -> Iterator[str]:
    if tool.keys() != {"toolSpec"}:
        yield f"Unknown parameter in toolConfig.tools[0]: {sorted(tool)}"
    known = {"name", "description", "inputSchema", "strict"}
    yield from common.members(known, "Unknown parameter in toolConfig.tools[0]: {key}", "toolSpec")(tool)
    yield from common.members({"json"}, "Unknown parameter: {key}", "toolSpec", "inputSchema")(tool)
    spec = tool.get("toolSpec", {})
    if spec.get("description") == "":
        yield "Invalid length for parameter toolConfig.tools[0].toolSpec.description, value: 0"
    name = str(spec.get("name"))
    where = f"Value '{name}' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint:"
    if not re.fullmatch(r"[a-zA-Z0-9_-]+", name):
        yield f"{where} Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"
    if len(name) > 64:
        yield f"{where} Member must have length less than or equal to 64"


def nova_root(node: Node) -> Iterator[str]:
    beside = node.schema.keys() - {"type", "properties", "required"}
    if not node.path and beside:
        yield f"Nova takes type, properties and required at the top level: {sorted(beside)}"


def nullable(node: Node) -> Iterator[str]:
    if "nullable" in node.schema:
        yield DRAFT


ALWAYS = (
    root,
    common.property_names(KEY, f"Property keys should match pattern '{KEY}' ({{name}})"),
    common.valid("2020-12", DRAFT),
    nullable,
    common.resolvable,
)
STRICT = (
    bounds,
    common.only(
        STRICT_KEYWORDS | {each for keys in BOUNDS.values() for each in keys}, "'{key}' is not listed"
    ),
    common.formats(STRICT_FORMATS, "format '{format}' is not supported"),
    common.typed("schema must have a type", instead=("anyOf", "$ref", "allOf", "enum", "const")),
    common.known_types("type {kind!r} is not supported"),
    common.closed("For 'object' type, 'additionalProperties' must be explicitly set to false"),
    common.scalar_literals("complex types in enum are not supported"),
    common.patterns(
        UNDOCUMENTED_REGEX, "regex features backreference, look-around and \\b are not supported"
    ),
    common.references(r"#.*", "external $ref is not supported"),
    common.at_root(circular),
    all_of_beside_reference,
)
NO_BOOLEAN = common.no_boolean("For 'object' type, property 'properties' is not supported ({value})")
UNLISTED = common.without(("examples", "readOnly", "writeOnly", "deprecated"), "'{key}' is in no list")
UNENFORCED = common.listed(("format", "pattern", "if", "not", "uniqueItems"))


def _strict(tool: Tool) -> bool:
    return tool.get("strict") is True


MESSAGES = Checker(
    schema=lambda tool: tool.get("input_schema"),
    envelope=(members, common.named(NAME, f"tools.0.custom.name: String should match pattern '{NAME}'")),
    rules=ALWAYS,
    strict=STRICT,
    is_strict=_strict,
    strict_booleans=NO_BOOLEAN,
    doubted=(UNLISTED,),
    unenforced=(UNENFORCED,),
    place=place,
)
CONVERSE = Checker(
    schema=lambda tool: tool.get("toolSpec", {}).get("inputSchema", {}).get("json"),
    envelope=(bedrock_members,),
    rules=(
        common.object_root(
            "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the "
            "following: object."
        ),
        *ALWAYS,
    ),
    strict=STRICT,
    is_strict=lambda tool: tool.get("toolSpec", {}).get("strict") is True,
    strict_booleans=NO_BOOLEAN,
    doubted=(UNLISTED, nova_root),
    unenforced=(UNENFORCED,),
    place=place,
)

CHECKERS = {
    "anthropic": MESSAGES,
    "anthropic-strict": MESSAGES,
    "bedrock": CONVERSE,
    "bedrock-strict": CONVERSE,
}
