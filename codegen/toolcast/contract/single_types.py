"""The nodes of single types: `type: string`, `type: object`, and so on.

Objects hold schemas and schemas hold objects: what these functions need of the reader of any schema
(`reader.ContractReader`) is the Protocol `SchemaReader`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from msgspec import UNSET, Struct

from ..jsonschema.formats import FORMATS
from ..jsonschema.json_values import JsonMapping
from ..jsonschema.pointers import escape
from .schema_mistakes import is_always_fast
from .tree import (
    KEYWORD,
    TYPES,
    Anything,
    Array,
    Boolean,
    Field,
    Map,
    Node,
    Nothing,
    Null,
    Number,
    Object,
    String,
    Tuple,
)

_LENGTH_LIMIT: Final = 2**62
"""Lengths from here on exceed any memory, and the range of msgspec's bounds."""


class SchemaReader(Protocol):
    """A reader of one contract document."""

    def read(self, schema: Any, pointer: str) -> Node:
        """The node of `schema`, at `pointer` of the contract document."""
        ...

    def pointer_of(self, schema: object, pointer: str) -> str:
        """The pointer of `schema` in the document; `pointer` where it is no schema of the document."""
        ...

    def keeps_undeclared(self, pointer: str) -> bool:
        """Return whether the object at `pointer` keeps properties that it does not declare."""
        ...

    def accepts(self, schema: Any, value: Any) -> bool:
        """Return whether `schema` accepts `value`."""
        ...

    def validator(self, schema: object) -> Any:
        """The exact validator of `schema`."""
        ...


def _length_bounds(
    schema: JsonMapping, minimum: str, maximum: str
) -> tuple[int, int | None, tuple[str, ...]]:
    """Both bounds of a length, from the keywords `minimum` and `maximum`; and those that the node leaves to
    the validator."""
    low, high = int(schema.get(minimum, 0)), schema.get(maximum)
    upper = None if high is None or high >= _LENGTH_LIMIT else int(high)
    return (low, upper, ()) if low < _LENGTH_LIMIT else (0, upper, (minimum,))


class TypedSchema(Struct, frozen=True):
    """A schema that is read as one type. `residue`: keywords known to need the validator."""

    schema: JsonMapping
    pointer: str
    description: str
    residue: tuple[str, ...]


_UNTYPED = (
    "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "propertyNames",
    "unevaluatedProperties",
)  # fmt: skip

_UNENCODABLE = re.compile(r'[\x00-\x1f"\\]')
"""Characters that msgspec refuses in an encoded field name: such properties are kept as undeclared ones."""

_READS_UNDECLARED = frozenset(
    {
        "anyOf", "oneOf", "allOf", "not", "if", "$ref", "dependentSchemas", "enum", "const",
        "dependentRequired", "minProperties", "unevaluatedProperties",
    }
)  # fmt: skip
"""Keywords whose verdict may depend on properties that the object does not declare."""


def _read_object(reader: SchemaReader, typed: TypedSchema) -> Node:
    if not typed.schema.get("properties") and not typed.schema.get("required"):
        node = _read_map(reader, typed)
        if node is not None:
            return node
    return read_declared_object(reader, typed)


def _read_map(reader: SchemaReader, typed: TypedSchema) -> Node | None:
    schema, pointer, residue = typed.schema, typed.pointer, typed.residue
    additional = schema.get("additionalProperties", True)
    patterns = schema.get("patternProperties", {})
    keys: String | None = None
    values_pointer = f"{pointer}/additionalProperties"
    if additional is False:
        if len(patterns) != 1 or "propertyNames" in schema or not is_always_fast(next(iter(patterns))):
            return None
        pattern, additional = next(iter(patterns.items()))
        values_pointer = f"{pointer}/patternProperties/{escape(pattern)}"
        keys = String(pointer=pointer, pattern=pattern)
    elif patterns:
        unsaid = [] if additional is True else ["additionalProperties"]
        residue, additional = (*residue, "patternProperties", *unsaid), True
    names = schema.get("propertyNames", True)
    if names is not True and keys is None:
        node = reader.read({"type": "string", **names} if isinstance(names, dict) else names, pointer)
        if isinstance(node, String) and not node.residue and node.format is None:
            keys = node
        else:
            residue = (*residue, "propertyNames")
    values = reader.read(additional, values_pointer)
    if isinstance(values, Nothing):
        return None
    checked = tuple(
        k for k in ("dependentRequired", "dependentSchemas", "unevaluatedProperties") if k in schema
    )
    limit = schema.get("maxProperties")
    return Map(
        pointer=pointer,
        description=typed.description,
        residue=residue + checked,
        values=values,
        keys=keys,
        min_size=int(schema.get("minProperties", 0)),
        max_size=None if limit is None else int(limit),
    )


def read_declared_object(reader: SchemaReader, typed: TypedSchema) -> Object:
    """An object with named properties. Every name in `required` becomes a field."""
    schema, pointer = typed.schema, typed.pointer
    residue = typed.residue + tuple(k for k in _UNTYPED if k in schema)
    required = set(schema.get("required", ()))
    additional = schema.get("additionalProperties", UNSET)
    patterns = schema.get("patternProperties", {})
    fields: list[Field] = []
    unencodable = any(map(_UNENCODABLE.search, {**schema.get("properties", {}), **dict.fromkeys(required)}))
    for name, item in schema.get("properties", {}).items():
        if _UNENCODABLE.search(name):
            continue
        node = reader.read(item, f"{pointer}/properties/{escape(name)}")
        if isinstance(node, Nothing) and name not in required:
            residue = (*residue, "properties")  # it must be absent: the validator refuses it
            continue
        fields.append(_read_field(reader, name, node, item, pointer, required=name in required))
    known = {field.encode_name for field in fields}
    values_pointer = f"{pointer}/additionalProperties"
    for name in schema.get("required", ()):
        if name not in known and not _UNENCODABLE.search(name):
            undeclared = True if additional is UNSET or patterns else additional
            node = reader.read(undeclared, values_pointer)
            fields.append(Field(encode_name=name, node=node, required=True, nullable=True))
            known.add(name)
    closed = additional is False and not patterns and not unencodable
    extra: Node | None = None
    if patterns or unencodable:
        residue = (
            *residue,
            *(["patternProperties"] if patterns else []),
            *(["properties"] if unencodable else []),
            *(["additionalProperties"] if additional not in (UNSET, True) else []),
        )
        extra = Anything(pointer=pointer)
    elif additional is not UNSET and additional is not False:
        extra = reader.read(additional, values_pointer)
    elif not closed and (set(residue) & _READS_UNDECLARED or reader.keeps_undeclared(pointer)):
        extra = Anything(pointer=pointer)  # branches may declare properties: keep what they accept
    min_size, max_size = 0, None
    counted = {"minProperties", "maxProperties"} & schema.keys()
    if closed and counted and all(_states_presence(reader, field, schema) for field in fields):
        min_size, max_size, unexpressed = _length_bounds(schema, "minProperties", "maxProperties")
        residue = (*(k for k in residue if k not in ("minProperties", "maxProperties")), *unexpressed)
    return Object(
        pointer=pointer,
        description=typed.description,
        residue=tuple(dict.fromkeys(residue)),
        fields=tuple(fields),
        closed=closed,
        extra=extra,
        min_size=min_size,
        max_size=max_size,
    )


def _states_presence(reader: SchemaReader, field: Field, schema: JsonMapping) -> bool:
    """Tell whether the field's value shows if the property was present: None then means that it was not."""
    item = schema.get("properties", {}).get(field.encode_name, True)
    return field.default is UNSET and not reader.accepts(item, None)


def _read_field(
    reader: SchemaReader, name: str, node: Node, schema: object, parent: str, *, required: bool
) -> Field:
    """A declared property. Numbers of a default are as the schema has them: 5, not 5.0, for an integer."""
    default: object = UNSET
    if isinstance(schema, dict) and not required and "default" in schema:
        default = reader.validator(schema).settle(schema["default"])
    nullable = not required and reader.accepts(schema, None)
    pointer = reader.pointer_of(schema, f"{parent}/properties/{escape(name)}")
    return Field(
        encode_name=name, node=node, required=required, nullable=nullable, pointer=pointer, default=default
    )


def _read_string(_: SchemaReader, typed: TypedSchema) -> Node:
    low, high, unexpressed = _length_bounds(typed.schema, "minLength", "maxLength")
    pattern = typed.schema.get("pattern")
    if pattern is not None and not is_always_fast(pattern, high):
        pattern, unexpressed = None, (*unexpressed, "pattern")
    return String(
        pointer=typed.pointer,
        description=typed.description,
        residue=typed.residue + unexpressed,
        min_length=low,
        max_length=high,
        pattern=pattern,
        python=TYPES[kind].text if (kind := typed.schema.get(KEYWORD)) in TYPES else None,
        format=name if (name := typed.schema.get("format")) in FORMATS else None,
    )


def _read_number(typed: TypedSchema, *, integer: bool) -> Node:
    schema = typed.schema
    return Number(
        pointer=typed.pointer,
        description=typed.description,
        residue=typed.residue,
        integer=integer,
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum"),
        exclusive_minimum=schema.get("exclusiveMinimum"),
        exclusive_maximum=schema.get("exclusiveMaximum"),
        multiple_of=schema.get("multipleOf"),
    )


def _read_array(reader: SchemaReader, typed: TypedSchema) -> Node:
    schema = typed.schema
    additional = tuple(k for k in ("contains", "unevaluatedItems") if k in schema)
    low, high, unexpressed = _length_bounds(schema, "minItems", "maxItems")
    unique = schema.get("uniqueItems", False) is True
    rest = schema.get("items", True)
    if "prefixItems" in schema:
        fixed = None if additional or unique or unexpressed else _read_tuple(reader, typed, low, high)
        if fixed is not None:
            return fixed
        additional, rest, unique = (
            (
                *additional,
                "prefixItems",
                *(k for k in ("items", "uniqueItems") if schema.get(k) not in (None, k == "items")),
            ),
            True,
            False,
        )
    elif rest is False:
        high, rest = 0, True
    return Array(
        pointer=typed.pointer,
        description=typed.description,
        residue=typed.residue + additional + unexpressed,
        items=reader.read(rest, f"{typed.pointer}/items"),
        min_items=low,
        max_items=high,
        unique=unique,
    )


def _read_tuple(reader: SchemaReader, typed: TypedSchema, low: int, high: int | None) -> Tuple | None:
    """A Tuple, where the array has exactly the items of `prefixItems`."""
    prefix = typed.schema["prefixItems"]
    if typed.schema.get("items", True) is not False or low != len(prefix):
        return None
    if high is not None and high < len(prefix):
        return None
    nodes = [reader.read(item, f"{typed.pointer}/prefixItems/{i}") for i, item in enumerate(prefix)]
    if any(isinstance(node, Nothing) for node in nodes):
        return None
    return Tuple(
        pointer=typed.pointer, description=typed.description, residue=typed.residue, items=tuple(nodes)
    )


def _simple(kind: Callable[..., Node]) -> Callable[[SchemaReader, TypedSchema], Node]:
    return lambda _, typed: kind(pointer=typed.pointer, description=typed.description, residue=typed.residue)


READERS: Final[Mapping[str, Callable[[Any, TypedSchema], Node]]] = {
    "string": _read_string,
    "integer": lambda _, typed: _read_number(typed, integer=True),
    "number": lambda _, typed: _read_number(typed, integer=False),
    "array": _read_array,
    "object": _read_object,
    "boolean": _simple(Boolean),
    "null": _simple(Null),
}
