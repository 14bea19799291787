"""Whether a function takes every value that a contract accepts, as far as JSON types and names tell.

What a type refuses beyond that (a range, a format) is refused when such a value arrives.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ...jsonschema.json_values import type_of

_ALL = frozenset(("string", "number", "integer", "boolean", "null", "array", "object"))
_MAX_DEPTH = 32
"""Levels that are compared; recursive types end here."""
_MAX_FOLLOWED = 16
"""References and unions that are followed for the types at one place."""


class Place(Struct, frozen=True):
    """A schema inside the document that its references count from."""

    schema: Any
    document: Mapping[str, Any]

    def below(self, schema: Any) -> "Place":
        """A schema of the same document."""
        return Place(schema, self.document)

    def target(self) -> "Place":
        """What a chain of references leads to; an unconstrained schema where it leads nowhere."""
        schema = self.schema
        for _ in range(_MAX_FOLLOWED):
            if not isinstance(schema, dict) or "$ref" not in schema:
                return self.below(schema)
            found: Any = self.document
            for step in str(schema["$ref"]).removeprefix("#").split("/")[1:]:
                step = step.replace("~1", "/").replace("~0", "~")
                found = found.get(step) if isinstance(found, dict) else None
            schema = True if found is None else found
        return self.below(True)


def differences(contract: Place, function: Place, path: str) -> Iterator[str]:
    """Each difference in words: what the contract sends and the function does not take."""
    yield from _differences(contract, function, path, 0)


def _differences(contract: Place, function: Place, path: str, depth: int) -> Iterator[str]:
    sent, taken = json_types(contract), json_types(function)
    if sent < _ALL:
        refused = {
            kind for kind in sent if kind not in taken and not (kind == "integer" and "number" in taken)
        }
        if refused:
            yield f"{path}: the contract has {_words(sent)}, the function takes {_words(taken)}"
            return
    contract, function = contract.target(), function.target()
    if depth >= _MAX_DEPTH or not isinstance(contract.schema, dict) or not isinstance(function.schema, dict):
        return
    if "items" in contract.schema and isinstance(function.schema.get("items"), dict):
        inner = contract.below(contract.schema["items"]), function.below(function.schema["items"])
        yield from _differences(*inner, f"{path}[]", depth + 1)
    if "properties" in function.schema:
        yield from _of_objects(contract, function, path, depth)
    yield from _of_values(contract.schema, function.schema, path)


def _of_objects(contract: Place, function: Place, path: str, depth: int) -> Iterator[str]:
    sent: dict[str, Any] = contract.schema.get("properties", {})
    taken: dict[str, Any] = function.schema["properties"]
    for name, schema in sent.items():
        if name in taken:
            inner = contract.below(schema), function.below(taken[name])
            yield from _differences(*inner, f"{path}.{name}", depth + 1)
        elif not function.schema.get("additionalProperties"):
            yield f"{path}.{name}: the function's type has no such field"
    for name in function.schema.get("required", ()):
        if name not in sent:
            yield f"{path}.{name}: the function's type requires it, and the contract does not have it"
        elif name not in contract.schema.get("required", ()) and not has_default(contract.below(sent[name])):
            yield f"{path}.{name}: the function's type requires it, and in the contract it is optional"


def has_default(place: Place) -> bool:
    """Whether an absent value has one by its contract."""
    schema = place.target().schema
    return any(isinstance(each, dict) and "default" in each for each in (place.schema, schema))


def _of_values(contract: dict[str, Any], function: dict[str, Any], path: str) -> Iterator[str]:
    sent, taken = _values(contract), _values(function)
    if sent is None or taken is None:
        return
    refused = [value for value in sent if value not in taken and value is not None]
    if refused:
        shown = ", ".join(repr(value) for value in refused[:5])
        yield f"{path}: the contract has the value {shown}, which the function's type does not have"


def _values(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def json_types(place: Place, followed: int = 0) -> frozenset[str]:
    """The JSON types that a schema states; all of them where it states none."""
    place = place.target()
    schema = place.schema
    if schema is False:
        return frozenset()
    if not isinstance(schema, dict) or followed > _MAX_FOLLOWED:
        return _ALL
    types = _ALL
    if "type" in schema:
        stated = schema["type"]
        types &= frozenset(stated if isinstance(stated, list) else [stated])
        types |= {"integer"} if "number" in types else frozenset()
    values = _values(schema)
    if values is not None:
        types &= frozenset(_type(value) for value in values)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list):
            branches = [json_types(place.below(branch), followed + 1) for branch in schema[keyword]]
            types &= frozenset[str]().union(*branches)
    for branch in schema.get("allOf", ()):
        types &= json_types(place.below(branch), followed + 1)
    return types


def _type(value: Any) -> str:
    return "integer" if isinstance(value, float) and value.is_integer() else type_of(value)


def _words(types: frozenset[str]) -> str:
    """`string or null`; integers are not named beside numbers."""
    shown = types - {"integer"} if "number" in types else types
    if types == _ALL:
        return "any value"
    return " or ".join(sorted(shown, key=lambda kind: (kind == "null", kind))) or "no value"
