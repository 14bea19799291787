"""JSON pointers (RFC 6901), and the paths of violations: `$.a["b c"][0]`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any


def escape(segment: str) -> str:
    """Escape a segment of a pointer: `~` as `~0`, `/` as `~1`."""
    if "~" in segment or "/" in segment:
        return segment.replace("~", "~0").replace("/", "~1")
    return segment


def unescape(token: str) -> str:
    """Unescape a token of a pointer: the inverse of `escape`."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def join(segments: Iterable[str | int]) -> str:
    """Make a pointer of a path: `["properties", "a/b"]` is `/properties/a~1b`."""
    return "".join([f"/{escape(str(segment))}" for segment in segments])


def split(pointer: str) -> list[str]:
    """Return the segments of a pointer, unescaped; text before the first `/`, such as `#`, is ignored."""
    return [unescape(token) for token in pointer.split("/")[1:]]


def child(value: Any, segment: str) -> Any:
    """Return the member of an object, or the item of an array. Raises LookupError where there is none."""
    if isinstance(value, (dict, Mapping)):  # the plain one first: it is found in a third of the time
        return value[segment]
    if isinstance(value, (list, tuple)) and segment.isascii() and segment.isdecimal():
        return value[int(segment[:_INDEX_DIGITS])]
    raise LookupError(segment)


_INDEX_DIGITS = 12
"""More digits than any index has: Python refuses to convert thousands of them."""


def resolve(document: Any, pointer: str) -> Any:
    """Return the value at a pointer from the root of a document. Raises LookupError where there is none."""
    value = document
    for segment in split(pointer):
        value = child(value, segment)
    return value


Steps = tuple[str | int, ...]

_STEP = re.compile(r'\.([^.\[]+)|\[([0-9]+)\]|\[(?=")')


def steps_of(path: str) -> Steps | None:
    """Return the property names and indices of a path that begins with `$`; None for any other text."""
    if not path.startswith("$"):
        return None
    from json import JSONDecoder  # the runtime needs no `json` to be imported

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
                name, at = JSONDecoder(strict=False).raw_decode(path, at)
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
