"""JSON Schema's own keywords, described for editors.

A subset of the 2020-12 metaschema, written inline: editors do not follow its `$dynamicRef` and vocabularies
reliably. It never refuses what an older draft allows (`items` as a list, boolean `exclusiveMinimum`), and
other keywords pass: what they mean is `contract`'s to judge.
"""

from typing import Any, Final

_SELF: Final[dict[str, Any]] = {"$ref": "#/$defs/schema"}
_SELVES: Final[dict[str, Any]] = {"type": "array", "items": _SELF, "minItems": 1}
_MAP: Final[dict[str, Any]] = {"type": "object", "additionalProperties": _SELF}
_COUNT: Final[dict[str, Any]] = {"type": "integer", "minimum": 0}
_NUMBER: Final[dict[str, Any]] = {"type": "number"}
_BOUND: Final[dict[str, Any]] = {"type": ["number", "boolean"]}  # a boolean in draft 4
_TYPES: Final = ["string", "integer", "number", "boolean", "object", "array", "null", "any"]  # `any`: draft 3

_KEYWORDS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "$ref": ({"type": "string"}, "A schema in this file (#/$defs/Name) or below _types/, by relative path."),
    "$defs": (_MAP, "Schemas to refer to with #/$defs/Name."),
    "definitions": (_MAP, "The older name of $defs."),
    "type": (
        {"anyOf": [{"enum": _TYPES}, {"type": "array", "items": {"enum": _TYPES}, "minItems": 1}]},
        "One type, or a list of them.",
    ),
    "title": ({"type": "string"}, "A short name."),
    "description": ({"type": "string"}, "What the model reads about this value."),
    "default": ({}, "The value where none is given."),
    "examples": ({"type": "array"}, "Sample values."),
    "enum": ({"type": "array"}, "All allowed values."),
    "const": ({}, "The only allowed value."),
    "properties": (_MAP, "The keys of an object and their schemas."),
    "required": ({"type": "array", "items": {"type": "string"}}, "Keys that must be present."),
    "additionalProperties": (_SELF, "Schema of all other keys; false allows none."),
    "patternProperties": (_MAP, "Schemas of keys, by regular expression."),
    "propertyNames": (_SELF, "Schema of the keys themselves."),
    "minProperties": (_COUNT, "Fewest keys."),
    "maxProperties": (_COUNT, "Most keys."),
    "items": ({"anyOf": [_SELF, {"type": "array", "items": _SELF}]}, "Schema of the items of a list."),
    "prefixItems": (_SELVES, "Schemas of the first items, by position."),
    "contains": (_SELF, "Schema that some item must meet."),
    "minItems": (_COUNT, "Fewest items."),
    "maxItems": (_COUNT, "Most items."),
    "uniqueItems": ({"type": "boolean"}, "Whether no two items may be equal."),
    "minLength": (_COUNT, "Shortest text, in characters."),
    "maxLength": (_COUNT, "Longest text, in characters."),
    "pattern": ({"type": "string"}, "Regular expression that must match somewhere in the text."),
    "format": ({"type": "string"}, "A named form, such as date-time or uri."),
    "minimum": (_NUMBER, "Smallest number."),
    "maximum": (_NUMBER, "Largest number."),
    "exclusiveMinimum": (_BOUND, "The number must be larger."),
    "exclusiveMaximum": (_BOUND, "The number must be smaller."),
    "multipleOf": ({"type": "number", "exclusiveMinimum": 0}, "The number must be a multiple."),
    "allOf": (_SELVES, "All of these schemas must hold."),
    "anyOf": (_SELVES, "At least one of these schemas must hold."),
    "oneOf": (_SELVES, "Exactly one of these schemas must hold."),
    "not": (_SELF, "This schema must not hold."),
    "if": (_SELF, "Chooses between then and else."),
    "then": (_SELF, "Holds where if does."),
    "else": (_SELF, "Holds where if does not."),
    "deprecated": ({"type": "boolean"}, "Whether callers should stop using it."),
}


def vocabulary() -> dict[str, Any]:
    """The schema of a schema: a boolean, or an object whose known keywords have the right form."""
    return {
        "type": ["object", "boolean"],
        "properties": {word: {**rule, "description": text} for word, (rule, text) in _KEYWORDS.items()},
    }
