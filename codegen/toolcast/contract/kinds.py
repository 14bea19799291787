"""The nodes of single types: `type: string`, `type: array`, and so on."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from ..jsonschema.formats import FORMATS
from .object_types import read_object
from .python_types import KEYWORD, TYPES
from .reads import Reads, sizes
from .slow_patterns import always_quick
from .tree import Boolean, Fixed, Node, Nothing, Null, Numeric, Sequence, String


class Site(Struct, frozen=True):
    """A schema about to be read as one type. `residue`: keywords already known to need the validator."""

    schema: Mapping[str, Any]
    pointer: str
    description: str
    residue: tuple[str, ...]


def _string(_: Reads, site: Site) -> Node:
    low, high, left = sizes(site.schema, "minLength", "maxLength")
    pattern = site.schema.get("pattern")
    if pattern is not None and not always_quick(pattern, high):
        pattern, left = None, (*left, "pattern")
    return String(
        pointer=site.pointer,
        description=site.description,
        residue=site.residue + left,
        min_length=low,
        max_length=high,
        pattern=pattern,
        python=TYPES[kind].text if (kind := site.schema.get(KEYWORD)) in TYPES else None,
        format=stated if (stated := site.schema.get("format")) in FORMATS else None,
    )


def _numeric(site: Site, *, integer: bool) -> Node:
    schema = site.schema
    return Numeric(
        pointer=site.pointer,
        description=site.description,
        residue=site.residue,
        integer=integer,
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum"),
        exclusive_minimum=schema.get("exclusiveMinimum"),
        exclusive_maximum=schema.get("exclusiveMaximum"),
        multiple_of=schema.get("multipleOf"),
    )


def _array(reader: Reads, site: Site) -> Node:
    schema = site.schema
    further = tuple(k for k in ("contains", "unevaluatedItems") if k in schema)
    low, high, left = sizes(schema, "minItems", "maxItems")
    unique = schema.get("uniqueItems", False) is True
    rest = schema.get("items", True)
    if "prefixItems" in schema:
        fixed = None if further or unique or left else _fixed(reader, site, low, high)
        if fixed is not None:
            return fixed
        further, rest, unique = (*further, "prefixItems", *(("uniqueItems",) if unique else ())), True, False
    elif rest is False:
        high, rest = 0, True
    return Sequence(
        pointer=site.pointer,
        description=site.description,
        residue=site.residue + further + left,
        items=reader.read(rest, f"{site.pointer}/items"),
        min_items=low,
        max_items=high,
        unique=unique,
    )


def _fixed(reader: Reads, site: Site, low: int, high: int | None) -> Fixed | None:
    """A tuple, where the array has exactly the items of `prefixItems`."""
    prefix = site.schema["prefixItems"]
    if site.schema.get("items", True) is not False or low != len(prefix):
        return None
    if high is not None and high < len(prefix):
        return None
    nodes = [reader.read(item, f"{site.pointer}/prefixItems/{i}") for i, item in enumerate(prefix)]
    if any(isinstance(node, Nothing) for node in nodes):
        return None
    return Fixed(pointer=site.pointer, description=site.description, residue=site.residue, items=tuple(nodes))


def _simple(kind: Callable[..., Node]) -> Callable[[Reads, Site], Node]:
    return lambda _, site: kind(pointer=site.pointer, description=site.description, residue=site.residue)


READERS: Final[Mapping[str, Callable[[Any, Site], Node]]] = {
    "string": _string,
    "integer": lambda _, site: _numeric(site, integer=True),
    "number": lambda _, site: _numeric(site, integer=False),
    "array": _array,
    "object": lambda reader, site: read_object(
        reader, site.schema, site.pointer, site.description, site.residue
    ),
    "boolean": _simple(Boolean),
    "null": _simple(Null),
}
