"""The typed tree that every later stage reads: the values of a schema, in Python's terms.

A node's type admits every value that its schema accepts. Where it admits more, `residue` names the keywords
that the type does not express; decoding then needs the validator as well.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from ..jsonschema.json_values import JsonObject


class Node(Struct, frozen=True, kw_only=True):
    """Common to all nodes. `pointer` is its pointer in the contract document (`/parameters/properties/x`)."""

    pointer: str
    description: str = ""
    residue: tuple[str, ...] = ()


class Anything(Node, frozen=True):
    """Any JSON value."""


class Nothing(Node, frozen=True):
    """No value at all."""


class Null(Node, frozen=True):
    """Only null."""


class Boolean(Node, frozen=True):
    """true or false."""


class String(Node, frozen=True):
    """Text; lengths count code points. `pattern` is ECMA-262 as written, `format` one that is asserted."""

    min_length: int = 0
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    python: str | None = None  # source of the Python type of its values; None is `str`


class Number(Node, frozen=True):
    """A number; `integer` admits whole floats too, as in JSON Schema."""

    integer: bool
    minimum: int | float | None = None
    maximum: int | float | None = None
    exclusive_minimum: int | float | None = None
    exclusive_maximum: int | float | None = None
    multiple_of: int | float | None = None


class Enum(Node, frozen=True):
    """One of some JSON values (`enum`, `const`), each distinct by JSON equality."""

    values: tuple[Any, ...]


class Array(Node, frozen=True):
    """An array whose items have one schema."""

    items: Node
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False


class Tuple(Node, frozen=True):
    """An array of exactly these items."""

    items: tuple[Node, ...]


class Map(Node, frozen=True):
    """An object with free keys, whose values have one schema."""

    values: Node
    keys: String | None = None
    min_size: int = 0
    max_size: int | None = None


class Field(Struct, frozen=True, kw_only=True):
    """One declared property of an object. `nullable`, of optional ones: null is a value of its own, not
    absence.
    """

    encode_name: str
    node: Node
    required: bool
    nullable: bool = False
    pointer: str = ""  # of its schema, which has the default
    default: Any | UnsetType = UNSET


class Object(Node, frozen=True):
    """An object with declared properties. `closed` refuses undeclared ones; `extra` (never together with
    `closed`) keeps them, each such a node. With neither, undeclared properties are accepted and not kept.
    `min_size` and `max_size` count properties.
    """

    fields: tuple[Field, ...]
    closed: bool = False
    extra: Node | None = None
    min_size: int = 0
    max_size: int | None = None


class Union(Node, frozen=True):
    """One of several branches: `anyOf`, `oneOf`, or a list of types."""

    mode: Literal["any", "one", "types"]
    branches: tuple[Node, ...]
    discriminator: str | None = None


class Reference(Node, frozen=True):
    """A definition by name; `""` is the root of the tool's parameters (or result)."""

    name: str
    root: str = ""


class Contract(Struct, frozen=True, kw_only=True):
    """A tool's contract, or a shared type file's (then `roots` is empty)."""

    roots: Mapping[str, Node]
    definitions: Mapping[str, Node]
    files: Mapping[str, str]  # definition name → its shared type file, for those in one


_BELOW: Final[Mapping[type[Node], Callable[[Any], tuple[Node, ...]]]] = {
    Object: lambda node: (*[field.node for field in node.fields], *((node.extra,) if node.extra else ())),
    Union: lambda node: node.branches,
    Array: lambda node: (node.items,),
    Tuple: lambda node: node.items,
    Map: lambda node: (node.values,),
}


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below a node, in the order of the schema; references are not followed."""
    found = _BELOW.get(type(node))
    return found(node) if found is not None else ()


def nodes(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, outer ones first; references are not followed."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children(node)[::-1]


KEYWORD: Final = "x-python"
"""Keyword of a string whose field has another Python type. The schema then states what that type can hold:
its format, and a pattern where the format alone allows more (leap seconds, years before 1, fractions finer
than a microsecond). So the type takes what the schema accepts."""
_YEAR = r"([1-9]\d{3}|0[1-9]\d{2}|00[1-9]\d|000[1-9])"
_DATE = rf"{_YEAR}-\d{{2}}-\d{{2}}"


class _PythonType(Struct, frozen=True):
    text: str
    format: str | None
    pattern: str | None


TYPES: Final = {
    "datetime": _PythonType(
        "datetime.datetime",
        "date-time",
        rf"^{_DATE}T\d{{2}}:\d{{2}}:[0-5]\d(\.\d{{1,6}})?(Z|[+-]\d{{2}}:\d{{2}})$",
    ),
    "date": _PythonType("datetime.date", "date", rf"^{_DATE}$"),
    "uuid": _PythonType("uuid.UUID", "uuid", None),
    "decimal": _PythonType("decimal.Decimal", None, r"^-?(0|[1-9]\d{0,199})(\.\d{1,200})?$"),
}
"""By the value of `x-python`."""


def python_type_keywords(schema: JsonObject) -> tuple[JsonObject, str]:
    """The keywords that `x-python` adds to a schema that has it, and a problem (empty for none). The type
    must be `string` (or `string` and `null`); `format` and `pattern` follow from `x-python`.
    """
    name = schema.get(KEYWORD)
    kind = TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        return {}, f"{name!r} is none of {', '.join(TYPES)}"
    types = schema.get("type")
    if types != "string" and (not isinstance(types, list) or sorted(map(str, types)) != ["null", "string"]):
        return {}, "it needs `type: string`, or that and null"
    for keyword, value in (("format", kind.format), ("pattern", kind.pattern)):
        if keyword in schema and schema[keyword] != value:
            return {}, f"`{keyword}` beside it must be left out, or be {value!r}"
    if {"enum", "const"} & schema.keys():
        return {}, "it cannot stand beside `enum` or `const`"
    added = {"format": kind.format, "pattern": kind.pattern}
    return {keyword: value for keyword, value in added.items() if value is not None}, ""
