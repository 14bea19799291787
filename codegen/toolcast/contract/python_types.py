"""`x-python`: a string whose field has another Python type.

The schema then states what that type can hold: its format, and a pattern where the format alone allows more
(leap seconds, years before 1, fractions finer than a microsecond). So the type takes what the schema accepts.
"""

from typing import Final

from msgspec import Struct

from ..jsonschema.json_values import JsonObject

KEYWORD: Final = "x-python"
_YEAR = r"([1-9]\d{3}|0[1-9]\d{2}|00[1-9]\d|000[1-9])"
_DATE = rf"{_YEAR}-\d{{2}}-\d{{2}}"


class _PythonType(Struct, frozen=True):
    text: str
    format: str | None
    pattern: str | None


TYPES: Final = {
    "datetime": _PythonType(
        "datetime.datetime",
        "date-time",
        rf"^{_DATE}T\d{{2}}:\d{{2}}:[0-5]\d(\.\d{{1,6}})?(Z|[+-]\d{{2}}:\d{{2}})$",
    ),
    "date": _PythonType("datetime.date", "date", rf"^{_DATE}$"),
    "uuid": _PythonType("uuid.UUID", "uuid", None),
    "decimal": _PythonType("decimal.Decimal", None, r"^-?(0|[1-9]\d{0,199})(\.\d{1,200})?$"),
}
"""By the value of `x-python`."""


def python_type_keywords(schema: JsonObject) -> tuple[JsonObject, str]:
    """The keywords that `x-python` adds to a schema that has it, and a problem (empty for none). The type
    must be `string` (or `string` and `null`); `format` and `pattern` follow from `x-python`.
    """
    name = schema.get(KEYWORD)
    kind = TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        return {}, f"{name!r} is none of {', '.join(TYPES)}"
    types = schema.get("type")
    if types != "string" and (not isinstance(types, list) or sorted(map(str, types)) != ["null", "string"]):
        return {}, "it needs `type: string`, or that and null"
    for keyword, value in (("format", kind.format), ("pattern", kind.pattern)):
        if keyword in schema and schema[keyword] != value:
            return {}, f"`{keyword}` beside it must be left out, or be {value!r}"
    if {"enum", "const"} & schema.keys():
        return {}, "it cannot stand beside `enum` or `const`"
    added = {"format": kind.format, "pattern": kind.pattern}
    return {keyword: value for keyword, value in added.items() if value is not None}, ""
