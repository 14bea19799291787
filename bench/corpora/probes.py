"""Argument objects near the border of a schema: built from it, and bent in one place each."""

import copy
import itertools
from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    None,
    "",
    "text",
    "1",
    True,
    0,
    1,
    -1,
    2**64,
    1.0,
    0.5,
    [],
    [None],
    ["text"],
    {},
    {"a": 1},
)
"""One of these takes the place of each part of a valid value in turn."""
_DEPTH = 6


def sample(schema: Any, *, full: bool) -> Any:
    """A value that probably fits `schema`: with all its properties, or with the required ones only."""
    return _Builder(schema, full).value(schema, 0)


def bent(value: Any, limit: int) -> Iterator[Any]:
    """At most `limit` variants of `value`, each changed in one place. The same for the same value."""
    yield from itertools.islice(_bent(value), limit)


def _bent(value: Any) -> Iterator[Any]:
    for place in list(_places(value)):
        for odd in ODD:
            if place or not isinstance(odd, str):  # a text for the whole may hold the arguments once more
                yield _put(value, place, odd)
        if place and isinstance(place[-1], str):
            yield _without(value, place)
    for place in list(_places(value)):
        if isinstance(_at(value, place), dict):
            yield _put(value, (*place, "unexpected"), "text")
        elif isinstance(there := _at(value, place), list) and there:
            yield _put(value, place, there * 2)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _places(child, (*path, name))
    elif isinstance(value, list) and value:
        yield from _places(value[0], (*path, 0))


def _at(value: Any, place: tuple[str | int, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


def _put(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    if not place:
        return new
    changed = copy.deepcopy(value)
    _at(changed, place[:-1])[place[-1]] = new
    return changed


def _without(value: Any, place: tuple[str | int, ...]) -> Any:
    changed = copy.deepcopy(value)
    del _at(changed, place[:-1])[place[-1]]
    return changed


class _Builder:
    def __init__(self, root: Any, full: bool) -> None:
        self._root, self._full = root, full

    def value(self, schema: Any, depth: int) -> Any:
        if not isinstance(schema, dict):
            return "text"
        schema = self._resolved(schema)
        for key in ("const", "default"):
            if key in schema:
                return schema[key]
        if schema.get("enum"):
            return schema["enum"][-1 if self._full else 0]
        if schema.get("examples"):
            return schema["examples"][0]
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return self.value(schema[key][-1 if self._full else 0], depth + 1)
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        return _scalar(kind, schema)

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        for _ in range(_DEPTH):
            reference = schema.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#"):
                break
            target = self._root
            for part in reference.split("/")[1:]:
                target = target.get(part, {}) if isinstance(target, dict) else {}
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        return schema

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        wanted = [*properties] if self._full and depth < _DEPTH else [n for n in properties if n in required]
        if depth > 4 * _DEPTH:
            wanted = []
        made = {name: self.value(properties[name], depth + 1) for name in wanted}
        extra = schema.get("additionalProperties")
        if self._full and isinstance(extra, dict) and depth < _DEPTH:
            made["further"] = self.value(extra, depth + 1)
        return made

    def _array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        count = max(schema.get("minItems", 0), int(self._full and depth < _DEPTH))
        first = [self.value(child, depth + 1) for child in schema.get("prefixItems", ())]
        rest = [self.value(schema.get("items", {}), depth + 1) for _ in range(min(count, 64) - len(first))]
        return [*first, *rest]


def _scalar(kind: Any, schema: dict[str, Any]) -> Any:
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + int("exclusiveMinimum" in schema))
        return min(max(low, 1), schema.get("maximum", low + 1))
    if kind == "boolean":
        return False
    if kind == "null":
        return None
    return "text".ljust(min(schema.get("minLength", 0), 10_000), "x")[: schema.get("maxLength")]
