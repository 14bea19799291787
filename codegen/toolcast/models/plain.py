"""A schema with nothing in it but JSON Schema 2020-12: what datamodel-code-generator may see.

The library acts upon far more than JSON Schema: it imports what `customTypePath`, `customBasePath`,
`x-python-type` and `x-python-import` name, reads files and URLs that `$ref`, `$id` and `$dynamicRef`
point to, obeys `x-enum-varnames`, `x-is-base-class`, `x-propertyNames`, OpenAPI's `discriminator` and
`nullable`, its own `default_factory` and `is_classvar`, and more with every release. So keywords are
allowed by name, not refused by name: what is not listed here does not reach it. Names of properties and
literals are no keywords; they stay.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..jsonschema.keywords import ASSERTIONS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import unescape

# `format` and `content…` are annotations in 2020-12: they refuse nothing. The library makes them types that
# do, and that change the value (a date for a string) or need further packages (`email`): they stay out.
# So does `deprecated`, which becomes a decorator from a further package.
_LITERALS = (ASSERTIONS - {"format"}) | {"default", "examples", "description"}
_CLASS_TITLE = re.compile(r"[A-Z][A-Za-z0-9]{0,63}")  # may name a class; other titles are prose
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_REFERENCE = re.compile(r"#(?:/\$defs/([^/]+))?")

MAX_DEPTH = 100


class ModelError(ValueError):
    """No exact model can be generated from this schema; the message says why."""


def plain_schema(schema: Mapping[str, Any], class_name: str = "") -> dict[str, Any]:
    """Reduce a schema to JSON Schema 2020-12 alone, with identifiers as the names of its definitions.

    The schema is not changed, and doing it twice changes nothing.

    Args:
        schema: a contract's normal form.
        class_name: name of the schema itself: no title or definition has it.

    Returns:
        A new schema.

    Raises:
        ModelError: a reference is neither `#` nor `#/$defs/Name`, or leads nowhere; the schema is nested too
            deeply.
    """
    definitions = schema.get("$defs", {})
    names = _names(definitions, class_name) if isinstance(definitions, Mapping) else {}
    titles = _titles(class_name)
    result = _plain(schema, lambda reference: _local(reference, names), titles, 0)
    if not isinstance(result, dict):
        raise ModelError("the schema is not an object")
    result.pop("title", None)
    if isinstance(result.get("$defs"), dict):
        result["$defs"] = {names[name]: value for name, value in result["$defs"].items()}
    return result


def _plain(schema: Any, refer: Callable[[Any], str], titles: Callable[[Any], bool], depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ModelError(f"the schema is nested deeper than {MAX_DEPTH} levels")
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, Mapping):
        raise ModelError(f"a schema is {type(schema).__name__}, expected an object or a boolean")
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "$ref":
            result[key] = refer(value)
        elif key in SCHEMA_MAP and isinstance(value, Mapping) and (key != "$defs" or depth == 0):
            result[key] = {name: _plain(child, refer, titles, depth + 1) for name, child in value.items()}
        elif key in SCHEMA_LIST and isinstance(value, list):
            result[key] = [_plain(child, refer, titles, depth + 1) for child in value]
        elif key in SCHEMA and key != "contentSchema":
            result[key] = _plain(value, refer, titles, depth + 1)
        elif key in _LITERALS or (key == "title" and titles(value)):
            result[key] = value
    if result.get("items") is False and "prefixItems" in result:
        # The same said once more: by its length the library knows a tuple.
        length = len(result["prefixItems"])
        result["maxItems"] = min(length, result.get("maxItems", length))
    return result


def _titles(class_name: str) -> Callable[[Any], bool]:
    """Whether a title may name a class: it reads like one and is not taken."""
    return lambda title: (
        isinstance(title, str) and title != class_name and _CLASS_TITLE.fullmatch(title) is not None
    )


def _local(reference: Any, names: Mapping[str, str]) -> str:
    match = _REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
    if match is None:
        raise ModelError(f"reference {str(reference)[:200]!r} is not local to the schema")
    if match[1] is None:
        return "#"
    name = unescape(match[1])
    if name not in names:
        raise ModelError(f"reference {reference[:200]!r} reaches nothing")
    return "#/$defs/" + names[name]


def _names(definitions: Mapping[str, Any], class_name: str) -> dict[str, str]:
    """Every definition's name → an identifier; identifiers keep theirs, others are numbered in order."""
    names = {name: name for name in definitions if _IDENTIFIER.fullmatch(name) and name != class_name}
    for name in definitions:
        if name not in names:
            base = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:80]
            base = base if base[:1].isalpha() else f"Type{base}"
            number, candidate = 1, base
            while candidate == class_name or candidate in names or candidate in names.values():
                number += 1
                candidate = f"{base}_{number}"
            names[name] = candidate
    return names
