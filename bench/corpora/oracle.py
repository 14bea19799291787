"""The independent verdict: jsonschema-rs over the schema as it was published."""

import copy
import itertools
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

_Place = tuple[str | int, ...]
_NULLS = 10
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


class Oracle:
    """Whether a schema accepts a value, with the two named allowances of law L1.

    A whole float counts as an integer in JSON Schema itself. An explicit null for an optional
    non-nullable property counts as absent: the schema is asked again without such nulls. (A required
    property cannot be taken away, and a nullable one need not be.)
    """

    def __init__(self, schema: Any) -> None:
        self._validator = jsonschema_rs.validator_for(schema, validate_formats=True, retriever=_offline)
        declared = (node.get("properties", {}) for _, node in _nodes(schema, "#"))
        self._declared = frozenset(name for properties in declared for name in properties)

    def accepts(self, value: Any) -> bool:
        """Whether `value` is valid as it is."""
        return self._validator.is_valid(value)

    def allows(self, value: Any) -> bool:
        """Whether `value` is valid, or becomes so when nulls of declared properties are taken away."""
        if self.accepts(value):
            return True
        nulls = list(self._nulls(value, ()))[:_NULLS]
        choices = (c for size in range(len(nulls)) for c in itertools.combinations(nulls, size + 1))
        return any(self.accepts(_without(value, chosen)) for chosen in choices)

    def _nulls(self, value: Any, path: _Place) -> Iterator[_Place]:
        if isinstance(value, dict):
            for name, child in value.items():
                if child is None and name in self._declared:
                    yield (*path, name)
                yield from self._nulls(child, (*path, name))
        elif isinstance(value, list):
            for number, child in enumerate(value):
                yield from self._nulls(child, (*path, number))


def _without(value: Any, places: tuple[_Place, ...]) -> Any:
    changed = copy.deepcopy(value)
    for *outer, last in places:
        target = changed
        for step in outer:
            target = target[step]
        del target[last]
    return changed


def is_schema(schema: Any) -> bool:
    """Whether the meta-schema of JSON Schema 2020-12 accepts `schema`."""
    return jsonschema_rs.meta.is_valid(
        {**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"}
        if isinstance(schema, dict)
        else schema
    )


def wrong_defaults(schema: Any) -> list[str]:
    """Paths of the subschemas that refuse their own default."""
    return [
        path
        for path, node in _nodes(schema, "#")
        if "default" in node and not Oracle({**_definitions(schema), **node}).accepts(node["default"])
    ]


def _definitions(schema: Any) -> dict[str, Any]:
    return {key: schema[key] for key in ("$defs", "definitions") if key in schema}


def _nodes(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(schema, dict):
        return
    yield path, schema
    for key in _SINGLE:
        yield from _nodes(schema.get(key), f"{path}/{key}")
    for key in _LISTS:
        for number, child in enumerate(schema.get(key, ())):
            yield from _nodes(child, f"{path}/{key}/{number}")
    for key in _MAPS:
        for name, child in schema.get(key, {}).items():
            yield from _nodes(child, f"{path}/{key}/{name}")


def _offline(uri: str) -> Any:
    raise ValueError(f"reference to {uri} is not followed")
