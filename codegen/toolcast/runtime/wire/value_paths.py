"""Paths into a value, parsed from those of violations: `$.a["b c"][0]`."""

import json
import re
from typing import Any

Steps = tuple[str | int, ...]

_STEP = re.compile(r'\.([^.\[]+)|\[([0-9]+)\]|\[(?=")')
_STRING = json.JSONDecoder(strict=False).raw_decode


def steps_of(path: str) -> Steps | None:
    """Return the property names and indices of a path that begins with `$`; None for any other text."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or (found[1] is not None and not found[1].isidentifier()):
            return None
        at = found.end()
        if found[1] is not None:
            steps.append(found[1])
        elif found[2] is not None:
            steps.append(int(found[2]))
        else:
            try:
                name, at = _STRING(path, at)
            except ValueError:
                return None
            if path[at : at + 1] != "]":
                return None
            steps.append(name)
            at += 1
    return tuple(steps)


def value_at(value: Any, steps: Steps) -> Any:
    """Return the value at a path. Raises LookupError."""
    for step in steps:
        try:
            value = value[step]
        except TypeError:
            raise LookupError(step) from None
    return value


def with_value(value: Any, steps: Steps, new: Any) -> object:
    """Copy `value` with `new` at the path; what is not on the path is shared."""
    if not steps:
        return new
    copy = value.copy()
    copy[steps[0]] = with_value(value[steps[0]], steps[1:], new)
    return copy


def without(value: Any, steps: Steps) -> object:
    """Copy `value` without the property there."""
    parent = value_at(value, steps[:-1])
    return with_value(value, steps[:-1], {name: item for name, item in parent.items() if name != steps[-1]})
