"""Published defaults that do not fit their own schema.

A default is an annotation: leaving one out changes no verdict. The compiler refuses a wrong one, since a
typed field cannot hold it; so an import leaves it out, and says so in the spec and among its warnings.
"""

import copy
from collections.abc import Iterator
from typing import Any

from ..jsonschema import Document, UnsupportedSchema, Validator
from ..jsonschema.pointers import join
from ..jsonschema.subschemas import subschemas

MAX_DEPTH = 64


def without_wrong_defaults(parameters: Any) -> tuple[Any, tuple[tuple[str, Any], ...]]:
    """The schema without the defaults that it contradicts itself, and those: (JSON pointer, default).

    The very same object where there are none. `null` stays: for an optional property it means absent.
    A schema that cannot be judged is left as it is, for the compiler to say why.
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
        if any(pointer == place for place, _ in wrong):
            del schema["default"]
    return cleaned, tuple(wrong)


def _fits(schema: dict[str, Any], pointer: str, document: Document) -> bool:
    try:
        validator = Validator(schema, root=document, pointer=pointer, formats=True)
    except UnsupportedSchema:
        return True
    return validator.accepts(validator.settle(schema["default"]))


def _schemas(schema: Any, pointer: str, depth: int) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return
    yield pointer, schema
    for path, item in subschemas(schema):
        yield from _schemas(item, pointer + join(path), depth + 1)
