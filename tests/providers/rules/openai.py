"""OpenAI Chat Completions and Responses, and Azure's copy of them (§2, §16 #1-#20)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import common
from .checker import Checker, Rule, Tool
from .nodes import Node, Path, depth, walk

STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref",
    "$defs", "pattern", "format", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "title", "description", "default", "examples",
    "readOnly", "writeOnly", "$comment", "$schema", "$id",
}  # fmt: skip
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
AZURE_UNSUPPORTED = (
    "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf", "patternProperties",
    "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedItems",
    "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems",
)  # fmt: skip
COMBINATORS = ("oneOf", "anyOf", "allOf", "enum", "const", "not")
ROOT = (
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' "
    "at the top level."
)
PATTERN = "^[a-zA-Z0-9_-]+$"


def context(path: Path) -> str:
    """OpenAI prints a path as a Python tuple."""
    return f"In context={path!r}, "


def function(tool: Tool) -> Any:
    """The member that carries the function: wrapped for Chat, flat for Responses."""
    return tool.get("function", tool)


def name(tool: Tool) -> Iterator[str]:
    stated = str(function(tool).get("name"))
    where = "tools[0].function.name" if "function" in tool else "tools[0].name"
    if not re.fullmatch(PATTERN, stated):
        yield (f"Invalid '{where}': string does not match pattern. "
               f"Expected a string that matches the pattern '{PATTERN}'.")  # fmt: skip
    if len(stated) > 64:
        yield (f"Invalid '{where}': string too long. Expected a string with maximum length 64, "
               f"but got a string with length {len(stated)} instead.")  # fmt: skip


def chat_members(tool: Tool) -> Iterator[str]:
    if tool.get("type") != "function" or not isinstance(tool.get("function"), dict):
        yield "Unknown parameter: 'tools[0].type'."
    yield from common.members({"type", "function"}, "Unknown parameter: 'tools[0].{key}'.")(tool)
    allowed = {"name", "description", "parameters", "strict"}
    yield from common.members(allowed, "Unknown parameter: 'tools[0].{key}'.", "function")(tool)


def responses_members(tool: Tool) -> Iterator[str]:
    allowed = {"type", "name", "description", "parameters", "strict", "output_schema", "defer_loading",
               "allowed_callers", "async"}  # fmt: skip
    yield from common.members(allowed, "Unknown parameter: 'tools[0].{key}'.")(tool)
    if tool.get("type") != "function":
        yield "Invalid value: 'tools[0].type'."
    for key in ("parameters", "strict"):
        if key not in tool:
            yield f"Missing required parameter: 'tools[0].{key}'."


def never_strict(tool: Tool) -> Iterator[str]:
    if function(tool).get("strict"):
        yield "strict is asked for where the profile says it is not"


def parameters(tool: Tool) -> Any:
    return function(tool).get("parameters")


def strict(tool: Tool) -> bool:
    return function(tool).get("strict") is True


def objects_beside_any_of(node: Node) -> Iterator[str]:
    beside = {"properties", "required", "additionalProperties"} & node.schema.keys()
    if "anyOf" in node.schema and beside:
        yield f"'anyOf' is not permitted beside {sorted(beside)}."


def first_keys(node: Node) -> Iterator[str]:
    branches = [b for b in node.schema.get("anyOf", ()) if isinstance(b, dict) and b.get("properties")]
    keys = [next(iter(branch["properties"].items())) for branch in branches]
    same = [key for i, key in enumerate(keys) if key in keys[:i]]
    if same:
        yield "Objects provided via 'anyOf' must not share identical first keys."


def long_description(tool: Tool) -> Iterator[str]:
    """Reported for Chat in 2025 and by Azure; not in the OpenAPI file."""
    text = function(tool).get("description") or ""
    if len(text) > 1024:
        yield ("Invalid 'tools[0].function.description': string too long. Expected a string with maximum "
               f"length 1024, but got a string with length {len(text)} instead.")  # fmt: skip


def sizes(levels: int, most: int, characters: int, values: int) -> Rule:
    def whole(schema: Any) -> Iterator[str]:
        found = [node for node in walk(schema) if isinstance(node.schema, dict)]
        if (deep := depth(schema)) > levels:
            yield f"{deep} levels of nesting exceeds limit of {levels}."
        if (count := sum(len(node.properties) for node in found)) > most:
            yield f"{count} parameters exceeds limit of {most}."
        texts = [text for node in found for text in (*node.properties, *node.schema.get("$defs", ()),
                                                     *map(str, common.literals(node)))]  # fmt: skip
        if sum(map(len, texts)) > characters:
            yield f"{sum(map(len, texts))} characters exceed the limit of {characters}."
        if (count := sum(len(node.schema.get("enum", ())) for node in found)) > values:
            yield f"Expected at most {values} enum values in total, but received {count}"
        for node in found:
            enum = node.schema.get("enum", ())
            if len(enum) > 250 and sum(len(str(value)) for value in enum) > 15_000:
                yield "an enum of more than 250 values has more than 15000 characters"

    return common.at_root(whole)


LOCAL = r"#(/\$defs/[^/]+)?"
ALWAYS = (
    common.object_root(ROOT),
    common.without_at_root(COMBINATORS, ROOT),
    common.properties_stated("object schema missing properties."),
    common.items_stated("array schema missing items."),
    common.python_patterns,
    common.valid("2020-12", "is not of type 'object', 'boolean'"),
    common.resolvable,
)
STRICT = (
    common.only(STRICT_KEYWORDS, "'{key}' is not permitted."),
    common.formats(STRICT_FORMATS, "'{format}' is not a valid format."),
    common.known_types("type {kind!r} is not permitted."),
    common.typed("schema must have a 'type' key."),
    common.lone_reference("$ref cannot have keywords {beside}."),
    common.references(
        LOCAL, "reference can only point to definitions defined at the top level of the schema."
    ),
    common.closed("'additionalProperties' is required to be supplied and to be false."),
    common.all_required(
        "'required' is required to be supplied and to be an array including every key in properties. "
        "Missing '{name}'.",
        "'required' is required to be supplied and to be an array including every key in properties. "
        "Extra required key '{name}' supplied.",
    ),
    common.fitting_literals("enum value {value!r} does not validate against {types}."),
    common.nonempty(("enum", "anyOf"), "'{key}' must not be empty."),
    common.patterns(common.LOOKAROUND, "look-around in a pattern is not supported."),
    objects_beside_any_of,
)
EXTRA = common.declared_required(
    "'required' is required to be supplied and to be an array including every key in properties. "
    "Extra required key '{name}' supplied.",
    whole=False,
)
NO_BOOLEAN = common.no_boolean("{value} is not of type 'object'.")
IGNORED = ("format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
           "maxLength", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
           "minProperties", "maxProperties", "patternProperties", "propertyNames", "prefixItems", "not", "if",
           "dependentRequired", "dependentSchemas")  # fmt: skip


CHAT = Checker(
    schema=parameters,
    envelope=(chat_members, name),
    rules=ALWAYS,
    strict=STRICT,
    is_strict=strict,
    strict_booleans=NO_BOOLEAN,
    limits=(sizes(10, 5000, 120_000, 1000),),
    doubted=(first_keys,),
    doubted_envelope=(long_description,),
    place=context,
)
CHECKERS = {
    "openai": CHAT,
    "openai-nonstrict": Checker(
        schema=parameters,
        envelope=(chat_members, name, never_strict),
        rules=ALWAYS,
        unenforced=(common.listed(IGNORED),),
        place=context,
    ),
    "openai-responses": Checker(
        schema=parameters,
        envelope=(responses_members, name),
        rules=(*ALWAYS, EXTRA, common.without(("oneOf",), "'oneOf' is not permitted.")),
        strict=STRICT,
        is_strict=strict,
        strict_booleans=NO_BOOLEAN,
        limits=(sizes(10, 5000, 120_000, 1000),),
        doubted=(first_keys, common.patterns(common.LOOKAROUND, "look-around in a pattern.")),
        place=context,
    ),
    "azure-openai": Checker(
        schema=parameters,
        envelope=(chat_members, name),
        rules=ALWAYS,
        strict=STRICT,
        is_strict=strict,
        strict_booleans=NO_BOOLEAN,
        limits=(sizes(10, 5000, 120_000, 1000),),
        doubted=(first_keys, common.without(AZURE_UNSUPPORTED, "'{key}' is documented as unsupported."),
                 sizes(5, 100, 15_000, 500)),
        doubted_envelope=(long_description,),
        place=context,
    ),
}  # fmt: skip
