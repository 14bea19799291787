"""The typed tree that every later stage reads: the values of a schema, in Python's terms.

A node's type admits every value that its schema accepts. Where it admits more, `residue` names the keywords
that the type does not express; decoding then needs the validator as well.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType


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
