"""The properties of an object, as a declaration lists them, and what its other keys may be."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class ObjectMembers(NamedTuple):
    """What an object has.

    Attributes:
        properties: schemas by name; a required property that is not declared is free, or allowed by none.
        required: names of required properties.
        patterns: schemas of other keys, by pattern.
        others: schema of all further keys; None where the schema does not state it, and none are expected.
    """

    properties: Mapping[str, Any]
    required: tuple[str, ...]
    patterns: Mapping[str, Any]
    others: Any


def object_members(schema: Mapping[str, Any], *, is_open: bool) -> ObjectMembers:
    """The members of an object.

    Args:
        schema: the schema of an object, of 2020-12.
        is_open: whether any further key is allowed where the schema does not state it; else only of an object
            without properties.

    Returns:
        The members.
    """
    required = tuple(schema.get("required", ()))
    patterns: Mapping[str, Any] = schema.get("patternProperties", {})
    properties: dict[str, Any] = dict(schema.get("properties", {}))
    silent = True if is_open or not (properties or required) else None
    others = schema.get("additionalProperties", silent)
    undeclared = others is not False or bool(patterns)
    properties.update((name, undeclared) for name in required if name not in properties)
    return ObjectMembers(properties, required, patterns, others)
