"""Differences between a contract and the function that takes its values, in JSON types and names.

A value that a type refuses for another reason (a range, a format) is refused when it arrives.
"""

from collections.abc import Iterator
from typing import Any

from ...jsonschema.cases import ALL, Part, admitted, names_of_types
from ...jsonschema.json_values import JsonObject

_MAX_DEPTH = 32
"""Levels that are compared; recursive types end here."""


def differences(contract: Part, function: Part, path: str, depth: int = 0) -> Iterator[str]:
    """Yield each difference in words: what the contract sends and the function does not take."""
    sent, taken = admitted(contract), admitted(function)
    if sent != ALL and sent & ~taken:
        yield f"{path}: the contract has {_words(sent)}, the function takes {_words(taken)}"
        return
    contract, function = contract.resolved(), function.resolved()
    if depth >= _MAX_DEPTH or isinstance(contract.schema, bool) or isinstance(function.schema, bool):
        return
    if "items" in contract.schema and isinstance(function.schema.get("items"), dict):
        yield from differences(contract.below("items"), function.below("items"), f"{path}[]", depth + 1)
    if "properties" in function.schema:
        yield from _of_objects(contract, function, path, depth)
    yield from _of_values(contract.schema, function.schema, path)


def _of_objects(contract: Part, function: Part, path: str, depth: int) -> Iterator[str]:
    sent: JsonObject = contract.schema.get("properties", {})
    for name in sent:
        if name in function.schema["properties"]:
            inner = contract.below("properties", name), function.below("properties", name)
            yield from differences(*inner, f"{path}.{name}", depth + 1)
        elif not function.schema.get("additionalProperties"):
            yield f"{path}.{name}: the function's type has no such field"
    for name in function.schema.get("required", ()):
        if name not in sent:
            yield f"{path}.{name}: the function's type requires it, and the contract does not have it"
        elif name not in contract.schema.get("required", ()) and not has_default(
            contract.below("properties", name)
        ):
            yield f"{path}.{name}: the function's type requires it, and in the contract it is optional"


def has_default(part: Part) -> bool:
    """Return whether an absent value has a default by its contract."""
    return any(isinstance(each, dict) and "default" in each for each in (part.schema, part.resolved().schema))


def _of_values(contract: JsonObject, function: JsonObject, path: str) -> Iterator[str]:
    sent, taken = _values(contract), _values(function)
    if sent is None or taken is None:
        return
    refused = [value for value in sent if value not in taken and value is not None]
    if refused:
        shown = ", ".join(repr(value) for value in refused[:5])
        yield f"{path}: the contract has the value {shown}, which the function's type does not have"


def _values(schema: JsonObject) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _words(mask: int) -> str:
    if mask == ALL:
        return "any value"
    return " or ".join(sorted(names_of_types(mask), key=lambda kind: (kind == "null", kind))) or "no value"
