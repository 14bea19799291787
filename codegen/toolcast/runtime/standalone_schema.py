"""Schemas of a contract, each as a document of its own."""

# What a binding reads from its files is for the modules of a call alone.
# pyright: reportPrivateUsage=false

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from ..jsonschema import pointers
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.keywords import SCHEMA_MAP
from .definitions import cut_schema
from .resources import follow
from .tool import AnyTool

LITERALS = frozenset({"default", "enum", "const", "examples"})
"""Keywords whose values are instances: nothing in them is a schema."""
NAMED = SCHEMA_MAP | {"dependentRequired"}
"""Keywords whose values have names of properties or definitions for keys."""
_DEFINITIONS = ("$defs", "definitions", "$def")
"""Members of a document in which the schemas are that it refers to, by provider."""


def standalone_schema(tool: AnyTool) -> JsonObject:
    """Return the contract of a tool's parameters as models are offered it, with the definitions that it
    refers to. References count from its own root; enums of run time have their values. It shares literals
    with the contract: do not change it."""
    node = tool._offered()
    return standalone_at(node.document(), node.pointer)


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


def schema_within(
    schema: JsonMapping, first: Collection[str], room: int
) -> tuple[JsonObject, list[str], list[str]]:
    """Return as much of an object's schema as `room` characters of JSON hold: the properties `first` in full,
    then the types of the others, the required ones before, then these in full. The schema is empty if no
    property fits. It is followed by the properties with types alone, and those that are left out."""
    whole: JsonMapping = schema.get("properties", {})
    required = [name for name in schema.get("required", ()) if name in whole]
    others = [name for name in dict.fromkeys([*required, *whole]) if name not in first]
    types = {name: cut_schema(form) for name, form in whole.items()}
    part: JsonObject = {"type": schema["type"]} if "type" in schema else {}
    room -= _size({**part, "properties": {}, "required": [], **{key: {} for key in _DEFINITIONS}})
    definitions = _Definitions(schema)
    forms: JsonObject = {}
    tries = [*((name, whole) for name in first), *((name, types) for name in [*first, *others])]
    for name, source in [*tries, *((name, whole) for name in others)]:
        if source is types and name in forms:
            continue
        form = source[name]
        before = _size({name: forms[name]}) if name in forms else -_size([name])  # its place in `required`
        left = definitions.take(form, room + before - _size({name: form}))
        if left >= 0:
            room, forms[name] = left, form
    if not forms:
        return {}, [], [*whole]
    part["properties"] = {name: forms[name] for name in whole if name in forms}
    part["required"] = [name for name in required if name in forms]
    part |= definitions.taken
    return (
        part,
        [name for name in forms if forms[name] != whole[name]],
        [name for name in whole if name not in forms],
    )


class _Definitions:
    """The definitions of a schema that its kept properties need: `taken`."""

    def __init__(self, schema: JsonMapping) -> None:
        self._schema = schema
        self._known: dict[tuple[str, str], tuple[int, list[str]]] = {}  # its characters, and its references
        self.taken: dict[str, JsonObject] = {}

    def take(self, form: object, room: int) -> int:
        """Take what a property needs; return the characters left of `room`, negative if nothing was taken,
        since it needs more, or refers to what is no definition."""
        needed: set[tuple[str, str]] = set()
        waiting = [*_references(form)]
        while waiting and room >= 0:
            reference = waiting.pop()
            if reference == "#":
                continue
            key, _, rest = reference.removeprefix("#/").partition("/")
            name = pointers.unescape(rest.partition("/")[0])
            if key not in _DEFINITIONS or name not in self._schema.get(key, {}):
                return -1
            if (key, name) not in needed and name not in self.taken.get(key, {}):
                needed.add((key, name))
                size, references = self._of(key, name)
                room -= size
                waiting += references
        for key, name in needed if room >= 0 else ():
            self.taken.setdefault(key, {})[name] = self._schema[key][name]
        return room

    def _of(self, key: str, name: str) -> tuple[int, list[str]]:
        if (key, name) not in self._known:
            value = self._schema[key][name]
            self._known[key, name] = _size({name: value}), [*_references(value)]
        return self._known[key, name]


def _size(value: Any) -> int:
    return len(msgspec.json.encode(value).decode())


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
