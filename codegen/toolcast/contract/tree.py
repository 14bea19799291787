"""The typed tree that every later stage reads: what a value may be, in Python's terms.

A node's *shape* admits every value its schema accepts. Where it admits more, `residue` names the
keywords that the shape does not express; whoever decodes must ask the validator as well.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

Number = int | float


class Node(Struct, frozen=True, kw_only=True):
    """Common to all nodes. `pointer` is the place in the contract document (`/parameters/properties/x`)."""

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
    python: str | None = None  # source of the Python type that holds it; None is `str`


class Numeric(Node, frozen=True):
    """A number; `integer` admits whole floats too, as JSON Schema says."""

    integer: bool
    minimum: Number | None = None
    maximum: Number | None = None
    exclusive_minimum: Number | None = None
    exclusive_maximum: Number | None = None
    multiple_of: Number | None = None


class Choice(Node, frozen=True):
    """One of some JSON values (`enum`, `const`), each distinct by JSON equality."""

    values: tuple[Any, ...]


class Sequence(Node, frozen=True):
    """An array whose items are alike."""

    items: Node
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False


class Fixed(Node, frozen=True):
    """An array of exactly these items."""

    items: tuple[Node, ...]


class Dictionary(Node, frozen=True):
    """An object with free keys and values that are alike."""

    values: Node
    keys: String | None = None
    min_size: int = 0
    max_size: int | None = None


class Field(Struct, frozen=True, kw_only=True):
    """One declared property of an object.

    `nullable`, of optional ones: null is a value of its own, not absence.
    """

    wire: str
    node: Node
    required: bool
    nullable: bool = False
    pointer: str = ""  # of its schema, where a default stands
    default: Any | UnsetType = UNSET


class Object(Node, frozen=True):
    """An object with declared properties.

    `closed` refuses undeclared ones; `extra` (never together with `closed`) keeps them, each such a node.
    With neither, undeclared properties are accepted and not kept. `min_size` and `max_size` count properties.
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
    files: Mapping[str, str]  # definition name → shared type file; only those that live in one
