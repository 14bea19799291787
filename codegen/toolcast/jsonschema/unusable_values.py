"""Values of keywords that have the right form and cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from .ecma import translate
from .json_values import JsonMapping, JsonObject
from .keywords import DIALECT, TYPES
from .regex_cache import cache_short_texts
from .upgrade import outdated
from .validator_errors import UnsupportedPattern


def is_dialect(value: object) -> bool:
    """Return whether a `$schema` names a draft of JSON Schema, 2020-12 included."""
    return outdated(value) or (isinstance(value, str) and value.rstrip("#") == DIALECT)


def is_type(value: object) -> bool:
    """Return whether the value of `type` is the name of a type, or a list of different ones."""
    if isinstance(value, str):
        return value in _TYPES
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(name, str) and name in _TYPES for name in value) and len({*value}) == len(value)


_TYPES = frozenset(TYPES)
_MEANT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("str", "text", "char", "varchar", "unicode", "strings"), "string"),
    **dict.fromkeys(("int", "long", "short", "int32", "int64", "uint", "whole", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "real", "num", "numeric"), "number"),
    **dict.fromkeys(("bool", "flag"), "boolean"),
    **dict.fromkeys(("list", "tuple", "set", "sequence", "vector", "frozenset"), "array"),
    **dict.fromkeys(("dict", "dictionary", "map", "mapping", "hash", "struct", "record"), "object"),
    **dict.fromkeys(("none", "nil", "nonetype", "undefined", "void"), "null"),
}
"""The types of other languages, in lower case → the type of JSON Schema."""


def type_meant(name: str) -> str | None:
    """Return the type of JSON Schema that a word such as `dict` most likely means; None where that is not
    clear.
    """
    word = name.strip().lower()
    return word if word in _TYPES else _MEANT.get(word)


def types_meant(value: object) -> Any:
    """Return the value that a `type` with names of other languages most likely means; None where one is not
    clear.
    """
    if isinstance(value, str):
        return type_meant(value)
    if not isinstance(value, list) or not all(isinstance(name, str | None) for name in value):
        return None
    meant = list(dict.fromkeys(type_meant(name or "null") for name in value))
    return meant if meant and None not in meant else None


@cache_short_texts
def unusable_pattern(pattern: str) -> str:
    """Return why a pattern cannot be used; "" for one of ECMA-262 that Python's `re` runs exactly."""
    try:
        translate(pattern)
    except UnsupportedPattern as problem:
        return f"the pattern {pattern!r:.60} cannot be used: {problem.reason}"
    except RecursionError:
        return f"the pattern {pattern!r:.60} is nested too deeply"
    return ""


class _LibrarySchema(Struct, frozen=True):
    """A schema of a library of validators, which is no JSON Schema, and how to make one of it. `schema` is
    the JSON Schema that it carries at `path`; None where it has none.
    """

    message: str
    hint: str
    path: tuple[str, ...] = ()
    schema: JsonObject | None = None


_CARRIERS: Final = (
    ("~standard", "jsonSchema", "input"),
    ("~standard", "jsonSchema", "output"),
    ("~standard", "jsonSchema"),
    ("jsonSchema",),
    ("toJSONSchema",),
)
"""Where objects of libraries carry a JSON Schema: Standard JSON Schema, and the AI SDK."""
_WRAPPER: Final = frozenset({"jsonSchema", "toJSONSchema", "validate", "_type", "~standard"})
_MARKS: Final = frozenset({*_WRAPPER, "_zod", "_def", "def", "kind", "domain", "ast"})
_ARKTYPE: Final = frozenset(
    {"domain", "required", "optional", "index", "sequence", "proto", "undeclared", "meta"}
)


def library_schema(schema: JsonMapping, *, root: bool) -> _LibrarySchema | None:
    """Recognise an object of Zod, Valibot, ArkType, Effect, the AI SDK, or any Standard Schema, as JSON.
    `root`: it is the schema of all parameters, for which also an object of such objects may stand. None
    for a JSON Schema.
    """
    if _MARKS.isdisjoint(schema):
        shape = root and schema and all(isinstance(each, Mapping) for each in schema.values())
        found = [library_schema(each, root=False) for each in schema.values()] if shape else []
        first = found[0] if found and None not in found else None
        return None if first is None else _LibrarySchema(f"of each property, {first.message}", first.hint)
    standard = schema.get("~standard")
    if schema.keys() <= _WRAPPER or isinstance(standard, Mapping):
        for path in _CARRIERS:
            carried = _at(schema, path)
            # Functions and promises are left out of JSON, so that nothing is left of what they would give.
            if isinstance(carried, dict) and carried and not carried.keys() & {"input", "output"}:
                if _is_of_library(carried):
                    break
                return _LibrarySchema("an object carries a JSON Schema", "", path, carried)
    if not _is_of_library(schema):
        return None
    hint = "give what its library makes of it as JSON Schema, such as `z.toJSONSchema(schema)` of Zod"
    return _LibrarySchema("a schema of a library is no JSON Schema", hint)


def _at(value: object, path: tuple[str, ...]) -> object:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _is_of_library(schema: Mapping[str, object]) -> bool:
    """Return whether an object is one of Zod, Valibot, ArkType, Effect, the AI SDK or any Standard Schema."""
    tree = schema.get("ast")
    return (
        isinstance(schema.get("~standard"), Mapping)
        or isinstance(schema.get("_zod"), Mapping)
        or any(
            isinstance(each, Mapping) and isinstance(each.get("type", each.get("typeName")), str)
            for each in (schema.get("_def"), schema.get("def"))
        )
        or (schema.get("kind") in ("schema", "validation", "transformation") and "async" in schema)
        or (isinstance(schema.get("domain"), (str, Mapping)) and schema.keys() <= _ARKTYPE)
        or (isinstance(tree, Mapping) and isinstance(tree.get("_tag"), str))
        or (schema.keys() <= _WRAPPER and not schema.keys().isdisjoint(("jsonSchema", "toJSONSchema")))
    )


def python_object(value: object) -> _LibrarySchema | None:
    """Recognise an object of Python that stands where a schema must be; None for JSON values."""
    if value is None or isinstance(value, (str, int, float, list, tuple, Mapping)):
        return None
    owner = value if isinstance(value, type) else type(value)
    name = getattr(owner, "__name__", "")
    what = f"the class `{name}`" if isinstance(value, type) else f"an object of the class `{name}`"
    hint = "give its JSON Schema, such as `pydantic.TypeAdapter(T).json_schema()`"
    return _LibrarySchema(f"{what} is no JSON Schema", hint)
