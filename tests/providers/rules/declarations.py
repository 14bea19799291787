"""What the definition of a tool for code may have, so that types and comments express all of it."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from typing import Any

from . import common
from .checker import Checker, Tool
from .nodes import Node

MEMBERS = {"name", "description", "parameters", "result", "callers", "defer"}
STRUCTURE = {
    *("type", "properties", "required", "additionalProperties", "patternProperties", "items", "prefixItems"),
    *("minItems", "maxItems", "enum", "const", "anyOf", "$ref", "$defs", "description"),
}


def parameters(tool: Tool) -> Any:
    return tool["parameters"]


def alternatives_alone(node: Node) -> Iterator[str]:
    """A union of types has nothing beside it but its description."""
    if "anyOf" in node.schema and node.schema.keys() - {"anyOf", "description", "default", "$defs"}:
        yield "alternatives have constraints beside them"


def python_names(node: Node) -> Iterator[str]:
    """Parameters and fields are written as identifiers, and a class would mangle two underscores."""
    for name in node.schema.get("properties", ()):
        if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name) or name.startswith("__"):
            yield f"{name!r} is no name for a parameter"


CHECKERS = {
    "typescript": Checker(
        schema=parameters,
        envelope=(common.members(MEMBERS, "{key} is no part of a declaration"),),
        rules=(common.only(STRUCTURE, "no type expresses {key}"), alternatives_alone),
    ),
    "python": Checker(
        schema=parameters,
        envelope=(common.members(MEMBERS, "{key} is no part of a declaration"),),
        rules=(
            common.object_root(),
            common.only(STRUCTURE | {"default"}, "no type expresses {key}"),
            alternatives_alone,
            python_names,
        ),
    ),
}
