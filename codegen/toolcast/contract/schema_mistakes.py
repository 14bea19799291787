"""Mistakes in schemas, each with its remedy: malformed values, unusable patterns, unknown keywords, and what
is valid and hardly means what it says.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from ..diagnostics import Diagnostic, Severity, most_similar
from ..jsonschema.ecma import analyse, is_fast, translate
from ..jsonschema.formats import FORMATS
from ..jsonschema.json_values import JsonMapping, has_type, type_of
from ..jsonschema.keywords import (
    ANNOTATIONS,
    ASSERTIONS,
    HOLDS_SCHEMAS,
    NUMBERS,
    SIZES,
    TYPE_OF,
    TYPES,
    subschemas,
    wanted_form,
)
from ..jsonschema.pointers import escape, join
from ..jsonschema.unusable_values import type_meant, types_meant
from ..jsonschema.validator_errors import UnsupportedPattern
from ..spec.parsed_document import diagnose
from ..spec.spec_checker import nearest, quoted
from .normal_form import NormalForm, definition_name
from .schema_forms import as_list

# -- values --------------------------------------------------------------------------------------


class Mistake(Struct, frozen=True, kw_only=True):
    """A diagnostic about a part of a schema, without its place. `meant`: the value that the author most
    likely means, for further checks; UNSET where that is not clear.
    """

    message: str
    hint: str
    code: str = "malformed-schema"
    severity: Severity = "error"
    meant: Any | UnsetType = UNSET


def malformed_value(keyword: str, value: object) -> Mistake | None:
    """Check the value of a keyword of 2020-12, without schemas in it; None where it is right."""
    if keyword in ("title", "description") and not isinstance(value, str):
        hint = "write text; for a property of that name, indent it below `properties`"
        return Mistake(message=f"`{keyword}` must be text, not {shown(value)}", hint=hint)
    wanted = wanted_form(keyword, value)
    if not wanted:
        return None
    if keyword == "type":
        return _type(value)
    if keyword == "required":
        return required_flag(value, "…") or _required(value)
    message = f"`{keyword}` must be {wanted}, not {shown(value)}"
    return Mistake(message=message, hint=_hint(keyword, value))


def shown(value: Any) -> str:
    """A value for a message: scalars as they are written, the kind of others."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the text {quoted(value, 40)}" if value else "an empty text"
    if isinstance(value, bool | int | float):
        return "true" if value is True else "false" if value is False else f"{value!r:.40}"
    return "a list" if isinstance(value, list) else "a mapping"


def no_schema(value: object) -> Mistake:
    """Say that a value, which is neither a mapping nor a boolean, is no schema."""
    message = f"a schema must be a mapping, or true or false, not {shown(value)}"
    hint = "write a JSON Schema here, e.g. {type: string}"
    if value is None:
        hint = "indent its lines further than its key, or write a schema, e.g. {type: string}"
    elif isinstance(value, str) and value in ("no", "off", "yes", "on", "true", "false"):
        word = "true" if value in ("yes", "on", "true") else "false"
        hint = f"write `{word}` without quotes; YAML 1.2 reads `yes`, `no`, `on` and `off` as text"
    elif isinstance(value, str) and type_meant(value):
        hint = f"write {{type: {_yaml_type(type_meant(value) or '')}}}"
    return Mistake(message=message, hint=hint)


def _hint(keyword: str, value: object) -> str:
    if isinstance(value, str):
        if keyword in NUMBERS | SIZES and _is_number_for(keyword, value):
            return f"write the number without quotes: `{keyword}: {value}`"
        if keyword == "enum":
            return f"write a list: `enum: {_names(value)}`"
    return "correct it, or leave it out"


def _is_number_for(keyword: str, text: str) -> bool:
    if not re.fullmatch(r"-?[0-9]{1,30}(\.[0-9]{1,30})?", text):
        return False
    return wanted_form(keyword, float(text) if "." in text else int(text)) == ""


def _names(text: str) -> str:
    """The list that a text with commas stands for, as YAML writes it."""
    return f"[{', '.join(quoted(part.strip(), 30)[1:-1] for part in text.split(',')[:6])}]"


def required_flag(value: object, name: str) -> Mistake | None:
    """Recognise a `required` that says whether its own property is required; None for a value that is no
    flag. `name`: the property; "…" where its name is not known.
    """
    flag = {"true": True, "false": False}.get(value) if isinstance(value, str) else value
    if not isinstance(flag, bool):
        return None
    names = f"`required: [{quoted(name, 40)[1:-1]}]`"
    hint = f"take it out here, and write {names} beside `properties` of its object"
    if not flag:
        hint = "take it out: a property is optional unless the list `required` of its object names it"
    return Mistake(message=f"`required` must be a list of property names, not {shown(value)}", hint=hint)


def _required(value: object) -> Mistake:
    message, hint = f"`required` must be a list of property names, not {shown(value)}", "`required: [a, b]`"
    if isinstance(value, str) and value.strip():
        hint = f"`required: {_names(value)}`"
    if not isinstance(value, list):
        return Mistake(message=message, hint=f"write a list: {hint}, or leave it out")
    names = list(dict.fromkeys(name for name in value if isinstance(name, str)))
    other = [name for name in value if not isinstance(name, str)]
    if other:
        message, hint = (
            f"`required` must name properties, and {shown(other[0])} is no name",
            "write names only",
        )
    else:
        twice = next(name for name in names if value.count(name) > 1)
        message, hint = f"`required` names {quoted(twice)} twice", "keep one of the two"
    return Mistake(message=message, hint=hint, meant=names)


def _type(value: object) -> Mistake:
    hint, meant = f"write one of {', '.join(TYPES)}", types_meant(value)
    if value is None:
        hint += '; for the type null, write "null" in quotes'
        return Mistake(message="`type` is empty, or null without quotes", hint=hint)
    if isinstance(value, str):
        close = meant or _close(value.lower(), TYPES, 0.75)
        return Mistake(
            message=f"{quoted(value)} is not a type of JSON Schema",
            hint=f"did you mean `{_yaml_type(close)}`?" if close else hint,
            meant=meant or UNSET,
        )
    if not isinstance(value, list):
        message = f"`type` must name a type, or list several, not be {shown(value)}"
        if isinstance(value, Mapping):
            hint += "; for a property called `type`, indent it below `properties`"
        return Mistake(message=message, hint=hint)
    if meant:
        hint = f"write `type: [{', '.join(map(_yaml_type, meant))}]`"
    other = next((each for each in value if each not in TYPES), "")
    message = "`type` is an empty list, which no value fits" if not value else "`type` lists a type twice"
    if other != "" or "" in value:
        what = "null without quotes" if other is None else shown(other)
        message = f"`type` lists {what}, which is not a type of JSON Schema"
    return Mistake(message=message, hint=hint, meant=meant or UNSET)


def _yaml_type(name: str) -> str:
    """A type as YAML has to write it: `null` without quotes is no text."""
    return '"null"' if name == "null" else name


# -- patterns ------------------------------------------------------------------------------------

_REMEDIES: Final[tuple[tuple[str, str], ...]] = (
    (r"\?P<", "write `(?<name>…)`: JSON Schema has ECMA-262's expressions, not Python's"),
    (r"\?[aiLmsux-]+[:)]", "there are no flags; write both cases, such as `[Aa]`"),
    (r"\\A", "write `^` for the start of the text"),
    (r"\\[Zz]", "write `$` for the end of the text"),
    (r"\[", r"close it with `]`, or write `\[` for the bracket itself"),
    (r"\(", r"close it with `)`, or write `\(` for the parenthesis itself"),
    (r"\)", r"open it with `(`, or write `\)` for the parenthesis itself"),
)
"""The text at the place of an error → what to write. The first that fits counts."""


def unusable_pattern(pattern: str) -> Mistake | None:
    """Return the problem of a pattern that is no regular expression of ECMA-262 or cannot be run exactly;
    else None.
    """
    try:
        translate(pattern)
    except UnsupportedPattern as problem:
        return _unsupported(pattern, problem)
    except RecursionError:
        message = f"the pattern {quoted(pattern)} is nested too deeply"
        return Mistake(message=message, hint="write it with fewer groups inside of each other")
    return None


def _unsupported(pattern: str, problem: UnsupportedPattern) -> Mistake:
    what = "is not supported" if problem.valid else "is not valid"
    if problem.offset is None:
        message = f"the pattern {quoted(pattern)} {what}: {problem.reason}"
        return Mistake(message=message, hint="write it in another way")
    reason = problem.reason.removesuffix(f" at offset {problem.offset}")
    rest = pattern[problem.offset :]
    place = f"at character {problem.offset + 1}, {quoted(rest, 20)}" if rest else "at its end"
    hint = next(
        (remedy for at, remedy in _REMEDIES if re.match(at, rest)),
        "correct it there; JSON Schema has the regular expressions of ECMA-262 (JavaScript)",
    )
    return Mistake(message=f"the pattern {quoted(pattern)} {what}: {reason} {place}", hint=hint)


_LONG: Final = 10_000
"""Characters of the longest text that is considered, where no `maxLength` bounds it."""


def slow_pattern_reason(pattern: object, longest: Any = None) -> str | None:
    """Return why a search for `pattern` is slow; None where it is not, or where it is no valid pattern.
    `longest`, the `maxLength` of the same schema, bounds the cost.
    """
    if not isinstance(pattern, str):
        return None
    bounded = isinstance(longest, int | float) and 0 <= longest < _LONG
    length = int(longest) if bounded else _LONG
    try:
        if is_fast(pattern, length):
            return None
        exact = analyse(pattern).automaton is not None
    except UnsupportedPattern:
        return None
    what = "decoding takes a slower way there" if exact else "texts in which it would are refused"
    return (
        f"a search for the pattern {pattern!r} can take millions of steps in a text of {length} characters: "
        f"its parts can share one text in many ways; {what}"
    )


def is_always_fast(pattern: str, longest: int | None = None) -> bool:
    """Return whether `re` takes few steps for each character of any text that has at most `longest`, also for
    one past U+FFFF.
    """
    found = analyse(pattern)
    return not found.beyond and found.cost.fast_length() >= (float("inf") if longest is None else longest)


# -- keys ----------------------------------------------------------------------------------------

KNOWN: Final = HOLDS_SCHEMAS | ANNOTATIONS | ASSERTIONS | {"$schema", "$id", "$anchor", "$ref"}
"""Keywords with a meaning; others are warned of. Of `format`, the names in `FORMATS` have one."""

_SYNONYMS: Final[Mapping[str, str]] = {
    "regex": "pattern", "choices": "enum", "options": "enum", "values": "enum", "desc": "description",
    "fields": "properties", "ref": "$ref", "min": "minimum", "max": "maximum",
}  # fmt: skip
"""Keys of other languages and libraries → the keyword."""
_SIZES: Final = {"string": "Length", "array": "Items", "object": "Properties"}
"""For a type, what `min` and `max` bound."""


def unknown_keyword(key: str, schema: Mapping[str, object]) -> Mistake | None:
    """Find what a key of `schema` that is no keyword stands for; None where nothing suggests a mistake."""
    if key == "nullable":
        return Mistake(
            code="openapi-keyword",
            message="`nullable` is OpenAPI's, not JSON Schema's, and would be ignored",
            hint='write `type: [string, "null"]`, with the type you have',
        )
    if key == "schema" and "in" in schema:
        return Mistake(
            code="openapi-keyword",
            message="this is a parameter as OpenAPI writes it: its `schema` has no effect here",
            hint="write what is in its `schema` and its description, and nothing else",
        )
    if schema[key] is None and any(map(str.isspace, key)):
        return Mistake(
            code="unknown-keyword",
            message=f"{quoted(key)} is no keyword but the rest of a text: in braces, a comma ends it",
            hint="put the whole text in quotes",
            severity="warning",
        )
    close = _keyword(key, schema)
    if _is_property(key, schema) and close not in HOLDS_SCHEMAS:
        alone = "properties" not in schema
        where = "`properties:` (add that line)" if alone else "`properties:`"
        return Mistake(
            code="misplaced-property",
            message=f"{quoted(key)} is no keyword and has no effect here; it looks like a property",
            hint=f"indent it below {where}; start the name with `x-` to keep it as an extension",
            severity="error" if alone and "type" in schema else "warning",
        )
    message = f"{quoted(key)} is not a JSON Schema keyword and has no effect"
    if key == "optional":
        hint = "take it out: a property is optional unless the list `required` of its object names it"
        return Mistake(code="unknown-keyword", message=message, hint=hint, severity="warning")
    if close is None:
        return None
    advice = f"take it out: `{close}` is there" if close in schema else f"did you mean `{close}`?"
    hint = f"{advice} (start the name with `x-` to keep it as an extension; {_STRICT})"
    return Mistake(code="unknown-keyword", message=message, hint=hint, severity="warning")


_STRICT: Final = "`toolcast lint --strict` fails on this"


def unknown_format(name: str) -> str | None:
    """The format that a name most likely means; None for one of `FORMATS`, and where that is not clear."""
    return None if name in FORMATS else _close(name, FORMATS, 0.8)


def _keyword(key: str, schema: Mapping[str, object]) -> str | None:
    if key in _SYNONYMS:
        kind = schema.get("type")
        kind = type_meant(kind) if isinstance(kind, str) else None
        meant = key + _SIZES[kind] if key in ("min", "max") and kind in _SIZES else _SYNONYMS[key]
        return meant if meant not in schema else None
    return _close(key, KNOWN, 0.75)


def _close(word: str, names: Iterable[str], cutoff: float) -> str | None:
    return most_similar(word, names, cutoff) or None if len(word) <= 40 else None


def _is_property(key: str, schema: Mapping[str, object]) -> bool:
    """Return whether a key of an object schema has a schema as its value, as a property has."""
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


# -- doubts --------------------------------------------------------------------------------------

_COMPOSING: Final = frozenset(
    {"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}
)
"""Keywords whose schemas apply to the value itself."""
_OF_OTHERS: Final = frozenset({"additionalProperties", "patternProperties", "unevaluatedProperties"})
"""Keywords that say what properties may be that are not declared."""
_MOST_COMPARED: Final = 5_000
"""Names of one document that are compared with wrong ones, which is slow."""


class _Doubt(Struct, frozen=True):
    """A warning without its place, which is `path` below the schema."""

    path: tuple[str | int, ...]
    code: str
    message: str
    hint: str


def doubtful_schemas(normal: NormalForm) -> Iterator[Diagnostic]:
    """Warn of schemas that are valid and hardly mean what they say: each required property that is not
    declared, each keyword that applies to no type of its schema, and each value of an `enum` that its `type`
    refuses.
    """
    document = normal.contract_file() if normal.roots else normal.document()
    defs = document.get("$defs", {})
    tops = [(f"/$defs/{escape(name)}", defs[name]) for name in defs if name not in normal.shared]
    tops += [(f"/{name}", document[name]) for name in normal.roots]
    schemas = [each for pointer, top in tops for each in _schemas(top, pointer)]
    for pointer, doubt in (*_undeclared(schemas), *_of_types(schemas)):
        found, path = normal.locate(pointer + join(doubt.path))
        is_keyword = len(doubt.path) == 1  # else one of its values
        yield diagnose(found, path, doubt.code, doubt.message, doubt.hint, key=is_keyword, severity="warning")


def _schemas(top: object, pointer: str) -> Iterator[tuple[str, JsonMapping, bool]]:
    """Every schema at and below one, with its pointer; and whether it alone describes its values, as far as
    the schemas around it tell.
    """
    waiting = [(top, pointer, True)]
    while waiting:
        schema, at, alone = waiting.pop()
        if isinstance(schema, dict):
            yield at, schema, alone and _COMPOSING.isdisjoint(schema)
            waiting += [
                (below, at + join(path), path[0] not in _COMPOSING) for path, below in subschemas(schema)
            ]


def _undeclared(schemas: list[tuple[str, JsonMapping, bool]]) -> Iterator[tuple[str, _Doubt]]:
    composed = {
        f"/$defs/{escape(name)}"
        for _, schema, _ in schemas
        if "$ref" in schema
        if (name := definition_name(schema["$ref"])) is not None
        if not schema.keys() <= ANNOTATIONS | {"$ref"}
    }
    compared = 0
    for pointer, schema, alone in schemas:
        has_object = "object" in as_list(schema.get("type", "object"))
        if not alone or not has_object or pointer in composed or not _OF_OTHERS.isdisjoint(schema):
            continue
        declared = schema.get("properties", {})
        for index, name in enumerate(schema.get("required", ())):
            if name in declared:
                continue
            compared += len(declared)
            others = set(declared).difference(schema["required"])
            close = nearest(name, others) if compared <= _MOST_COMPARED else None
            hint = f"did you mean {quoted(close)}? if not, " if close else ""
            yield (
                pointer,
                _Doubt(
                    ("required", index),
                    "undeclared-required",
                    f"`required` names {quoted(name)}, which no `properties` declare: a model cannot know it",
                    f"{hint}declare it below `properties`, or say that others are allowed: "
                    "`additionalProperties: true`",
                ),
            )


def _of_types(schemas: list[tuple[str, JsonMapping, bool]]) -> Iterator[tuple[str, _Doubt]]:
    for pointer, schema, alone in schemas:
        types = as_list(schema["type"]) if "type" in schema else []
        if alone and not types:
            yield from ((pointer, doubt) for doubt in _mixed_values(schema))
        if types:
            yield from ((pointer, doubt) for doubt in _without_effect(schema, types))
            yield from ((pointer, doubt) for doubt in _refused_values(schema, types))


def _without_effect(schema: Mapping[str, object], types: list[str]) -> Iterator[_Doubt]:
    kinds = {"number" if each == "integer" else each for each in types}
    for keyword in schema:
        kind = TYPE_OF.get(keyword)
        if kind is None or kind in kinds or keyword == "format":
            continue
        message = (
            f"`{keyword}` applies to {_PLURALS[kind]} only, and `type` is {_named(types)}: it has no effect"
        )
        yield _Doubt((keyword,), "no-effect", message, "take it out, or correct `type`")


_PLURALS: Final = {
    "array": "arrays", "boolean": "booleans", "number": "numbers", "object": "objects", "string": "strings",
}  # fmt: skip


def _named(types: list[str]) -> str:
    return " or ".join(f"`{each}`" for each in types)


def _mixed_values(schema: Mapping[str, object]) -> Iterator[_Doubt]:
    """The first value of an `enum` without `type` that is of another type than those before it."""
    values: Any = schema.get("enum")
    kinds: dict[str, int] = {}  # the first index of each type
    for index, value in enumerate(values if isinstance(values, list) else ()):
        kinds.setdefault("number" if has_type(value, ["number"]) else type_of(value), index)
    kinds.pop("null", None)
    if len(kinds) > 1:
        first, other, *_ = kinds
        message = f"`enum` lists {_PLURALS[first]}, and here {shown(values[kinds[other]])}"
        hint = f"if both are meant, write `type: [{first}, {other}]`; else correct the values; {_STRICT}"
        yield _Doubt(("enum", kinds[other]), "mixed-enum", message, hint)


def _refused_values(schema: Mapping[str, object], types: list[str]) -> Iterator[_Doubt]:
    """Values of `enum` that `type` refuses, where it accepts others."""
    values = schema.get("enum")
    if not isinstance(values, list) or len(values) > 1_000:
        return
    refused = [index for index, value in enumerate(values) if not has_type(value, types)]
    if len(refused) == len(values):  # no value fits the schema, which is an error
        return
    for index in refused:
        value = values[index]
        hint = "take it out, or add its type to `type`"
        if "string" in types and not isinstance(value, list | dict):
            hint += ", or put it in quotes"
        message = f"`enum` lists {shown(value)}, which `type` refuses: it is {_named(types)}"
        yield _Doubt(("enum", index), "refused-value", message, hint)
