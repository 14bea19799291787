"""Plain JSON values: copying literals, naming their type."""

from __future__ import annotations

from typing import Any

from .errors import SchemaError

ATOMS = frozenset((str, int, float, bool, type(None)))
LITERAL_DEPTH = 200


def copied(value: Any, depth: int = LITERAL_DEPTH) -> Any:
    """A copy of a JSON literal, so that output never shares a container with input. Raises `SchemaError`."""
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


def kind_of(value: Any) -> str:
    """The JSON Schema type of a literal; a whole float is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return "array" if isinstance(value, list | tuple) else "object"


def fits(value: Any, types: list[str]) -> bool:
    """Whether a literal is of one of `types`."""
    kind = kind_of(value)
    return kind in types or (kind == "integer" and "number" in types)
