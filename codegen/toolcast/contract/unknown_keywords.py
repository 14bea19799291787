"""Keys of a schema that are no keywords of JSON Schema: which keyword they stand for, if any."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from ..diagnostics import Severity
from ..jsonschema.formats import FORMATS
from ..jsonschema.keywords import ANNOTATIONS, ASSERTIONS, HOLDS_SCHEMAS
from ..jsonschema.unusable_values import type_meant
from ..spec.reader_problems import quoted

KNOWN: Final = HOLDS_SCHEMAS | ANNOTATIONS | ASSERTIONS | {"$schema", "$id", "$anchor", "$ref"}
"""Keywords with a meaning; others are warned of. Of `format`, the names in `FORMATS` have one."""

_SYNONYMS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("regex", "regexp", "regular_expression"), "pattern"),
    **dict.fromkeys(("desc", "doc", "docs", "help"), "description"),
    **dict.fromkeys(("choices", "options", "allowed", "allowed_values", "allowedValues"), "enum"),
    **dict.fromkeys(("of", "element", "elements", "item_type", "itemType"), "items"),
    **dict.fromkeys(("fields", "props", "parameters", "arguments"), "properties"),
    **dict.fromkeys(("default_value", "defaultValue"), "default"),
    **dict.fromkeys(("unique", "uniq"), "uniqueItems"),
    **dict.fromkeys(("ref", "$reference"), "$ref"),
    **dict.fromkeys(("defs", "$definitions"), "$defs"),
    "values": "enum",
    "kind": "type",
    "dtype": "type",
}
"""Keys of other languages and libraries → the keyword."""
_BOUNDS: Final[Mapping[str, Mapping[str, str]]] = {
    "min": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "max": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
}
_NUMERIC: Final = {"min": "minimum", "max": "maximum", "ge": "minimum", "le": "maximum",
                   "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}  # fmt: skip
_FORMATS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("datetime", "date_time", "dateTime", "timestamp", "iso8601"), "date-time"),
    **dict.fromkeys(("url", "link", "href"), "uri"),
    **dict.fromkeys(("guid", "uuid4", "UUID"), "uuid"),
    **dict.fromkeys(("ip", "ip-address", "IPv4"), "ipv4"),
    **dict.fromkeys(("mail", "e-mail", "Email"), "email"),
    **dict.fromkeys(("host", "host-name", "domain"), "hostname"),
}
"""Names that are no formats of JSON Schema → the format."""


class UnknownKeyword(Struct, frozen=True, kw_only=True):
    """A diagnostic about a key of a schema, without its place."""

    code: str
    message: str
    hint: str
    severity: Severity


def unknown_keyword(key: str, schema: Mapping[str, Any]) -> UnknownKeyword | None:
    """What a key of `schema` that is no keyword stands for; None where nothing suggests a mistake."""
    if key == "nullable":
        return UnknownKeyword(
            code="openapi-keyword",
            message="`nullable` is OpenAPI's, not JSON Schema's, and would be ignored",
            hint='write `type: [string, "null"]`, with the type you have',
            severity="error",
        )
    if key == "schema" and "in" in schema:
        return UnknownKeyword(
            code="openapi-keyword",
            message="this is a parameter as OpenAPI writes it: its `schema` has no effect here",
            hint="write what is in its `schema` and its description, and nothing else",
            severity="error",
        )
    if schema[key] is None and any(map(str.isspace, key)):
        return UnknownKeyword(
            code="unknown-keyword",
            message=f"{quoted(key)} is no keyword but the rest of a text: in braces, a comma ends it",
            hint="put the whole text in quotes",
            severity="warning",
        )
    close = _keyword(key, schema)
    if _is_property(key, schema) and close not in HOLDS_SCHEMAS:
        alone = "properties" not in schema
        where = "`properties:` (add that line)" if alone else "`properties:`"
        return UnknownKeyword(
            code="misplaced-property",
            message=f"{quoted(key)} is no keyword and has no effect here; it looks like a property",
            hint=f"indent it below {where}; start the name with `x-` to keep it as an extension",
            severity="error" if alone and "type" in schema else "warning",
        )
    message = f"{quoted(key)} is not a JSON Schema keyword and has no effect"
    if key == "optional":
        hint = "take it out: a property is optional unless the list `required` of its object names it"
        return UnknownKeyword(code="unknown-keyword", message=message, hint=hint, severity="warning")
    if close is None:
        return None
    advice = f"take it out: `{close}` is there" if close in schema else f"did you mean `{close}`?"
    hint = f"{advice} (start the name with `x-` to keep it as an extension)"
    return UnknownKeyword(code="unknown-keyword", message=message, hint=hint, severity="warning")


def unknown_format(name: str) -> str | None:
    """The format that a name most likely means; None for one of `FORMATS`, and where that is not clear."""
    if name in FORMATS or len(name) > 30:
        return None
    if name in _FORMATS:
        return _FORMATS[name]
    from difflib import get_close_matches  # loaded only where something is wrong

    close = get_close_matches(name, FORMATS, n=1, cutoff=0.8)
    return close[0] if close else None


def _keyword(key: str, schema: Mapping[str, Any]) -> str | None:
    """The keyword that a key most likely means."""
    if key in _SYNONYMS:
        return _SYNONYMS[key] if _SYNONYMS[key] not in schema else None
    if key in _NUMERIC:
        kind = schema.get("type")
        kind = type_meant(kind) or kind if isinstance(kind, str) else ""
        return _BOUNDS.get(key, {}).get(str(kind), _NUMERIC[key])
    if len(key) > 40:
        return None
    from difflib import get_close_matches  # loaded only where something is wrong

    close = get_close_matches(key, KNOWN, n=1, cutoff=0.75)
    return close[0] if close else None


def _is_property(key: str, schema: Mapping[str, Any]) -> bool:
    """Whether a key of an object schema has a schema as its value, as a property has."""
    if schema.get("type", "object") != "object" and not isinstance(schema.get("type"), dict):
        return False
    value = schema[key]
    if isinstance(value, str):
        holds = "properties" not in schema and not any(
            word in schema for word in KNOWN - {"type", "required", "$defs"}
        )
        return holds and type_meant(value) is not None
    if not isinstance(value, dict) or not value:
        return False
    kind = value.get("type")
    if isinstance(kind, str):
        return type_meant(kind) is not None
    if kind is not None:
        return False
    texts, lists = ("$ref", "description"), ("enum", "anyOf", "oneOf", "allOf")
    return any(isinstance(value.get(word), str) for word in texts) or any(
        isinstance(value.get(word), list) for word in lists
    )
