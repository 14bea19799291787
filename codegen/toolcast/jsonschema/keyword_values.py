"""Form of each keyword's value, as JSON Schema 2020-12 has it."""

from collections.abc import Callable, Mapping
from typing import Any

from .equality import key
from .json_values import is_number, is_whole
from .keywords import ANY_SCHEMA_MAP, NUMBERS, SCHEMA, SCHEMA_LIST, SIZES, TYPES
from .validator_errors import UnsupportedSchema

DIALECT = "https://json-schema.org/draft/2020-12/schema"


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
