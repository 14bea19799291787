"""The schema of a tool's parameters as a document of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..jsonschema import pointers
from ..jsonschema.keywords import SCHEMA_MAP
from .contract_node import follow
from .tool import Tool

LITERALS = frozenset({"default", "enum", "const", "examples"})
"""Keywords whose values are instances: nothing in them is a schema."""
NAMED = SCHEMA_MAP | {"dependentRequired"}
"""Keywords whose values have names of properties or definitions for keys."""


def standalone_schema(tool: Tool[Any]) -> dict[str, Any]:
    """The contract of a tool's parameters as models are offered it, with the definitions that it refers to:
    references count from its own root.

    Args:
        tool: the tool; enums of run time have their values.

    Returns:
        A schema that shares literals with the contract: do not change it.
    """
    node = tool._offered()
    return standalone_at(node.document(), node.pointer)


def standalone_at(document: Mapping[str, Any], pointer: str) -> dict[str, Any]:
    """A schema of a contract document as a document of its own, with the definitions that it refers to.

    Args:
        document: the contract document.
        pointer: pointer to the schema; empty for the document as a whole.

    Returns:
        A schema that shares literals with the document: do not change it.
    """
    if not pointer:
        alone: dict[str, Any] = _moved(document, "#")
        return alone
    root = f"#{pointer}"
    shared: Mapping[str, Any] = document.get("$defs", {})
    schema: dict[str, Any] = _moved(follow(document, pointer), root)
    needed: dict[str, Any] = {}
    waiting = [schema]
    while waiting:
        for reference in _references(waiting.pop()):
            name = reference.removeprefix("#/$defs/").partition("/")[0]
            key = pointers.unescape(name)
            if reference.startswith("#/$defs/") and key in shared and key not in needed:
                needed[key] = _moved(shared[key], root)
                waiting.append(needed[key])
    if not needed:
        return schema
    own = schema.get("$defs", {})
    return {**schema, "$defs": {**{key: needed[key] for key in sorted(needed)}, **own}}


def _moved(schema: Any, root: str, *, named: bool = False) -> Any:
    """A copy in which references below `root` count from there. `named`: the keys are names."""
    if isinstance(schema, list):
        return [_moved(item, root) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if not named and key == "$ref" and isinstance(value, str):
            inside = value == root or value.startswith(f"{root}/")
            made[key] = "#" + value.removeprefix(root) if inside else value
        elif not named and key in LITERALS:
            made[key] = value
        else:
            made[key] = _moved(value, root, named=not named and key in NAMED)
    return made


def _references(schema: Any, *, named: bool = False) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if not named and key == "$ref" and isinstance(value, str):
                yield value
            elif named or key not in LITERALS:
                yield from _references(value, named=not named and key in NAMED)
