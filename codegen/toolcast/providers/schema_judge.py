"""Judges values on their way to a provider by the provider's schema, and by each schema in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import unquote

from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import map_subschemas
from ..jsonschema.pointers import resolve
from ..jsonschema.schema_compiler import Schemas
from ..jsonschema.validator import Validator

Schema = Any
"""A dict or a boolean; documents come from files, so nothing is promised."""
INNER = "x-inner-of-nullable"
"""Beside the `anyOf` that stands for a node with `nullable`: that node is its first branch."""


class SchemaJudge(Protocol):
    """A schema whose references are local, with a verdict on values for each schema in it."""

    @property
    def start(self) -> Schema:
        """The schema that applies to the value itself."""
        ...

    def find(self, reference: object) -> Schema:
        """Return what a local reference leads to; `True` where it leads nowhere."""
        ...

    def accepts_part(self, part: Schema, value: object) -> bool:
        """Return whether `part`, a schema in the document, accepts a value."""
        ...


class ValidatorJudge:
    """The judge that asks the exact validator."""

    def __init__(self, document: Mapping[str, object]) -> None:
        """Compile a document from `as_json_schema`. Raises UnsupportedSchema."""
        self._document = document
        self._shared = Schemas(document)
        self._validators: dict[int, Validator] = {}
        self._validator(document)

    @property
    def start(self) -> Schema:
        """The schema that applies to the value itself."""
        return self._document

    def find(self, reference: object) -> Schema:
        """Return what a local reference leads to; `True` where it leads nowhere."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return True
        try:
            return resolve(self._document, unquote(reference[1:]))
        except LookupError:
            return True

    def accepts(self, value: Any) -> bool:
        """Return whether the schema accepts a value."""
        return self.accepts_part(self._document, value)

    def accepts_part(self, part: Schema, value: object) -> bool:
        """Return whether `part`, a schema in the document, accepts a value."""
        return self._validator(part).accepts(value)

    def _validator(self, part: Schema) -> Validator:
        found = self._validators.get(id(part))
        if found is None:
            found = self._validators[id(part)] = Validator(part, shared=self._shared)
        return found


def as_json_schema(schema: Schema) -> Schema:
    """Return a provider's schema without OpenAPI's `nullable`, which admits null whatever other keywords
    state.
    """
    if not isinstance(schema, dict):
        return schema
    out: JsonObject = map_subschemas(schema, as_json_schema)
    return {"anyOf": [out, {"type": "null"}], INNER: True} if out.pop("nullable", None) is True else out
