"""Schemas of a contract, each as a document of its own."""

# What a binding reads from its files is for the modules of a call alone.
# pyright: reportPrivateUsage=false

from collections.abc import Iterator
from typing import Any

from ..jsonschema import pointers
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.keywords import SCHEMA_MAP
from .resources import follow
from .tool import AnyTool

LITERALS = frozenset({"default", "enum", "const", "examples"})
"""Keywords whose values are instances: nothing in them is a schema."""
NAMED = SCHEMA_MAP | {"dependentRequired"}
"""Keywords whose values have names of properties or definitions for keys."""


def standalone_schema(tool: AnyTool) -> JsonObject:
    """Return the contract of a tool's parameters as models are offered it, with the definitions that it
    refers to. References count from its own root; enums of run time have their values. It shares literals
    with the contract: do not change it."""
    node = tool._offered()
    return standalone_at(node.document(), node.pointer)


def standalone_result(tool: AnyTool) -> JsonObject | None:
    """Return the contract of a tool's result, as `standalone_schema` does; None if it has none."""
    if tool.result is None:
        return None
    node = tool._result()
    schema = follow(node.document(), node.pointer)
    return standalone_at(node.document(), node.pointer) if isinstance(schema, dict) else {}


def standalone_at(document: JsonMapping, pointer: str) -> JsonObject:
    """Return the schema at `pointer` of a contract document, with the definitions that it refers to. It
    shares literals with the document: do not change it."""
    if not pointer:
        alone: JsonObject = _moved(document, "#")
        return alone
    root = f"#{pointer}"
    shared: JsonMapping = document.get("$defs", {})
    schema: JsonObject = _moved(follow(document, pointer), root)
    needed: JsonObject = {}
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
    """Copy a schema; references below `root` count from there. `named`: the keys are names."""
    if isinstance(schema, list):
        return [_moved(item, root) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: JsonObject = {}
    for key, value in schema.items():
        if not named and key == "$ref" and isinstance(value, str):
            inside = value == root or value.startswith(f"{root}/")
            made[key] = "#" + value.removeprefix(root) if inside else value
        elif not named and key in LITERALS:
            made[key] = value
        else:
            made[key] = _moved(value, root, named=not named and key in NAMED)
    return made


def _references(schema: object, *, named: bool = False) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if not named and key == "$ref" and isinstance(value, str):
                yield value
            elif named or key not in LITERALS:
                yield from _references(value, named=not named and key in NAMED)
