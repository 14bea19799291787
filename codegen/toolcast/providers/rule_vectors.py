"""Makes the vectors of a provider: for each rule a schema that keeps it and one that breaks it.

A vector changes one thing: what breaks a rule is otherwise what the provider takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import map_subschemas
from .normalize import normalize
from .profiles.dialect import Dialect, disposition
from .profiles.envelope import Normalized, ToolInfo, tool_object
from .profiles.profile import Profile, Status
from .provider_rules import ProviderRule, rules_of

Broken = Literal["keyword", "value", "missing", "structure", "limit"]
"""The class of an error: a keyword that is not taken, a value of one that is, something that a schema has to
state, the place of something, or too much of it."""
_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_THING: Final = {"type": "object", "properties": {"a": _TEXT}}
_LIST: Final = {"type": "array", "items": _TEXT}
_ARGUMENT: Final = "v"
"""The parameter that a vector is about."""
_KEYWORDS: Final[dict[str, JsonObject]] = {
    **{key: {**_TEXT, key: 1} for key in ("minLength", "maxLength")},
    **{key: {**_WHOLE, key: 1} for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")},
    **{key: {**_LIST, key: 1} for key in ("minItems", "maxItems")},
    **{key: {**_THING, key: 1} for key in ("minProperties", "maxProperties")},
    **{key: {**_TEXT, key: True} for key in ("deprecated", "readOnly", "writeOnly", "nullable")},
    **{
        key: {**_TEXT, key: "a"}
        for key in ("title", "description", "$comment", "example", "default", "const")
    },
    "multipleOf": {**_WHOLE, "multipleOf": 2},
    "pattern": {**_TEXT, "pattern": "^[a-z]+$"},
    "format": {**_TEXT, "format": "date-time"},
    "enum": {**_TEXT, "enum": ["a", "b"]},
    "examples": {**_TEXT, "examples": ["a"]},
    "uniqueItems": {**_LIST, "uniqueItems": True},
    "contains": {**_LIST, "contains": {**_TEXT, "enum": ["a"]}},
    "minContains": {**_LIST, "contains": {**_TEXT, "enum": ["a"]}, "minContains": 2},
    "maxContains": {**_LIST, "contains": {**_TEXT, "enum": ["a"]}, "maxContains": 2},
    "unevaluatedItems": {**_LIST, "unevaluatedItems": _TEXT},
    "prefixItems": {"type": "array", "prefixItems": [_TEXT], "items": _TEXT},
    "propertyNames": {**_THING, "propertyNames": {"type": "string", "maxLength": 3}},
    "patternProperties": {**_THING, "patternProperties": {"^x": _TEXT}},
    "unevaluatedProperties": {**_THING, "unevaluatedProperties": False},
    "dependentRequired": {**_THING, "dependentRequired": {"a": ["b"]}},
    "dependentSchemas": {**_THING, "dependentSchemas": {"a": {"type": "object", "required": ["b"]}}},
    "propertyOrdering": {**_THING, "propertyOrdering": ["a"]},
    "contentEncoding": {**_TEXT, "contentEncoding": "base64"},
    "contentMediaType": {**_TEXT, "contentMediaType": "application/json"},
    "contentSchema": {**_TEXT, "contentMediaType": "application/json", "contentSchema": _TEXT},
    "not": {**_TEXT, "not": {**_TEXT, "enum": ["a"]}},
    "if": {**_TEXT, "if": {**_TEXT, "enum": ["a"]}, "then": {**_TEXT, "enum": ["a", "b"]}},
    "then": {**_TEXT, "if": {**_TEXT, "enum": ["a"]}, "then": {**_TEXT, "enum": ["a", "b"]}},
    "else": {**_TEXT, "if": {**_TEXT, "enum": ["a"]}, "else": {**_TEXT, "enum": ["a", "b"]}},
    "anyOf": {"anyOf": [_TEXT, _WHOLE]},
    "oneOf": {"oneOf": [_TEXT, _WHOLE]},
    "allOf": {**_TEXT, "allOf": [{**_TEXT, "enum": ["a"]}]},
    "$anchor": {**_TEXT, "$anchor": "v"},
    "type": _TEXT,
    "items": _LIST,
    "properties": _THING,
    "required": {**_THING, "required": ["a"]},
    "additionalProperties": {**_THING, "additionalProperties": False},
}
"""By keyword, a schema of a parameter that has it."""
_PATTERNS: Final = {
    "patterns": r"^\p{L}+$",
    "lookaround": "^(?=a)[a-z]+$",
    "word-boundary": r"^a\b$",
    "backreferences": r"^(a)\1$",
    "unicode-classes": r"^\p{L}+$",
}
_CONSTRUCTS: Final[dict[str, tuple[Broken, JsonObject, JsonObject | bool]]] = {
    "pattern-alone": ("structure", _KEYWORDS["pattern"], {**_KEYWORDS["pattern"], "maxLength": 5}),
    "type-arrays": ("value", _TEXT, {"type": ["string", "integer"]}),
    "null": ("value", _TEXT, {"type": ["string", "null"]}),
    "typed": ("missing", _KEYWORDS["enum"], {"enum": ["a", "b"]}),
    "untyped": ("missing", _TEXT, {}),
    "booleans": ("structure", _TEXT, True),
    "ref-siblings": ("structure", {"$ref": "#/$defs/d"}, {"$ref": "#/$defs/d", "description": "a"}),
    "ref-targets": ("value", {"$ref": "#/$defs/d"}, {"$ref": "#/properties/w"}),
    "maps": ("structure", _LIST, {"type": "object", "additionalProperties": _TEXT}),
    "tuples": (
        "structure", _LIST, {"type": "array", "prefixItems": [_TEXT, _WHOLE], "minItems": 2, "maxItems": 2}
    ),
    "items-required": ("missing", _LIST, {"type": "array"}),
    "properties-required": ("missing", _THING, {"type": "object"}),
    "empty-objects": ("missing", _THING, {"type": "object", "properties": {}}),
}  # fmt: skip
"""By construct, the class of the error, and schemas of a parameter without it and with it."""
_UNIONS: Final[dict[object, tuple[JsonObject, JsonObject]]] = {
    "alone": (_KEYWORDS["anyOf"], {**_KEYWORDS["anyOf"], "type": ["string", "integer"], "minLength": 1}),
    "only": (_KEYWORDS["anyOf"], {**_KEYWORDS["anyOf"], "description": "a"}),
    "none": (_TEXT, _KEYWORDS["anyOf"]),
}
_ENUMS: Final[dict[object, JsonObject]] = {
    "fitting": {**_TEXT, "enum": ["a", 1]},
    "alike": {"type": ["string", "integer"], "enum": ["a", 1]},
    "strings": {**_WHOLE, "enum": [1, 2]},
}
_UNSENT: Final = {
    "$id": "toolcast sends none, because references are pointers into the whole schema",
    "$dynamicRef": "it needs a document of its own to mean more than `$ref`",
    "$recursiveRef": "draft 2020-12 has `$dynamicRef` in its place",
}
_ROOTS: Final[dict[str, Any]] = {
    "enum": [{_ARGUMENT: "a"}],
    "const": {_ARGUMENT: "a"},
    "not": {"required": ["w"]},
    "if": {"required": ["w"]},
    "then": {"required": ["w"]},
    "else": {"required": ["w"]},
}


class Vector(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One vector of a rule.

    Attributes:
        id: the provider, and its rule; with a number after `#` where a rule has several.
        rule: the key of the rule: "strict.pattern".
        status: what the provider does with what breaks the rule.
        accepts: a schema of parameters that keeps the rule, and is taken as it is.
        refuses: one that breaks it, and is refused.
        differs: one that breaks it where the status is another one: it is not refused, or nobody knows.
        error: the class of the error.
        counts: what `most` counts; a request with one more is refused.
        most: the limit.
        tool: a tool object that is taken.
        wire: the construct in whose place an argument is sent in another form.
        contract: the schema of parameters that the tool has.
        sent: the schema that the provider gets.
        argument: the arguments as a model writes them.
        decoded: the arguments in the contract's form.
        why: why there is no pair.
    """

    id: str
    rule: str
    status: Status = "refused"
    accepts: JsonObject | None = None
    refuses: JsonObject | None = None
    differs: JsonObject | None = None
    error: Broken | Literal[""] = ""
    counts: str = ""
    most: object = None
    tool: JsonObject | None = None
    wire: str = ""
    contract: JsonObject | None = None
    sent: JsonObject | None = None
    argument: JsonObject | None = None
    decoded: JsonObject | None = None
    why: str = ""


def vectors_of(profile: Profile) -> tuple[Vector, ...]:
    """Make the vectors of a provider.

    Args:
        profile: its profile.

    Returns:
        The vectors, in the order of its rules; then its tool object, and its wire forms.
    """
    made: list[Vector] = []
    for rule in rules_of(profile):
        pairs = list(_pairs(profile, rule))
        numbers = [f"#{index + 1}" for index in range(len(pairs))] if len(pairs) > 1 else [""]
        made += [replace(each, id=each.id + number) for each, number in zip(pairs, numbers, strict=False)]
    return (*made, _tool(profile), *_wire_forms(profile))


def _pairs(profile: Profile, rule: ProviderRule) -> Iterator[Vector]:
    """Yield the vectors of one rule: one, or one for each of its values."""
    bare = Vector(id=f"{profile.id}/{rule.key}", rule=rule.key, status=rule.status)
    if rule.kind == "limit":
        advice = "it is advice: more is not refused" if rule.name.startswith("advised-") else ""
        yield replace(bare, error="limit", counts=rule.name, most=rule.value, why=advice)
        return
    dialect = profile.strict if rule.table == "strict" else profile.dialect
    assert dialect is not None
    cases = _keyword(rule, dialect) if rule.kind == "keyword" else _construct(rule, dialect)
    for error, accepts, breaks, why in cases:
        refused = breaks is not None and rule.status == "refused"
        lacking = why or _WHY.get(rule.status, "") if not refused or accepts is None else ""
        if refused:
            yield replace(bare, accepts=accepts, refuses=breaks, error=error, why=lacking)
        else:
            yield replace(bare, accepts=accepts, differs=breaks, why=lacking)


_WHY: Final[dict[str, str]] = {
    "accepted": "the keyword is taken, so this rule refuses nothing",
    "ignored": "the provider ignores it, so nothing is refused",
    "rewritten": "the provider gives it another meaning, and refuses nothing",
    "unknown": "no source says what the provider does with it",
}
_Case = tuple[Broken, JsonObject | None, JsonObject | None, str]


def _keyword(rule: ProviderRule, dialect: Dialect) -> Iterator[_Case]:
    made = _with_keyword(rule.name, dialect)
    if made is None:
        yield "keyword", None, None, _UNSENT.get(rule.name, "contracts do not have it")
    else:
        yield ("keyword", made[1], None, "") if rule.sent else ("keyword", *made, "")


def _with_keyword(name: str, dialect: Dialect) -> tuple[JsonObject, JsonObject] | None:
    """Return parameters without a keyword and with it; None for one that no vector shows."""
    plain = _tool_schema(_TEXT, dialect)
    if name == "other":
        return plain, _tool_schema({**_TEXT, "x-other": "a"}, dialect)
    if name in ("$ref", "$defs"):
        return plain, _referring({"$ref": "#/$defs/d"}, dialect)
    if name == "$schema":
        return plain, {"$schema": "https://json-schema.org/draft/2020-12/schema", **plain}
    if name not in _KEYWORDS:
        return None
    made = _KEYWORDS[name]
    if name == "format" and dialect.formats:
        made = {**_TEXT, "format": dialect.formats[0]}
    less = {key: value for key, value in made.items() if key != name and key not in _NEED.get(name, ())}
    if "type" not in less:
        less = _TEXT
    return _tool_schema(less, dialect), _tool_schema(made, dialect)


_NEED: Final = {
    **dict.fromkeys(("if", "then", "else"), ("if", "then", "else")),
    **dict.fromkeys(("contains", "minContains", "maxContains"), ("contains", "minContains", "maxContains")),
    "contentSchema": ("contentMediaType",),
}
"""By keyword, those that stand beside it in its vector and mean nothing without it."""


def _construct(rule: ProviderRule, dialect: Dialect) -> Iterator[_Case]:
    plain = _tool_schema(_TEXT, dialect)
    found: list[_Case] = [(*case, "") for case in _cases(rule.name, rule.value, dialect)]
    if rule.name == "optional" and rule.value != "nullable":
        found = [("structure", plain, None, "a request is not refused: an argument that is null is")]
    yield from found or [("structure", plain, None, "no small schema breaks it")]


def _cases(name: str, value: Any, dialect: Dialect) -> Iterator[tuple[Broken, JsonObject, JsonObject]]:
    """Yield for a construct the class of the error, parameters that keep the rule and that break it."""
    for error, accepts, breaks in _of_parameter(name, value):
        if isinstance(breaks, dict) and "$ref" in breaks:
            yield error, _referring(accepts, dialect), _referring(breaks, dialect)
        else:
            yield error, _tool_schema(accepts, dialect), _tool_schema(breaks, dialect)
    plain = _tool_schema(_TEXT, dialect)
    if name == "cycles":
        within = {**_THING, "properties": {"a": {"$ref": "#/$defs/d"}}}
        yield (
            "structure",
            _referring({"$ref": "#/$defs/d"}, dialect),
            _referring({"$ref": "#/$defs/d"}, dialect, within),
        )
    elif name == "prune-definitions":
        yield "structure", plain, {**plain, "$defs": {"d": _TEXT}}
    elif name == "refs":
        yield "keyword", plain, _referring({"$ref": "#/$defs/d"}, dialect)
    elif name in ("closed", "open"):
        yield "missing", plain, {key: part for key, part in plain.items() if key != "additionalProperties"}
    elif name == "declared-required":
        yield "value", plain, {**plain, "required": [*plain["required"], "w"]}
    elif name in ("empty-required", "optional"):
        yield "value", plain, {**plain, "required": []}
    elif name == "root-forbid":
        for keyword in value:
            yield "structure", plain, {**plain, keyword: _ROOTS.get(keyword, [plain])}
    elif name == "property-names":
        for other in _other_names(value)[:1]:
            yield "value", plain, {**plain, "properties": {other: _TEXT}, "required": [other]}


def _other_names(pattern: str) -> list[str]:
    """Return names of properties that a pattern does not allow."""
    return [name for name in ("a b", "anyOf", "class") if not re.fullmatch(pattern, name)]


def _of_parameter(name: str, value: Any) -> Iterator[tuple[Broken, JsonObject, JsonObject | bool]]:
    """Yield the same for constructs that one parameter shows, as schemas of that."""
    if name in _CONSTRUCTS:
        yield _CONSTRUCTS[name]
    elif name in _PATTERNS:
        breaks = "a" if value == "anchored" else _PATTERNS[name]
        yield "value", _KEYWORDS["pattern"], {**_TEXT, "pattern": breaks}
    elif name == "formats":
        yield "value", {**_TEXT, **({"format": value[0]} if value else {})}, {**_TEXT, "format": "regex"}
    elif name == "integers-only":
        for keyword in value:
            yield "structure", {**_WHOLE, keyword: 1}, {"type": "number", keyword: 1}
    elif name == "at-most":
        for keyword, most in value:
            with_it = _KEYWORDS.get(keyword, _WHOLE)
            yield "value", {**with_it, keyword: int(most)}, {**with_it, keyword: int(most) + 1}
    elif name == "enums":
        yield "value", _KEYWORDS["enum"], _ENUMS[value]
    elif name == "max-enum":
        names = [f"v{index}" for index in range(value + 1)]
        yield "limit", {**_TEXT, "enum": names[:-1]}, {**_TEXT, "enum": names}
    elif name == "any-of":
        yield "structure", *_UNIONS[value]
    elif name == "max-branches":
        some = [{**_TEXT, "enum": [f"v{index}"]} for index in range(value + 1)]
        yield "limit", {"anyOf": some[:-1]}, {"anyOf": some}


def _tool_schema(schema: JsonObject | bool, dialect: Dialect) -> JsonObject:
    """Return parameters with one parameter, whose objects are closed where the dialect can say so."""
    return _fit({"type": "object", "properties": {_ARGUMENT: schema}}, dialect)


def _fit(schema: JsonObject, dialect: Dialect) -> JsonObject:
    made: JsonObject = map_subschemas(
        schema, lambda part: _fit(part, dialect) if isinstance(part, dict) else part
    )
    if "properties" in made:
        if disposition(dialect, "additionalProperties") == "keep" and "unevaluatedProperties" not in made:
            made.setdefault("additionalProperties", False)
        if made["properties"]:
            made["required"] = list(made["properties"])
    return made


def _referring(schema: JsonObject, dialect: Dialect, target: JsonObject = _THING) -> JsonObject:
    made = _tool_schema(schema, dialect)
    if schema["$ref"] == "#/properties/w":
        properties = {**made["properties"], "w": _TEXT}
        return {**made, "properties": properties, "required": list(properties)}
    return {**made, "$defs": {"d": _fit(target, dialect)}}


def _tool(profile: Profile) -> Vector:
    """Return the whole tool object of a tool with one parameter."""
    dialect = profile.strict or profile.dialect
    tool = ToolInfo(name="look", description="Look at a thing.")
    strict = None if profile.strict is None else True
    sent = Normalized(schema=_tool_schema(_TEXT, dialect), strict=strict, ledger=())
    filled = tool_object(tool, profile, sent)
    return Vector(
        id=f"{profile.id}/envelope", rule="envelope", status="accepted", tool=filled,
        why="an object without these members is no tool",
    )  # fmt: skip


_WIRE: Final[dict[str, tuple[str, JsonObject | bool, Any, Any]]] = {
    "maps": (
        "pairs",
        {"type": "object", "additionalProperties": _WHOLE},
        [{"key": "a", "value": 1}],
        {"a": 1},
    ),
    "tuples": ("object", _CONSTRUCTS["tuples"][2], {"item_1": "a", "item_2": 1}, ["a", 1]),
    "enums": ("strings", _ENUMS["strings"], "1", 1),
    "untyped": ("json", {}, '{"a": [1]}', {"a": [1]}),
    "empty-objects": ("json", {"type": "object"}, '{"a": 1}', {"a": 1}),
}  # fmt: skip
"""By construct: its value; the schema of a parameter; the argument that a model writes, and decoded."""


def _wire_forms(profile: Profile) -> Iterator[Vector]:
    for rule in rules_of(profile):
        name = rule.name
        dialect = profile.strict if rule.table == "strict" else profile.dialect
        if rule.kind != "construct" or dialect is None:
            continue
        contract = {"type": "object", "properties": {_ARGUMENT: _TEXT}, "additionalProperties": False}
        argument: JsonObject
        if name in _WIRE and rule.value == _WIRE[name][0]:
            _, schema, wire, value = _WIRE[name]
            contract |= {"properties": {_ARGUMENT: schema}, "required": [_ARGUMENT]}
            argument, decoded = {_ARGUMENT: wire}, {_ARGUMENT: value}
        elif name == "property-names" and _other_names(str(rule.value)):
            other = _other_names(str(rule.value))[0]
            contract |= {"properties": {other: _TEXT}, "required": [other]}
            argument, decoded = {}, {other: "a"}
        elif name == "optional" and rule.value in ("nullable", "also-null"):
            argument, decoded = {_ARGUMENT: None}, {}
        elif name == "null" and rule.value == "absent":
            contract |= {"properties": {_ARGUMENT: {"type": ["string", "null"]}}, "required": [_ARGUMENT]}
            argument, decoded = {}, {_ARGUMENT: None}
        else:
            continue
        flag = None if profile.strict is None else rule.table == "strict"
        sent = normalize(contract, profile, strict=flag).schema
        if name == "property-names":
            argument = dict.fromkeys(sent["properties"], "a")
        yield Vector(
            id=f"{profile.id}/{rule.key}/wire", rule=rule.key, status="accepted", wire=name,
            contract=contract, sent=sent, argument=argument, decoded=decoded,
        )  # fmt: skip
