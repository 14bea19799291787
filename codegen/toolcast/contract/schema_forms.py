"""The form of a schema: its own keywords, or the schemas that it refers to, make its node."""

from typing import Any, Final, Literal

from ..jsonschema.formats import FORMATS
from ..jsonschema.json_values import JsonMapping
from ..jsonschema.keywords import ANNOTATIONS

_Form = Literal["anything", "only part", "reference", "flattened", "choice", "union", "typed"]

_REFUSING_ONLY: Final = frozenset({"$ref", "type", "maxProperties", "maxItems", "propertyNames"})
"""Keywords next to a `$ref` that only refuse some values of its target, and declare nothing."""


def asserted_keywords(schema: JsonMapping) -> set[str]:
    """The keywords of `schema` that may refuse a value, or hold schemas that may."""
    keys = {k for k in schema if k not in ANNOTATIONS and not k.startswith("x-")}
    if "format" in keys and schema["format"] not in FORMATS:
        keys.discard("format")
    return keys


def form_of(schema: JsonMapping, keys: set[str]) -> _Form:
    """Return the kind of node that `schema` becomes; `keys` are its asserted keywords. An `only part` is the
    one schema of its `allOf` that asserts anything; a `union` has `anyOf` or `oneOf`, perhaps `type`, and
    no other; `flattened` has `allOf` or `$ref` together with others.
    """
    if not keys:
        return "anything"
    if keys == {"allOf"} and only_asserting_part(schema) is not None:
        return "only part"
    if "$ref" in keys and keys <= _REFUSING_ONLY:
        return "reference"
    if keys & {"$ref", "allOf"}:
        return "flattened"
    if keys & {"enum", "const"}:
        return "choice"
    unions = keys & {"anyOf", "oneOf"}
    return "union" if len(unions) == 1 and keys <= unions | {"type"} else "typed"


def only_asserting_part(schema: JsonMapping) -> int | None:
    """The index of the one schema of an `allOf` that asserts anything; None where there are more."""
    found = [
        index
        for index, part in enumerate(schema["allOf"])
        if part is False or (part is not True and asserted_keywords(part))
    ]
    return found[0] if len(found) == 1 else None


def as_list(value: Any) -> list[Any]:
    """Return the values of a keyword that holds one or several."""
    return value if isinstance(value, list) else [value]
