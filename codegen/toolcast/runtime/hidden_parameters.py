"""Parameters that the program fills in, in schemas: which can be kept from models, and the schema without
them."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.pointers import escape, join

PATH = re.compile(r"context(\.[A-Za-z][A-Za-z0-9_]{0,63}){1,8}")
"""The source of a value: a key of `ToolContext.extra`, then members of what is there."""


def without_parameters(schema: JsonMapping, names: Collection[str]) -> JsonObject:
    """Take the properties `names` out of the root of a schema of parameters, its examples and its default.
    The root is an object with plain `properties`. The result shares the rest with `schema`."""
    made = dict(schema)
    if "properties" in made:
        made["properties"] = _without(made["properties"], names)
    if isinstance(made.get("required"), list):
        made["required"] = [name for name in made["required"] if name not in names]
        if not made["required"]:
            del made["required"]
    if isinstance(made.get("examples"), list):
        made["examples"] = [_without(each, names) for each in made["examples"]]
    if "default" in made:
        made["default"] = _without(made["default"], names)
    return made


def _without(value: object, names: Collection[str]) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {name: item for name, item in value.items() if name not in names}


_ANNOTATING = frozenset(("type", "title", "description", "$comment"))
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_WHOLE = ("$ref", "$dynamicRef", "enum", "const", "minProperties", "maxProperties")
"""Keywords of a root that judge all of its properties together."""


def hiding_problem(schema: JsonMapping, name: str) -> tuple[str, str] | None:
    """Tell why a parameter cannot be taken out of a schema without changing what the rest means. The schema
    is in normal form. Returns the JSON pointer of the keyword, and the reason as a clause about the
    parameter; None if it can be taken out."""
    for keyword in _WHOLE:
        if keyword in schema:
            return join([keyword]), f"`{keyword}` at the root of `parameters` judges all of them together"
    if name not in schema.get("properties", {}):
        return "", "it is no property of its own at the root of `parameters`"
    for key, needed in schema.get("dependentRequired", {}).items():
        if name == key or name in needed:
            return join(
                ["dependentRequired", key]
            ), "`dependentRequired` makes another parameter depend on it"
    for key, below in schema.get("dependentSchemas", {}).items():
        if name == key or _concerns(below, name):
            return join(["dependentSchemas", key]), "`dependentSchemas` ties it to other parameters"
    for keyword in _IN_PLACE:
        if keyword in schema and _concerns({keyword: schema[keyword]}, name):
            return join([keyword]), f"`{keyword}` at the root of `parameters` may depend on it"
    if _refers(schema, f"#/properties/{escape(name)}"):
        return "", "a reference inside of `parameters` leads to it"
    return None


def _concerns(schema: object, name: str) -> bool:
    """Tell whether what `schema` says of an object may depend on its property `name`."""
    if not isinstance(schema, Mapping):
        return False
    for keyword, value in schema.items():
        if keyword in _ANNOTATING:
            continue
        if keyword in ("properties", "required"):
            if name in value:
                return True
        elif keyword not in _IN_PLACE or any(
            _concerns(below, name) for below in (value if isinstance(value, list) else [value])
        ):
            return True
    return False


def _refers(schema: object, place: str) -> bool:
    """Tell whether a reference in `schema` leads to its root, to `place` in it, or below."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            reference = node.get("$ref")
            if isinstance(reference, str) and (reference == "#" or f"{reference}/".startswith(f"{place}/")):
                return True
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return False
