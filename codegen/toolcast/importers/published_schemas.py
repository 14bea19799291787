"""Published schemas made fit for the compiler: Gemini's dialect, defaults that do not fit, defects.

Removing a default changes no verdict. The compiler refuses a wrong one, since a typed field cannot hold it,
so an import removes it.
"""

import copy
from collections.abc import Iterator
from typing import Any

from ..jsonschema.document import Document, ExternalReference, SchemaLocation, written_subschemas
from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import SIZES, subschemas
from ..jsonschema.pointers import join
from ..jsonschema.quarantine import sound_schema
from ..jsonschema.schema_node import LibrarySchemaError, SchemaChange, SchemaError
from ..jsonschema.upgrade import draft_of
from ..jsonschema.validator import Validator
from ..jsonschema.validator_errors import UnsupportedSchema

_TYPES = {
    name.upper(): name for name in ("string", "number", "integer", "boolean", "array", "object", "null")
}
_MAPS = frozenset({"properties", "$defs", "defs"})
_LISTS = frozenset({"anyOf", "prefixItems"})
_SCHEMAS = frozenset({"items", "additionalProperties"})


def from_gemini(schema: object) -> object:
    """Return the JSON Schema that a Gemini schema means; a value that is no schema comes back as it is."""
    if not isinstance(schema, dict):
        return schema
    result: JsonObject = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, dict):
            result[key] = {name: from_gemini(child) for name, child in value.items()}
        elif key in _LISTS and isinstance(value, list):
            result[key] = [from_gemini(child) for child in value]
        elif key in _SCHEMAS:
            result[key] = from_gemini(value)
        elif key == "type" and isinstance(value, str):
            result[key] = _TYPES.get(value, value)
        elif key in SIZES and isinstance(value, str) and value.isascii() and value.isdigit():
            result[key] = int(value)
        else:
            result[key] = value
    return _nullable(result) if result.get("nullable") is True else result


def _nullable(schema: JsonObject) -> JsonObject:
    result = {key: value for key, value in schema.items() if key != "nullable"}
    if isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
        if isinstance(result.get("enum"), list) and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
    elif isinstance(result.get("anyOf"), list):
        result["anyOf"] = [*result["anyOf"], {"type": "null"}]
    else:
        return schema  # nothing to widen; the compiler checks the keyword
    return result


_MAX_DEPTH = 64


def without_wrong_defaults(parameters: object) -> tuple[Any, tuple[tuple[str, Any], ...]]:
    """Return a schema without defaults that it refuses itself, and those: (JSON pointer, default).

    Null stays, since it means absent. A schema that cannot be validated stays, for the compiler to report.
    """
    if not isinstance(parameters, dict):
        return parameters, ()
    try:
        document = Document(parameters)
        wrong = [
            (pointer, schema["default"])
            for pointer, schema in _schemas(parameters, "", 0)
            if schema.get("default") is not None and not _fits(schema, pointer, document)
        ]
    except UnsupportedSchema:
        return parameters, ()
    if not wrong:
        return parameters, ()
    cleaned = copy.deepcopy(parameters)
    for pointer, schema in list(_schemas(cleaned, "", 0)):
        if any(pointer == other for other, _ in wrong):
            del schema["default"]
    return cleaned, tuple(wrong)


def _fits(schema: JsonObject, pointer: str, document: Document) -> bool:
    try:
        validator = Validator(schema, root=document, pointer=pointer, formats=True)
    except UnsupportedSchema:
        return True
    return validator.accepts(validator.settle(schema["default"]))


def _schemas(schema: object, pointer: str, depth: int) -> Iterator[tuple[str, JsonObject]]:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return
    yield pointer, schema
    for path, item in subschemas(schema):
        yield from _schemas(item, pointer + join(path), depth + 1)


def external_references(schema: object) -> list[tuple[str, str]]:
    """Return the references to other documents that a schema depends on: (JSON pointer, reference)."""
    draft = draft_of(schema)
    try:
        document = Document(schema, draft)
    except UnsupportedSchema:
        return []
    found: dict[str, str] = {}
    waiting = [document.resources[""]]
    reached: set[str] = set()
    while waiting:
        at = waiting.pop()
        if at.pointer in reached or not isinstance(at.schema, dict):
            continue
        reached.add(at.pointer)
        for path, item in written_subschemas(at.schema, draft):
            if path[0] not in ("$defs", "definitions"):
                pointer = at.pointer + join(path)
                waiting.append(SchemaLocation(item, pointer, document.base(pointer)))
        if isinstance(at.schema.get("$ref"), str):
            try:
                waiting.append(document.resolve(at.schema["$ref"], at.base, at.pointer))
            except ExternalReference:
                found[at.pointer] = at.schema["$ref"]
            except UnsupportedSchema:  # left out as a defect
                continue
    return [*found.items()]


def without_bad_defects(schema: object) -> tuple[Any, tuple[SchemaChange, ...]]:
    """Return a schema without its defects and with OpenAPI's `nullable` as a union with null, and the
    changes; one that cannot be read as it is, for the compiler to report.

    Raises LibrarySchemaError for an object of a library of validators.
    """
    if not isinstance(schema, dict):
        return schema, ()
    try:
        sound = sound_schema(schema)
    except LibrarySchemaError:
        raise
    except SchemaError:
        return schema, ()
    changes = tuple(
        change for change in sound.changes if change.keyword == "nullable" or change not in sound.upgrades
    )
    return (sound.schema, changes) if changes else (schema, ())
