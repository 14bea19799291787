"""Which JSON Schema keywords hold what, so that data is never read as a schema.

Source: the JSON Schema 2020-12 core and validation meta-schemas.
"""

from typing import Final

SCHEMA: Final = frozenset(
    {
        "items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema",
    }
)  # fmt: skip
"""Keywords whose value is one schema."""

SCHEMA_LIST: Final = frozenset({"prefixItems", "allOf", "anyOf", "oneOf"})
"""Keywords whose value is an array of schemas."""

SCHEMA_MAP: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
"""Keywords whose value maps names to schemas."""

ANNOTATIONS: Final = frozenset(
    {
        "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly",
        "$comment", "contentEncoding", "contentMediaType", "contentSchema", "discriminator",
    }
)  # fmt: skip
"""Keywords that describe and never refuse a value."""

ASSERTIONS: Final = frozenset(
    {
        "type", "enum", "const",
        "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "minLength", "maxLength", "pattern", "format",
        "minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
        "required", "minProperties", "maxProperties", "dependentRequired", "$ref",
    }
)  # fmt: skip
"""Keywords that may refuse a value and hold no schema. `format` does for the names in `FORMATS` only."""

KNOWN: Final = (
    SCHEMA | SCHEMA_LIST | SCHEMA_MAP | ANNOTATIONS | ASSERTIONS | {"$schema", "$id", "$anchor", "$ref"}
)

REFUSED: Final = {
    "$dynamicRef": "dynamic references are resolved at validation time and have no static type",
    "$dynamicAnchor": "dynamic references are resolved at validation time and have no static type",
    "$recursiveRef": "recursive references of draft 2019-09 have no static type",
    "$recursiveAnchor": "recursive references of draft 2019-09 have no static type",
    "$vocabulary": "custom vocabularies change what keywords mean",
}
"""Keywords that cannot be compiled exactly, and why."""
