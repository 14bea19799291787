"""Gemini's three ways of stating parameters, and Cloud Code Assist before Claude (§4, §5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import common
from .anthropic import DRAFT, KEY
from .checker import Checker, Rule, Tool
from .nodes import NAMED, Node, Path, Schema, target, walk

FIELDS = {
    "type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems",
    "properties", "required", "minProperties", "maxProperties", "minimum", "maximum", "minLength",
    "maxLength", "pattern", "example", "anyOf", "propertyOrdering", "default",
}  # fmt: skip
INTEGERS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
JSON_SCHEMA = {
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items",
    "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties",
    "additionalProperties", "required", "propertyOrdering",
}  # fmt: skip
TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
STRIPPED = (
    "$schema", "$ref", "$defs", "$dynamicRef", "$dynamicAnchor", "$comment", "examples", "prefixItems",
    "unevaluatedProperties", "unevaluatedItems", "patternProperties", "additionalProperties",
    "propertyNames", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "minProperties",
    "maxProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern",
    "format", "deprecated", "readOnly", "writeOnly", "dependencies", "dependentSchemas",
    "dependentRequired", "x-mcp-header", "nullable", "anyOf", "oneOf", "allOf", "not",
)  # fmt: skip
ENUM_ADVICE = 40


def place(path: Path) -> str:
    """Semantic errors name properties: `parameters.properties[a].items`."""
    text, named = "parameters", False
    for part in path:
        text += f"[{part}]" if named or isinstance(part, int) else f".{part}"
        named = not named and part in NAMED
    return f"GenerateContentRequest.tools[0].function_declarations[0].{text}: "


def declaration(tool: Tool) -> Iterator[str]:
    known = {"name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema",
             "behavior"}  # fmt: skip
    where = "'tools[0].function_declarations[0]'"
    unknown = f'Invalid JSON payload received. Unknown name "{{key}}" at {where}: Cannot find field.'
    yield from common.members(known, unknown)(tool)
    if "description" not in tool:
        yield "function_declarations[0].description: REQUIRED"
    for one, other in (("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")):
        if one in tool and other in tool:
            yield f"{one} and {other} are mutually exclusive"


def name(longest: int) -> Any:
    words = ("function_declarations[0].name: Invalid function name. Must start with a letter or an "
             "underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or "
             f"dashes (-), with a maximum length of {longest}.")  # fmt: skip
    return common.named(rf"[A-Za-z_][A-Za-z0-9_.:-]{{0,{longest - 1}}}", words)


# -- parameters: JSON is parsed into a protobuf message ---------------------------------------------


def parsed(node: Node) -> Iterator[str]:
    """Values that the message has no room for."""
    if isinstance(node.schema.get("type"), list):
        yield 'Unknown name "type": Proto field is not repeating, cannot start list.'
    elif "type" in node.schema and not set(node.types) & TYPES:
        message, stated = "type.googleapis.com/google.ai.generativelanguage.v1beta.Type", node.schema["type"]
        yield f"Invalid value at 'type' ({message}), \"{stated}\""
    if isinstance(node.schema.get("items"), list):
        yield 'Unknown name "items": Proto field is not repeating, cannot start list.'
    for i, value in enumerate(node.schema.get("enum", ())):
        if not isinstance(value, str):
            yield f"Invalid value at 'enum[{i}]' (TYPE_STRING), {value!r}"
    for key in INTEGERS:
        if key in node.schema and (
            isinstance(node.schema[key], bool) or node.schema[key] != int(node.schema[key])
        ):
            yield f"Invalid value at '{key}' (TYPE_INT64), {node.schema[key]!r}"
    for key in ("minimum", "maximum"):
        if isinstance(node.schema.get(key), (bool, list, dict, type(None))) and key in node.schema:
            yield f"Invalid value at '{key}' (TYPE_DOUBLE), {node.schema[key]!r}"
    if not isinstance(node.schema.get("nullable", False), bool):
        yield "Invalid value at 'nullable' (TYPE_BOOL)"


def enum_of_strings(*kinds: str) -> Rule:
    def rule(node: Node) -> Iterator[str]:
        if "enum" in node.schema and not set(node.types) & set(kinds):
            yield "enum: only allowed for STRING type"
        if "enum" in node.schema and "" in node.schema["enum"]:
            yield "enum: cannot be empty"

    return rule


def proto_formats(node: Node) -> Iterator[str]:
    known = {"string": ("enum", "date-time"), "number": ("float", "double"), "integer": ("int32", "int64")}
    for kind, allowed in known.items():
        if kind in node.types and node.schema.get("format", allowed[0]) not in allowed:
            listed = " and ".join(f"'{each}'" for each in allowed)
            yield f"format: only {listed} are supported for {kind.upper()} type"


def any_of_alone(node: Node) -> Iterator[str]:
    if "anyOf" in node.schema and len(node.schema) > 1:
        yield ("schema specified other fields alongside any_of. "
               "When using any_of, it must be the only field set.")  # fmt: skip


def states_type(node: Node) -> Iterator[str]:
    if not node.types and "anyOf" not in node.schema and not isinstance(node.schema.get("type"), list):
        yield "schema didn't specify the schema type field"


def long_enum(node: Node) -> Iterator[str]:
    if len(node.schema.get("enum", ())) > ENUM_ADVICE:
        yield "The specified schema produces a constraint that has too many states for serving."


def empty_root(node: Node) -> Iterator[str]:
    """Stated for the Developer API; recorded traffic with an empty root was answered with 200."""
    if not node.path and not node.properties:
        yield "properties: should be non-empty for OBJECT type"


def unknown_name(fields: set[str]) -> Rule:
    return common.only(fields, 'Unknown name "{key}": Cannot find field.')


INVALID = common.no_boolean("Invalid value: {value}")
EMPTY_OBJECT = common.properties_stated(
    "properties: should be non-empty for OBJECT type", least=1, nested=True
)


PROTO = (
    common.object_root("parameters: type must be OBJECT"),
    parsed,
    states_type,
    common.items_stated("items: missing field."),
    common.declared_required("required[{i}]: property is not defined"),
    common.nonempty(("anyOf",), "{key}: should be non-empty"),
)

# -- parametersJsonSchema ---------------------------------------------------------------------------


def needless_recursion(schema: Schema) -> Iterator[str]:
    """Recursion may only pass through properties that are not required."""

    def required_from(part: Any) -> Iterator[str]:
        if not isinstance(part, dict):
            return
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        held = part.get("properties", {})
        for key in part.get("required", ()):
            yield from required_from(held.get(key))

    def reached(reference: str, seen: frozenset[str]) -> Iterator[str]:
        for following in required_from(target(schema, reference)):
            if following in seen:
                yield following
            else:
                yield from reached(following, seen | {following})

    references = {n.schema["$ref"] for n in walk(schema) if isinstance(n.schema, dict) and "$ref" in n.schema}
    for reference in sorted(references):
        if reference in reached(reference, frozenset({reference})):
            yield f"cyclic reference {reference} within required properties"


PARAMETER_NAME = common.property_names(
    r"[A-Za-z_][A-Za-z0-9_]{0,63}", "parameter names must match [A-Za-z_][A-Za-z0-9_]{0,63}: {name}"
)
JSON = (
    common.object_root("parametersJsonSchema: type must be object"),
    common.resolvable,
    common.lone_reference(
        "if $ref is set, no other properties, except those starting with $, may be set: {beside}",
        allowed=lambda key: key.startswith("$"),
    ),
    common.at_root(needless_recursion),
    common.valid("2020-12", "Request contains an invalid argument."),
    PARAMETER_NAME,
)

# -- the four profiles ------------------------------------------------------------------------------

DEVELOPER = Checker(
    schema=lambda tool: tool.get("parameters"),
    envelope=(declaration, name(64)),
    rules=(
        unknown_name(FIELDS),
        *PROTO,
        EMPTY_OBJECT,
        enum_of_strings("string"),
        proto_formats,
        PARAMETER_NAME,
    ),
    booleans=INVALID,
    doubted=(long_enum, empty_root),
    unenforced=(common.listed(("default", "pattern", "minLength", "maxLength")),),
    place=place,
)
JSON_CHECKER = Checker(
    schema=lambda tool: tool.get("parametersJsonSchema"),
    envelope=(declaration, name(64)),
    rules=JSON,
    doubted=(long_enum,),
    unenforced=(common.beyond(JSON_SCHEMA),),
    place=place,
)
VERTEX = Checker(
    schema=lambda tool: tool.get("parameters"),
    envelope=(declaration, name(128)),
    rules=(
        unknown_name(FIELDS | {"additionalProperties", "defs", "ref", "oneOf", "allOf"}),
        *PROTO,
        enum_of_strings("string", "integer"),
        any_of_alone,
        PARAMETER_NAME,
    ),
    booleans=INVALID,
    doubted=(
        long_enum,
        proto_formats,
        EMPTY_OBJECT,
    ),  # the last: expressed by the other API only
    unenforced=(common.listed(("default",)),),
    place=place,
)


class _Vertex(Checker):
    """Vertex takes either member; each has its own rules."""

    def reject(self, tool: Tool) -> list[str]:
        return JSON_CHECKER.reject(tool) if "parametersJsonSchema" in tool else super().reject(tool)


def fits_both(tool: Tool) -> Iterator[str]:
    """Google's parser reads the declaration, Anthropic's rules judge the name."""
    yield from declaration(tool)
    yield from name(64)(tool)
    yield from common.named(r"[a-zA-Z0-9_-]{1,64}", "tools.0.custom.name: String should match pattern "
                            "'^[a-zA-Z0-9_-]{1,64}$'")(tool)  # fmt: skip
    if "parametersJsonSchema" in tool:
        yield "Claude behind Cloud Code Assist takes `parameters` only"
    if "parameters" not in tool:
        yield "tools.0.custom.input_schema.type: Field required"


def no_null(node: Node) -> Iterator[str]:
    if "null" in node.types:
        yield "type null must not remain"


CHECKERS = {
    "gemini": DEVELOPER,
    "gemini-json-schema": JSON_CHECKER,
    "vertex": _Vertex(**vars(VERTEX)),
    "cloud-code-assist": Checker(
        schema=lambda tool: tool.get("parameters"),
        envelope=(fits_both,),
        rules=(
            unknown_name(FIELDS - set(STRIPPED)),
            common.object_root("tools.0.custom.input_schema.type: Input should be 'object'"),
            parsed,
            states_type,
            no_null,
            common.property_names(KEY, f"Property keys should match pattern '{KEY}' ({{name}})"),
            common.valid("2020-12", DRAFT),
        ),
        booleans=INVALID,
        doubted=(common.without(("default",), "'{key}' is stripped by one client and kept by another"),),
        place=place,
    ),
}
