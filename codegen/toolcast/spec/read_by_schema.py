"""Checks keys of a spec against their schemas: the exact validator judges, and each violation becomes a
diagnostic at its place."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ..jsonschema.json_values import JsonObject
from ..jsonschema.pointers import Steps, steps_of, value_at
from ..jsonschema.validator import Validator
from ..jsonschema.validator_errors import Violation
from .keys import KEYS, Key
from .spec_checker import SpecChecker, choices, kind_of, nearest, quoted

_KINDS: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "text",
}
_ITEMS: Final = {"object": "a list of mappings", "string": "a list of texts"}
_MOST: Final = 1_000  # violations of one key


def read_plain(checker: SpecChecker, data: Mapping[str, object]) -> JsonObject:
    """Read the valid keys whose schema says all that their value must be; a list as a tuple."""
    stated = {key.name: data[key.name] for key in KEYS.values() if key.plain and key.name in data}
    values = {name: read_by_schema(checker, name, value) for name, value in stated.items()}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
        if value is not None
    }


def read_by_schema(checker: SpecChecker, name: str, value: object) -> Any:
    """Report what the schema of a key refuses; return the value with None in place of each wrong part.
    Members may be missing.
    """
    key = KEYS[name]
    violations = _validator(name).violations(value, _MOST)
    if not violations:
        return value
    placed = [(steps_of(each.path) or (), each) for each in violations]
    wrong: set[Steps] = set()
    suggested: dict[Steps, Mapping[str, str]] = {}
    for steps, each in placed:
        if each.keyword in ("additionalProperties", "propertyNames"):
            wrong.add(steps)
            if steps[:-1] not in suggested:
                suggested[steps[:-1]] = _report_names(checker, key, value, steps[:-1])
    for steps, each in placed:
        if each.keyword == "required":
            if each.expected not in suggested.get(steps, ()):
                words = key.words_at(steps)
                hint = words.hint or key.words_at((*steps, each.expected)).hint
                message = f"`{each.expected}` is missing"
                checker.report((name, *steps), words.code or "missing-key", message, hint)
        elif each.keyword == "uniqueItems":
            wrong.update(_report_repeated(checker, (name, *steps), value_at(value, steps)))
        elif steps not in wrong:
            wrong.add(steps)
            _report(checker, key, steps, value_at(value, steps), each)
    return None if len(violations) == _MOST else _without(value, wrong)


def is_icon(icon: object) -> bool:
    """Return whether a spec may hold an icon."""
    return _validator("icons").accepts([icon])


@cache
def _validator(name: str) -> Validator:
    return Validator(KEYS[name].schema, formats=True)


def _report(checker: SpecChecker, key: Key, steps: Steps, value: Any, found: Violation) -> None:
    words = key.words_at(steps)
    code, hint = words.code or key.code, words.hint
    path = (key.name, *steps)
    listed = next((each for each in reversed(path) if isinstance(each, str)), key.name)
    is_entry = isinstance(path[-1], int)
    shown = f"an entry of {quoted(listed)}" if is_entry else quoted(listed)
    schema = _schema_at(key.schema, steps)
    if found.keyword == "enum" or (found.keyword == "anyOf" and isinstance(value, str)):
        known = found.expected if found.keyword == "enum" else _words_of(schema)
        names_all = all(each in hint for each in known)
        hint = hint if names_all or found.keyword == "anyOf" else f"write {choices(known)}"
        if not isinstance(value, str):
            checker.report(path, "wrong-type", f"{shown} must be text, not {kind_of(value)}", hint)
            return
        if close := nearest(value, known):
            hint = f"did you mean `{close}`? {hint}"
        start = f"{quoted(listed)} cannot have the entry" if is_entry else f"{shown} cannot be"
        checker.report(path, code, f"{start} {quoted(value)}", hint)
    elif found.keyword in ("type", "anyOf"):
        wanted = words.wanted or _wanted(schema)
        hint = hint or _type_hint(value, wanted)
        checker.report(path, "wrong-type", f"{shown} must be {wanted}, not {kind_of(value)}", hint)
    elif found.keyword == "minItems" and not value:
        checker.report(path, "empty-list", f"{shown} is empty", hint)
    elif found.keyword == "pattern" and not value.strip():
        checker.report(path, "empty-text", f"{shown} is empty", "write it, or leave the key out")
    elif words.wanted:
        checker.report(path, code, f"{quoted(value)} is not {words.wanted}", hint)
    else:
        message = found.message.replace(f"`{found.path}`", shown).replace("the value", shown, 1)
        checker.report(path, code, message, hint)


def _report_names(checker: SpecChecker, key: Key, value: object, steps: Steps) -> Mapping[str, str]:
    """Report names that members of a mapping cannot have; return suggested names, as `known_keys` does."""
    schema = _of_mappings(_schema_at(key.schema, steps))
    members = value_at(value, steps)
    names = key.words_at(steps).names
    path = (key.name, *steps)
    for name in members.keys() & names.refused.keys():
        message = f"{quoted(name)} is not {names.wanted}"
        checker.report((*path, name), names.code, message, names.refused[name], key=True)
    left = {name: each for name, each in members.items() if name not in names.refused}
    if "propertyNames" not in schema:
        return checker.known_keys(path, left, schema.get("properties", {}), names)
    judge = Validator(schema["propertyNames"])
    for name in left:
        if not judge.accepts(name):
            message = f"{quoted(name)} is not {names.wanted}"
            checker.report((*path, name), names.code, message, names.hint, key=True)
    return {}


def _report_repeated(checker: SpecChecker, path: tuple[str | int, ...], values: list[object]) -> list[Steps]:
    repeated = [index for index, value in enumerate(values) if value in values[:index]]
    for index in repeated:
        checker.report(
            (*path, index), "repeated", f"{quoted(str(values[index]))} is listed twice", "keep one"
        )
    return [(*path[1:], index) for index in repeated]


def _schema_at(schema: Any, steps: Steps) -> Any:
    for step in steps:
        schema = _of_mappings(schema)
        if isinstance(step, int):
            schema = schema["items"]
        else:
            schema = schema.get("properties", {}).get(step, schema.get("additionalProperties"))
    return schema


def _of_mappings(schema: Any) -> Any:
    return next((each for each in schema.get("anyOf", ()) if each.get("type") == "object"), schema)


def _words_of(schema: Any) -> list[str]:
    """Return the texts that the branches of a union list."""
    return [word for each in schema["anyOf"] for word in each.get("enum", [each.get("const")]) if word]


def _wanted(schema: Any) -> str:
    if "anyOf" in schema:
        return " or ".join(_wanted(each) for each in schema["anyOf"])
    kind = schema.get("type", "string")  # an enum is one of texts
    return _ITEMS.get(schema.get("items", {}).get("type"), _KINDS[kind]) if kind == "array" else _KINDS[kind]


def _type_hint(value: object, wanted: str) -> str:
    if wanted == "true or false":
        if isinstance(value, str) and value.lower() in ("yes", "on", "y", "no", "off", "n"):
            return "YAML 1.2 reads `yes`, `no`, `on` and `off` as text; write true or false"
    elif wanted == "a mapping":
        if value is None:
            return "indent its lines further than its key, or leave the key out"
        return "write its entries below it, each as `key: value`"
    elif wanted == "text" and isinstance(value, bool | int | float):
        return "put it in quotes"
    return f"write {wanted}"


def _without(value: object, wrong: set[Steps], at: Steps = ()) -> Any:
    """Copy a value, with None in place of the parts that are wrong."""
    if at in wrong:
        return None
    if isinstance(value, dict):
        return {name: _without(each, wrong, (*at, name)) for name, each in value.items()}
    if isinstance(value, list):
        return [_without(each, wrong, (*at, index)) for index, each in enumerate(value)]
    return value
