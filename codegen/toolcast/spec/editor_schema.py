"""The format of specs as a JSON Schema 2020-12, for editors to complete and check specs with."""

from typing import Final

import msgspec

from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import DIALECT
from .keys import EXAMPLE, KEYS
from .text_input import OF_PARAMETERS


def format_schema(known_providers: frozenset[str]) -> JsonObject:
    """Make the JSON Schema of a spec, for editors.

    Args:
        known_providers: ids of the providers that `providers` may name.

    Returns:
        A self-contained schema. It refuses what the reader refuses, except what a schema cannot state:
        duplicate keys; names in `secrets`, `runtime_enums`, `empty_is_absent`, `described_by`, `inject` and
        `http` that are no parameters, those in `inject` that another key names, required ones in
        `empty_is_absent`, others than text in `described_by`; which place has which style; names that clash
        between files; whether a grammar can be read.
    """
    properties = {name: key.described for name, key in KEYS.items()}
    properties["providers"] = _of_providers(properties["providers"], known_providers)
    return {
        "$schema": DIALECT,
        "title": "toolcast tool spec",
        "description": "One tool offered to a language model. The folder of the file is the tool's group.",
        "examples": [EXAMPLE],
        "type": "object",
        "required": [name for name, key in KEYS.items() if key.required],
        "anyOf": [{"required": ["description"]}, {"required": ["summary"]}],
        "not": {"required": ["external", "http"], "properties": {"external": {"const": True}}},
        "dependentSchemas": {"input": {"properties": dict.fromkeys(OF_PARAMETERS, False)}},
        "additionalProperties": False,
        "properties": properties,
        "$defs": {"schema": _vocabulary()},
    }


def format_text(known_providers: frozenset[str]) -> str:
    """Return `format_schema` as the text of the file that editors read."""
    return msgspec.json.format(msgspec.json.encode(format_schema(known_providers)), indent=2).decode() + "\n"


_OVERRIDES: Final[JsonObject] = {
    "strict": False,
    "examples": True,
    "description": "Lists the orders of one customer, newest first.",
    "parameters": {"region": "Two letters, such as `no`. Left out: all regions."},
}


def _of_providers(schema: JsonObject, known: frozenset[str]) -> JsonObject:
    return {
        **schema,
        "additionalProperties": False,
        "properties": dict.fromkeys(sorted(known), schema["additionalProperties"]),
        "examples": [{each: _OVERRIDES} for each in sorted(known & {"openai"})],
    }


_SELF: Final[JsonObject] = {"$ref": "#/$defs/schema"}
_SELVES: Final[JsonObject] = {"type": "array", "items": _SELF, "minItems": 1}
_MAP: Final[JsonObject] = {"type": "object", "additionalProperties": _SELF}
_COUNT: Final[JsonObject] = {"type": "integer", "minimum": 0}
_NUMBER: Final[JsonObject] = {"type": "number"}
_BOUND: Final[JsonObject] = {"type": ["number", "boolean"]}  # a boolean in draft 4
_TYPES: Final = ["string", "integer", "number", "boolean", "object", "array", "null", "any"]  # `any`: draft 3

_KEYWORDS: Final[dict[str, tuple[JsonObject, str, object]]] = {
    "$ref": (
        {"type": "string"},
        "#/$defs/Name, or a shared type: its relative path, or package:NAME/FILE.",
        "#/$defs/Region",
    ),
    "$defs": (_MAP, "Schemas to refer to with #/$defs/Name.", {"Region": {"enum": ["north", "south"]}}),
    "definitions": (_MAP, "The older name of $defs.", {"Region": {"enum": ["north", "south"]}}),
    "type": (
        {"anyOf": [{"enum": _TYPES}, {"type": "array", "items": {"enum": _TYPES}, "minItems": 1}]},
        "One type, or a list of them.",
        ["string", "null"],
    ),
    "title": ({"type": "string"}, "A short name.", "Region"),
    "description": (
        {"type": "string"},
        "What the model reads about this value.",
        "Orders of one region only.",
    ),
    "default": ({}, "The value where none is given.", 20),
    "examples": ({"type": "array"}, "Sample values.", ["north"]),
    "enum": ({"type": "array"}, "All allowed values.", ["north", "south"]),
    "const": ({}, "The only allowed value.", "order"),
    "properties": (_MAP, "The keys of an object and their schemas.", {"region": {"type": "string"}}),
    "required": ({"type": "array", "items": {"type": "string"}}, "Keys that must be present.", ["customer"]),
    "additionalProperties": (_SELF, "Schema of all other keys; false allows none.", False),
    "patternProperties": (_MAP, "Schemas of keys, by regular expression.", {"^x-": {"type": "string"}}),
    "propertyNames": (_SELF, "Schema of the keys themselves.", {"pattern": "^[a-z]+$"}),
    "minProperties": (_COUNT, "Fewest keys.", 1),
    "maxProperties": (_COUNT, "Most keys.", 10),
    "items": (
        {"anyOf": [_SELF, {"type": "array", "items": _SELF}]},
        "Schema of the items of a list.",
        {"type": "string"},
    ),
    "prefixItems": (
        _SELVES,
        "Schemas of the first items, by position.",
        [{"type": "number"}, {"type": "number"}],
    ),
    "contains": (_SELF, "Schema that some item must meet.", {"const": "admin"}),
    "minItems": (_COUNT, "Fewest items.", 1),
    "maxItems": (_COUNT, "Most items.", 50),
    "uniqueItems": ({"type": "boolean"}, "Whether no two items may be equal.", True),
    "minLength": (_COUNT, "Shortest text, in characters.", 1),
    "maxLength": (_COUNT, "Longest text, in characters.", 200),
    "pattern": (
        {"type": "string"},
        "Regular expression that must match somewhere in the text.",
        "^[A-Z]{2}$",
    ),
    "format": ({"type": "string"}, "A named form, such as date-time or uri.", "date"),
    "minimum": (_NUMBER, "Smallest number.", 1),
    "maximum": (_NUMBER, "Largest number.", 100),
    "exclusiveMinimum": (_BOUND, "The number must be larger.", 0),
    "exclusiveMaximum": (_BOUND, "The number must be smaller.", 1),
    "multipleOf": ({"type": "number", "exclusiveMinimum": 0}, "The number must be a multiple.", 0.5),
    "allOf": (
        _SELVES,
        "All of these schemas must hold.",
        [{"$ref": "#/$defs/Page"}, {"required": ["customer"]}],
    ),
    "anyOf": (_SELVES, "At least one of these schemas must hold.", [{"type": "string"}, {"type": "integer"}]),
    "oneOf": (
        _SELVES,
        "Exactly one of these schemas must hold.",
        [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Transfer"}],
    ),
    "not": (_SELF, "This schema must not hold.", {"const": ""}),
    "if": (
        _SELF,
        "Chooses between then and else.",
        {"properties": {"kind": {"const": "gift"}}, "required": ["kind"]},
    ),
    "then": (_SELF, "Holds where if does.", {"required": ["message"]}),
    "else": (_SELF, "Holds where if does not.", {"required": ["invoice"]}),
    "deprecated": ({"type": "boolean"}, "Whether callers should stop using it.", True),
}
"""Keyword → the form of its value, what it means, and an example of the value."""


def _vocabulary() -> JsonObject:
    """Return the schema of a schema: a boolean, or an object whose known keywords have the right form."""
    return {
        "type": ["object", "boolean"],
        "properties": {
            word: {**rule, "description": text, "examples": [example]}
            for word, (rule, text, example) in _KEYWORDS.items()
        },
    }
