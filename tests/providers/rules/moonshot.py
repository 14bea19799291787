"""Moonshot's flavoured JSON Schema, after its own validator (§13)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import common
from .checker import Checker
from .compatible import members
from .nodes import Node, Path, depth, walk
from .openai import parameters

KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref",
            "$defs", "$id", "title", "description", "default", "minimum", "maximum", "minItems",
            "maxItems"}  # fmt: skip
FORBIDDEN_NAMES = {"$defs", "$ref", "anyOf", "required", "additionalProperties"}


def place(path: Path) -> str:
    where = ".".join(map(str, path))
    return (
        "tools.function.parameters is not a valid moonshot flavored json schema, "
        f"details: <At path '{where}': "
    )


def free(node: Node) -> bool:
    """`{}` may stand at the root and for additionalProperties."""
    return not node.schema and (not node.path or node.path[-1] == "additionalProperties")


def states_type(node: Node) -> Iterator[str]:
    if not node.types and not free(node) and not node.schema.keys() & {"anyOf", "$ref"}:
        yield "type is not defined"


def beside(node: Node) -> Iterator[str]:
    allowed = {"description", "title"} if node.path else {"description", "title", "$defs", "$id"}
    for key in ("anyOf", "$ref"):
        others = node.schema.keys() - allowed - {key}
        if key in node.schema and others:
            yield f"only description and title may stand beside {key}: {sorted(others)}"


def branches(node: Node) -> Iterator[str]:
    if "anyOf" in node.schema and not 1 <= len(node.schema["anyOf"]) <= 10:
        yield "anyOf must have 1 to 10 items"


def only_at_root(node: Node) -> Iterator[str]:
    for key in ("$defs", "$id"):
        if node.path and key in node.schema:
            yield f"{key} is only allowed at the root"


def names(node: Node) -> Iterator[str]:
    for name in node.properties.keys() & FORBIDDEN_NAMES:
        yield f"property name {name} is not allowed"


def alike(node: Node) -> Iterator[str]:
    if "enum" not in node.schema:
        return
    values = node.schema["enum"]
    kinds = {type(value) for value in values}
    if not values or len(kinds) > 1 or not kinds <= {str, int, float}:
        yield "enum must hold only strings, only integers or only floats"


def scalar_default(node: Node) -> Iterator[str]:
    if isinstance(node.schema.get("default"), (dict, list)):
        yield "default must be a scalar"


def sizes(schema: Any) -> Iterator[str]:
    found = [node for node in walk(schema) if isinstance(node.schema, dict)]
    if sum(len(node.properties) for node in found) > 100:
        yield "more than 100 properties"
    if depth(schema) > 5:
        yield "more than 5 levels"
    for node in found:
        values = node.schema.get("enum", ())
        if len(values) > 500 or (len(values) > 250 and sum(len(str(v)) for v in values) > 7500):
            yield "more than 500 enum values, or more than 250 with 7500 characters"


CHECKERS = {
    "moonshot": Checker(
        schema=parameters,
        envelope=(members("strict"),),
        rules=(
            common.object_root("type must be object"),
            common.only(KEYWORDS, "{key} is not supported"),
            states_type,
            beside,
            branches,
            only_at_root,
            common.references(r"#(/\$defs/.*)?", "references must start with #/$defs/>"),
            common.resolvable,
            names,
            alike,
            scalar_default,
            common.declared_required("required[{i}] {name} is not in properties"),
        ),
        booleans=common.no_boolean("{value} is not a schema"),
        limits=(common.at_root(sizes),),
        doubted=(
            common.without(
                ("title", "minItems", "maxItems", "minimum", "maximum"), "{key}: spec text strips it"
            ),
            common.single_type("type lists are refused by older validators"),
        ),
        place=place,
    ),
}
