"""Reads the keys whose schema says all that their value must be: the exact validator judges, and each of its
violations becomes a diagnostic at its place."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from ..jsonschema import Validator, Violation
from ..runtime.wire.value_paths import steps_of, value_at
from .fields import boolean_hint
from .keys import KEYS, Key
from .parsed_document import Path
from .reader_problems import quoted
from .spec_checker import SpecChecker, choices, kind_of

_KINDS: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "text",
}


def read_plain(checker: SpecChecker, data: Mapping[str, Any]) -> dict[str, Any]:
    """Read the plain keys of a spec.

    Args:
        checker: receives the problems.
        data: the spec.

    Returns:
        The value of each that is stated and right, by the name of the key; a list as a tuple.
    """
    stated = (key for key in KEYS.values() if key.plain and key.name in data)
    return {
        key.name: tuple(value) if isinstance(value := data[key.name], list) else value
        for key in stated
        if _is_right(checker, key, data[key.name])
    }


def is_icon(icon: Any) -> bool:
    """Whether a spec may hold an icon."""
    return _validator("icons").accepts([icon])


def _is_right(checker: SpecChecker, key: Key, value: Any) -> bool:
    found = _validator(key.name).violations(value)
    for each in found:
        steps = steps_of(each.path) or ()
        _report(checker, key, (key.name, *steps), value_at(value, steps), each)
    return not found


@cache
def _validator(name: str) -> Validator:
    return Validator(KEYS[name].schema)


def _report(checker: SpecChecker, key: Key, path: Path, value: Any, found: Violation) -> None:
    entry = isinstance(path[-1], int)
    shown = f"an entry of `{key.name}`" if entry else f"`{path[-1]}`"
    if found.keyword == "enum":
        names_all = all(f"`{each}`" in key.hint for each in found.expected)
        hint = key.hint if names_all else f"write {choices(found.expected)}"
        if isinstance(value, str):
            start = f"`{key.name}` cannot have the entry" if entry else f"{shown} cannot be"
            checker.report(path, key.code, f"{start} {quoted(value)}", hint)
        else:
            checker.report(path, "wrong-type", f"{shown} must be text, not {kind_of(value)}", hint)
    elif found.keyword == "type":
        kinds = [found.expected] if isinstance(found.expected, str) else found.expected
        wanted = " or ".join(_KINDS[kind] for kind in kinds)
        if kinds == ["array"] and key.schema.get("items", {}).get("type") == "object":
            wanted = "a list of mappings"
        hint = key.hint or (boolean_hint(value) if kinds == ["boolean"] else f"write {wanted}")
        checker.report(path, "wrong-type", f"{shown} must be {wanted}, not {kind_of(value)}", hint)
    elif found.keyword == "additionalProperties":
        checker.known_keys(path[:-1], {str(path[-1]): value}, key.schema["properties"], {})
    elif found.keyword == "uniqueItems":
        for index in _repeated(value):
            message = f"{quoted(str(value[index]))} is listed twice"
            checker.report((*path, index), "repeated", message, "keep one")
    elif found.keyword == "minItems" and not value:
        checker.report(path, "empty-list", f"{shown} is empty", key.hint)
    elif found.keyword == "pattern" and not value.strip():
        checker.report(path, "empty-text", f"{shown} is empty", "write it, or leave the key out")
    else:
        code = "missing-key" if found.keyword == "required" else key.code
        message = found.message.replace(f"`{found.path}`", shown).replace("the value", shown, 1)
        checker.report(path, code, message, key.hint)


def _repeated(values: Sequence[Any]) -> Iterator[int]:
    return (index for index, value in enumerate(values) if value in values[:index])
