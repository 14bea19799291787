"""Why a value that looks encoded was not undone, in the words of the form that its writer knows."""

from collections.abc import Sequence
from typing import Any

from ...jsonschema.assertions import label
from ...jsonschema.errors import Violation
from .steps import steps_of, value_at
from .way import KEY, MORE, VALUE, position


def explained(violations: Sequence[Violation], value: Any) -> tuple[Violation, ...]:
    """`violations` of `value`, those of lists and objects that were left as they came said in their form."""
    return tuple(_explained(violation, value) for violation in violations)


def _explained(violation: Violation, value: Any) -> Violation:
    steps = steps_of(violation.path)
    try:
        found = None if steps is None else value_at(value, steps)
    except LookupError:
        return violation
    reason = _of_pairs(found) if isinstance(found, list) else _of_positions(found)
    if reason is None:
        return violation
    return Violation(
        violation.path, f"{label(violation.path)} {reason}", violation.keyword, violation.expected
    )


def _of_pairs(value: list[Any]) -> str | None:
    if not any(isinstance(entry, dict) and KEY in entry for entry in value):
        return None
    seen: set[str] = set()
    for index, entry in enumerate(value):
        form = f'entry {index} of the list must be {{"{KEY}": text, "{VALUE}": …}}'
        if not isinstance(entry, dict) or VALUE not in entry or not isinstance(entry.get(KEY), str):
            return f"cannot be read: {form}"
        if len(entry) > 2:
            return f"cannot be read: {form} and have nothing else"
        if entry[KEY] in seen:
            return f"has the key `{entry[KEY][:100]}` twice; give each key once"
        seen.add(entry[KEY])
    return None


def _of_positions(value: Any) -> str | None:
    if not isinstance(value, dict) or not (position(0) in value or MORE in value):
        return None
    last = max(
        (index for index in range(len(value) + 1) if value.get(position(index)) is not None), default=-1
    )
    for index in range(last):
        if position(index) not in value:
            return f"has `{position(last)}` but lacks `{position(index)}`; give the items without gaps"
    return None
