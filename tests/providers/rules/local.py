"""Engines that run on one's own machine (§14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import common
from .checker import Checker
from .compatible import members
from .nodes import Node
from .openai import parameters

# -- Ollama: decoded into Go structs; unknown keys vanish -------------------------------------------

OLLAMA_ROOT = {"type", "$defs", "items", "required", "properties"}
OLLAMA_PROPERTY = {"anyOf", "type", "items", "description", "enum", "properties", "required"}


def below_any(node: Node) -> bool:
    """`items` and `$defs` are held as they are, whatever they contain."""
    return any(key in ("items", "$defs") for key in node.path)


def decoded(node: Node) -> Iterator[str]:
    if below_any(node):
        return
    stated = node.schema.get("type", "")
    if not isinstance(stated, str) and not (node.path and isinstance(stated, list)):
        yield f"json: cannot unmarshal {stated!r} into Go struct field type"
    for key, kind in (("description", str), ("enum", list), ("required", list), ("properties", dict)):
        if not isinstance(node.schema.get(key, kind()), kind):
            yield f"json: cannot unmarshal {key} into Go struct field"


def go_boolean(node: Node) -> Iterator[str]:
    if not below_any(node) and node.path[-1:] != ("additionalProperties",):
        yield "json: cannot unmarshal bool into Go value of type api.ToolProperty"


def lost(node: Node) -> Iterator[str]:
    known = OLLAMA_PROPERTY if node.path else OLLAMA_ROOT
    if not below_any(node):
        yield from common.beyond(known, "{key} is lost")(node)


# -- llama.cpp: the first keyword that matches decides ----------------------------------------------

FAILED = "JSON schema conversion failed:\\n"
LLAMA_FORMATS = {"uuid", "uuid1", "uuid2", "uuid3", "uuid4", "uuid5", "date", "time", "date-time"}
EARLIER = ("$ref", "oneOf", "anyOf", "const", "enum", "properties", "additionalProperties", "allOf", "items",
           "prefixItems")  # fmt: skip


def grammar_pattern(node: Node) -> Iterator[str]:
    held = node.schema.get("pattern")
    reached = node.types in ((), ("string",)) and not any(key in node.schema for key in EARLIER)
    if isinstance(held, str) and reached and not (held.startswith("^") and held.endswith("$")):
        yield f"{FAILED}Pattern must start with '^' and end with '$'"


def grammar_reference(node: Node) -> Iterator[str]:
    reference = node.schema.get("$ref")
    if isinstance(reference, str) and not reference.startswith(("#", "https://")):
        yield f"{FAILED}Unsupported ref: {reference}"
    elif isinstance(reference, str) and reference.startswith("#"):
        yield from (
            f"{FAILED}Error resolving ref {reference}: not in schema" for _ in common.resolvable(node)
        )


def grammar_type(node: Node) -> Iterator[str]:
    stated = node.schema.get("type")
    if stated is not None and not set(node.types) <= common.PYTHON_TYPES.keys():
        yield f"{FAILED}Unrecognized schema: {node.schema}"


def shadowed(node: Node) -> Iterator[str]:
    """Siblings of the keyword that decides, and what no rule reads."""
    unread = ("multipleOf", "uniqueItems", "not", "if", "then", "else", "patternProperties", "minProperties",
              "maxProperties", "contains", "propertyNames")  # fmt: skip
    yield from common.listed(unread)(node)
    if "number" in node.types:
        yield from common.listed(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))(node)
    if "items" in node.schema and "prefixItems" in node.schema:
        yield "prefixItems beside items is not read"
    if node.schema.get("format", "date") not in LLAMA_FORMATS:
        yield f"format {node.schema['format']} is taken and not enforced"
    first = next((key for key in ("$ref", "oneOf", "anyOf", "const", "enum") if key in node.schema), None)
    notes = {"description", "title", "default", "examples", "type", "$defs", "$schema", "$comment"}
    if first and (others := node.schema.keys() - notes - {first}):
        yield f"{sorted(others)} beside {first} are not read"


# -- vLLM with xgrammar -----------------------------------------------------------------------------

REFUSED = "The provided JSON schema contains features not supported by xgrammar."
XGRAMMAR_FORMATS = {
    "email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri",
    "uri-reference", "uri-template", "json-pointer", "relative-json-pointer",
}  # fmt: skip


def xgrammar(node: Node) -> Iterator[str]:
    schema, types = node.schema, node.types
    if {"integer", "number"} & set(types) and "multipleOf" in schema:
        yield f"{REFUSED} (multipleOf)"
    if "array" in types:
        for key in schema.keys() & {"uniqueItems", "contains", "minContains", "maxContains"}:
            yield f"{REFUSED} ({key})"
    if "string" in types and schema.get("format", "date") not in XGRAMMAR_FORMATS:
        yield f"{REFUSED} (format {schema['format']})"
    if schema.keys() & {"pattern", "format"} and schema.keys() & {"minLength", "maxLength"}:
        yield f"{REFUSED} (pattern or format beside minLength or maxLength)"
    open_objects = isinstance(schema.get("additionalProperties"), dict)
    if "propertyNames" in schema and (
        open_objects or schema.keys() & {"properties", "patternProperties", "unevaluatedProperties"}
    ):
        yield f"{REFUSED} (propertyNames)"
    if len(schema.get("patternProperties", ())) > ("properties" not in schema):
        yield f"{REFUSED} (patternProperties)"
    if isinstance(schema.get("items"), list):
        yield "items must be a boolean or an object"
    if schema.get("enum") == []:
        yield "enum array must not be empty"
    closed = schema.get("additionalProperties", False) is False and "patternProperties" not in schema
    if closed and "properties" in schema and schema.get("minProperties", 0) > len(node.properties):
        yield "minProperties is greater than the number of properties"


def xgrammar_reference(node: Node) -> Iterator[str]:
    if str(node.schema.get("$ref", "")).startswith("#"):
        yield from (f"Cannot find field {node.schema['$ref']}" for _ in common.resolvable(node))


def false_property(node: Node) -> Iterator[str]:
    if node.schema is False and "properties" in node.path[-2:-1]:
        yield "Schema 'false' cannot accept any value"


def widened(node: Node) -> Iterator[str]:
    yield from common.listed(("uniqueItems", "contains", "if", "nullable"))(node)
    if "not" in node.schema:
        yield "not: widened to any JSON value"
    if len(node.schema.get("allOf", ())) > 1:
        yield "allOf of several: widened to any JSON value"
    if common.LOOKAROUND.search(str(node.schema.get("pattern", ""))):
        yield "look-ahead is taken and not enforced"


def _wrapper(**rules: Any) -> Checker:
    return Checker(schema=parameters, envelope=(members("strict"),), **rules)


CHECKERS = {
    "ollama": Checker(
        schema=parameters,
        envelope=(members(),),
        rules=(common.object_root("parameters.type must be object"), decoded),
        booleans=go_boolean,
        unenforced=(lost,),
    ),
    "llama-cpp": _wrapper(
        rules=(
            common.object_root("parameters must be an object"),
            grammar_pattern,
            grammar_reference,
            grammar_type,
        ),
        booleans=common.no_boolean(f"{FAILED}Unrecognized schema: {{value}}"),
        unenforced=(shadowed,),
    ),
    "vllm-xgrammar": _wrapper(
        rules=(common.object_root("parameters must be an object"), xgrammar, xgrammar_reference),
        booleans=false_property,
        unenforced=(widened,),
    ),
}
