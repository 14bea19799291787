"""The form that the value of each keyword has, and what is left of a value of another form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from .keywords import NUMBERS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP, SIZES, TEXTS
from .schema_change import Action, Severity
from .unusable_values import is_type


class Form(Struct, frozen=True, eq=False):
    """A form that takes more than a look at the class of a value."""

    accepts: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float


def _is_size(value: Any) -> bool:
    return (value.__class__ is int and value >= 0) or (
        value.__class__ is float and value >= 0 and value.is_integer()
    )


def _distinct(value: Any) -> bool:
    """Whether a value is a list of texts, each of them once."""
    try:
        return value.__class__ is list and len(set(value)) == len(value) and "".join(value).__class__ is str
    except TypeError:
        return False


def _nothing(_: Any) -> bool:
    return False


ONE, LIST, MAP = Form(_nothing), Form(_nothing), Form(_nothing)
"""Keywords that hold schemas."""
EXAMINED = Form(_nothing)
"""Keywords that may be defects, though their values have the right form."""
FORMS: Final[Mapping[str, type | Form]] = {
    **dict.fromkeys(TEXTS, str),
    **dict.fromkeys(NUMBERS, Form(_is_number)),
    **dict.fromkeys(SIZES, Form(_is_size)),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable"), bool),
    **dict.fromkeys(("enum", "examples"), list),
    **dict.fromkeys(SCHEMA, ONE),
    **dict.fromkeys(SCHEMA_LIST, LIST),
    **dict.fromkeys(SCHEMA_MAP, MAP),
    "type": Form(is_type),
    "multipleOf": Form(lambda value: _is_number(value) and value > 0),
    "required": Form(_distinct),
    "dependentRequired": Form(lambda value: value.__class__ is dict and all(map(_distinct, value.values()))),
    **dict.fromkeys(
        ("$dynamicRef", "$recursiveRef", "$vocabulary", "$id", "$anchor", "$schema", "pattern"),
        EXAMINED,
    ),
}
"""The form of each keyword's value: its class, or a condition."""
NO_SCHEMA = "is left out, because a schema is an object, true or false"
OMITTED: Final = object()


def usable_part(key: str, value: Any) -> tuple[Any, Action, Severity, str]:
    """The usable part of a malformed value, `OMITTED` for none; and what is to be reported."""
    if value is None:
        return (
            OMITTED,
            "dropped",
            "kept elsewhere",
            "is left out, because its value is null, which constrains nothing",
        )
    if key == "required" and isinstance(value, bool):
        reason = (
            "is left out, because a property cannot require itself; the object's `required` lists its name"
        )
        return OMITTED, "dropped", "lost", reason
    if key == "required" and isinstance(value, list):
        names = list(dict.fromkeys(name for name in value if isinstance(name, str)))
        return names, "rewritten", "kept elsewhere", "is reduced to its names, each of them once"
    if key in SCHEMA:
        return OMITTED, "dropped", "lost", NO_SCHEMA
    if key in SCHEMA_MAP:
        return OMITTED, "dropped", "lost", "is left out, because its value must be an object of schemas"
    return OMITTED, "dropped", "lost", f"is left out, because its value {value!r:.40} is malformed"
