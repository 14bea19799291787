"""`type: object`: declared properties, free keys, or both."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from ..jsonschema.pointers import escape
from .reads import Reads, sizes
from .slow_patterns import always_quick
from .tree import Anything, Dictionary, Field, Node, Nothing, Object, String

_CHECKED = (
    "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "propertyNames",
    "unevaluatedProperties",
)  # fmt: skip

_UNSAYABLE = re.compile(r'[\x00-\x1f"\\]')
"""What msgspec refuses in a field's name on the wire: such properties stay among the further ones."""

_DECLARING = frozenset(
    {
        "anyOf", "oneOf", "allOf", "not", "if", "$ref", "dependentSchemas", "enum", "const",
        "dependentRequired", "minProperties", "unevaluatedProperties",
    }
)  # fmt: skip
"""Keywords that may ask for properties which the object itself does not declare."""


def read_object(
    reader: Reads, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...]
) -> Node:
    """A Dictionary where nothing is declared, else an Object."""
    if not schema.get("properties") and not schema.get("required"):
        free = _dictionary(reader, schema, pointer, description, residue)
        if free is not None:
            return free
    return declared(reader, schema, pointer, description, residue)


def _dictionary(
    reader: Reads, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...]
) -> Node | None:
    further = schema.get("additionalProperties", True)
    patterns = schema.get("patternProperties", {})
    keys: String | None = None
    place = f"{pointer}/additionalProperties"
    if further is False:
        if len(patterns) != 1 or "propertyNames" in schema or not always_quick(next(iter(patterns))):
            return None
        pattern, further = next(iter(patterns.items()))
        place = f"{pointer}/patternProperties/{escape(pattern)}"
        keys = String(pointer=pointer, pattern=pattern)
    elif patterns:
        residue, further = (*residue, "patternProperties"), True
    names = schema.get("propertyNames", True)
    if names is not True and keys is None:
        node = reader.read({"type": "string", **names} if isinstance(names, dict) else names, pointer)
        if isinstance(node, String) and not node.residue and node.format is None:
            keys = node
        else:
            residue = (*residue, "propertyNames")
    values = reader.read(further, place)
    if isinstance(values, Nothing):
        return None
    checked = tuple(
        k for k in ("dependentRequired", "dependentSchemas", "unevaluatedProperties") if k in schema
    )
    limit = schema.get("maxProperties")
    return Dictionary(
        pointer=pointer,
        description=description,
        residue=residue + checked,
        values=values,
        keys=keys,
        min_size=int(schema.get("minProperties", 0)),
        max_size=None if limit is None else int(limit),
    )


def declared(
    reader: Reads, schema: Mapping[str, Any], pointer: str, description: str, residue: tuple[str, ...]
) -> Object:
    """An object with named properties. Every name in `required` becomes a field."""
    residue = residue + tuple(k for k in _CHECKED if k in schema)
    required = set(schema.get("required", ()))
    further = schema.get("additionalProperties", UNSET)
    patterns = schema.get("patternProperties", {})
    fields: list[Field] = []
    unsayable = any(map(_UNSAYABLE.search, {**schema.get("properties", {}), **dict.fromkeys(required)}))
    for name, item in schema.get("properties", {}).items():
        if _UNSAYABLE.search(name):
            continue
        node = reader.read(item, f"{pointer}/properties/{escape(name)}")
        if isinstance(node, Nothing) and name not in required:
            residue = (*residue, "properties")  # it must be absent: nothing to keep, something to refuse
            continue
        fields.append(_field(reader, name, node, item, pointer, required=name in required))
    known = {field.wire for field in fields}
    place = f"{pointer}/additionalProperties"
    for name in schema.get("required", ()):
        if name not in known and not _UNSAYABLE.search(name):
            undeclared = True if further is UNSET or patterns else further
            node = reader.read(undeclared, place)
            fields.append(Field(wire=name, node=node, required=True, nullable=True))
            known.add(name)
    closed = further is False and not patterns and not unsayable
    extra: Node | None = None
    if patterns or unsayable:
        residue = (
            *residue,
            *(["patternProperties"] if patterns else []),
            *(["properties"] if unsayable else []),
        )
        extra = Anything(pointer=pointer)
    elif further is not UNSET and further is not False:
        extra = reader.read(further, place)
    elif not closed and (set(residue) & _DECLARING or reader.keeps(pointer)):
        extra = Anything(pointer=pointer)  # branches may declare properties: keep what they let in
    least, most = 0, None
    counted = {"minProperties", "maxProperties"} & schema.keys()
    if closed and counted and all(_countable(reader, field, schema) for field in fields):
        least, most, left = sizes(schema, "minProperties", "maxProperties")
        residue = (*(k for k in residue if k not in ("minProperties", "maxProperties")), *left)
    return Object(
        pointer=pointer,
        description=description,
        residue=tuple(dict.fromkeys(residue)),
        fields=tuple(fields),
        closed=closed,
        extra=extra,
        min_size=least,
        max_size=most,
    )


def _countable(reader: Reads, field: Field, schema: Mapping[str, Any]) -> bool:
    """Whether a Struct's value tells if this property was given: None always means that it was not."""
    item = schema.get("properties", {}).get(field.wire, True)
    return field.default is UNSET and not reader.accepts(item, None)


def _field(reader: Reads, name: str, node: Node, schema: Any, parent: str, *, required: bool) -> Field:
    """A declared property. A default is written as the schema has its numbers: 5, not 5.0, for an integer."""
    default: Any = UNSET
    if isinstance(schema, dict) and not required and "default" in schema:
        default = reader.validator(schema).settle(schema["default"])
    nullable = not required and reader.accepts(schema, None)
    place = reader.place(schema, f"{parent}/properties/{escape(name)}")
    return Field(wire=name, node=node, required=required, nullable=nullable, pointer=place, default=default)
