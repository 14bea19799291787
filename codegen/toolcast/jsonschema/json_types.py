"""JSON types: of literals, and of schemas by their keywords."""

from __future__ import annotations

from typing import Any

from .json_values import has_type, type_of
from .keywords import TYPE_OF
from .schema_error import SchemaError
from .schema_node import SchemaNode

ATOMS = frozenset((str, int, float, bool, type(None)))
LITERAL_DEPTH = 200


def copied(value: Any, depth: int = LITERAL_DEPTH) -> Any:
    """Copy a JSON literal, so that output never shares a container with input. Raises SchemaError."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if depth == 0:
        raise SchemaError("", f"a literal is nested deeper than {LITERAL_DEPTH} levels")
    if isinstance(value, dict):
        return {key: copied(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if ATOMS.issuperset(map(type, value)):
            return list(value)
        return [copied(item, depth - 1) for item in value]
    return value


KINDS = dict.fromkeys(("string", "number", "integer", "boolean", "null", "array", "object"))
"""All types, in the order of lists."""
MOVED = frozenset((*TYPE_OF, "type", "enum", "const", "not", "if", "then", "else", "allOf", "oneOf", "$ref"))
"""Keywords that constrain: they cannot be siblings of an anyOf that must be alone."""
NUMBER_FORMATS = frozenset(("int32", "int64", "float", "double"))


def states_type(node: SchemaNode) -> bool:
    """Return whether a node states its one type."""
    kind = node.keywords.get("type")
    return kind.__class__ is str and kind in KINDS


def names_type(node: SchemaNode, kind: str) -> bool:
    """Return whether a node names `kind` among its types."""
    stated = node.keywords.get("type")
    return stated == kind or (isinstance(stated, list) and kind in stated)


def types_stated(keywords: dict[str, Any]) -> list[str]:
    """Return the types that `type` names."""
    kind = keywords["type"]
    return kind if isinstance(kind, list) else [kind]


def inferred(node: dict[str, Any]) -> list[str]:
    """Return the types of a node without `type`: those of its literals, else those its keywords imply."""
    if isinstance(node.get("enum"), list):
        return distinct_types([type_of(value) for value in node["enum"]])
    if "const" in node:
        return [type_of(node["const"])]
    if node.get("format") in NUMBER_FORMATS:
        return ["integer" if node["format"].startswith("int") else "number"]
    return list(dict.fromkeys(TYPE_OF[key] for key in node if key in TYPE_OF))


def distinct_types(kinds: list[str]) -> list[str]:
    """Return types once each; `number` includes `integer`."""
    once = list(dict.fromkeys(kinds))
    return [kind for kind in once if not (kind == "integer" and "number" in once)]


def split(node: dict[str, Any], kinds: list[str]) -> list[dict[str, Any]]:
    """Return one branch for each type, with the keywords that concern it, without annotations."""
    branches: list[dict[str, Any]] = []
    for kind in kinds:
        group = "number" if kind == "integer" else kind
        branch: dict[str, Any] = {"type": kind}
        for key, value in node.items():
            if key not in MOVED or key == "type":
                continue
            if key == "enum":
                fitting = [item for item in value if has_type(item, [kind])]
                if not fitting:
                    break
                branch[key] = fitting
            elif key == "format":
                if (value in NUMBER_FORMATS) != (group == "string"):
                    branch[key] = value
            elif TYPE_OF.get(key, group) == group:
                branch[key] = value
        else:
            branches.append(branch)
    return branches
