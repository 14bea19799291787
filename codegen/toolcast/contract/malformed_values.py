"""Values that a keyword cannot have: what to write instead, by what people write from other languages."""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from ..jsonschema.keyword_values import wanted_form
from ..jsonschema.keywords import NUMBERS, SIZES, TYPES
from ..jsonschema.unusable_values import type_meant
from ..spec.reader_problems import quoted
from ..spec.spec_checker import nearest


class MalformedValue(Struct, frozen=True, kw_only=True):
    """What is wrong with the value of a keyword.

    Attributes:
        message: one sentence.
        hint: what to write instead.
        meant: the value that the author most likely means, for further checks; UNSET where that is not clear.
    """

    message: str
    hint: str
    meant: Any | UnsetType = UNSET


_FORMATS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("datetime", "date-time", "timestamp", "date_time"), "date-time"),
    **{
        name: name
        for name in ("date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid")
    },
    "url": "uri",
    "guid": "uuid",
}
"""What is a format of strings and no type, in lower case → the format."""
_BYTES: Final = ("file", "binary", "bytes", "blob", "buffer")
_OPTIONAL: Final = re.compile(r"(?:typing\.)?Optional\[(.*)\]|(.*)\?", re.DOTALL)
_GENERIC: Final = re.compile(r"(?:typing\.)?(\w+)\s*[\[<](.+)[\]>]|(.+)\[\]", re.DOTALL)
_MANY: Final = 100
"""Characters of a type that is taken apart; longer ones are no spelling of a type."""


def malformed_value(keyword: str, value: Any) -> MalformedValue | None:
    """What is wrong with the value of a keyword. The schemas in a value are not looked at.

    Args:
        keyword: the keyword of 2020-12.
        value: its value.

    Returns:
        The problem; None for a value that the keyword can have.
    """
    if keyword in ("title", "description") and not isinstance(value, str):
        hint = "write text; for a property of that name, indent it below `properties`"
        return MalformedValue(message=f"`{keyword}` must be text, not {shown(value)}", hint=hint)
    wanted = wanted_form(keyword, value)
    if not wanted:
        return None
    if keyword == "type":
        return _type(value)
    if keyword == "required":
        return _required(value)
    message = f"`{keyword}` must be {wanted}, not {shown(value)}"
    return MalformedValue(message=message, hint=_hint(keyword, value))


def shown(value: Any) -> str:
    """A value for a message: scalars as they are written, the kind of others."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the text {quoted(value, 40)}" if value else "an empty text"
    if isinstance(value, bool | int | float):
        return "true" if value is True else "false" if value is False else f"{value!r:.40}"
    return "a list" if isinstance(value, list) else "a mapping"


def no_schema(value: Any) -> MalformedValue:
    """Say that a value, which is neither a mapping nor a boolean, is no schema."""
    message = f"a schema must be a mapping, or true or false, not {shown(value)}"
    if value is None:
        hint = "indent its lines further than its key, or write a schema, e.g. {type: string}"
    elif isinstance(value, str) and value in ("no", "off", "yes", "on", "true", "false"):
        word = "true" if value in ("yes", "on", "true") else "false"
        hint = f"write `{word}` without quotes; YAML 1.2 reads `yes`, `no`, `on` and `off` as text"
    elif isinstance(value, str):
        meant = _word(value)
        hint = f"write {{type: {meant}}}" if meant else "write a schema: {type: string, description: …}"
    elif isinstance(value, list) and value and all(isinstance(each, str) and _word(each) for each in value):
        hint = f"write {{type: [{', '.join(_yaml_type(_word(each) or '') for each in value)}]}}"
    else:
        hint = "write a JSON Schema here, e.g. {type: string}"
    return MalformedValue(message=message, hint=hint)


def _hint(keyword: str, value: Any) -> str:
    if keyword in NUMBERS or keyword in SIZES:
        return _number_hint(keyword, value)
    if keyword == "enum":
        if isinstance(value, str):
            parts = [part.strip() for part in re.split(r"[,|]", value)[:6]]
            return f"write a list: `enum: [{', '.join(quoted(part, 20)[1:-1] for part in parts)}]`"
        if isinstance(value, Mapping):
            return "list the values alone, and tell what each means in the description"
        return "write the values as a list: `enum: [a, b]`"
    if keyword == "uniqueItems":
        return "write true or false, without quotes"
    if keyword == "pattern":
        return "write the regular expression as text, in single quotes: `pattern: '^[0-9]+$'`"
    if keyword == "format":
        return "write the name of a format, such as `date-time`, or leave it out"
    if keyword == "dependentRequired":
        return "write a list of names for each name: `dependentRequired: {a: [b, c]}`"
    return "correct it, or leave it out"


def _number_hint(keyword: str, value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[-+]?[0-9]{1,30}(\.[0-9]{1,30})?", value):
        plain = value.lstrip("+")
        if wanted_form(keyword, float(plain) if "." in plain else int(plain)) == "":
            return f"write the number without quotes: `{keyword}: {plain}`"
    if value is None:
        return "write a number, or leave the keyword out"
    return f"write a number: `{keyword}: {1 if keyword in SIZES or keyword == 'multipleOf' else 0}`"


def required_flag(value: Any, name: str) -> MalformedValue | None:
    """What is wrong with a `required` that says whether its own property is required.

    Args:
        value: the value of `required`.
        name: the property; "…" where its name is not known.

    Returns:
        The problem; None for a value that is no flag.
    """
    words = {"true": True, "yes": True, "false": False, "no": False}
    flag = words.get(value) if isinstance(value, str) else value
    if not isinstance(flag, bool):
        return None
    names = f"`required: [{quoted(name, 40)[1:-1]}]`"
    hint = f"take it out here, and write {names} beside `properties` of its object"
    if not flag:
        hint = "take it out: a property is optional unless the list `required` of its object names it"
    return MalformedValue(
        message=f"`required` must be a list of property names, not {shown(value)}", hint=hint
    )


def _required(value: Any) -> MalformedValue:
    flag = required_flag(value, "…")
    if flag is not None:
        return flag
    if isinstance(value, list):
        return _required_names(value)
    message = f"`required` must be a list of property names, not {shown(value)}"
    hint = "write a list: `required: [a, b]`, or leave it out"
    if isinstance(value, str) and value.strip():
        names = [part.strip() for part in value.split(",")[:6]]
        hint = f"write a list: `required: [{', '.join(quoted(name, 30)[1:-1] for name in names)}]`"
    elif isinstance(value, Mapping):
        hint = "list the names alone: `required: [a, b]`; a property of that name goes below `properties`"
    return MalformedValue(message=message, hint=hint)


def _required_names(names: list[Any]) -> MalformedValue:
    other = next((name for name in names if not isinstance(name, str)), None)
    texts = list(dict.fromkeys(name for name in names if isinstance(name, str)))
    if len(texts) < len(names) and all(isinstance(name, str) for name in names):
        twice = next(name for name in texts if names.count(name) > 1)
        return MalformedValue(
            message=f"`required` names {quoted(twice)} twice", hint="keep one of the two", meant=texts
        )
    hint = "put the name in quotes" if not isinstance(other, list | Mapping) else "write names only"
    message = f"`required` must name properties, and {shown(other)} is no name"
    return MalformedValue(message=message, hint=hint, meant=texts)


def _type(value: Any) -> MalformedValue:
    if value is None:
        hint = 'write one of {}; for the type null, write "null" in quotes'.format(", ".join(TYPES))
        return MalformedValue(message="`type` is empty, or null without quotes", hint=hint)
    if isinstance(value, list):
        return _types(value)
    if isinstance(value, str):
        hint, meant = _type_hint(value)
        return MalformedValue(message=f"{quoted(value)} is not a type of JSON Schema", hint=hint, meant=meant)
    message = f"`type` must name a type, or list several, not be {shown(value)}"
    hint = f"write one of {', '.join(TYPES)}"
    if isinstance(value, Mapping):
        hint += "; for a property called `type`, indent it below `properties`"
    return MalformedValue(message=message, hint=hint)


def _types(values: list[Any]) -> MalformedValue:
    wanted = "`type: [string, integer]`"
    if not values:
        return MalformedValue(
            message="`type` is an empty list, which no value fits", hint=f"write e.g. {wanted}"
        )
    meant: list[str] = []
    for value in values:
        if value is None:
            meant.append("null")
        elif isinstance(value, str) and (word := _word(value)):
            meant.append(word)
    known = list(dict.fromkeys(meant))
    for value in values:
        if not isinstance(value, str | None):
            message = f"`type` must list names of types, and {shown(value)} is none"
            return MalformedValue(message=message, hint=f"write names, e.g. {wanted}")
        if value not in TYPES:
            what = "null without quotes" if value is None else quoted(value)
            hint = (
                f"write `type: [{', '.join(map(_yaml_type, known))}]`"
                if len(meant) == len(values)
                else (_type_hint(value or "")[0])
            )
            return MalformedValue(
                message=f"`type` lists {what}, which is not a type of JSON Schema", hint=hint,
                meant=known if len(meant) == len(values) else UNSET,
            )  # fmt: skip
    return MalformedValue(message="`type` lists a type twice", hint="keep one of the two", meant=known)


def _type_hint(name: str) -> tuple[str, Any]:
    """What to write instead of a type that there is not, and the value of `type` that it means."""
    word = name.strip().lower()
    if type_meant(word):
        return f"did you mean `{_yaml_type(type_meant(word) or '')}`?", type_meant(word)
    if word in _FORMATS:
        return f"write `type: string, format: {_FORMATS[word]}`", "string"
    if word in _BYTES:
        return "JSON has text only: write `type: string, contentEncoding: base64`", "string"
    if word in ("enum", "literal", "choice"):
        return "leave `type` out, and list the values: `enum: [a, b]`", UNSET
    if word in ("union", "mixed", "oneof", "anyof"):
        return "list the types: `type: [string, integer]`", UNSET
    if len(name) <= _MANY:
        parts = [_word(part) for part in re.split(r"\s*(?:\||,|/|\bor\b)\s*", name)]
        if len(parts) > 1 and all(parts):
            types = [part for part in dict.fromkeys(parts) if part]
            return f"write a list: `type: [{', '.join(map(_yaml_type, types))}]`", types
        inner = _OPTIONAL.fullmatch(name.strip())
        if inner and (one := _word(inner[1] or inner[2] or "")):
            return f'write `type: [{one}, "null"]`, or leave it out of `required`', [one, "null"]
        found = _generic(name.strip())
        if found is not None:
            return found
    close = nearest(word, TYPES)
    return f"did you mean `{_yaml_type(close)}`?" if close else f"the types are {', '.join(TYPES)}", UNSET


def _generic(name: str) -> tuple[str, Any] | None:
    """`list[str]`, `string[]`, `dict[str, int]` and their like."""
    found = _GENERIC.fullmatch(name)
    if found is None:
        return None
    outer, inner = _word(found[1] or "array"), (found[2] or found[3] or "").rpartition(",")[2]
    item = _word(inner) or "string"
    if outer == "array":
        return f"write `type: array, items: {{type: {_yaml_type(item)}}}`", "array"
    if outer == "object":
        return f"write `type: object, additionalProperties: {{type: {_yaml_type(item)}}}`", "object"
    return None


def _word(text: str) -> str | None:
    return type_meant(text) if len(text) <= _MANY else None


def _yaml_type(name: str) -> str:
    """A type as YAML has to write it: `null` without quotes is no text."""
    return '"null"' if name == "null" else name
