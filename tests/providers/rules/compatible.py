"""Providers that take OpenAI's wrapper with rules of their own (§7, §9-§13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import common
from .checker import Checker, Tool
from .nodes import Node, cycles
from .openai import parameters, strict

NAME = common.named(r"[a-zA-Z0-9_-]{1,64}", "Function name was {name} but must be a-z, A-Z, 0-9, or contain "
                    "underscores and dashes, with a maximum length of 64.", "function")  # fmt: skip
ROOT = "schema must be a JSON Schema of 'type: \"object\"'"
ROOT_COMBINATORS = ("oneOf", "anyOf", "allOf", "enum", "const", "not")


def members(*optional: str, stated: bool = True) -> Any:
    """The wrapper; `name` and `parameters` always, of the others those named. `stated`: with its `type`."""

    def rule(tool: Tool) -> Iterator[str]:
        if tool.get("type", None if stated else "function") != "function":
            yield "tools[0].type must be 'function'"
        yield from common.members({"type", "function"}, "unknown member {key}")(tool)
        allowed = {"name", "parameters", "description", *optional}
        yield from common.members(allowed, "unknown member {key}", "function")(tool)
        if not isinstance(tool.get("function", {}).get("parameters"), dict):
            yield "function.parameters is required"

    return rule


BASELINE = (
    common.object_root(ROOT),
    common.without_at_root(ROOT_COMBINATORS, "'{key}' at the top level"),
    common.resolvable,
)
COMMON_DENOMINATOR = (
    common.items_stated("array schema missing items"),
    common.typed("schema must have a 'type' key", instead=("anyOf", "$ref")),
)
CLOSED = common.closed("'additionalProperties' is required to be supplied and to be false.")
ALL_REQUIRED = common.all_required(
    "'required' is required to be supplied and to be an array including every key in properties. "
    "Missing '{name}'.",
    "Extra required key '{name}' supplied.",
)

# -- Cohere -----------------------------------------------------------------------------------------

COHERE_UNSUPPORTED = ("allOf", "oneOf", "not", "minimum", "maximum", "minItems", "maxItems", "minLength",
                      "maxLength", "uniqueItems")  # fmt: skip
COHERE_FORMATS = {"date-time", "uuid", "date", "time"}


def requires_one(node: Node) -> Iterator[str]:
    """With strict_tools, which is said once for the whole request."""
    if "object" in node.types and node.properties and not node.required:
        yield "at least one required parameter per object"


# -- xAI --------------------------------------------------------------------------------------------

XAI_REGEX = re.compile(r"\\[1-9]|\\k<|\\[pP]\{|\\[bB]|\(\?<?[=!]|\(\?[imsux-]+[:)]")
XAI_FORMATS = {"date", "time", "date-time", "email", "uuid", "ipv4", "ipv6", "uri"}
XAI_GUARANTEED = {"minLength": 2048, "maxLength": 2048, "minItems": 256, "maxItems": 256,
                  "minProperties": 64, "maxProperties": 64}  # fmt: skip


def array_items(node: Node) -> Iterator[str]:
    if isinstance(node.schema.get("items"), list):
        yield "array-form items is not supported; use prefixItems"


def xai_root_reference(node: Node) -> Iterator[str]:
    if not node.path and "$ref" in node.schema:
        yield "root schema is a $ref"


def circular(schema: Any) -> Iterator[str]:
    for reference in cycles(schema):
        yield f"circular reference {reference}"


def best_effort(node: Node) -> Iterator[str]:
    yield from common.listed(("not", "if", "then", "else"), "{key}: best effort")(node)
    if len(node.schema.get("allOf", ())) > 1:
        yield "allOf of several: best effort"
    if node.schema.get("format", "date") not in XAI_FORMATS:
        yield f"format {node.schema['format']}: taken and not enforced"
    for key, most in XAI_GUARANTEED.items():
        if node.schema.get(key, 0) > most:
            yield f"{key} over {most}: taken and not guaranteed"


# -- DeepSeek ---------------------------------------------------------------------------------------

DEEPSEEK_FORMATS = {"email", "hostname", "ipv4", "ipv6", "uuid"}
DEEPSEEK_UNSUPPORTED = ("minLength", "maxLength", "minItems", "maxItems", "oneOf", "allOf", "not", "if",
                        "then", "else", "dependentRequired", "dependentSchemas", "uniqueItems", "contains",
                        "minContains", "maxContains", "minProperties", "maxProperties", "patternProperties",
                        "propertyNames", "unevaluatedItems", "unevaluatedProperties")  # fmt: skip


def structured_type_list(node: Node) -> Iterator[str]:
    if isinstance(node.schema.get("type"), list) and set(node.types) & {"object", "array"}:
        yield f"type list {list(node.types)} naming object or array"


def untyped_branch(node: Node) -> Iterator[str]:
    if (
        "anyOf" in node.path[-2:-1]
        and not node.types
        and "anyOf" not in node.schema
        and "$ref" not in node.schema
    ):
        yield "anyOf branches without type"


def reference_in_any_of(node: Node) -> Iterator[str]:
    if "anyOf" in node.path[-2:-1] and "$ref" in node.schema:
        yield "a $ref inside anyOf has to be inlined"


DEEPSEEK_STRICT = (
    CLOSED,
    ALL_REQUIRED,
    common.without(DEEPSEEK_UNSUPPORTED, "'{key}' is not supported in strict mode"),
    common.formats(DEEPSEEK_FORMATS, "format '{format}' is not supported in strict mode"),
    common.properties_stated("nested objects with no properties go as non-strict", least=1, nested=True),
    common.typed("untyped values go as non-strict"),
    structured_type_list,
    untyped_branch,
)

CHECKERS = {
    "mistral": Checker(
        schema=parameters,
        envelope=(members("strict", stated=False), NAME),  # recorded without `type`: 200
        rules=(*BASELINE, common.valid("draft 7", "Invalid tool schema:")),
        doubted=COMMON_DENOMINATOR,
    ),
    "cohere": Checker(
        schema=parameters,
        envelope=(members(), NAME),
        rules=BASELINE,
        doubted=(
            *COMMON_DENOMINATOR,
            requires_one,
            common.without(COHERE_UNSUPPORTED, "'{key}' is listed as unsupported with strict_tools"),
            common.formats(COHERE_FORMATS, "format '{format}' is listed as unsupported"),
        ),
    ),
    "xai": Checker(
        schema=parameters,
        envelope=(members("strict"), NAME),
        rules=(
            *BASELINE,
            xai_root_reference,
            common.nonempty(("enum", "anyOf"), "{key} with zero variants"),
            common.without(("minContains", "maxContains"), "{key} is not supported"),
            array_items,
            common.patterns(XAI_REGEX, "pattern outside the supported subset"),
            common.at_root(circular),
        ),
        booleans=common.no_boolean("property schema {value} is not supported"),
        doubted=COMMON_DENOMINATOR,
        unenforced=(best_effort,),
    ),
    "deepseek": Checker(
        schema=parameters,
        envelope=(members("strict"), NAME),
        rules=BASELINE,
        strict=DEEPSEEK_STRICT,
        is_strict=strict,
        strict_booleans=common.no_boolean("{value} is not a schema in strict mode"),
        doubted=(*COMMON_DENOMINATOR, reference_in_any_of),
    ),
    "groq": Checker(
        schema=parameters,
        envelope=(members("strict"), NAME),
        rules=BASELINE,
        strict=(CLOSED, ALL_REQUIRED),
        is_strict=strict,
        doubted=COMMON_DENOMINATOR,
    ),
}
