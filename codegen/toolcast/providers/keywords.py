"""Which keywords of JSON Schema 2020-12 hold schemas, and how many."""

from __future__ import annotations

ONE = frozenset(
    [
        *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
        *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
    ]
)
MANY = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
NAMED = frozenset(("properties", "patternProperties", "$defs", "dependentSchemas"))
ANNOTATIONS = frozenset(
    (
        "title",
        "description",
        "default",
        "examples",
        "example",
        "$comment",
        "deprecated",
        "readOnly",
        "writeOnly",
    )
)
"""Keywords that say something about a value without constraining it."""
