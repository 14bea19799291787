"""Schemas directly below a schema of 2020-12."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .keywords import ANY_SCHEMA_MAP, SCHEMA, SCHEMA_LIST

Path = tuple[str | int, ...]


def subschemas(schema: Any) -> Iterator[tuple[Path, Any]]:
    """Yield path and value of the schemas directly below a schema of 2020-12; malformed keywords have none.

    Literals are never taken for schemas.
    """
    if not isinstance(schema, (dict, Mapping)):
        return
    for keyword, value in schema.items():
        if keyword in SCHEMA:
            yield (keyword,), value
        elif keyword in SCHEMA_LIST and isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                yield (keyword, index), item
        elif keyword in ANY_SCHEMA_MAP and isinstance(value, (dict, Mapping)):
            for name, item in value.items():
                yield (keyword, name), item


def map_subschemas(schema: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Copy a schema of 2020-12 with `change` applied to the schemas directly below it."""
    out: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in SCHEMA:
            out[keyword] = change(value)
        elif keyword in SCHEMA_LIST and isinstance(value, (list, tuple)):
            out[keyword] = [change(item) for item in value]
        elif keyword in ANY_SCHEMA_MAP and isinstance(value, (dict, Mapping)):
            out[keyword] = {name: change(item) for name, item in value.items()}
        else:
            out[keyword] = value
    return out
