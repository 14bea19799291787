"""One table of the keywords of JSON Schema, the sets derived from it, the forms of their values, and the
schemas below a schema.

Source: the meta-schemas of drafts 4, 6, 7, 2019-09 and 2020-12; the schema objects of OpenAPI 3.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from .json_values import JsonObject, is_number, is_whole, key
from .validator_errors import UnsupportedSchema

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
"""The address of the newest draft's meta-schema."""
_Vocabulary = Literal[
    "core", "applicator", "unevaluated", "validation", "format", "content", "meta-data", "openapi"
]
"""As 2020-12 names its vocabularies; keywords of OpenAPI belong to none of them."""
Value = Literal[
    "any", "string", "strings", "boolean", "number", "size", "list", "object",
    "schema", "schemas", "schema-map", "mixed",
]  # fmt: skip
"""The kind of a keyword's value. `size`: a whole number, 0 or more. `schemas`: a list of at least one,
`schema-map`: an object, of schemas. `mixed`: of several kinds."""
Type = Literal["", "array", "number", "object", "string"]
"""The JSON type that a keyword applies to (integers are numbers); empty for all types."""


class _Keyword(Struct, frozen=True):
    """One keyword. `since`: the first draft that has it, None where none has; `until`: the last one, if
    2020-12 lacks it.
    """

    name: str
    vocabulary: _Vocabulary
    value: Value
    type: Type = ""
    since: int | None = 4
    until: int | None = None


def _table() -> Mapping[str, _Keyword]:
    found: dict[str, _Keyword] = {}

    def add(
        vocabulary: _Vocabulary,
        value: Value,
        names: str,
        since: int | None = 4,
        until: int | None = None,
        type: Type = "",
    ) -> None:
        for name in names.split():
            found[name] = _Keyword(name, vocabulary, value, type, since, until)

    add("core", "string", "$schema $ref")
    add("core", "string", "$id", 6)
    add("core", "string", "$anchor", 2019)
    add("core", "string", "$dynamicRef $dynamicAnchor", 2020)
    add("core", "string", "$recursiveRef", 2019, 2019)
    add("core", "boolean", "$recursiveAnchor", 2019, 2019)
    add("core", "object", "$vocabulary", 2019)
    add("core", "string", "$comment", 7)
    add("core", "schema-map", "$defs", 2019)
    add("core", "schema-map", "definitions", 4, 7)
    add("applicator", "schemas", "allOf anyOf oneOf")
    add("applicator", "schema", "not")
    add("applicator", "schema", "if then else", 7)
    add("applicator", "schema-map", "properties patternProperties", type="object")
    add("applicator", "schema", "additionalProperties", type="object")
    add("applicator", "schema", "propertyNames", 6, type="object")
    add("applicator", "schema-map", "dependentSchemas", 2019, type="object")
    add("applicator", "mixed", "dependencies", 4, 7, "object")
    add("applicator", "schema", "items", type="array")
    add("applicator", "schemas", "prefixItems", 2020, type="array")
    add("applicator", "schema", "additionalItems", 4, 2019, "array")
    add("applicator", "schema", "contains", 6, type="array")
    add("unevaluated", "schema", "unevaluatedProperties", 2019, type="object")
    add("unevaluated", "schema", "unevaluatedItems", 2019, type="array")
    add("validation", "mixed", "type")
    add("validation", "list", "enum")
    add("validation", "any", "const", 6)
    add("validation", "number", "minimum maximum multipleOf", type="number")
    add("validation", "number", "exclusiveMinimum exclusiveMaximum", type="number")
    add("validation", "size", "minLength maxLength", type="string")
    add("validation", "string", "pattern", type="string")
    add("validation", "size", "minItems maxItems", type="array")
    add("validation", "boolean", "uniqueItems", type="array")
    add("validation", "size", "minContains maxContains", 2019, type="array")
    add("validation", "size", "minProperties maxProperties", type="object")
    add("validation", "strings", "required", type="object")
    add("validation", "object", "dependentRequired", 2019, type="object")
    add("format", "string", "format", type="string")
    add("content", "string", "contentEncoding contentMediaType", 7, type="string")
    add("content", "schema", "contentSchema", 2019, type="string")
    add("meta-data", "string", "title description")
    add("meta-data", "any", "default")
    add("meta-data", "list", "examples", 6)
    add("meta-data", "boolean", "readOnly writeOnly", 7)
    add("meta-data", "boolean", "deprecated", 2019)
    add("openapi", "any", "example", None)
    add("openapi", "object", "discriminator", None)
    add("openapi", "boolean", "nullable", None)
    return found


KEYWORDS: Final = _table()
"""Every keyword by name."""


def _current(*values: Value) -> frozenset[str]:
    return frozenset(
        each.name
        for each in KEYWORDS.values()
        if each.value in values and each.since is not None and each.until is None
    )


def _vocabularies(*names: _Vocabulary) -> frozenset[str]:
    return frozenset(each.name for each in KEYWORDS.values() if each.vocabulary in names)


SCHEMA: Final = _current("schema")
"""Keywords of 2020-12 whose value is one schema."""
SCHEMA_LIST: Final = _current("schemas")
"""Keywords of 2020-12 whose value is a list of schemas."""
SCHEMA_MAP: Final = _current("schema-map")
"""Keywords of 2020-12 whose value maps names to schemas."""
ANY_SCHEMA_MAP: Final = SCHEMA_MAP | {"definitions"}
"""The same with `definitions`, which 2020-12 reserves for older schemas."""
HOLDS_SCHEMAS: Final = SCHEMA | SCHEMA_LIST | SCHEMA_MAP
"""Keywords of 2020-12 with schemas in their value."""
SIZES: Final = _current("size")
"""Keywords that count: the characters of a string, the items of an array, the properties of an object."""
NUMBERS: Final = _current("number")
"""Keywords whose value is any number."""
TEXTS: Final = _current("string")
"""Keywords whose value is a string."""
METADATA: Final = _vocabularies("meta-data") | {"$comment", "example"}
"""Keywords that describe a value, for people."""
ANNOTATIONS: Final = METADATA | _vocabularies("content") | {"discriminator"}
"""Keywords that never refuse a value."""
CONSTRAINTS: Final[Mapping[str, int]] = {
    each.name: each.since
    for each in KEYWORDS.values()
    if each.vocabulary in ("applicator", "unevaluated", "validation", "format") and each.since is not None
}
"""Keywords that may refuse a value, and the first draft that has each. References are none of them."""
ASSERTIONS: Final = frozenset(
    keyword for keyword in CONSTRAINTS if KEYWORDS[keyword].vocabulary in ("validation", "format")
)
"""Those of them that hold no schema."""
TYPE_OF: Final[Mapping[str, str]] = {
    each.name: each.type for each in KEYWORDS.values() if each.type and each.until is None
}
"""The JSON type that a keyword of 2020-12 applies to; keywords for all types are left out."""
TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
"""Names that `type` can have, sorted."""


TIGHTER: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
"""For each bound, which of two values is the tighter one."""


def union_of_names(left: list[str], right: list[str]) -> list[str]:
    """Merge two values of `required`."""
    return list(dict.fromkeys([*left, *right]))


Path = tuple[str | int, ...]


def subschemas(schema: object) -> Iterator[tuple[Path, object]]:
    """Yield path and value of the schemas directly below a schema of 2020-12; malformed keywords have none.
    Literals are never taken for schemas.
    """
    if not isinstance(schema, (dict, Mapping)):
        return
    for keyword, value in schema.items():
        if keyword in SCHEMA:
            yield (keyword,), value
        elif keyword in SCHEMA_LIST and isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                yield (keyword, index), item
        elif keyword in ANY_SCHEMA_MAP and isinstance(value, (dict, Mapping)):
            for name, item in value.items():
                yield (keyword, name), item


def map_subschemas(schema: Mapping[str, object], change: Callable[[object], object]) -> JsonObject:
    """Copy a schema of 2020-12 with `change` applied to the schemas directly below it."""
    out: JsonObject = {}
    for keyword, value in schema.items():
        if keyword in SCHEMA:
            out[keyword] = change(value)
        elif keyword in SCHEMA_LIST and isinstance(value, (list, tuple)):
            out[keyword] = [change(item) for item in value]
        elif keyword in ANY_SCHEMA_MAP and isinstance(value, (dict, Mapping)):
            out[keyword] = {name: change(item) for name, item in value.items()}
        else:
            out[keyword] = value
    return out


def _is_schema(value: object) -> bool:
    return isinstance(value, (bool, dict, Mapping))


def _size(value: Any) -> bool:
    return is_whole(value) and value >= 0


def _finite(value: Any) -> bool:
    return is_number(value) and value - value == 0


def _texts(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and all(isinstance(item, str) for item in value)
        and len(set(value)) == len(value)
    )


def _type(value: Any) -> bool:
    if isinstance(value, str):
        return value in TYPES
    return _texts(value) and len(value) > 0 and all(item in TYPES for item in value)


def _enum(value: object) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    for item in value:
        hash(key(item))  # JSON all through
    return True


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _schemas(value: object) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(map(_is_schema, value))


def _named_schemas(value: object) -> bool:
    if not isinstance(value, (dict, Mapping)):
        return False
    for name, schema in value.items():  # twice as fast as a generator
        if not isinstance(name, str) or not isinstance(schema, (dict, bool, Mapping)):
            return False
    return True


_LIST = _schemas, "an array of schemas, at least one"
_NAMED = _named_schemas, "an object of schemas"
_SIZE = _size, "a whole number, 0 or more"
_NUMBER = _finite, "a number"
_TEXT = _text, "a string"

_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(SCHEMA, (_is_schema, "a schema (an object or a boolean)")),
    **dict.fromkeys(SCHEMA_LIST, _LIST),
    **dict.fromkeys(ANY_SCHEMA_MAP, _NAMED),
    **dict.fromkeys(NUMBERS, _NUMBER),
    **dict.fromkeys(SIZES, _SIZE),
    **dict.fromkeys(("$ref", "$id", "$anchor", "$dynamicAnchor", "$schema", "pattern", "format"), _TEXT),
    "multipleOf": ((lambda v: _finite(v) and v > 0), "a number above 0"),
    "type": (_type, f"one of {', '.join(TYPES)}, or an array of them without repeats"),
    "enum": (_enum, "an array"),
    "required": (_texts, "an array of property names without repeats"),
    "uniqueItems": ((lambda v: isinstance(v, bool)), "a boolean"),
    "dependentRequired": (
        (lambda v: isinstance(v, Mapping) and all(isinstance(k, str) and _texts(n) for k, n in v.items())),
        "an object of arrays of property names",
    ),
}

_REFUSED = {
    "$dynamicRef": "`$dynamicRef` is not supported",
    "$recursiveRef": "`$recursiveRef` belongs to draft 2019-09 and is not supported",
    "$vocabulary": "`$vocabulary` is not supported",
}


def wanted_form(keyword: str, value: object) -> str:
    """Return what the value of a keyword must be, as a noun with its article; "" where it is that already,
    and for what is no keyword. Schemas in the value are not checked.
    """
    form = _FORMS.get(keyword)
    if form is None:
        return ""
    accepts, wanted = form
    try:
        return "" if accepts(value) else wanted
    except (TypeError, RecursionError):  # not JSON at all, or bottomless
        return wanted


def check_form(schema: Mapping[Any, Any], pointer: str) -> None:
    """Raise UnsupportedSchema for the first keyword with a malformed value; subschemas are not checked."""
    for word, value in schema.items():
        if not isinstance(word, str):
            raise UnsupportedSchema(pointer, f"keywords are strings, not {word!r}")
        if word in _REFUSED:
            raise UnsupportedSchema(f"{pointer}/{word}", _REFUSED[word])
        wanted = wanted_form(word, value)
        if wanted:
            raise UnsupportedSchema(f"{pointer}/{word}", f"`{word}` must be {wanted}")
    if "$schema" in schema and schema["$schema"].rstrip("#") != DIALECT:
        raise UnsupportedSchema(f"{pointer}/$schema", f"only the dialect {DIALECT} is supported")
