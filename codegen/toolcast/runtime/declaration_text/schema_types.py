"""A JSON Schema as a small tree of types, which `printer` writes in a language.

A type admits every value that the schema accepts. Keywords that constrain values (bounds, patterns) are not
read: the caller puts them into descriptions, as the walk under the profiles `typescript` and `python` does.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from ...hidden_characters import escape_hidden
from ...jsonschema.json_types import KINDS, distinct_types, inferred, types_stated
from ...jsonschema.json_values import JsonMapping, JsonObject, equal, has_type
from ...jsonschema.keywords import map_subschemas, subschemas
from ...jsonschema.pointers import escape, unescape

MAX_DEPTH = 96
"""Deepest nesting of schemas, which is also that of the walk; below it, any value is accepted."""
_TOO_DEEP = "Nested too deeply to be declared."
_ANNOTATIONS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
)
"""Keywords that constrain no value."""
_IN_DEFINITIONS = "#/$defs/"
_MAX_INLINED = 8
"""How many definitions may stand inside each other in place of references."""


class Type(Struct, frozen=True, kw_only=True):
    """A type; `notes` are sentences for the comment of what has it."""

    notes: tuple[str, ...] = ()


class Anything(Type, frozen=True):
    """The type of all values."""


class Nothing(Type, frozen=True):
    """The type of no value."""


class Reference(Type, frozen=True):
    """The type of the definition that a reference leads to."""

    reference: str


class Literals(Type, frozen=True):
    """Some JSON values; whole numbers at the top are integers."""

    values: tuple[Any, ...]


class Scalar(Type, frozen=True):
    """`string`, `number`, `integer`, `boolean` or `null`."""

    kind: str


class Array(Type, frozen=True):
    """An array of at least `least` and at most `most` items, with the types of its first items and of the
    rest, if there may be any.
    """

    first: tuple[Type, ...]
    rest: Type | None
    least: int
    most: int | None


class Field(Struct, frozen=True):
    """A declared key of an object; `default` is as the schema states it."""

    name: str
    required: bool
    type: Type
    default: Any = UNSET


class Object(Type, frozen=True):
    """An object.

    `name` is the key or function that it belongs to, which suggests the name of its class. `fields` are its
    declared keys, and those that are required only; `patterns` the types of the values of other keys, by
    pattern; `others` the type of all further values, if any are expected. An object with `is_open` was read
    as one that may have further keys.
    """

    name: str = ""
    fields: tuple[Field, ...] = ()
    patterns: Mapping[str, Type] = {}
    others: Type | None = None
    is_open: bool = False


class Union(Type, frozen=True):
    """Alternatives; `by_kind` where they are of distinct JSON types, as `type` lists them."""

    branches: tuple[Type, ...]
    by_kind: bool = False


class Intersection(Type, frozen=True):
    """The values that all of several types have; what `type` states is the first."""

    parts: tuple[Type, ...]


def read_type(schema: object, name: str = "", *, is_open: bool = False) -> Type:
    """Read the type of the values that a schema of 2020-12 accepts. `name` suggests the name of its class;
    with `is_open`, objects that do not state `additionalProperties` may have any further keys.
    """
    return _Reader(is_open).read(schema, name, 0)


class _Reader:
    def __init__(self, is_open: bool) -> None:
        self._is_open = is_open

    def read(self, schema: Any, name: str, depth: int) -> Type:
        if depth > MAX_DEPTH:
            return Anything(notes=(_TOO_DEEP,))
        if schema is False:
            return Nothing()
        if not isinstance(schema, Mapping):
            return Anything()
        made = self._constrained(schema, name, depth)
        description = schema.get("description")
        if not isinstance(description, str) or not description:
            return made
        return replace(made, notes=(description, *made.notes))

    def _constrained(self, schema: JsonMapping, name: str, depth: int) -> Type:
        """The type without its description."""
        if "$ref" in schema:
            rest = {key: schema[key] for key in schema if key not in _ANNOTATIONS | {"$ref", "$defs"}}
            notes = (f"Must also match: {compact_json(rest)}.",) if rest else ()
            return Reference(reference=schema["$ref"], notes=notes)
        if "const" in schema or "enum" in schema:
            return _literals(schema)
        parts: list[Type] = []
        kinds = types_stated(dict(schema)) if "type" in schema else inferred(dict(schema))
        if kinds or "type" in schema:
            made = tuple(self._of_kind(kind, schema, name, depth) for kind in distinct_types(kinds))
            parts.append(made[0] if len(made) == 1 else Union(branches=made, by_kind=True))
        for key in ("anyOf", "oneOf"):
            if key in schema:
                parts.append(Union(branches=self._below(schema[key], name, depth)))
        parts += self._below(schema.get("allOf", ()), name, depth)
        if len(parts) < 2:
            return parts[0] if parts else Anything()
        return Intersection(parts=tuple(parts))

    def _below(self, schemas: Any, name: str, depth: int) -> tuple[Type, ...]:
        return tuple(self.read(one, name, depth + 1) for one in schemas)

    def _of_kind(self, kind: str, schema: Mapping[str, object], name: str, depth: int) -> Type:
        if kind == "array":
            return self._array(schema, name, depth)
        if kind == "object":
            return self._object(schema, name, depth)
        return Scalar(kind=kind) if kind in KINDS else Anything()

    def _array(self, schema: JsonMapping, name: str, depth: int) -> Array:
        # JSON Schema lets 2.0 be an integer.
        least, most = int(schema.get("minItems", 0)), schema.get("maxItems")
        first = [
            self.read(one, f"{name}_{number}", depth + 1)
            for number, one in enumerate(schema.get("prefixItems", ()), 1)
        ]
        items = schema.get("items", True)
        closed = items is False or (most is not None and most <= len(first))
        return Array(
            first=tuple(first),
            rest=None if closed else self.read(items, name, depth + 1),
            least=least,
            most=None if most is None else int(most),
        )

    def _object(self, schema: JsonMapping, name: str, depth: int) -> Object:
        properties: JsonMapping = schema.get("properties", {})
        required = tuple(dict.fromkeys(schema.get("required", ())))
        patterns: JsonMapping = schema.get("patternProperties", {})
        silent = True if self._is_open or not (properties or required) else None
        others = schema.get("additionalProperties", silent)
        # A required key that is not declared is free, or allowed by none.
        undeclared = others is not False or bool(patterns)
        declared = {**properties, **{key: undeclared for key in required if key not in properties}}
        if others is None and patterns:
            others = True
        elif others is False:
            others = None
        return Object(
            name=name,
            fields=tuple(
                Field(
                    name=key,
                    required=key in required,
                    type=self.read(below, key, depth + 1),
                    default=below.get("default", UNSET) if isinstance(below, Mapping) else UNSET,
                )
                for key, below in declared.items()
            ),
            patterns={pattern: self.read(below, "Value", depth + 1) for pattern, below in patterns.items()},
            others=None if others is None else self.read(others, "Value", depth + 1),
            is_open=self._is_open,
        )


def _literals(schema: JsonMapping) -> Literals:
    """The values of `const` and `enum` that `type` allows."""
    values = [schema["const"]] if "const" in schema else list(schema["enum"])
    if "const" in schema and "enum" in schema:
        values = [one for one in values if any(equal(one, other) for other in schema["enum"])]
    if "type" in schema:
        values = [one for one in values if has_type(one, types_stated(dict(schema)))]
    whole = (int(one) if isinstance(one, float) and one.is_integer() else one for one in values)
    return Literals(values=tuple(whole))


def compact_json(value: object) -> str:
    """Write JSON on one line, in which no character is hidden."""
    return escape_hidden(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def with_definitions_inlined(schema: JsonMapping) -> JsonObject:
    """Return a schema in which each of `$defs` with one use stands in the place of its reference. Definitions
    with several uses, or with themselves among their parts, stay.
    """
    definitions: Mapping[str, object] = schema.get("$defs", {})
    root = {key: value for key, value in schema.items() if key != "$defs"}
    if not definitions:
        return root
    counts = Counter(_references([root, *definitions.values()]))
    once = {name: one for name, one in definitions.items() if counts[reference_to(name)] == 1}
    circular = _circular(once)
    once = {name: one for name, one in once.items() if name not in circular}
    made = _inlined(root, once, 0)
    kept: JsonObject = {}
    pending = _references([made])
    while pending:
        name = _name(pending.pop())
        if name in definitions and name not in kept:
            kept[name] = _inlined(definitions[name], once, 0)
            pending += _references([kept[name]])
    return {**made, "$defs": {name: kept[name] for name in definitions if name in kept}} if kept else made


def reference_to(name: str) -> str:
    """The reference to a definition."""
    return _IN_DEFINITIONS + escape(name)


def _name(reference: str) -> str:
    return unescape(reference.removeprefix(_IN_DEFINITIONS))


def _references(schemas: list[object]) -> list[str]:
    found: list[str] = []
    pending = list(schemas)
    while pending:
        schema = pending.pop()
        if isinstance(schema, Mapping):
            if isinstance(schema.get("$ref"), str):
                found.append(schema["$ref"])
            pending += [below for _, below in subschemas(schema)]
    return found


def _circular(once: Mapping[str, object]) -> set[str]:
    """The names of definitions with one use whose references, through others of them, lead back to them."""
    users = {_name(reference): name for name, one in once.items() for reference in _references([one])}
    found: set[str] = set()
    visited: set[str] = set()
    for start in once:
        way: list[str] = []
        name: str | None = start
        while name is not None and name in once and name not in visited:
            visited.add(name)
            way.append(name)
            name = users.get(name)
        if name in way:
            found.update(way[way.index(name) :])
    return found


def _inlined(schema: object, once: Mapping[str, object], opened: int) -> Any:
    """A schema with references replaced; `opened` of them lead here."""
    if not isinstance(schema, Mapping):
        return schema
    reference = schema.get("$ref")
    target = once.get(_name(reference)) if isinstance(reference, str) else None
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    if isinstance(target, Mapping) and beside.keys() <= _ANNOTATIONS and opened < _MAX_INLINED:
        return {**_inlined(target, once, opened + 1), **beside}
    return map_subschemas(schema, lambda below: _inlined(below, once, opened))
